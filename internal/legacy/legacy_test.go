package legacy_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/internal/legacy"
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/spec"
)

func parse(t testing.TB, doc string) *openrtb.BidRequest {
	t.Helper()
	r, err := openrtb.Parse([]byte(doc))
	if err != nil {
		t.Fatalf("%v in %s", err, doc)
	}
	return r
}

// read prints the effective value of one row.
var read = map[string]func(*openrtb.BidRequest) string{
	"Regs.gdpr.conflict": func(r *openrtb.BidRequest) string { return fmt.Sprint(legacy.GDPR(r)) },
	"Imp.rwdd.conflict":  func(r *openrtb.BidRequest) string { return fmt.Sprint(legacy.Rewarded(&r.Imp[0])) },
	"User.consent.conflict": func(r *openrtb.BidRequest) string {
		return words(legacy.Consent(r))
	},
	"Regs.gpp.conflict":        func(r *openrtb.BidRequest) string { return words(legacy.GPP(r)) },
	"Regs.us_privacy.conflict": func(r *openrtb.BidRequest) string { return words(legacy.USPrivacy(r)) },
	"Regs.gpp_sid.conflict": func(r *openrtb.BidRequest) string {
		list, conflict := legacy.GPPSID(nil, r)
		var ids []int
		for _, s := range list {
			ids = append(ids, int(s))
		}
		return fmt.Sprint(ids, conflict)
	},
	"Site.inventorypartnerdomain.conflict": func(r *openrtb.BidRequest) string { return words(legacy.InventoryPartnerDomain(r)) },
	"App.inventorypartnerdomain.conflict":  func(r *openrtb.BidRequest) string { return words(legacy.InventoryPartnerDomain(r)) },
	"Data.cids.conflict": func(r *openrtb.BidRequest) string {
		var all []string
		conflict := legacy.CIDs(&r.User.Data[0], func(id string) { all = append(all, id) })
		return fmt.Sprint(all, conflict)
	},
	"User.eids.conflict": func(r *openrtb.BidRequest) string {
		field, ext, conflict := legacy.NewReader().EIDs(r)
		sources := func(list []openrtb.EID) (out []string) {
			for _, e := range list {
				out = append(out, e.Source)
			}
			return out
		}
		return fmt.Sprint(sources(field), sources(ext), conflict)
	},
	"Source.schain.conflict":     chains,
	"BidRequest.schain.conflict": chains,
}

func words(value string, ok, conflict bool) string {
	return fmt.Sprintf("%s %v %v", value, ok, conflict)
}

func chains(r *openrtb.BidRequest) string {
	c := legacy.NewReader().SChain(r)
	var out []string
	for _, chain := range []*openrtb.SupplyChain{c.Field, c.Source, c.Request} {
		asi := "-"
		if chain != nil {
			asi = ""
			for _, n := range chain.Nodes {
				asi += n.ASI
			}
		}
		out = append(out, asi)
	}
	return fmt.Sprint(out, c.SourceConflict, c.RequestConflict)
}

// TestTable checks each row at its field, in ext, in both and in conflict.
func TestTable(t *testing.T) {
	cases := map[string][]struct{ doc, want string }{
		"Regs.gdpr.conflict": {
			{`{}`, "0 false false"}, {`{"regs":{}}`, "0 false false"},
			{`{"regs":{"gdpr":1}}`, "1 true false"}, {`{"regs":{"ext":{"gdpr":1}}}`, "1 true false"},
			{`{"regs":{"ext":{"gd\u0070r":true}}}`, "1 true false"}, {`{"regs":{"ext":{"gdpr":"1"}}}`, "1 true false"},
			{`{"regs":{"gdpr":0,"ext":{"gdpr":1}}}`, "1 true true"}, {`{"regs":{"gdpr":1,"ext":{"gdpr":0}}}`, "1 true true"},
			{`{"regs":{"gdpr":1,"ext":{"gdpr":1}}}`, "1 true false"}, {`{"regs":{"gdpr":1,"ext":{"gdpr":null}}}`, "1 true false"},
			{`{"regs":{"ext":{"gdpr":0,"x":{"gdpr":0},"gdpr":1}}}`, "1 true false"}, {`{"regs":{"ext":{"x":{"gdpr":1}}}}`, "0 false false"},
			{`{"regs":{"ext":{"GDPR":1}}}`, "1 true false"}, {`{"regs":{"gdpr":0,"ext":{"gDpR\u0000x":true}}}`, "1 true true"},
			{`{"regs":{"ext":{"gdpr":1,"GDPR":0}}}`, "1 true false"}, {`{"regs":{"ext":{"GDPR":1,"gdpr":0}}}`, "1 true false"}, {`{"regs":{"ext":{"gdprs":1,"xGDPR":1,"gdp":1}}}`, "0 false false"},
			{`{"regs":{"gdpr":0,"ext":{"gdpr":false}}}`, "0 true false"}, {`{"regs":{"ext":{"gdpr":1.5}}}`, "1 true false"},
			{`{"regs":{"ext":{"gdpr":[1]}}}`, "0 false false"}, {`{"regs":{"ext":{"gdpr":""}}}`, "0 false false"},
		},
		"Imp.rwdd.conflict": {
			{`{"imp":[{"rwdd":1}]}`, "1 true false"}, {`{"imp":[{"ext":{"prebid":{"is_rewarded_inventory":1}}}]}`, "1 true false"},
			{`{"imp":[{"rwdd":0,"ext":{"prebid":{"is_rewarded_inventory":1}}}]}`, "1 true true"}, {`{"imp":[{"ext":{"prebid":5}}]}`, "0 false false"},
		},
		"User.consent.conflict": {
			{`{}`, " false false"}, {`{"user":{"consent":"a"}}`, "a true false"}, {`{"user":{"ext":{"consent":"a"}}}`, "a true false"},
			{`{"user":{"consent":"a","ext":{"consent":"a"}}}`, "a true false"}, {`{"user":{"consent":"a","ext":{"consent":"b"}}}`, " false true"},
			{`{"user":{"consent":"a","ext":{"consent":"\u0061"}}}`, "a true false"}, {`{"user":{"ext":{"CON\u017fent":"a"}}}`, "a true false"},
			{`{"user":{"ext":{"Consent":"a","consent":"b"}}}`, " false true"}, {`{"user":{"ext":{"Consent":"a","consent":"a"}}}`, "a true false"}, {`{"user":{"consent":"a","ext":{"CONSENT":"b"}}}`, " false true"}, {`{"user":{"ext":{"consent":1}}}`, " false false"},
		},
		"Regs.gpp.conflict": {
			{`{}`, " false false"}, {`{"regs":{"gpp":"a"}}`, "a true false"}, {`{"regs":{"ext":{"gpp":"a","gpp_sid":[1]}}}`, "a true false"},
			{`{"regs":{"gpp":"a","ext":{"gpp":"b"}}}`, " false true"},
		},
		"Regs.us_privacy.conflict": {
			{`{}`, " false false"}, {`{"regs":{"us_privacy":"1YNN"}}`, "1YNN true false"}, {`{"regs":{"ext":{"us_privacy":"1YNN"}}}`, "1YNN true false"},
			{`{"regs":{"us_privacy":"1YNN","ext":{"us_privacy":"1YYN"}}}`, "1YYN true true"}, {`{"regs":{"us_privacy":"1YYN","ext":{"us_privacy":"1YNN"}}}`, "1YYN true true"},
			{`{"regs":{"ext":{"us_privacy":"1YNN","US_PRIVACY":"1YYN"}}}`, "1YYN true false"}, {`{"regs":{"us_privacy":"1YNN","ext":{"us_privacy":"1YNN"}}}`, "1YNN true false"}, {`{"regs":{"us_privacy":"1-","ext":{"us_privacy":"1--"}}}`, "1- true true"},
		},
		"Regs.gpp_sid.conflict": {
			{`{}`, "[] false"}, {`{"regs":{"gpp_sid":[2,6]}}`, "[2 6] false"}, {`{"regs":{"ext":{"gpp_sid":[2,"6"]}}}`, "[2 6] false"},
			{`{"regs":{"gpp_sid":[2],"ext":{"gpp_sid":[6]}}}`, "[2 6] true"}, {`{"regs":{"gpp_sid":[2,6],"ext":{"gpp_sid":[6,2,2,null]}}}`, "[2 6] false"},
			{`{"regs":{"gpp_sid":[2,6],"ext":{"gpp_sid":[2,2]}}}`, "[2 6] true"}, {`{"regs":{"ext":{"gpp_sid":[]}}}`, "[] false"}, {`{"regs":{"ext":{"gpp_sid":2}}}`, "[] false"},
		},
		"Site.inventorypartnerdomain.conflict": {
			{`{}`, " false false"}, {`{"site":{"inventorypartnerdomain":"a"}}`, "a true false"}, {`{"site":{"ext":{"inventorypartnerdomain":"a"}}}`, "a true false"},
			{`{"site":{"inventorypartnerdomain":"a","ext":{"inventorypartnerdomain":"b"}}}`, "a true true"},
		},
		"App.inventorypartnerdomain.conflict": {
			{`{"app":{"ext":{"inventorypartnerdomain":"a"}}}`, "a true false"},
			{`{"app":{"inventorypartnerdomain":"a","ext":{"inventorypartnerdomain":"b"}}}`, "a true true"},
		},
		"Data.cids.conflict": {
			{`{"user":{"data":[{"cids":["a"]}]}}`, "[a] false"}, {`{"user":{"data":[{"ext":{"cids":["a",1]}}]}}`, "[a] false"},
			{`{"user":{"data":[{"cids":["a"],"ext":{"cids":["b"]}}]}}`, "[a b] true"}, {`{"user":{"data":[{"cids":["a"],"ext":{"cids":["a"]}}]}}`, "[a a] false"},
		},
		"User.eids.conflict": {
			{`{}`, "[] [] false"}, {`{"user":{"eids":[{"source":"a"}]}}`, "[a] [] false"}, {`{"user":{"ext":{"eids":[{"source":"a"}]}}}`, "[] [a] false"},
			{`{"user":{"eids":[{"source":"a"}],"ext":{"eids":[{"source":"a"}]}}}`, "[a] [a] false"},
			{`{"user":{"eids":[{"source":"a"}],"ext":{"eids":[{"source":"b"}]}}}`, "[a] [b] true"},
			{`{"user":{"eids":[{"source":"a","uids":[{"id":"1"}]}],"ext":{"eids":[{"source":"a","uids":[{"id":"2"}]}]}}}`, "[a] [a] true"},
			{`{"user":{"ext":{"eids":[{"source":"a","uids":[{"id":1,"atype":"1"}]}]}}}`, "[] [a] false"}, {`{"user":{"ext":{"eids":null}}}`, "[] [] false"},
			{`{"user":{"ext":{"eids":[{"source":{}}]}}}`, "[] [] false"},
		},
		"Source.schain.conflict": {
			{`{}`, "[- - -] false false"}, {`{"source":{"schain":{"nodes":[{"asi":"a"}]}}}`, "[a - -] false false"},
			{`{"source":{"ext":{"schain":{"nodes":[{"asi":"a"}]}}}}`, "[- a -] false false"},
			{`{"source":{"schain":{"nodes":[{"asi":"a"}]},"ext":{"schain":{"nodes":[{"asi":"a"}]}}}}`, "[a a -] false false"},
			{`{"source":{"schain":{"nodes":[{"asi":"a"}]},"ext":{"schain":{"nodes":[{"asi":"b"}]}}}}`, "[a b -] true false"},
			{`{"source":{"schain":{"complete":1},"ext":{"schain":{"complete":0}}}}`, "[  -] true false"}, {`{"source":{"ext":{"schain":5}}}`, "[- - -] false false"},
		},
		"BidRequest.schain.conflict": {
			{`{"ext":{"schain":{"nodes":[{"asi":"a"}]}}}`, "[- - a] false false"},
			{`{"source":{"schain":{"nodes":[{"asi":"a"}]}},"ext":{"schain":{"nodes":[{"asi":"b"}]}}}`, "[a - b] false true"},
			{`{"source":{"ext":{"schain":{"nodes":[{"asi":"a"}]}}},"ext":{"schain":{"nodes":[{"asi":"b"}]}}}`, "[- a b] false true"},
		},
	}
	for _, row := range legacy.Table() {
		if len(cases[row.Rule]) == 0 || spec.OpenRTB().Rule(row.Rule) == nil {
			t.Errorf("%+v has no cases, or no rule", row)
		}
		conflicts := false
		for _, c := range cases[row.Rule] {
			if got := read[row.Rule](parse(t, c.doc)); got != c.want {
				t.Errorf("%s: %s is read as %s, want %s", row.Rule, c.doc, got, c.want)
			}
			conflicts = conflicts || strings.Contains(c.want, "true true") || strings.HasSuffix(c.want, "true") || strings.Contains(c.want, "] true")
		}
		if !conflicts {
			t.Errorf("%s has no case of a conflict", row.Rule)
		}
		delete(cases, row.Rule)
	}
	for rule := range cases {
		t.Errorf("cases for %s, which is not in the table", rule)
	}
}

// TestReadings checks that the data's words and the names agree.
func TestReadings(t *testing.T) {
	var want []string
	for i := range spec.OpenRTB().Legacy {
		if m := &spec.OpenRTB().Legacy[i]; m.To != "" {
			want = append(want, m.Rule()+" "+m.Conflict)
		}
	}
	var got []string
	for _, row := range legacy.Table() {
		got = append(got, row.Rule+" "+row.Conflict.String())
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if s := legacy.Reading(99).String(); s != "Reading(99)" {
		t.Error(s)
	}
}

// TestMember checks values that are not objects, and objects of all forms.
func TestMember(t *testing.T) {
	for doc, want := range map[string]string{
		``: "", `5`: "", `"name"`: "", `["name",1]`: "", `{}`: "", `{"other":"name"}`: "", ` { "name" : [1, {"name":2}] } `: `[1, {"name":2}]`,
		`{"name":1,"name":2}`: "2", `{"n\u0061me":3}`: "3", `{"names":1}`: "", `{"a":"\\","name":4}`: "4",
		`{"name":1,`: "1", `{"name"`: "", `{"name":`: "", `{"a":1 "name":2}`: "",
	} {
		value, ok := legacy.Member([]byte(doc), "name")
		if string(value) != want || ok != (want != "") {
			t.Errorf("%s: %q, %v; want %q", doc, value, ok, want)
		}
	}
	legacy.Elements([]byte(`{"name":[1`), "name", func([]byte) {})
}

// TestMemberRandomly compares with encoding/json, on objects of random values, and checks that cut
// texts do no harm.
func TestMemberRandomly(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	texts := []string{"", "name", `"`, `\`, `\\`, `a\"`, `}`, `,"name":1`, "[", " é"}
	var random func(depth int) any
	random = func(depth int) any {
		switch n := r.IntN(7); {
		case n == 0 && depth > 0:
			list := make([]any, r.IntN(4))
			for i := range list {
				list[i] = random(depth - 1)
			}
			return list
		case n <= 2 && depth > 0:
			m := map[string]any{}
			for range r.IntN(4) {
				m[texts[r.IntN(len(texts))]] = random(depth - 1)
			}
			return m
		case n == 3:
			return -1.5e-7
		case n == 4:
			return nil
		}
		return texts[r.IntN(len(texts))]
	}
	found := 0
	for range 20_000 {
		object := map[string]any{"a": random(3), "b": random(3)}
		if r.IntN(4) > 0 {
			object["name"] = random(3)
		}
		text, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		if r.IntN(2) == 0 {
			var b bytes.Buffer
			if err := json.Indent(&b, text, " ", "\t"); err != nil {
				t.Fatal(err)
			}
			text = b.Bytes()
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		value, ok := legacy.Member(text, "name")
		if _, is := want["name"]; ok != is || string(value) != string(want["name"]) {
			t.Fatalf("%s: %s, %v", text, value, ok)
		}
		if ok {
			found++
			var elements []json.RawMessage
			if json.Unmarshal(value, &elements) == nil {
				i := 0
				legacy.Elements(text, "name", func(e []byte) {
					if string(e) != string(elements[i]) {
						t.Fatalf("%s: element %d is %s", text, i, e)
					}
					i++
				})
				if i != len(elements) {
					t.Fatalf("%s: %d elements", text, i)
				}
			}
		}
		cut := text[:r.IntN(len(text))]
		legacy.Member(cut, "name")
		legacy.Elements(cut, "name", func([]byte) {})
		legacy.Flag(cut, "name")
		legacy.Text(cut, "name")
	}
	if found == 0 {
		t.Error("never found")
	}
}

// TestAllocations checks that reading allocates nothing once warm.
func TestAllocations(t *testing.T) {
	if !mem.ZeroCopy {
		t.Skip("this build copies texts")
	}
	r := parse(t, `{"imp":[{"ext":{"prebid":{"is_rewarded_inventory":1}}}],"regs":{"ext":{"gdpr":1,"gpp":"DBAA","gpp_sid":[2],"us_privacy":"1YNN"}},
		"user":{"ext":{"consent":"C","eids":[{"source":"a","uids":[{"id":"1"}]}]}},"source":{"ext":{"schain":{"nodes":[{"asi":"a"}]}}},"ext":{"schain":{"nodes":[{"asi":"b"}]}}}`)
	m := legacy.NewReader()
	var sections []adcom.GPPSection
	all := func() {
		legacy.GDPR(r)
		legacy.GPP(r)
		legacy.USPrivacy(r)
		legacy.Consent(r)
		legacy.Rewarded(&r.Imp[0])
		sections, _ = legacy.GPPSID(sections[:0], r)
		if _, ext, _ := m.EIDs(r); len(ext) != 1 {
			t.Fatal("no eids")
		}
		if c := m.SChain(r); c.Source == nil || c.Request == nil || !c.RequestConflict {
			t.Fatal("no chains")
		}
		m.Reset()
	}
	all()
	if n := testing.AllocsPerRun(20, all); n != 0 {
		t.Errorf("%v allocations", n)
	}
	// A huge ext leaves no memory behind.
	r.User.Ext = []byte(`{"eids":[{"source":"` + strings.Repeat("x", 1<<17) + `"}]}`)
	if _, ext, _ := m.EIDs(r); len(ext) != 1 {
		t.Error("no eids")
	}
	m.Reset()
}

// TestShortest finds a member in the shortest object that has it.
func TestShortest(t *testing.T) {
	if value, ok := legacy.Flag([]byte(`{"gdpr":1}`), "gdpr"); !ok || value != 1 {
		t.Errorf("got %d, %v", value, ok)
	}
	if value, ok := legacy.Flag([]byte(`{"gdpr":"\u0031"}`), "gdpr"); !ok || value != 1 { // a quoted digit that is escaped
		t.Errorf("got %d, %v", value, ok)
	}
	if value, ok := legacy.Member([]byte(`{"":0}`), ""); !ok || string(value) != "0" {
		t.Errorf("got %s, %v", value, ok)
	}
}

// TestKeysAlike finds a key in every letter case, at every place of an object, and no other key. No
// object is too short or too long for the search that comes first.
func TestKeysAlike(t *testing.T) {
	for n := range 40 {
		before := `{"` + strings.Repeat("x", n) + `":0,`
		for key, want := range map[string]bool{
			"consent": true, "CONSENT": true, "cOnsent": true, "con\u017fent": true, `c\u006fnsent`: true, `CONSENT\u0000`: true, `consent\u0000x`: true,
			"consents": false, "onsent": false, `c\u0000onsent`: false, "Xconsent": false, "c0nsent": false, "": false,
		} {
			object := before + `"` + key + `":1}`
			if value, ok := legacy.Member([]byte(object), "consent"); ok != want || ok && string(value) != "1" {
				t.Errorf("%s: %s, %v, want %v", object, value, ok, want)
			}
		}
	}
	for object, want := range map[string]string{`{"gdpr":1,"GDPR":2}`: "1", `{"GDPR":2,"gdpr":1}`: "1", `{"GDPR":2,"Gdpr":1}`: "1", `{"gdpr":3,"gdpr":1}`: "1"} {
		if value, _ := legacy.Member([]byte(object), "gdpr"); string(value) != want {
			t.Errorf("%s: %s, want %s", object, value, want)
		}
	}
}
