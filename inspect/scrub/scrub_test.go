package scrub_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/inspect/scrub"
	"github.com/rtbwire/rtbwire/internal/guardpage"
	"github.com/rtbwire/rtbwire/internal/legacy"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/splice"
)

var testKey = scrub.Key("0123456789abcdef0123456789abcdef")

func mustCompile(tb testing.TB, specs ...scrub.Spec) *scrub.Program {
	tb.Helper()
	p, err := scrub.Compile(specs...)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// scrubbed applies a program with a cold scratch.
func scrubbed(tb testing.TB, p *scrub.Program, body string, on []bool) string {
	tb.Helper()
	edits, err := p.Append(nil, []byte(body), new(scrub.Scratch), on)
	if err != nil {
		tb.Fatalf("%v in %s", err, body)
	}
	out, err := splice.Apply(nil, []byte(body), edits...)
	if err != nil {
		tb.Fatalf("%v of %v in %s", err, edits, body)
	}
	return string(out)
}

// one makes a spec with one operation: "remove /user/id", "replace /user/id 7".
func one(operation string) scrub.Spec {
	var s scrub.Spec
	kind, rest, _ := strings.Cut(operation, " ")
	switch kind {
	case "remove":
		s.Remove = []string{rest}
	case "replace":
		path, value, _ := strings.Cut(rest, " ")
		s.Replace = []scrub.Replacement{{path, []byte(value)}}
	case "hash":
		s.Hash, s.Key = []string{rest}, testKey
	case "truncate":
		s.Truncate = []string{rest}
	}
	return s
}

// scrubCases are operations, separated by semicolons, with a document before and after.
var scrubCases = []struct {
	name            testkit.CaseName
	do, before, out string
}{
	{testkit.Name("a field"), "remove /device/ifa", `{"id":"1", "device":{"ifa":"x", "os":"y"}}`, `{"id":"1", "device":{"os":"y"}}`},
	{testkit.Name("nothing there"), "remove /device/ifa", `{"id":"1", "device":{ }}`, `{"id":"1", "device":{ }}`},
	{testkit.Name("an element's member"), "remove /imp/*/ext/x", `{"imp":[{"ext":{"x":1,"y":2}},{"ext":{"x":[]}},{}]}`, `{"imp":[{"ext":{"y":2}},{"ext":{}},{}]}`},
	{testkit.Name("every element"), "remove /user/eids/*", `{"user":{"eids":[{},{}]}}`, `{"user":{"eids":[]}}`},
	{testkit.Name("arrays in arrays"), "remove /user/eids/*/uids/*/id", `{"user":{"eids":[{"uids":[{"id":"a"},{"id":"b","atype":1}]},{"uids":[{"id":"c"}]}]}}`, `{"user":{"eids":[{"uids":[{},{"atype":1}]},{"uids":[{}]}]}}`},
	{testkit.Name("another spelling"), "remove /device/ifa", `{"device":{"i\u0066a":"x"},"d\u0065vice":{"ifa":"y","os":1}}`, `{"device":{},"d\u0065vice":{"os":1}}`},
	{testkit.Name("another letter case"), "remove /device/ifa", `{"Device":{"IFA":"x","ifa":"y"},"ſite":1}`, `{"Device":{},"ſite":1}`},
	{testkit.Name("NUL in a key"), "remove /user/id", `{"user":{"id\u0000":"x","id\u0000z":"y","\u0000id":1}}`, `{"user":{"\u0000id":1}}`},
	{testkit.Name("NUL in a copy"), "hash /user/id", `{"user\u0000":{"ID\u0000":"x"},"user":{"id":"y"}}`, `{"user\u0000":{},"user":{}}`},
	{testkit.Name("another letter case of an old place"), "remove /user/consent", `{"user":{"consent":"x","ext":{"CONSENT":"y","Consent\u0000":"z","a":1}}}`, `{"user":{"ext":{"a":1}}}`},
	{testkit.Name("folded letters"), "remove /site/keywords", `{"ſite":{"Keywords":"x"}}`, `{"ſite":{}}`},
	{testkit.Name("the old place"), "remove /user/eids", `{"user":{"eids":[1],"ext":{"eids":[2],"x":3}}}`, `{"user":{"ext":{"x":3}}}`},
	{testkit.Name("the field of an old place"), "remove /user/ext/eids/*/uids", `{"user":{"eids":[{"uids":1}],"ext":{"eids":[{"uids":2}]}}}`, `{"user":{"eids":[{}],"ext":{"eids":[{}]}}}`},
	{testkit.Name("three places"), "remove /ext/schain", `{"source":{"schain":{},"ext":{"schain":{}}},"ext":{"schain":{}}}`, `{"source":{"ext":{}},"ext":{}}`},
	{testkit.Name("a part has another place"), "remove /source", `{"source":{"schain":{}},"ext":{"schain":{},"x":1}}`, `{"ext":{"x":1}}`},
	{testkit.Name("a replaced part has another place"), `replace /source {"fd":1}`, `{"source":{"schain":{}},"ext":{"schain":{},"x":1}}`, `{"source":{"fd":1},"ext":{"x":1}}`},
	{testkit.Name("ext without its legacy fields"), "remove /user/ext", `{"user":{"eids":[1],"ext":{"eids":[2]}}}`, `{"user":{"eids":[1]}}`},
	{testkit.Name("a deep old place"), "replace /imp/*/rwdd 0", `{"imp":[{"rwdd":1,"ext":{"prebid":{"is_rewarded_inventory":1}}},{}]}`, `{"imp":[{"rwdd":0,"ext":{"prebid":{"is_rewarded_inventory":0}}},{}]}`},

	{testkit.Name("replace"), `replace /user/gender "O"`, `{"user":{"gender" : "F", "yob":1}}`, `{"user":{"gender" : "O", "yob":1}}`},
	{testkit.Name("replace null"), `replace /user/gender "O"`, `{"user":{"gender":null}}`, `{"user":{"gender":"O"}}`},
	{testkit.Name("replace nothing"), `replace /user/gender "O"`, `{"user":{}}`, `{"user":{}}`},
	{testkit.Name("replace by null"), `replace /user/gender null`, `{"user":{"gender":"F"}}`, `{"user":{"gender":null}}`},

	{testkit.Name("a copy that can't be set"), `truncate /device/ip`, `{"device":{"ip":"192.0.2.1"},"device":{"os":"x"}}`, `{"device":{},"device":{"os":"x"}}`},
	{testkit.Name("copies of a value"), `truncate /device/ip`, `{"device":{"ip":"192.0.2.1","os":"x","ip":"192.0.2.2","ip":"192.0.2.3"}}`, `{"device":{"os":"x"}}`},
	{testkit.Name("copies elsewhere"), `truncate /device/ip;remove /user/id`, `{"device":{"ip":"192.0.2.1"},"user":{"id":1},"user":{"id":2}}`, `{"device":{"ip":"192.0.2.0"},"user":{},"user":{}}`},
	{testkit.Name("copies of arrays"), `hash /user/eids/*/uids/*/id`, `{"user":{"eids":[{"uids":[{"id":"a"}]},{"uids":[{"id":"b"}]}],"eids":[{"uids":[{"id":"c"}]}]}}`, `{"user":{"eids":[{"uids":[{}]},{"uids":[{}]}],"eids":[{"uids":[{}]}]}}`},
	{testkit.Name("copies of other shapes"), `truncate /device/geo`, `{"device":{"geo":"x"},"device":{"geo":{"lat":1.2345}},"device":{"geo-x":1}}`, `{"device":{},"device":{},"device":{"geo-x":1}}`},
	{testkit.Name("copies with names that sort between"), `truncate /device/geo;remove /device/ext/geo!`, `{"device":{"geo":{"lat":1.2345},"ext":{"geo!":1}},"device":{"geo":"x"}}`, `{"device":{"ext":{}},"device":{}}`},
	{testkit.Name("a copy that is scrubbed already"), `truncate /device/ip`, `{"device":{"ip":"192.0.2.0"},"device":{}}`, `{"device":{"ip":"192.0.2.0"},"device":{}}`},

	{testkit.Name("a value for an array"), "remove /imp/*/ext", `{"imp":{"ext":1,"id":"1"}}`, `{"imp":{"id":"1"}}`},
	{testkit.Name("a scalar for an array"), "remove /bcat/*", `{"bcat":"IAB1","id":"1"}`, `{"id":"1"}`},
	{testkit.Name("a copy that is a value for an array"), "remove /imp/*", `{"imp":[1,2],"imp":3,"imp":{}}`, `{}`},
	{testkit.Name("a scalar for an object"), "remove /user/id", `{"user":7}`, `{"user":7}`},
	{testkit.Name("an array for an object"), "remove /user/id", `{"user":[{"id":1}]}`, `{"user":[{"id":1}]}`},
	{testkit.Name("names with slashes"), "remove /ext/a~1b~0c", `{"ext":{"a/b~c":1,"A/B~C":2,"x":3}}`, `{"ext":{"x":3}}`},
	{testkit.Name("the empty name"), "remove /ext/", `{"ext":{"":1,"x":3}}`, `{"ext":{"x":3}}`},

	{testkit.Name("strength"), `truncate /user/ext/x;replace /user/ext/x 1`, `{"user":{"ext":{"x":"y"}}}`, `{"user":{"ext":{"x":1}}}`},
	{testkit.Name("strength, remove"), `hash /user/id;replace /user/id "x";remove /user/id`, `{"user":{"id":"y"}}`, `{"user":{}}`},
	{testkit.Name("the first of equals"), `replace /user/id "x";replace /user/id "y"`, `{"user":{"id":"z"}}`, `{"user":{"id":"x"}}`},
	{testkit.Name("inside what is removed"), `replace /user/id "x";remove /user`, `{"user":{"id":"z"}}`, `{}`},
}

func TestScrub(t *testing.T) {
	for _, c := range scrubCases {
		specs := specsOf(c.do)
		if got := scrubbed(t, mustCompile(t, specs...), c.before, nil); got != c.out {
			t.Errorf("%s: %s\n got %s\nwant %s", c.name, c.do, got, c.out)
		}
		checkOracle(t, specs, nil, c.before)
	}
}

func specsOf(operations string) (specs []scrub.Spec) {
	for o := range strings.SplitSeq(operations, ";") {
		specs = append(specs, one(o))
	}
	return specs
}

// checkOracle compares a scrubbed document with the oracle's.
func checkOracle(tb testing.TB, specs []scrub.Spec, on []bool, body string) {
	tb.Helper()
	want := treeOf(body)
	done := want.scrubbed(specs, on)
	out := scrubbed(tb, mustCompile(tb, specs...), body, on)
	after := treeOf(out)
	if got := after.String(); got != want.String() {
		tb.Fatalf("%+v, %v\nof   %s\ngot  %s\nwant %s", specs, on, body, got, want)
	}
	// The bytes outside of the edited places stay.
	text := body
	slices.SortFunc(done.set, func(a, b span) int { return b.from - a.from })
	for _, s := range done.set {
		text = text[:s.from] + s.text + text[s.to:]
	}
	if len(done.removed) == 0 && out != text || !isSubsequence(out, text) {
		tb.Fatalf("%+v, %v\nof   %s\ngot  %s\nwant %s with less", specs, on, body, out, text)
	}
	// What is only in removed values is not in the output.
	gone := map[string]bool{}
	want.split(false, func(text string, removed bool) {
		if removed {
			gone[text] = true
		}
	})
	want.split(false, func(text string, removed bool) {
		if !removed {
			delete(gone, text)
		}
	})
	after.split(false, func(text string, _ bool) {
		if gone[text] {
			tb.Fatalf("%+v\nof %s\nis %s, with the removed %q", specs, body, out, text)
		}
	})
}

// isSubsequence reports whether all bytes of a are in b, in this order.
func isSubsequence(a, b string) bool {
	for _, c := range []byte(a) {
		i := strings.IndexByte(b, c)
		if i < 0 {
			return false
		}
		b = b[i+1:]
	}
	return true
}

// TestSwitches checks which specs are on.
func TestSwitches(t *testing.T) {
	p := mustCompile(t, one("remove /user/id"), one("remove /user/yob"))
	if p.Specs() != 2 {
		t.Error(p.Specs())
	}
	for _, c := range []struct {
		on   []bool
		want string
	}{
		{nil, `{"user":{}}`},
		{[]bool{true, true}, `{"user":{}}`},
		{[]bool{true, false}, `{"user":{"yob":2}}`},
		{[]bool{false, true}, `{"user":{"id":1}}`},
		{[]bool{false, false}, `{"user":{"id":1,"yob":2}}`},
		{[]bool{false}, `{"user":{"id":1}}`},
	} {
		if got := scrubbed(t, p, `{"user":{"id":1,"yob":2}}`, c.on); got != c.want {
			t.Errorf("%v: %s, want %s", c.on, got, c.want)
		}
	}
	if got := scrubbed(t, mustCompile(t), `{"user":1}`, nil); got != `{"user":1}` {
		t.Error(got)
	}
	if edits, err := mustCompile(t).Append(nil, []byte(`x`), new(scrub.Scratch), nil); edits != nil || err != nil {
		t.Errorf("without specs nothing is read, but %v %v", edits, err)
	}
}

// TestEditsBefore checks that the edits that are there stay.
func TestEditsBefore(t *testing.T) {
	p := mustCompile(t, one("remove /device/ifa"))
	m := new(scrub.Scratch)
	first := []wire.Edit{wire.Remove("/x"), wire.Set("/device", []byte(`1`))}
	edits, err := p.Append(slices.Clone(first), []byte(`{"device":{"ifa":1},"device":{"ifa":2}}`), m, nil)
	if err != nil || len(edits) != 3 || !slices.EqualFunc(edits[:2], first, sameEdit) || !sameEdit(edits[2], wire.Remove("/device/ifa")) {
		t.Errorf("%v, %v", edits, err)
	}
	guarded := guardpage.New(t, 1<<12)
	for _, broken := range []string{``, `[]`, `{"device":{"ifa":1}`, `{"device":{"ifa":1}}}`, "{\"device\":{\"ifa\":1},\"x\":\"\xff\"}", `{"device":{"ifa":"}`, `{"device":[`, `{"device"}`, `{"x":{}`, `{"device":{"ifa":1},{}`} {
		edits, err := p.Append(slices.Clone(first), guarded.Back([]byte(broken)), m, nil)
		if e := (*wire.Error)(nil); !errors.As(err, &e) || !slices.EqualFunc(edits, first, sameEdit) {
			t.Errorf("%s: %v, %v", broken, edits, err)
		}
	}
}

func sameEdit(a, b wire.Edit) bool {
	return a.Path == b.Path && string(a.Value) == string(b.Value) && (a.Value == nil) == (b.Value == nil)
}

// TestLegacyTable checks that the oracle knows all legacy fields.
func TestLegacyTable(t *testing.T) {
	of := map[string][]string{
		"BidRequest": {""}, "Source": {"/source"}, "Regs": {"/regs"}, "User": {"/user"}, "Imp": {"/imp/*"}, "Site": {"/site"}, "App": {"/app"},
		"Data": {"/user/data/*", "/site/content/data/*", "/app/content/data/*", "/dooh/content/data/*"},
	}
	for _, row := range legacy.Table() {
		if len(of[row.Object]) == 0 {
			t.Errorf("add the places of %s", row.Object)
		}
		for _, at := range of[row.Object] {
			found := slices.ContainsFunc(legacyPlaces, func(group []string) bool {
				return slices.Contains(group, at+row.From) && slices.Contains(group, at+row.To)
			})
			if !found {
				t.Errorf("add %s and %s", at+row.From, at+row.To)
			}
			for _, path := range []string{at + row.From, at + row.To} {
				checkOracle(t, []scrub.Spec{one("remove " + path)}, nil, nested(at+row.From, at+row.To))
			}
		}
	}
}

// nested returns a document with a value at each of the places.
func nested(paths ...string) string {
	var parts []string
	for _, path := range paths {
		text, end := "", ""
		for _, name := range names(path) {
			if name == every {
				text, end = text+"[", "]"+end
			} else {
				text, end = text+fmt.Sprintf(`{%q:`, name), "}"+end
			}
		}
		parts = append(parts, strings.TrimSuffix(strings.TrimPrefix(text+`"secret"`+end, "{"), "}"))
	}
	return "{" + strings.Join(parts, ",") + "}"
}
