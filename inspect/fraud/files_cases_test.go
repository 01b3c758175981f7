package fraud

import (
	"maps"
	"os"
	"path/filepath"

	"github.com/rtbwire/rtbwire/inspect/geoip"
	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/inspect/supply"
	"github.com/rtbwire/rtbwire/internal/mmdbtest"
)

func init() { maps.Copy(signalCases, fileCases()) }

// folder makes the files that the signals look into, and removes them when what is in them was
// opened.
func folder(files map[string]string, open func(root string) error) {
	root, err := os.MkdirTemp("", "fraud")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(root)
	for name, text := range files {
		if err == nil {
			err = os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o700)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(root, name), []byte(text), 0o600)
		}
	}
	if err == nil {
		err = open(root)
	}
	if err != nil {
		panic(err)
	}
}

// database is a database of countries, with a data centre, a proxy and a relay.
func database() (db *geoip.DB) {
	country := func(code string) mmdbtest.Map { return mmdbtest.Map{"country": mmdbtest.Map{"iso_code": code}} }
	traits := func(name string, more ...string) mmdbtest.Map {
		m := mmdbtest.Map{name: true}
		for _, other := range more {
			m[other] = true
		}
		return m
	}
	w := mmdbtest.New(6, 28)
	w.Add("8.8.8.0/24", country("US")).Add("8.8.9.0/24", traits("is_hosting_provider")).Add("8.8.10.0/24", traits("is_tor_exit_node", "is_anonymous"))
	w.Add("2600::/32", country("DE")).Add("8.8.11.0/24", mmdbtest.Map{"country": mmdbtest.Map{"iso_code": "FR"}, "registered_country": mmdbtest.Map{"iso_code": "GB"}})
	folder(map[string]string{"geo.mmdb": string(w.Bytes())}, func(root string) (err error) {
		db, err = geoip.Open(filepath.Join(root, "geo.mmdb"), geoip.Options{})
		return err
	})
	return db
}

// crawled is what publisher.com and two systems declare.
func crawled() (set *supply.Set) {
	folder(map[string]string{
		"ads_txt/publisher.com.txt": "exchange.com, 77, DIRECT\nnetwork.com, 5, RESELLER\n",
		"sellers/exchange.com.json": `{"version":"1.0","sellers":[{"seller_id":"77","seller_type":"PUBLISHER","domain":"publisher.com","name":"P"},{"seller_id":"9","seller_type":"INTERMEDIARY","domain":"network.com","name":"N"}]}`,
	}, func(root string) (err error) {
		set, err = supply.Open(supply.Options{AdsTxt: filepath.Join(root, "ads_txt"), Sellers: filepath.Join(root, "sellers")})
		return err
	})
	return set
}

// sold is a request for a page of a domain, sold through some nodes.
func sold(domain, nodes string) string {
	return `{"site":{"domain":"` + domain + `"},"source":{"schain":{"complete":1,"nodes":[` + nodes + `]}}}`
}

func fileCases() map[string][]cases {
	const direct, other, unlisted = `{"asi":"exchange.com","sid":"77","hp":1}`, `{"asi":"exchange.com","sid":"78","hp":1}`, `{"asi":"stranger.com","sid":"1","hp":1}`
	set, db := crawled(), database()
	files := func(c *Config, _ *rule.Facts) { c.Data.Chains = set }
	geo := func(c *Config, _ *rule.Facts) { c.Data.Geo = db }
	clean := []string{sold("publisher.com", direct), sold("www.publisher.com", direct), `{}`, `{"site":{"domain":"publisher.com"}}`}
	place := func(ip, country string) string {
		return `{"device":{"ip":"` + ip + `","geo":{"country":"` + country + `"}}}`
	}
	return map[string][]cases{
		"address.country": {
			{
				with: geo,
				has: map[string][]string{"/device/geo/country": {
					place("8.8.8.8", "DEU"), place("8.8.8.8", "de"), place("8.8.11.1", "USA"), `{"device":{"ipv6":"2600::1","geo":{"country":"USA"}}}`,
				}},
				not: []string{
					place("8.8.8.8", "USA"), place("8.8.8.8", "us"), place("8.8.8.8", "XYZ"), place("8.8.8.8", ""), place("9.9.9.9", "DEU"), place("", "DEU"), `{"device":{"ip":"8.8.8.8"}}`,
					place("8.8.11.1", "FRA"), place("8.8.11.1", "GBR"), place("8.8.9.1", "DEU"), place("8.8.8.8", "PRI"), place("8.8.11.1", "REU"), `{"device":{"ipv6":"2600::1","geo":{"country":"DEU"}}}`, `{}`,
				},
			},
			{not: []string{place("8.8.8.8", "DEU")}},
		},
		"supply.unauthorized": {
			{with: files, has: map[string][]string{chainPath: {sold("publisher.com", other), sold("publisher.com", direct+","+unlisted)}}, not: clean},
			{not: []string{sold("publisher.com", other)}},
		},
		"supply.upstream": {{with: files, has: map[string][]string{chainPath: {sold("publisher.com", unlisted+","+direct)}}, not: clean}},
		"supply.unlisted": {{with: files, has: map[string][]string{chainPath: {sold("publisher.com", other)}}, not: append(clean, sold("publisher.com", unlisted))}},
		"supply.relation": {{
			with: files,
			has:  map[string][]string{chainPath: {sold("publisher.com", `{"asi":"exchange.com","sid":"9","hp":1}`), sold("publisher.com", `{"asi":"network.com","sid":"5","hp":1}`)}},
			not:  clean,
		}},
		"supply.unknown": {{with: files, has: map[string][]string{chainPath: {sold("unknown.com", direct)}}, not: clean}},
	}
}
