package lists

import (
	"bufio"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"slices"
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
	{Prefix, 500_000, prefixAt, func(n int) string { return netip.MustParsePrefix(prefixAt(n)).Addr().String() }},
	{String, 10_000_000, stringAt, stringAt},
}

// random is a number for n, always the same.
func random(n int) uint64 { return randomOf(uint64(n), 1) } //nolint:gosec // not negative

func randomOf(n, stream uint64) uint64 {
	return rand.New(rand.NewPCG(n, stream)).Uint64() //nolint:gosec // test data
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
		n := int(randomOf(uint64(i), 2) % uint64(size))
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
						b.ReportAllocs()
						n := 0
						for b.Loop() {
							list.Match(values[n&(len(values)-1)])
							n++
						}
						b.ReportMetric(perEntry, "B/entry")
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

// A lookup may take lookupMax of CPU time, or where memory is slow, such as next to busy
// neighbours, one and a half times what a read takes that misses all caches. That of a value in the
// list needs two, and one of the next lookup's can overlap.
const lookupMax = 100 * time.Nanosecond

// TestBigLists loads lists of production size, and holds the time of a lookup to its limit. It
// prints memory and times.
func TestBigLists(t *testing.T) {
	if !testkit.Long(t) {
		t.Skip("takes a gigabyte and a minute: RTBWIRE_LONG=1")
	}
	memory := newMemory()
	for _, l := range bigLists {
		for _, size := range []int{1000, l.size} {
			path := l.write(t, size)
			before := heap()
			peak := watchHeap()
			var list *List
			took := cputime.Of(func() { list = l.open(t, path) })
			top := float64(peak() - before)
			bytes := float64(heap() - before)
			entries := list.Table().Len()
			t.Logf("%s: %d entries, %.1f bytes each (at most %.1f while loading), loaded in %v",
				l.kind, entries, bytes/float64(entries), top/float64(entries), took.Round(time.Microsecond))
			for _, in := range []bool{true, false} {
				took, miss := lookups(t, list, l.values(size, in), in, memory)
				limit := max(lookupMax, miss*3/2)
				t.Logf("%s: lookup in %d entries, found=%v: %v; a read of memory: %v", l.kind, entries, in, took, miss)
				if took > limit {
					t.Errorf("%s: a lookup in %d entries, found=%v, takes %v, want at most %v", l.kind, entries, in, took, limit)
				}
			}
		}
	}
}

// lookups returns the CPU time of a lookup, and of a read of memory in the meantime, each in the
// quietest of many rounds.
func lookups(t *testing.T, list *List, values []string, in bool, memory []uint32) (took, miss time.Duration) {
	t.Helper()
	found := 0
	took, miss = time.Hour, time.Hour
	for range 50 {
		found = 0
		took = min(took, cputime.Of(func() {
			for _, v := range values {
				if list.Match(v) {
					found++
				}
			}
		}))
		const reads = 1 << 15
		miss = min(miss, cputime.Of(func() { chase(memory, reads) })/reads)
	}
	// Some other values have a prefix of the list.
	if share := float64(found) / float64(len(values)); in && share < 1 || !in && share > 0.2 {
		t.Errorf("%.2f of the values were found, want found=%v", share, in)
	}
	return took / time.Duration(len(values)), miss
}

// newMemory returns more memory than caches hold, in which each element has the index of another.
func newMemory() []uint32 {
	m := make([]uint32, 64<<20)
	for i := range m {
		m[i] = uint32(random(i)) % uint32(len(m)) //nolint:gosec // bounded
	}
	return m
}

var chased uint32

// chase reads elements one after the other, so that no two reads overlap.
func chase(m []uint32, n int) {
	at := chased
	for i := range uint32(n) { //nolint:gosec // small
		at = (m[at] + i) & uint32(len(m)-1)
	}
	chased = at
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

// BenchmarkAlternatives measures what docs/decisions/0013-lists.md compares: the tables of this
// package, and Go's maps in their place.
func BenchmarkAlternatives(b *testing.B) {
	const size = 500_000
	measure := func(name string, build func() (match func(i int) bool)) {
		b.Run(name, func(b *testing.B) {
			before := heap()
			match := build()
			perEntry := float64(heap()-before) / size
			n := 0
			for b.Loop() {
				match(n & (1<<16 - 1))
				n++
			}
			b.ReportMetric(perEntry, "B/entry")
		})
	}
	strings, prefixes := bigLists[2], bigLists[1]
	values := strings.values(size, false)
	measure("kind=string/by=table", func() func(int) bool {
		list := newBuilder(String)
		for n := range size {
			_ = list.add(strings.entry(n))
		}
		t := list.finish()
		return func(i int) bool { return t.Match(values[i]) }
	})
	measure("kind=string/by=map", func() func(int) bool {
		set := map[string]struct{}{}
		for n := range size {
			set[strings.entry(n)] = struct{}{}
		}
		return func(i int) bool { _, found := set[values[i]]; return found }
	})
	addrs := make([]netip.Addr, 1<<16)
	for i, v := range prefixes.values(size, false) {
		addrs[i] = netip.MustParseAddr(v)
	}
	measure("kind=prefix/by=table", func() func(int) bool {
		list := newBuilder(Prefix)
		for n := range size {
			_ = list.add(prefixes.entry(n))
		}
		t := list.finish()
		return func(i int) bool { return t.MatchAddr(addrs[i]) }
	})
	measure("kind=prefix/by=map", func() func(int) bool { // one lookup for each length that occurs
		set, lengths := map[netip.Prefix]struct{}{}, map[int]map[int]bool{4: {}, 6: {}}
		version := func(a netip.Addr) int { return map[bool]int{true: 4, false: 6}[a.Is4()] }
		for n := range size {
			p := netip.MustParsePrefix(prefixes.entry(n))
			set[p] = struct{}{}
			lengths[version(p.Addr())][p.Bits()] = true
		}
		in := map[int][]int{4: slices.Collect(maps.Keys(lengths[4])), 6: slices.Collect(maps.Keys(lengths[6]))}
		v4, v6 := in[4], in[6]
		return func(i int) bool {
			bits := v6
			if addrs[i].Is4() {
				bits = v4
			}
			for _, n := range bits {
				p, _ := addrs[i].Prefix(n)
				if _, found := set[p]; found {
					return true
				}
			}
			return false
		}
	})
}
