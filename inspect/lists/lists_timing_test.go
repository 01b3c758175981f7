package lists

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/cputime"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// bigList is a list of a size that is normal in production: entry n, and values that have the form
// of one and are in the list if n is below its size.
type bigList struct {
	kind  Kind
	size  int
	entry func(n int) string
	value func(n int) string
}

var bigLists = []bigList{
	{Domain, 1_000_000, domainAt, func(n int) string { return "www." + domainAt(n) }},
	{Prefix, 500_000, prefixAt, func(n int) string { return netip.MustParsePrefix(prefixAt(n)).Addr().Next().String() }},
	{String, 10_000_000, stringAt, stringAt},
}

// random is a number for n, always the same.
func random(n int) uint64 {
	return rand.New(rand.NewPCG(uint64(n), 1)).Uint64() //nolint:gosec // test data
}

// domainAt returns a domain of 17 bytes on average, of two or three labels.
func domainAt(n int) string {
	r := random(n)
	tld := []string{"com", "net", "de", "co.uk", "example"}[r%5]
	return fmt.Sprintf("site%x-%x.%s", n, r>>(40+r%16), tld)
}

// prefixAt returns a prefix of the lengths that lists of data centres have. Every fourth is IPv6.
func prefixAt(n int) string {
	r := random(n)
	if n%4 == 0 {
		return fmt.Sprintf("2a%02x:%x:%x::/48", r&0x3f, r>>8&0xffff, r>>24&0xffff)
	}
	bits := 20 + int(r>>32%13)
	a := netip.AddrFrom4([4]byte{byte(r%200) + 11, byte(r >> 8), byte(r >> 16), byte(r >> 24)})
	return netip.PrefixFrom(a, bits).Masked().String()
}

// stringAt returns an identifier of 24 bytes.
func stringAt(n int) string { return fmt.Sprintf("%08x%016x", n, random(n)) }

// write writes the list to a file.
func (l bigList) write(tb testing.TB, size int) (path string) {
	tb.Helper()
	path = filepath.Join(tb.TempDir(), string(l.kind)+".txt")
	file, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	w := bufio.NewWriter(file)
	for n := range size {
		fmt.Fprintln(w, l.entry(n))
	}
	if err := w.Flush(); err != nil {
		tb.Fatal(err)
	}
	if err := file.Close(); err != nil {
		tb.Fatal(err)
	}
	return path
}

// values returns values that are in a list of the size, or others. They lie one after the other in
// memory, so that reading them costs little next to looking them up.
func (l bigList) values(size int, in bool) []string {
	values := make([]string, 1<<16)
	for i := range values {
		n := int(random(i+1<<40) % uint64(size))
		if !in {
			n += size
		}
		values[i] = l.value(n)
	}
	all, at := strings.Join(values, ""), 0
	for i, v := range values {
		values[i] = all[at : at+len(v)]
		at += len(v)
	}
	return values
}

func (l bigList) open(tb testing.TB, path string) *List {
	tb.Helper()
	set, err := Open(map[string]Definition{"list": {Kind: l.kind, File: path}}, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return set.List("list")
}

func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// BenchmarkMatch looks up values, and reports what an entry takes.
func BenchmarkMatch(b *testing.B) {
	for _, l := range bigLists {
		for _, size := range []int{1000, l.size} {
			b.Run(fmt.Sprintf("kind=%s/entries=%d", l.kind, size), func(b *testing.B) {
				path := l.write(b, size)
				before := heap()
				list := l.open(b, path)
				perEntry := float64(heap()-before) / float64(list.Table().Len())
				for _, in := range []bool{true, false} {
					b.Run(fmt.Sprintf("in=%v", in), func(b *testing.B) {
						values := l.values(size, in)
						b.ReportMetric(perEntry, "B/entry")
						b.ReportAllocs()
						n := 0
						for b.Loop() {
							list.Match(values[n&(len(values)-1)])
							n++
						}
					})
				}
			})
		}
	}
}

// BenchmarkLoad reads files.
func BenchmarkLoad(b *testing.B) {
	for _, l := range bigLists {
		const size = 100_000
		b.Run(fmt.Sprintf("kind=%s/entries=%d", l.kind, size), func(b *testing.B) {
			path := l.write(b, size)
			info, err := os.Stat(path)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(info.Size())
			b.ReportAllocs()
			for b.Loop() {
				l.open(b, path)
			}
		})
	}
}

// BenchmarkIDN looks up a domain that is not in ASCII, which is the form that allocates.
func BenchmarkIDN(b *testing.B) {
	list := table(b, Domain, "b\u00fccher.example")
	b.ReportAllocs()
	for b.Loop() {
		list.Match("www.B\u00fccher.example")
	}
}

// lookupMax is the CPU time that a lookup may take.
const lookupMax = 100 * time.Nanosecond

// TestBigLists loads lists of production size, and holds the time of a lookup to lookupMax. It prints memory and
// times.
func TestBigLists(t *testing.T) {
	if !testkit.Long(t) {
		t.Skip("takes a gigabyte and half a minute: RTBWIRE_LONG=1")
	}
	for _, l := range bigLists {
		path := l.write(t, l.size)
		before := heap()
		peak := watchHeap()
		var list *List
		took := cputime.Of(func() { list = l.open(t, path) })
		top := peak() - before
		size := heap() - before
		entries := list.Table().Len()

		t.Logf("%s: %d entries, %.1f bytes each (at most %.1f while loading), loaded in %v",
			l.kind, entries, float64(size)/float64(entries), float64(top)/float64(entries), took.Round(time.Millisecond))
		for _, in := range []bool{true, false} {
			values := l.values(l.size, in)
			found, best := 0, time.Duration(1<<62)
			for range 50 {
				found = 0
				best = min(best, cputime.Of(func() {
					for _, v := range values {
						if list.Match(v) {
							found++
						}
					}
				}))
			}
			best /= time.Duration(len(values))
			t.Logf("%s: lookup of values with in=%v: %v", l.kind, in, best)
			if best > lookupMax {
				t.Errorf("%s: a lookup takes %v, want at most %v", l.kind, best, lookupMax)
			}
			// Prefixes can have a neighbour's address.
			if share := float64(found) / float64(len(values)); in && share < 0.99 || !in && share > 0.2 {
				t.Errorf("%s: %.2f of the values with in=%v were found", l.kind, share, in)
			}
		}
		runtime.KeepAlive(list)
	}
}

// watchHeap returns a function that says how large the heap was at most until then.
func watchHeap() (peak func() int) {
	stop, done := make(chan struct{}), make(chan int)
	go func() {
		top := 0
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			top = max(top, int(m.HeapAlloc))
			select {
			case <-stop:
				done <- top
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return func() int { close(stop); return <-done }
}
