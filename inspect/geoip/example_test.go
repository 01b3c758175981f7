package geoip_test

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"

	"github.com/rtbwire/rtbwire/inspect/geoip"
	"github.com/rtbwire/rtbwire/inspect/lookup"
	"github.com/rtbwire/rtbwire/internal/filewatch"
	"github.com/rtbwire/rtbwire/internal/mmdbtest"
)

// database is a small database in the form of GeoLite2-Country.
func database() []byte {
	w := mmdbtest.New(6, 28)
	w.Type = "GeoLite2-Country"
	w.Add("192.0.2.0/24", mmdbtest.Map{"country": mmdbtest.Map{"iso_code": "DE"}})
	w.Add("2001:db8::/32", mmdbtest.Map{"country": mmdbtest.Map{"iso_code": "FR"}, "traits": mmdbtest.Map{"is_anycast": true}})
	return w.Bytes()
}

func ExampleOpen() {
	folder, err := os.MkdirTemp("", "geoip")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "country.mmdb")
	if err := os.WriteFile(path, database(), 0o600); err != nil {
		fmt.Println(err)
		return
	}

	db, err := geoip.Open(path, geoip.Options{
		Report: func(s filewatch.Status) { fmt.Println("news:", s.Entries, s.Err) },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	watcher := filewatch.Watch(filewatch.Options{}, db) // until the program ends
	defer watcher.Close()

	declared, _ := lookup.ParseCountry("USA") // device.geo.country
	for _, text := range []string{"192.0.2.1", "2001:db8::1", "198.51.100.1"} {
		record, found := db.Lookup(netip.MustParseAddr(text))
		fmt.Println(text, found, record.Country, record.Traits, record.Country == declared)
	}
	fmt.Println(db.Database().Type(), db.Status().Entries, "networks")
	// Output:
	// 192.0.2.1 true DE  false
	// 2001:db8::1 true FR anycast false
	// 198.51.100.1 false   false
	// GeoLite2-Country 2 networks
}

func ExampleParse() {
	db, err := geoip.Parse(database())
	if err != nil {
		fmt.Println(err)
		return
	}
	record, _ := db.Lookup(netip.MustParseAddr("::ffff:192.0.2.77"))
	fmt.Println(record.Country, db.Networks(), db.Built().Year())

	_, err = geoip.Parse([]byte("<html>"))
	fmt.Println(err)
	// Output:
	// DE 2 1970
	// expected a MaxMind DB file (.mmdb)
}
