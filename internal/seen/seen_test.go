package seen

import (
	"math/rand/v2"
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/cputime"
)

// model is Groups as simple as possible.
type model [][]string

func (m *model) open() { *m = append(*m, nil) }

func (m *model) close() { *m = (*m)[:len(*m)-1] }

func (m *model) add(name string) (earlier int, repeated bool) {
	top := &(*m)[len(*m)-1]
	defer func() { *top = append(*top, name) }()
	for i, other := range *top {
		if other == name {
			return i, true
		}
	}
	return 0, false
}

// both runs Groups and the model side by side.
type both struct {
	t testing.TB
	g *Groups
	m model
}

func (b *both) open() {
	b.g.Open()
	b.m.open()
}

func (b *both) close() {
	b.g.Close()
	b.m.close()
}

func (b *both) add(name string) {
	b.t.Helper()
	group := len(b.m[len(b.m)-1])
	had := b.g.Has(name)
	i, repeated := b.g.Add(name)
	if wantAt, want := b.m.add(name); had != want || repeated != want || repeated && i != wantAt {
		b.t.Fatalf("%q in a group of %d: %v, %d, %v, want %d, %v", name, group, had, i, repeated, wantAt, want)
	}
}

func (b *both) fill(from, n int) {
	b.t.Helper()
	for i := range n {
		b.add("filler " + strconv.Itoa(from+i))
	}
}

// TestAllSequences runs every short sequence of calls, with groups that begin with so many names
// that they are searched one by one, hashed, or about to be.
func TestAllSequences(t *testing.T) {
	const length, calls = 6, 4
	sequences := 1
	for range length {
		sequences *= calls
	}
	var g Groups // one for all, so that what a sequence leaves would show in the next
	for _, names := range []int{0, 1, LinearMax - 2, LinearMax - 1, LinearMax, LinearMax + 1} {
		for sequence := range sequences {
			g.Reset()
			b := both{t: t, g: &g}
			b.open()
			b.fill(0, names)
			for range length {
				switch sequence % calls {
				case 0:
					b.open()
					b.fill(0, names)
				case 1:
					if len(b.m) > 1 {
						b.close()
					}
				case 2:
					b.add("a")
				case 3:
					b.add("filler 0")
				}
				sequence /= calls
			}
		}
	}
}

// TestRandomGroups nests groups of all sizes, with many repeated names.
func TestRandomGroups(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 0))
	var g Groups
	for range 50 {
		g.Reset()
		b := both{t: t, g: &g}
		b.open()
		most := 1 + rnd.IntN(300)
		for range 2000 {
			switch n := rnd.IntN(20); {
			case n == 0 && len(b.m) < 30:
				b.open()
			case n == 1 && len(b.m) > 1:
				b.close()
			default:
				b.add(strconv.Itoa(rnd.IntN(most)))
			}
		}
	}
}

// TestResetKeepsNoMemory: Reset drops the memory of large documents and all references to names.
func TestResetKeepsNoMemory(t *testing.T) {
	for name, use := range map[string]func(b *both){
		"many names in one group": func(b *both) { b.open(); b.fill(0, keptMax+1) },
		"many names in all groups": func(b *both) {
			for range keptMax / LinearMax {
				b.open()
				b.fill(0, LinearMax+1)
			}
		},
		"many groups": func(b *both) {
			for range keptMax + 1 {
				b.open()
			}
		},
	} {
		var g Groups
		use(&both{t: t, g: &g})
		g.Reset()
		if !reflect.DeepEqual(g, Groups{}) {
			t.Errorf("%s: %d names, %d groups and %d hashed names are kept", name, cap(g.names), cap(g.open), g.hashed)
		}
	}
	var g Groups
	b := both{t: t, g: &g}
	for range 3 {
		b.open()
		b.fill(0, LinearMax+1)
	}
	g.Reset()
	if len(g.names) != 0 || len(g.open) != 0 || g.hashed != 0 {
		t.Errorf("after Reset: %d names, %d groups, %d hashed names", len(g.names), len(g.open), g.hashed)
	}
	for i, name := range g.names[:cap(g.names)] {
		if name != "" {
			t.Errorf("name %d is still %q", i, name)
		}
	}
	if cap(g.names) == 0 {
		t.Error("the memory of a small document was dropped")
	}
}

// TestAllocations: documents of ordinary size cost no memory once the first has made it.
func TestAllocations(t *testing.T) {
	names := make([]string, keptMax/4)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	var g Groups
	document := func() {
		for range 3 {
			g.Open()
			for _, name := range names {
				g.Add(name)
			}
		}
		g.Close()
		g.Reset()
	}
	for range 100 {
		document()
	}
	if n := testing.AllocsPerRun(100, document); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestLinearTime compares the time for some names with that for 64 times as many. In linear time
// the ratio is 64; with a step for each pair of names it is 4096, however often it is measured.
// On a busy machine a single measurement can be anything.
func TestLinearTime(t *testing.T) {
	const few, factor, ratioMax, attempts = 1 << 9, 64, 1000, 10
	for name, use := range map[string]func(g *Groups, names []string){
		"one group": func(g *Groups, names []string) {
			g.Open()
			for _, name := range names {
				g.Add(name)
			}
		},
		"one name": func(g *Groups, names []string) {
			g.Open()
			for range names {
				g.Add(names[0])
			}
		},
		"small groups after a large one": func(g *Groups, names []string) {
			g.Open()
			for _, name := range names {
				g.Add(name)
			}
			g.Close()
			for range len(names) / LinearMax {
				g.Open()
				for _, name := range names[:LinearMax+1] {
					g.Add(name)
				}
				g.Close()
			}
		},
		"small groups inside a large one": func(g *Groups, names []string) {
			g.Open()
			for i, name := range names {
				g.Add(name)
				if i%LinearMax == 0 {
					g.Open()
					for _, name := range names[:LinearMax+1] {
						g.Add(name)
					}
					g.Close()
				}
			}
		},
		"nested groups": func(g *Groups, names []string) {
			for i, name := range names {
				if i%2 == 0 {
					g.Open()
				}
				g.Add(name)
			}
		},
	} {
		for attempt := 1; ; attempt++ {
			fewTime, manyTime := best(use, few), best(use, few*factor)
			if manyTime <= ratioMax*fewTime {
				break
			}
			if attempt == attempts {
				t.Errorf("%s: %v for %d names, %v for %d times as many", name, fewTime, few, manyTime, factor)
				break
			}
		}
	}
}

// best returns the best CPU time of a few runs.
func best(use func(g *Groups, names []string), n int) time.Duration {
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	shortest := time.Duration(1<<63 - 1)
	for range 5 {
		var g Groups
		shortest = min(shortest, cputime.Of(func() {
			use(&g, names)
			g.Reset()
		}))
	}
	return shortest
}
