package geoip

import (
	"math/rand/v2"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/oschwald/maxminddb-golang/v2"

	"github.com/rtbwire/rtbwire/internal/mmdbtest"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// big returns a database with about as many networks as GeoLite2-Country has, or less: each of IPv4
// has 256 to 4,096 addresses, each of IPv6 is a /32 to /48. Neighbours often have one country.
func big(tb testing.TB) []byte {
	tb.Helper()
	rng := rand.New(rand.NewPCG(5, 6))
	codes := [250]string{} // any 250 pairs of letters
	for i := range codes {
		codes[i] = string([]byte{'A' + byte(i/26), 'A' + byte(i%26)})
	}
	w := mmdbtest.New(6, 24)
	now := ""
	pick := func() object {
		if rng.IntN(3) == 0 {
			now = codes[min(rng.IntN(250), rng.IntN(250))]
		}
		return country(now)
	}
	n := testkit.Scale(tb, 5_000, 10_000, 400_000)
	at := uint32(1 << 24)
	for range n {
		bits := 20 + rng.IntN(5)
		size := uint32(1) << (32 - bits)
		at = (at + size - 1) &^ (size - 1)
		w.Add(netip.PrefixFrom(v4(at), bits).String(), pick())
		at += size
	}
	for range n / 2 {
		w.Add(netip.PrefixFrom(v6(rng), 32+rng.IntN(17)).Masked().String(), pick())
	}
	return w.Bytes()
}

func v4(n uint32) netip.Addr {
	return netip.AddrFrom4([4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})
}

// v6 returns an address of IPv6 in a part of the space that is as dense as the blocks that
// registries have given away.
func v6(rng *rand.Rand) netip.Addr {
	return netip.AddrFrom16([16]byte{0x2a, byte(rng.IntN(16)), byte(rng.IntN(256)), byte(rng.IntN(8)) << 5, byte(rng.IntN(16)), byte(rng.IntN(256)), 15: 1})
}

// addresses are looked up: of all networks, so that caches of the processor help little.
func addresses(is6 bool) []netip.Addr {
	rng := rand.New(rand.NewPCG(7, 8))
	list := make([]netip.Addr, 1<<16)
	for i := range list {
		if is6 {
			list[i] = v6(rng)
		} else {
			list[i] = v4(1<<24 + uint32(rng.IntN(1<<30)))
		}
	}
	return list
}

// TestBigDatabase prints what docs/lookups.md says of memory and loading.
func TestBigDatabase(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second")
	}
	file := big(t)
	oracle, err := maxminddb.OpenBytes(file)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	d, err := Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(start)
	runtime.GC()
	runtime.ReadMemStats(&after)
	found := 0
	for _, is6 := range []bool{false, true} {
		for _, a := range addresses(is6) {
			found += compare(t, d, oracle, a)
		}
	}
	t.Logf("%d networks, file %d bytes, in memory %d bytes, %d and %d ranges, %d records, loaded in %v; %d addresses found",
		d.Networks(), len(file), int64(after.HeapAlloc)-int64(before.HeapAlloc), len(d.index.v4.spans), len(d.index.v6.spans), len(d.records), took, found)
	if found < 1000 {
		t.Errorf("%d addresses found", found)
	}
	runtime.KeepAlive(d)
}

func BenchmarkLookup(b *testing.B) {
	file := big(b)
	d, err := Parse(file)
	if err != nil {
		b.Fatal(err)
	}
	oracle, err := maxminddb.OpenBytes(file)
	if err != nil {
		b.Fatal(err)
	}
	for _, is6 := range []bool{false, true} {
		list, version := addresses(is6), map[bool]string{false: "v4", true: "v6"}[is6]
		b.Run(version, func(b *testing.B) {
			b.ReportAllocs()
			n := 0
			for i := range b.N {
				if _, found := d.Lookup(list[i%len(list)]); found {
					n++
				}
			}
			b.ReportMetric(float64(n)/float64(b.N), "found")
		})
		b.Run(version+"-maxminddb", func(b *testing.B) {
			b.ReportAllocs()
			for i := range b.N {
				var code string
				if err := oracle.Lookup(list[i%len(list)]).DecodePath(&code, "country", "iso_code"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	file := big(b)
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for range b.N {
		if _, err := Parse(file); err != nil {
			b.Fatal(err)
		}
	}
}
