package check

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	gojson "github.com/goccy/go-json"

	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/fraud"
	"github.com/rtbwire/rtbwire/inspect/geoip"
	"github.com/rtbwire/rtbwire/inspect/lists"
	"github.com/rtbwire/rtbwire/inspect/lookup"
	"github.com/rtbwire/rtbwire/inspect/supply"
	"github.com/rtbwire/rtbwire/internal/canonical"
	"github.com/rtbwire/rtbwire/internal/mmdbtest"
	"github.com/rtbwire/rtbwire/lab/data"
	"github.com/rtbwire/rtbwire/openrtb"
)

// The operations that a row of the inspectors compares.
const (
	inspectDecode = iota // rtbwire's decoder
	inspectPeer          // goccy/go-json's decoder
	inspectOff           // a verdict without any inspector
	inspectSchema        // and with one of them
	inspectPolicy
	inspectPayload
	inspectFraud
	inspectAll    // with all four
	inspectGeoIP  // with fraud and a database of countries
	inspectSupply // with fraud and copies of ads.txt and sellers.json
	inspectOperations
)

// inspectorNames are the columns of the table, by operation.
var inspectorNames = [inspectOperations]string{"decode", "go-json", "engine", "schema", "policy", "payload", "fraud", "all", "GeoIP", "supply files"}

// rules is a configuration with the rules that publishers write, and the lists that they name.
//
//go:embed inspectors.yaml
var rules string

// prefixes is how many prefixes the list of data centres has.
const prefixes = 50_000

// inspectorRow is some documents.
type inspectorRow struct {
	name string
	contest
}

// inspectorRows returns the rows of the table: the corpus as it is, and those of its requests that
// are forwarded.
func inspectorRows(sets []data.Set) (rows []*inspectorRow, err error) {
	list, err := dataCenters()
	if err != nil {
		return nil, err
	}
	countries, err := countries()
	if err != nil {
		return nil, err
	}
	files, err := supplyFiles(sets)
	if err != nil {
		return nil, err
	}
	var engines [inspectOperations]*inspect.Engine
	for op, reasons := range map[int][]string{
		inspectOff: nil, inspectSchema: {"schema.*"}, inspectPolicy: {"policy.*"}, inspectPayload: {"payload.*"}, inspectFraud: {"fraud.*"},
		inspectAll: {"schema.*", "policy.*", "payload.*", "fraud.*"}, inspectGeoIP: {"fraud.*"}, inspectSupply: {"fraud.*"},
	} {
		look := fraud.Data{DataCenters: list}
		switch op {
		case inspectGeoIP:
			look.Geo = countries
		case inspectSupply:
			look.Chains = files
		}
		if engines[op], err = engine(look, reasons); err != nil {
			return nil, err
		}
	}
	for _, d := range documents {
		set, ok := data.Find(sets, d.set)
		if !ok {
			return nil, fmt.Errorf("no data set %s", d.set)
		}
		decoded := decodable(set.Docs)
		rows = append(rows, newInspectorRow(engines, d.name, decoded))
		if len(decoded) > 1 {
			w := engines[inspectAll].NewWorker()
			var forwarded [][]byte
			for _, doc := range decoded {
				if w.Inspect(doc, inspect.Facts{}).Action == inspect.ActionForward {
					forwarded = append(forwarded, doc)
				}
			}
			rows = append(rows, newInspectorRow(engines, d.name+", forwarded", forwarded))
		}
	}
	return rows, nil
}

// engine compiles the configuration with everything off but some reasons, which are as the preset
// has them.
func engine(look fraud.Data, reasons []string) (*inspect.Engine, error) {
	c, problems := config.Parse("inspectors.yaml", rules, config.Options{})
	if len(problems) > 0 {
		return nil, problems
	}
	on := map[string]bool{}
	for _, r := range reasons {
		on[r] = true
	}
	s, problems := c.Open(config.OpenOptions{Adjust: func(c *inspect.Config) {
		look.USD = c.Fraud.Data.USD
		c.Fraud.Data = look
		for _, all := range []string{"schema.*", "policy.*", "payload.*", "fraud.*"} {
			if !on[all] {
				c.Global.Severities = append(c.Global.Severities, inspect.Setting{Reasons: all, Severity: inspect.Off})
			}
		}
	}})
	if len(problems) > 0 {
		return nil, problems
	}
	return s.Engine, nil
}

// dataCenters is a list as long as those of data centres. No document has an address in it.
func dataCenters() (lookup.Addresses, error) {
	var entries []string
	for i := range prefixes {
		entries = append(entries, fmt.Sprintf("%d.%d.%d.0/24", 20+i>>16, i>>8&0xff, i&0xff))
	}
	set, err := lists.Open(map[string]lists.Definition{"datacenters": {Kind: lists.Prefix, Entries: entries}}, nil)
	if err != nil {
		return nil, err
	}
	return set.List("datacenters").Addresses()
}

// countries is a database with as many networks as a small one has.
func countries() (*geoip.DB, error) {
	const networks = 100_000
	codes := []string{"US", "DE", "FR", "GB", "JP", "BR", "IN", "ZA"}
	w := mmdbtest.New(4, 28)
	for i := range networks {
		w.Add(fmt.Sprintf("%d.%d.%d.0/24", 50+i>>16, i>>8&0xff, i&0xff), mmdbtest.Map{"country": mmdbtest.Map{"iso_code": codes[i%len(codes)]}})
	}
	folder, err := os.MkdirTemp("", "lab")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	name := filepath.Join(folder, "countries.mmdb")
	if err := os.WriteFile(name, w.Bytes(), 0o600); err != nil {
		return nil, err
	}
	return geoip.Open(name, geoip.Options{})
}

// supplyFiles are files for 1,000 publishers, and for those that the documents name.
func supplyFiles(sets []data.Set) (*supply.Set, error) {
	const publishers = 1000
	domains := map[string]bool{}
	for i := range publishers {
		domains[fmt.Sprintf("publisher%d.com", i)] = true
	}
	for _, set := range sets {
		for _, doc := range set.Docs {
			if r, err := openrtb.Parse(doc); err == nil && r.Site != nil && canonical.IsDomain(r.Site.Domain) {
				domains[r.Site.Domain] = true
			}
		}
	}
	folder, err := os.MkdirTemp("", "lab")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	var sellers strings.Builder
	sellers.WriteString(`{"version":"1.0","sellers":[`)
	n := 0
	for domain := range domains {
		if err := os.WriteFile(filepath.Join(folder, domain+".txt"), fmt.Appendf(nil, "exchange.com, %d, DIRECT\nreseller.com, %d, RESELLER\n", n, n), 0o600); err != nil {
			return nil, err
		}
		fmt.Fprintf(&sellers, `{"seller_id":"%d","seller_type":"PUBLISHER","domain":%q},`, n, domain)
		n++
	}
	other := filepath.Join(folder, "sellers")
	if err := os.Mkdir(other, 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(other, "exchange.com.json"), []byte(strings.TrimSuffix(sellers.String(), ",")+"]}"), 0o600); err != nil {
		return nil, err
	}
	return supply.Open(supply.Options{AdsTxt: folder, Sellers: other})
}

// decodable are the documents that can be decoded.
func decodable(docs [][]byte) (decoded [][]byte) {
	d := openrtb.NewDecoder()
	for _, doc := range docs {
		if _, err := d.Decode(doc); err == nil {
			decoded = append(decoded, doc)
		}
	}
	return decoded
}

func newInspectorRow(engines [inspectOperations]*inspect.Engine, name string, docs [][]byte) *inspectorRow {
	r := &inspectorRow{name: name}
	r.docs, r.do = docs, make([]func(int), inspectOperations)
	decoder := openrtb.NewDecoder()
	r.do[inspectDecode] = func(i int) { _, _ = decoder.Decode(docs[i]) }
	r.do[inspectPeer] = func(i int) { _ = gojson.Unmarshal(docs[i], new(openrtb.BidRequest)) }
	for op := inspectOff; op < inspectOperations; op++ {
		w := engines[op].NewWorker()
		r.do[op] = func(i int) { w.Inspect(docs[i], inspect.Facts{}) }
	}
	return r
}
