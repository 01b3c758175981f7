package check

import (
	_ "embed"
	"fmt"

	gojson "github.com/goccy/go-json"

	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/lists"
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
	inspectAll // with all four
	inspectOperations
)

// inspectorNames are the columns of the table, by operation.
var inspectorNames = [inspectOperations]string{"decode", "go-json", "engine", "schema", "policy", "payload", "fraud", "all"}

// inspectorCount is how many of the columns are about inspectors.
const inspectorCount = inspectOperations - inspectSchema

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
	var engines [inspectOperations]*inspect.Engine
	for op, reasons := range map[int][]string{
		inspectOff: nil, inspectSchema: {"schema.*"}, inspectPolicy: {"policy.*"}, inspectPayload: {"payload.*"}, inspectFraud: {"fraud.*"},
		inspectAll: {"schema.*", "policy.*", "payload.*", "fraud.*"},
	} {
		if engines[op], err = engine(list, reasons); err != nil {
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
func engine(list *lists.List, reasons []string) (*inspect.Engine, error) {
	c, problems := config.Parse("inspectors.yaml", rules, config.Options{})
	if len(problems) > 0 {
		return nil, problems
	}
	on := map[string]bool{}
	for _, r := range reasons {
		on[r] = true
	}
	s, problems := c.Open(config.OpenOptions{Adjust: func(c *inspect.Config) {
		c.Fraud.Data.DataCenters = list
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
func dataCenters() (*lists.List, error) {
	var entries []string
	for i := range prefixes {
		entries = append(entries, fmt.Sprintf("%d.%d.%d.0/24", 20+i>>16, i>>8&0xff, i&0xff))
	}
	set, err := lists.Open(map[string]lists.Definition{"datacenters": {Kind: lists.Prefix, Entries: entries}}, nil)
	if err != nil {
		return nil, err
	}
	return set.List("datacenters"), nil
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
