package window

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/cputime"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
)

// kind is one of the three things that windows look up, or all of them.
type kind struct {
	name     string
	capacity func(entries int) Limits
	lookups  int
	value    func(n int) string
	set      func(r *openrtb.BidRequest, value string)
}

var kinds = []kind{
	{"id", func(n int) Limits { return Limits{1, 1, n} }, 1, uuid, func(r *openrtb.BidRequest, v string) { r.ID = v }},
	{"ifa", func(n int) Limits { return Limits{n, 1, 1} }, 1, uuid, func(r *openrtb.BidRequest, v string) { r.Device.IFA = v }},
	{"address", func(n int) Limits { return Limits{1, n, 1} }, 1, ip, func(r *openrtb.BidRequest, v string) { r.Device.IP = v }},
	{
		"all three", func(n int) Limits { return Limits{n, n, n} }, 3,
		func(n int) string { return uuid(n) + ip(n) },
		func(r *openrtb.BidRequest, v string) { r.ID, r.Device.IFA, r.Device.IP = v[:36], v[:36], v[36:] },
	},
}

func uuid(n int) string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:], uint64(n)*mixer)
	binary.BigEndian.PutUint64(b[8:], uint64(n))
	s := hex.EncodeToString(b[:])
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}

func ip(n int) string {
	return netip.AddrFrom4([4]byte{byte(n>>24) + 1, byte(n >> 16), byte(n >> 8), byte(n)}).String()
}

// values returns n values, from the one with a number on. They lie one after the other in memory,
// so that reading them costs little next to looking them up.
func (k kind) values(from, n int) []string {
	var all strings.Builder
	ends := make([]int, n)
	for i := range n {
		all.WriteString(k.value(from + i))
		ends[i] = all.Len()
	}
	values, at := make([]string, n), 0
	for i, end := range ends {
		values[i], at = all.String()[at:end], end
	}
	return values
}

// lookupMax is how much CPU time a lookup may take, or where memory is slow, such as next to busy
// neighbours, one and a half times what a read takes that misses all caches.
const lookupMax = 100 * time.Nanosecond

// TestBigTables fills tables of production size, and holds the time of a lookup to its limit. It
// prints memory and times.
func TestBigTables(t *testing.T) {
	if !testkit.Long(t) {
		t.Skip("takes a gigabyte and a minute: RTBWIRE_LONG=1")
	}
	memory := newMemory()
	now := time.Now()
	for _, k := range kinds {
		for _, entries := range []int{1000, 10_000_000} {
			before := heap()
			w := open(t, Options{Shared: k.capacity(entries)})
			grown := heap() - before
			r := request("", "", "")
			const batch = 1 << 20
			for from := 0; from < entries; from += batch {
				for _, v := range k.values(from, min(batch, entries-from)) {
					k.set(r, v)
					w.Observe("", r, now, Delivery{})
				}
			}
			f := w.Stats("").Forgotten
			t.Logf("%s: %d entries, %.1f bytes each, %d forgotten",
				k.name, entries, float64(grown)/float64(entries), f.IDs+f.IFAs+f.Addresses)
			// Known values, which lie everywhere in the tables, and new ones.
			known := k.values(0, min(entries, batch))
			check(t, w, k, "known", known, memory)
			check(t, w, k, "new", k.values(entries, len(known)), memory)
		}
	}
}

// check measures the observation of values.
func check(t *testing.T, w *Windows, k kind, name string, values []string, memory []uint32) {
	t.Helper()
	now := time.Now()
	r := request("", "", "")
	took, miss := time.Hour, time.Hour
	for round := range 8 {
		if name == "new" && round > 0 {
			values = k.values(100_000_000+round*len(values), len(values))
		}
		took = min(took, cputime.Of(func() {
			for _, v := range values {
				k.set(r, v)
				w.Observe("", r, now, Delivery{})
			}
		})/time.Duration(len(values)))
		const reads = 1 << 15
		miss = min(miss, cputime.Of(func() { chase(memory, reads) })/reads)
	}
	t.Logf("%s: %s: %v; a read of memory: %v", k.name, name, took, miss)
	if limit := max(lookupMax, miss*3/2) * time.Duration(k.lookups); took > limit {
		t.Errorf("%s: %s: %v, want at most %v", k.name, name, took, limit)
	}
}

// newMemory returns more memory than caches hold, in which each element has the index of another.
func newMemory() []uint32 {
	random := testkit.Rand(1)
	m := make([]uint32, 64<<20)
	for i := range m {
		m[i] = random.Uint32N(uint32(len(m)))
	}
	return m
}

var chased uint32

// chase reads elements one after the other, so that no two reads overlap.
func chase(m []uint32, n int) {
	at := chased
	for i := range uint32(n) {
		at = (m[at] + i) & uint32(len(m)-1)
	}
	chased = at
}

// BenchmarkObserve observes requests with id, ifa and address, of which each is looked up.
func BenchmarkObserve(b *testing.B) {
	for _, c := range []struct{ entries, partners int }{{1000, 0}, {1000, 9}, {1_000_000, 0}, {1_000_000, 9}} {
		entries := c.entries
		b.Run(fmt.Sprintf("entries=%d/partners=%d", entries, c.partners), func(b *testing.B) {
			o := Options{Shared: Limits{entries, entries, entries}, Partners: map[string]Partner{}}
			names := []string{""}
			for n := range c.partners {
				names = append(names, fmt.Sprint("exchange-", n))
				o.Partners[names[n+1]] = Partner{}
			}
			w := open(b, o)
			var requests []openrtb.BidRequest
			for n := range entries {
				requests = append(requests, *request(uuid(n), uuid(n), ip(n)))
			}
			now := time.Now()
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				w.Observe(names[n%len(names)], &requests[n], now, Delivery{})
				if n++; n == entries {
					n = 0
				}
			}
		})
	}
}
