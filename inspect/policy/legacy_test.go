package policy

import (
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/legacy"
)

// legacyCases have a request for each row of the table: the old place, the field, both that agree,
// and both that disagree. The condition holds for all of them.
var legacyCases = map[string][]struct{ doc, holds string }{
	"BidRequest/ext/schain": {
		{`{"ext":{"schain":{"complete":1,"nodes":[{"asi":"a"}]}}}`, `has(source.schain) && source.schain.complete == 1 && source.schain.nodes.map(n, n.asi) == ["a"]`},
		{`{"source":{"schain":{"complete":1,"nodes":[{"asi":"a"}]}},"ext":{"schain":{"complete":0,"nodes":[{"asi":"b"}]}}}`,
			`source.schain.complete == 0 && source.schain.nodes.map(n, n.asi) == ["a", "b"]`},
	},
	"Source/ext/schain": {
		{`{"source":{"ext":{"schain":{"nodes":[{"asi":"a"}]}}}}`, `has(source.schain) && source.schain.nodes[0].asi == "a"`},
		{`{"source":{"schain":{"nodes":[{"asi":"a"}]}}}`, `source.schain.nodes.size() == 1 && source.schain.nodes[0].asi == "a"`},
		{`{"source":{"schain":{"nodes":[{"asi":"a"}]},"ext":{"schain":{"nodes":[{"asi":"a"}]}}}}`, `source.schain.nodes.size() == 1`},
		{`{"source":{"schain":{"complete":1,"nodes":[{"asi":"a"}]},"ext":{"schain":{"nodes":[{"asi":"b"}]}}}}`,
			`source.schain.complete == 0 && source.schain.nodes.exists(n, n.asi == "b") && source.schain.nodes.exists(n, n.asi == "a")`},
		{`{"source":{}}`, `!has(source.schain) && source.schain.nodes.size() == 0 && source.schain.ver == ""`},
	},
	"Regs/ext/gdpr": {
		{`{"regs":{"ext":{"gdpr":1}}}`, `has(regs.gdpr) && regs.gdpr == 1`}, {`{"regs":{"gdpr":1}}`, `regs.gdpr == 1`},
		{`{"regs":{"gdpr":0,"ext":{"gdpr":1}}}`, `regs.gdpr == 1`}, {`{"regs":{"gdpr":1,"ext":{"gdpr":0}}}`, `regs.gdpr == 1`},
		{`{"regs":{}}`, `!has(regs.gdpr) && regs.gdpr == 0`}, {`{}`, `!has(regs.gdpr) && regs.gdpr == 0`},
	},
	"Regs/ext/us_privacy": {
		{`{"regs":{"ext":{"us_privacy":"1YYN"}}}`, `regs.us_privacy == "1YYN" && has(regs.us_privacy)`},
		{`{"regs":{"us_privacy":"1YNN","ext":{"us_privacy":"1YYN"}}}`, `regs.us_privacy == "1YYN"`},
		{`{"regs":{"us_privacy":"1YNN"}}`, `regs.us_privacy == "1YNN"`}, {`{}`, `!has(regs.us_privacy)`},
	},
	"User/ext/consent": {
		{`{"user":{"consent":" "}}`, `user.consent == "" && !has(user.consent)`}, {`{"user":{"ext":{"consent":"none"}}}`, `user.consent == "" && !has(user.consent)`},
		{`{"user":{"ext":{"CONSENT\u0000":"COAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}}}`, `user.consent == "COAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"`}, {`{"user":{"consent":"COAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","ext":{"Consent":" "}}}`, `user.consent == ""`},
		{`{"user":{"ext":{"consent":"COAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}}}`, `user.consent == "COAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" && has(user.consent)`}, {`{"user":{"consent":"COAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}}`, `user.consent == "COAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"`},
		{`{"user":{"consent":"COAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","ext":{"consent":"C1AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}}}`, `user.consent == "" && !has(user.consent)`}, {`{}`, `user.consent == ""`},
	},
	"User/ext/eids": {
		{`{"user":{"ext":{"eids":[{"source":"a","uids":[{"id":"1"}]}]}}}`, `has(user.eids) && user.eids.size() == 1 && user.eids[0].uids[0].id == "1"`},
		{`{"user":{"eids":[{"source":"a"}]}}`, `user.eids.exists(e, e.source == "a")`},
		{`{"user":{"eids":[{"source":"a"}],"ext":{"eids":[{"source":"b"}]}}}`, `user.eids.map(e, e.source) == ["a", "b"]`}, {`{}`, `!has(user.eids)`},
	},
	"Imp/ext/prebid/is_rewarded_inventory": {
		{`{"imp":[{"ext":{"prebid":{"is_rewarded_inventory":1}}}]}`, `imp[0].rwdd == 1 && has(imp[0].rwdd)`}, {`{"imp":[{"rwdd":1}]}`, `imp[0].rwdd == 1`},
		{`{"imp":[{"rwdd":0,"ext":{"prebid":{"is_rewarded_inventory":1}}}]}`, `imp[0].rwdd == 1`}, {`{"imp":[{}]}`, `!has(imp[0].rwdd)`},
	},
	"Regs/ext/gpp": {
		{`{"regs":{"ext":{"gpp":"DB"}}}`, `regs.gpp == "DB"`}, {`{"regs":{"gpp":"DB"}}`, `regs.gpp == "DB"`},
		{`{"regs":{"gpp":"DA","ext":{"gpp":"DB"}}}`, `regs.gpp == ""`}, {`{}`, `regs.gpp == ""`},
	},
	"Regs/ext/gpp_sid": {
		{`{"regs":{"ext":{"gpp_sid":[2,6]}}}`, `regs.gpp_sid == [2, 6] && has(regs.gpp_sid)`}, {`{"regs":{"gpp_sid":[2]}}`, `2 in regs.gpp_sid`},
		{`{"regs":{"gpp_sid":[2],"ext":{"gpp_sid":[6,2]}}}`, `regs.gpp_sid == [2, 6] && 6 in regs.gpp_sid && regs.gpp_sid.size() == 2`}, {`{}`, `!has(regs.gpp_sid)`},
	},
	"Site/ext/inventorypartnerdomain": {
		{`{"site":{"ext":{"inventorypartnerdomain":"a"}}}`, `site.inventorypartnerdomain == "a"`}, {`{"site":{"inventorypartnerdomain":"a"}}`, `site.inventorypartnerdomain == "a"`},
		{`{"site":{"inventorypartnerdomain":"a","ext":{"inventorypartnerdomain":"b"}}}`, `site.inventorypartnerdomain == "a"`}, {`{}`, `site.inventorypartnerdomain == ""`},
	},
	"App/ext/inventorypartnerdomain": {
		{`{"app":{"ext":{"inventorypartnerdomain":"a"}}}`, `app.inventorypartnerdomain == "a"`}, {`{"app":{"inventorypartnerdomain":"a"}}`, `app.inventorypartnerdomain == "a"`},
		{`{"app":{"inventorypartnerdomain":"a","ext":{"inventorypartnerdomain":"b"}},"site":{"inventorypartnerdomain":"c"}}`, `app.inventorypartnerdomain == "a"`},
		{`{}`, `app.inventorypartnerdomain == ""`},
	},
	"Data/ext/cids": {
		{`{"user":{"data":[{"ext":{"cids":["1","2"]}}]}}`, `user.data[0].cids == ["1", "2"] && has(user.data[0].cids)`}, {`{"user":{"data":[{"cids":["1"]}]}}`, `"1" in user.data[0].cids`},
		{`{"user":{"data":[{"cids":["1"],"ext":{"cids":[2,"3"]}}]}}`, `user.data[0].cids == ["1", "3"] && user.data.exists(d, "3" in d.cids)`},
		{`{"user":{"data":[{"ext":{"cids":5}}]}}`, `user.data[0].cids.size() == 0`}, {`{"site":{"content":{"data":[{"cids":["1"],"ext":{"a":1}}]}}}`, `site.content.data[0].cids.size() == 1`},
	},
}

func TestLegacy(t *testing.T) {
	e := testEnv(t)
	for _, row := range legacy.Table() {
		cases := legacyCases[row.Object+row.From]
		if len(cases) == 0 {
			t.Errorf("%s%s has no case", row.Object, row.From)
		}
		for _, c := range cases {
			in := input(t, c.doc)
			for _, options := range [][]Option{nil, {Interpreted}} {
				d := compile(t, e, c.holds, options...)
				for range 2 { // a second time in the same memory
					if holds, err := d.Holds(in); !holds || err != nil {
						t.Errorf("%s on %s: %v, %v", c.holds, c.doc, holds, err)
					}
				}
			}
		}
	}
}

// TestLegacyObjectsOccurOnce holds what the accessors count on.
func TestLegacyObjectsOccurOnce(t *testing.T) {
	for _, name := range []objectID{objRegs, objUser, objSource, objSite, objApp} {
		n := 0
		for i := range requestObjects {
			for _, f := range requestObjects[i].fields {
				if f.kind == kindObject && f.object == name {
					n++
				}
			}
		}
		if n != 1 {
			t.Errorf("%s occurs %d times", strings.ToLower(objects[name].name), n)
		}
	}
}
