package conformance

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/cputime"
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/openrtb/native"
	"github.com/rtbwire/rtbwire/wire"
)

// These tests measure what hostile documents cost: memory against the limit, and the time of a
// refusal against that of a valid document of the same length.

// way is one way to decode a document, as a program has it that decodes one after the other.
type way struct {
	name string
	// open returns a function that decodes. What it needs for itself counts as memory of the
	// first document.
	open      func() func(data []byte) error
	realistic func(size int) string // valid documents of this way
}

// ways returns every entry point in every mode.
func ways() []way {
	always := func(f func(data []byte) error) func() func([]byte) error {
		return func() func([]byte) error { return f }
	}
	list := []way{
		{"Parse", always(func(data []byte) error { _, err := openrtb.Parse(data); return err }), realisticRequest},
		{"ParseFast", always(func(data []byte) error { _, err := openrtb.ParseFast(data); return err }), realisticRequest},
		{"ParseFastArena", always(func(data []byte) error {
			v, err := openrtb.ParseFastArena(data)
			openrtb.ReleaseArena(v)
			return err
		}), realisticRequest},
		{"ParseResponseFast", always(func(data []byte) error { _, err := openrtb.ParseResponseFast(data); return err }), realisticResponse},
		{"ParseResponseFastArena", always(func(data []byte) error {
			v, err := openrtb.ParseResponseFastArena(data)
			openrtb.ReleaseResponseArena(v)
			return err
		}), realisticResponse},
	}
	for _, m := range modes {
		list = append(list,
			way{"Decoder, " + m.mode.String(), func() func([]byte) error {
				d := openrtb.NewDecoder(m.options...)
				return func(data []byte) error { _, err := d.Decode(data); return err }
			}, realisticRequest},
			way{"ResponseDecoder, " + m.mode.String(), func() func([]byte) error {
				d := openrtb.NewResponseDecoder(m.options...)
				return func(data []byte) error { _, err := d.Decode(data); return err }
			}, realisticResponse},
			way{"native.ParseRequest, " + m.mode.String(), always(func(data []byte) error {
				_, _, err := native.ParseRequest(string(data), m.options...)
				return err
			}), realisticNative})
	}
	return list
}

// allGroups returns the groups, with the families for roots other than a request.
func allGroups() (list []struct {
	name     string
	families []family
}) {
	list = slices.Clone(groups)
	list[0].families = slices.Concat(list[0].families, responseFamilies, nativeFamilies)
	return list
}

// TestRealistic: the documents that refusals are compared with are valid in every mode, and about
// as long as asked for.
func TestRealistic(t *testing.T) {
	for _, w := range ways() {
		decode := w.open()
		for _, size := range costSizes {
			doc := w.realistic(size)
			if err := decode([]byte(doc)); err != nil {
				t.Errorf("%s, %d bytes: %v", w.name, size, err)
			}
			if len(doc) < size/2 || len(doc) > size*5/4 {
				t.Errorf("%s: %d bytes, want %d", w.name, len(doc), size)
			}
		}
	}
}

// costSizes are the lengths of the documents. Short runs leave out the last ones.
var costSizes = []int{100, 400, 1000, 4000, 20_000, 100_000, 400_000}

// worst is the largest of some ratios, and what it is of.
type worst struct {
	ratio float64
	of    string
}

func (w *worst) add(ratio float64, format string, args ...any) {
	if ratio > w.ratio {
		*w = worst{ratio, fmt.Sprintf(format, args...)}
	}
}

// costs are the worst ratios of every group of families by length, and of every way.
type costs struct {
	groups map[string]map[int]*worst
	ways   map[string]*worst
}

func (c *costs) add(group string, size int, way string, ratio float64, of string) {
	if c.groups == nil {
		c.groups, c.ways = map[string]map[int]*worst{}, map[string]*worst{}
	}
	if c.groups[group] == nil {
		c.groups[group] = map[int]*worst{}
	}
	if c.groups[group][size] == nil {
		c.groups[group][size] = new(worst)
	}
	if c.ways[way] == nil {
		c.ways[way] = new(worst)
	}
	c.groups[group][size].add(ratio, "%s, %s", of, way)
	c.ways[way].add(ratio, "%s, %d bytes", of, size)
}

// table writes the costs as the tables of lab/docs/performance.md.
func (c *costs) table(t *testing.T, sizes []int) {
	t.Helper()
	var b strings.Builder
	b.WriteString("\n| |")
	for _, size := range sizes {
		fmt.Fprintf(&b, " %d |", size)
	}
	b.WriteString("\n| ---" + strings.Repeat(" | ---", len(sizes)) + " |\n")
	for _, g := range groups {
		b.WriteString("| " + g.name + " |")
		for _, size := range sizes {
			if w := c.groups[g.name][size]; w != nil {
				fmt.Fprintf(&b, " %.2f |", w.ratio)
			} else {
				b.WriteString(" |")
			}
		}
		b.WriteByte('\n')
	}
	for _, g := range groups {
		for _, size := range sizes {
			if w := c.groups[g.name][size]; w != nil {
				fmt.Fprintf(&b, "%s, %d bytes: %.2f, %s\n", g.name, size, w.ratio, w.of)
			}
		}
	}
	for _, w := range ways() {
		if x := c.ways[w.name]; x != nil {
			fmt.Fprintf(&b, "| %s | %.2f | %s |\n", w.name, x.ratio, x.of)
		}
	}
	t.Log(b.String())
}

// TestMemoryOfEveryWay: no document makes any way allocate more than the limit, garbage and a new
// decoder included: neither the first document of a process, nor one after others.
func TestMemoryOfEveryWay(t *testing.T) {
	if testkit.Race || testkit.Poisoned || !mem.ZeroCopy {
		t.Skip("this build allocates more")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it would empty the pools
	sizes := costSizes[:testkit.Scale(t, 3, 4, len(costSizes))]
	var cold, warm costs
	for _, g := range allGroups() {
		for _, f := range g.families {
			for _, size := range sizes {
				data := []byte(f.make(size))
				limit := float64(wire.MemoryPerByteDefault*len(data) + wire.MemoryBaseDefault)
				check := func(c *costs, w way, state string, n int) {
					c.add(g.name, size, w.name, float64(n)/limit, f.name)
					if float64(n) > limit {
						t.Errorf("%s, %s: %s of %d bytes allocates %d, the limit is %.0f", f.name, w.name, state, len(data), n, limit)
					}
				}
				runtime.GC()
				runtime.GC() // the pools of all ways are empty now
				for _, w := range ways() {
					var decode func([]byte) error
					check(&cold, w, "the first document", allocated(func() {
						decode = w.open()
						_ = decode(data)
					}))
					check(&warm, w, "the second document", allocated(func() { _ = decode(data) }))
				}
			}
		}
	}
	t.Log("of the limit, cold:")
	cold.table(t, sizes)
	t.Log("of the limit, warm:")
	warm.table(t, sizes)
}

// TestMemoryAfterAnother: what a decoder has learned from a document does not make it allocate more
// than the limit for the next.
func TestMemoryAfterAnother(t *testing.T) {
	if testkit.Race || testkit.Poisoned || !mem.ZeroCopy {
		t.Skip("this build allocates more")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	r := testkit.Rand(2)
	all, list := families(), ways()
	pick := func() (string, []byte) {
		f := all[r.IntN(len(all))]
		return f.name, []byte(f.make(1 << (7 + r.IntN(testkit.Scale(t, 9, 11, 12)))))
	}
	for range testkit.Scale(t, 300, 3000, 30_000) {
		w := list[r.IntN(len(list))]
		decode := w.open()
		first, data := pick()
		_ = decode(data)
		second, data := pick()
		limit := wire.MemoryPerByteDefault*len(data) + wire.MemoryBaseDefault
		if n := allocated(func() { _ = decode(data) }); n > limit {
			t.Errorf("%s: %q of %d bytes allocates %d after %q, the limit is %d", w.name, second, len(data), n, first, limit)
		}
	}
}

// TestStackOfRefusals: a refusal needs no more of the goroutine's stack than a valid document.
func TestStackOfRefusals(t *testing.T) {
	if testkit.Race || testing.Short() {
		t.Skip("the race detector uses more")
	}
	const goroutines, size = 16, 4000
	stack := func(w way, data []byte) int {
		var ready, done sync.WaitGroup
		var before, after runtime.MemStats
		runtime.GC() // frees the stacks of goroutines that have ended
		runtime.ReadMemStats(&before)
		hold := make(chan struct{})
		for range goroutines {
			ready.Add(1)
			done.Go(func() {
				_ = w.open()(data)
				ready.Done()
				<-hold
			})
		}
		ready.Wait()
		runtime.ReadMemStats(&after)
		close(hold)
		done.Wait()
		return (int(after.StackInuse) - int(before.StackInuse)) / goroutines
	}
	for _, w := range ways() {
		if !strings.HasPrefix(w.name, "Decoder") {
			continue
		}
		valid := stack(w, []byte(w.realistic(size)))
		for _, f := range families() {
			const page = 8 << 10 // of the allocator: what the process does meanwhile
			if n := stack(w, []byte(f.make(size))); n > valid+page {
				t.Errorf("%s, %s: %d bytes of stack, a valid document takes %d", f.name, w.name, n, valid)
			}
		}
	}
}

// A refusal should take no longer than refusalGoal valid documents of the same length; more is
// measured again. lab/docs/performance.md has what misses it. Other programs can double a ratio of
// times as short as these, so that a test fails at refusalMax.
const (
	refusalGoal = 20
	refusalMax  = 80
)

// TestTimeOfRefusals compares the time of refusals by warm decoders with that of valid documents of
// the same length.
func TestTimeOfRefusals(t *testing.T) {
	if testkit.Race || testkit.Poisoned || testing.Short() {
		t.Skip("the race detector changes times, and a short run has none to spare")
	}
	sizes := testkit.Scale(t, nil, []int{100, 1000}, costSizes)
	const most = refusalMax
	var all costs
	for _, w := range ways() {
		decode := w.open()
		for _, size := range sizes {
			valid := []byte(w.realistic(size))
			whole := timeOf(decode, valid) / float64(len(valid))
			for _, g := range allGroups() {
				for _, f := range g.families {
					data := []byte(f.make(size))
					if decode(data) == nil {
						continue
					}
					ratio := timeOf(decode, data) / float64(len(data)) / whole
					for range 3 { // other programs still share the caches and the kernel
						if ratio < refusalGoal {
							break
						}
						whole = timeOf(decode, valid) / float64(len(valid))
						ratio = min(ratio, timeOf(decode, data)/float64(len(data))/whole)
					}
					all.add(g.name, size, w.name, ratio, f.name)
					if ratio > most {
						t.Errorf("%s, %s, %d bytes: refused in %.1f times the time of a valid document", f.name, w.name, len(data), ratio)
					}
				}
			}
		}
	}
	all.table(t, sizes)
}

// timeOf returns the nanoseconds of CPU time that decoding takes, the median of some runs.
func timeOf(decode func([]byte) error, data []byte) float64 {
	const least = 50 * time.Microsecond // of a run: many times the clock's resolution
	var times []float64
	for n := 1; len(times) < 5; {
		took := cputime.Of(func() {
			for range n {
				_ = decode(data)
			}
		})
		if took < least {
			n *= 4
			continue
		}
		times = append(times, float64(took)/float64(n))
	}
	slices.Sort(times)
	return times[len(times)/2]
}
