package geoip

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oschwald/maxminddb-golang/v2"

	"github.com/rtbwire/rtbwire/inspect/lookup"
	"github.com/rtbwire/rtbwire/internal/filewatch"
	"github.com/rtbwire/rtbwire/internal/mmdbtest"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

type (
	object = mmdbtest.Map
	list   = mmdbtest.Slice
)

// country is a record as GeoLite2-Country has it.
func country(code string) object {
	return object{
		"continent":          object{"code": "XX", "geoname_id": uint32(1), "names": object{"en": "somewhere"}},
		"country":            object{"iso_code": code, "geoname_id": uint32(2), "names": object{"de": "irgendwo", "en": "somewhere"}},
		"registered_country": object{"iso_code": "US", "names": object{"en": "United States"}},
	}
}

func parse(tb testing.TB, w *mmdbtest.Writer) *Database {
	tb.Helper()
	d, err := Parse(w.Bytes())
	if err != nil {
		tb.Fatal(err)
	}
	return d
}

func addr(s string) netip.Addr { return netip.MustParseAddr(s) }

func code(s string) lookup.Country {
	c, _ := lookup.ParseCountry(s)
	return c
}

func expect(t *testing.T, d *Database, address string, want lookup.AddressInfo) {
	t.Helper()
	got, found := d.Lookup(addr(address))
	if got != want || found != (want != lookup.AddressInfo{}) {
		t.Errorf("%s: %v, %v; want %v", address, got, found, want)
	}
}

// small has networks inside networks, neighbours, and a default.
func small(ipVersion, recordSize int) *mmdbtest.Writer {
	w := mmdbtest.New(ipVersion, recordSize)
	w.Type, w.Epoch = "GeoLite2-Country", 1_700_000_000
	w.Add("192.0.0.0/16", country("DE")).Add("192.0.2.0/24", country("FR")).Add("192.0.2.77/32", country("JP"))
	w.Add("10.0.0.0/9", country("GB")).Add("10.128.0.0/9", country("GB"))
	if ipVersion == 6 {
		w.Add("2001:db8::/32", country("BR")).Add("2001:db8:0:1::/64", country("IN")).Add("2001:db8::1/128", country("CN"))
	}
	return w
}

func TestLookup(t *testing.T) {
	us := code("US")
	for _, ipVersion := range []int{4, 6} {
		for _, recordSize := range []int{24, 28, 32} {
			d := parse(t, small(ipVersion, recordSize))
			for address, want := range map[string]string{
				"192.0.0.0": "DE", "192.0.1.255": "DE", "192.0.3.0": "DE", "192.0.255.255": "DE",
				"192.0.2.0": "FR", "192.0.2.76": "FR", "192.0.2.77": "JP", "192.0.2.78": "FR",
				"10.127.255.255": "GB", "10.128.0.0": "GB", "::ffff:192.0.2.77": "JP",
			} {
				expect(t, d, address, lookup.AddressInfo{Country: code(want), Registered: us})
			}
			for _, address := range []string{"0.0.0.0", "192.1.0.0", "255.255.255.255", "::", "fe80::1", "2001:db9::"} {
				expect(t, d, address, lookup.AddressInfo{})
			}
			if r, found := d.Lookup(netip.Addr{}); found || r != (lookup.AddressInfo{}) {
				t.Errorf("no address: %v", r)
			}
			if ipVersion == 6 {
				for address, want := range map[string]string{
					"2001:db8::": "BR", "2001:db8:ffff::": "BR", "2001:db8::1": "CN", "2001:db8::2": "BR",
					"2001:db8:0:1:ffff::": "IN", "2001:db8::1%eth0": "CN", "::192.0.2.77": "JP",
				} {
					expect(t, d, address, lookup.AddressInfo{Country: code(want), Registered: us})
				}
			}
			if d.Type() != "GeoLite2-Country" || !d.Built().Equal(time.Unix(1_700_000_000, 0)) || d.Networks() < 5 {
				t.Errorf("%s, %v, %d networks", d.Type(), d.Built(), d.Networks())
			}
		}
	}
}

// TestFormats has a record as each known database has it.
func TestFormats(t *testing.T) {
	de := code("DE")
	for name, c := range map[string]struct {
		record any
		want   lookup.AddressInfo
	}{
		"GeoIP2":                             {object{"country": object{"iso_code": "DE", "is_in_european_union": true}, "traits": object{"is_anycast": true, "user_type": "isp"}}, lookup.AddressInfo{Country: de, Traits: lookup.Anycast}},
		"GeoIP2 legacy":                      {object{"registered_country": object{"iso_code": "DE"}, "traits": object{"is_anonymous_proxy": true, "is_satellite_provider": true}}, lookup.AddressInfo{Registered: de, Traits: lookup.Anonymous | lookup.Satellite}},
		"GeoIP2-Anonymous-IP":                {object{"is_anonymous": true, "is_anonymous_vpn": true, "is_hosting_provider": true, "is_public_proxy": true, "is_residential_proxy": true, "is_tor_exit_node": true}, lookup.AddressInfo{Traits: lookup.Anonymous | lookup.VPN | lookup.Hosting | lookup.Proxy | lookup.Residential | lookup.Tor}},
		"DB-IP":                              {object{"continent": object{"code": "EU"}, "country": object{"iso_code": "DE", "names": object{"en": "Germany"}}, "city": object{"names": object{"en": "Berlin"}}, "subdivisions": list{object{"names": object{"en": "Berlin"}}}, "location": object{"latitude": 52.5}}, lookup.AddressInfo{Country: de}},
		"ip-location-db":                     {object{"country_code": "DE"}, lookup.AddressInfo{Country: de}},
		"ipinfo lite":                        {object{"asn": "AS1", "continent_code": "EU", "country": "Germany", "country_code": "DE"}, lookup.AddressInfo{Country: de}},
		"ipinfo lite, a name of two letters": {object{"country": "XX", "country_code": "DE"}, lookup.AddressInfo{Country: de}},
		"ipinfo country":                     {object{"continent": "EU", "country": "DE", "country_name": "Germany"}, lookup.AddressInfo{Country: de}},
		"ipinfo privacy":                     {object{"hosting": "true", "proxy": "", "relay": "true", "service": "x", "tor": "false", "vpn": "1"}, lookup.AddressInfo{Traits: lookup.Hosting | lookup.Relay | lookup.VPN}},
		"numbers":                            {object{"is_vpn": uint16(1), "is_tor": uint32(0)}, lookup.AddressInfo{Traits: lookup.VPN}},
		"lower case":                         {object{"country": object{"iso_code": "de"}}, lookup.AddressInfo{Country: de}},
		"the code alone":                     {"de", lookup.AddressInfo{Country: de}},
		"a pointer":                          {object{"country": mmdbtest.Pointer(0)}, lookup.AddressInfo{Country: de}},
		"no country":                         {object{"country": object{"iso_code": "-"}, "is_vpn": true}, lookup.AddressInfo{Traits: lookup.VPN}},
		"a long name":                        {object{"country": strings.Repeat("x", 300), "is_vpn": true}, lookup.AddressInfo{Traits: lookup.VPN}},
	} {
		w := mmdbtest.New(4, 24)
		w.Data("\x42DE") // at offset 0
		w.Add("192.0.2.0/24", c.record)
		t.Run(name, func(t *testing.T) { expect(t, parse(t, w), "192.0.2.1", c.want) })
	}
}

// TestMerged checks that networks with the same country cost nothing: a database of cities becomes
// one of countries.
func TestMerged(t *testing.T) {
	w := mmdbtest.New(6, 28)
	for i := range 256 {
		w.Add(fmt.Sprintf("10.0.%d.0/24", i), object{"city": object{"names": object{"en": fmt.Sprint("city ", i)}}, "country": object{"iso_code": "DE"}})
	}
	d := parse(t, w)
	if n := len(d.index.v4.spans); n != 3 {
		t.Errorf("%d ranges, want the one of 10.0.0.0/16 and two around it", n)
	}
	if d.Networks() != 256 || len(d.records) != 2 {
		t.Errorf("%d networks, %d records", d.Networks(), len(d.records))
	}
	expect(t, d, "10.0.3.4", lookup.AddressInfo{Country: code("DE")})
	expect(t, d, "10.1.0.0", lookup.AddressInfo{})
}

// TestWholeTree has a tree of one node.
func TestWholeTree(t *testing.T) {
	for _, ipVersion := range []int{4, 6} {
		w := mmdbtest.New(ipVersion, 24)
		network := map[int]string{4: "0.0.0.0/0", 6: "::/0"}[ipVersion]
		d := parse(t, w.Add(network, "FR"))
		expect(t, d, "192.0.2.1", lookup.AddressInfo{Country: code("FR")})
	}
}

// TestAliases has IPv4 at other places of the IPv6 tree too, as GeoIP2 has it.
func TestAliases(t *testing.T) {
	w := small(6, 32)
	w.AddNode("2002::/16", w.NodeOf("0.0.0.0/0"))
	d := parse(t, w)
	expect(t, d, "2002:c000:24d::1", lookup.AddressInfo{Country: code("JP"), Registered: code("US")})
	if n := parse(t, small(6, 32)).Networks(); d.Networks() != n {
		t.Errorf("%d networks, want %d", d.Networks(), n)
	}
}

// random returns a database with random networks.
func random(rng *rand.Rand, ipVersion, recordSize, networks int) *mmdbtest.Writer {
	w := mmdbtest.New(ipVersion, recordSize)
	codes := []string{"DE", "FR", "US", "GB", "JP"}
	for range networks {
		a := randomAddr(rng, ipVersion == 6 && rng.IntN(2) == 0)
		p := netip.PrefixFrom(a, rng.IntN(a.BitLen()+1)).Masked()
		if ipVersion == 6 && a.Is4() && p.Bits() == 0 {
			continue
		}
		w.Add(p.String(), country(codes[rng.IntN(len(codes))]))
	}
	return w
}

func randomAddr(rng *rand.Rand, v6 bool) netip.Addr {
	if v6 {
		return netip.AddrFrom16([16]byte{0x20, 1, byte(rng.IntN(4)), byte(rng.IntN(4)), 15: byte(rng.IntN(8))})
	}
	return netip.AddrFrom4([4]byte{byte(rng.IntN(4)), byte(rng.IntN(4)), 0, byte(rng.IntN(8))})
}

// TestOracle compares all answers with those of maxminddb's own lookup.
func TestOracle(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	compared := 0
	for range testkit.Scale(t, 30, 100, 5000) {
		ipVersion := []int{4, 6}[rng.IntN(2)]
		file := random(rng, ipVersion, []int{24, 28, 32}[rng.IntN(3)], 1+rng.IntN(40)).Bytes()
		d, err := Parse(file)
		if err != nil {
			t.Fatal(err)
		}
		oracle, err := maxminddb.OpenBytes(file)
		if err != nil {
			t.Fatal(err)
		}
		for range 100 {
			a := randomAddr(rng, ipVersion == 6 && rng.IntN(2) == 0)
			compared += compare(t, d, oracle, a)
		}
	}
	if compared < 1000 {
		t.Errorf("only %d addresses had a country", compared)
	}
}

// compare returns 1 if the address has a country.
func compare(t *testing.T, d *Database, oracle *maxminddb.Reader, a netip.Addr) int {
	t.Helper()
	var want string
	if err := oracle.Lookup(a).DecodePath(&want, "country", "iso_code"); err != nil {
		t.Fatalf("%v: %v", a, err)
	}
	got, _ := d.Lookup(a)
	if got.Country != code(want) {
		t.Errorf("%v: %v, want %q", a, got.Country, want)
	}
	return min(len(want), 1)
}

func TestNoAllocation(t *testing.T) {
	d := parse(t, small(6, 28))
	v4, v6, none := addr("192.0.2.77"), addr("2001:db8::1"), addr("fe80::1")
	if n := testing.AllocsPerRun(100, func() {
		a, _ := d.Lookup(v4)
		b, _ := d.Lookup(v6)
		_, _ = d.Lookup(none)
		c, ok := lookup.ParseCountry("DEU")
		if a.Country.String() != "JP" || b.Country.String() != "CN" || !ok || c.String() != "DE" {
			t.Error("another answer")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// put replaces a file by renaming, with a time that differs from those before.
func put(tb testing.TB, path string, data []byte, age time.Duration) {
	tb.Helper()
	at := time.Now().Add(-age)
	for _, err := range []error{os.WriteFile(path+".new", data, 0o600), os.Chtimes(path+".new", at, at), os.Rename(path+".new", path)} {
		if err != nil {
			tb.Fatal(err)
		}
	}
}

func TestReload(t *testing.T) {
	path := filepath.Join(t.TempDir(), "country.mmdb")
	if _, err := Open(path, Options{}); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), path) {
		t.Errorf("no file: %v", err)
	}
	put(t, path, mmdbtest.New(4, 24).Add("192.0.2.0/24", "DE").Bytes(), 9*time.Hour)
	var reports []filewatch.Status
	db, err := Open(path, Options{Report: func(s filewatch.Status) { reports = append(reports, s) }})
	if err != nil {
		t.Fatal(err)
	}
	is := func(want string, loads, failures uint64) {
		t.Helper()
		db.Refresh()
		r, _ := db.Lookup(addr("192.0.2.1"))
		s := db.Status()
		if r.Country.String() != want || s.Loads != loads || s.Failures != failures || s.Entries != 1 {
			t.Errorf("%v, want %s; %+v", r, want, s)
		}
	}
	is("DE", 1, 0)
	before := db.Database()
	put(t, path, mmdbtest.New(4, 24).Add("192.0.2.0/24", "FR").Bytes(), 8*time.Hour)
	is("FR", 2, 0)
	if r, _ := before.Lookup(addr("192.0.2.1")); r.Country.String() != "DE" {
		t.Errorf("the old database says %v", r)
	}
	if err := os.Truncate(path, 30); err != nil { // in place, as a download does that starts again
		t.Fatal(err)
	}
	is("FR", 2, 1)
	if err := db.Status().Err; err == nil || !strings.HasPrefix(err.Error(), path+": ") {
		t.Errorf("the error is %v", err)
	}
	put(t, path, mmdbtest.New(4, 24).Add("192.0.2.0/24", "JP").Bytes(), 7*time.Hour)
	is("JP", 3, 1)
	if len(reports) != 3 || reports[0].Err != nil || reports[1].Err == nil || db.Paths()[0] != path {
		t.Errorf("reports: %+v", reports)
	}
	put(t, path, mmdbtest.New(4, 24).Add("192.0.2.0/24", "JP").Bytes(), 6*time.Hour)
	if _, err := Open(path, Options{FileSizeMax: 10}); !errors.Is(err, filewatch.ErrTooLarge) {
		t.Errorf("a large file: %v", err)
	}
}

// TestReloadUnderLoad replaces the file while goroutines ask. Run it with -race.
func TestReloadUnderLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "country.mmdb")
	version := func(n int) []byte {
		return mmdbtest.New(4, 24).Add("192.0.2.0/24", country([]string{"DE", "FR"}[n%2])).Bytes()
	}
	put(t, path, version(0), time.Hour)
	db, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				r, found := db.Lookup(addr("192.0.2.1"))
				if c := r.Country.String(); !found || c != "DE" && c != "FR" || r.Registered.String() != "US" {
					t.Errorf("%v, %v", r, found)
					return
				}
			}
		})
	}
	for n := range 50 {
		put(t, path, version(n+1), time.Hour-time.Duration(n)*time.Second)
		db.Refresh()
	}
	close(stop)
	all.Wait()
	if s := db.Status(); s.Loads != 51 || s.Err != nil {
		t.Errorf("%+v", s)
	}
}
