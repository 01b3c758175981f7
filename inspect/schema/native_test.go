package schema

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/openrtb/native"
	"github.com/rtbwire/rtbwire/spec"
)

// This file tests the rules of native payloads: each one broken and kept, in all forms in which a
// payload travels.

// nativeForm is a way to carry a payload in a string.
type nativeForm struct {
	name, mark string
	carry      func(payload []byte) string // the string's value
	escape     bool                        // the document writes every character of the string as an escape
}

var nativeForms = []nativeForm{
	{"plain", "#", func(p []byte) string { return string(p) }, false},
	{"escaped", "#", escapedKeys, true},
	{"wrapped", "#/native", func(p []byte) string { return ` {"native":` + string(p) + `}` }, false},
	{"twice", "##", func(p []byte) string { return quote(string(p)) }, false},
	{"twice and wrapped, escaped", "##/native", func(p []byte) string { return quote(`{"n\u0061tive":` + escapedKeys(p) + "}\n") }, true},
}

// escapedKeys writes some keys and values with escapes.
func escapedKeys(p []byte) string {
	return strings.NewReplacer(`"assets"`, `"\u0061ssets"`, `"id"`, `"i\u0064"`, `"title"`, `"t\u0069tle"`, `"https://`, `"https:\/\/`).Replace(string(p))
}

// literal writes a text as a JSON string.
func (f *nativeForm) literal(text string) string {
	if !f.escape {
		return quote(text)
	}
	var b strings.Builder
	for _, r := range text {
		if r > 0xffff {
			b.WriteRune(r)
			continue
		}
		fmt.Fprintf(&b, `\u%04x`, r)
	}
	return `"` + b.String() + `"`
}

// place puts a payload into a document, in place of the string "@".
func (f *nativeForm) place(t *testing.T, doc, payload []byte) []byte {
	t.Helper()
	if !bytes.Contains(doc, []byte(`"@"`)) {
		t.Fatalf("no place in %s", doc)
	}
	return bytes.Replace(doc, []byte(`"@"`), []byte(f.literal(f.carry(payload))), 1)
}

func nativeClean(t *testing.T, name string, changes ...string) []byte {
	t.Helper()
	return edited(t, readFile(t, "testdata/native/"+name+".json"), changes...)
}

// nativeCompanions are findings that come with those of a rule.
var nativeCompanions = map[string]string{
	"NativeRequest.plcmttype.enum":               "",
	"NativeRequest.context.subtype":              "",
	"NativeAssetResponse.id.ref":                 "NativeAssetResponse.required",
	"NativeAssetResponse.one":                    "",
	"NativeEventTrackerResponse.event.required":  "",
	"NativeEventTrackerResponse.method.required": "",
	"NativeRequest.context.enum":                 "NativeRequest.context.subtype", // a code that does not exist has no subtypes
	"NativeRequest.contextsubtype.enum":          "NativeRequest.context.subtype",
}

// nativeCase is a case of testdata/native.txt: a rule, and what is changed to break or keep it.
type nativeCase struct {
	line                  string
	rule                  Rule
	broken                bool
	ofRequest, ofResponse []string // the changes of each
}

// nativeCases reads testdata/native.txt.
func nativeCases(t *testing.T) (list []nativeCase) {
	t.Helper()
	var rule Rule
	for _, line := range lines(string(readFile(t, "testdata/native.txt"))) {
		if line[0] == '#' {
			continue
		}
		if line[0] != '!' && line[0] != '.' {
			var ok bool
			if rule, ok = RuleByID(line); !ok || spec.Native().Rule(line) == nil {
				t.Fatalf("cases for the unknown rule %q", line)
			}
			continue
		}
		one := nativeCase{line: line, rule: rule, broken: line[0] == '!'}
		for change := range strings.SplitSeq(strings.TrimSpace(line[1:]), " ;; ") {
			if rest, ok := strings.CutPrefix(change, "request: "); ok || rule.Scope == "request" && change != "" {
				one.ofRequest = append(one.ofRequest, rest)
			} else if change != "" {
				one.ofResponse = append(one.ofResponse, change)
			}
		}
		list = append(list, one)
	}
	return list
}

// mustNativeRequest decodes the clean native request after some changes.
func mustNativeRequest(t *testing.T, changes []string) *native.Request {
	t.Helper()
	var d native.Decoder
	r, _, err := d.Request(nativeClean(t, "request", changes...))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// mustNativeResponse decodes the clean native ad after some changes.
func mustNativeResponse(t *testing.T, changes []string) *native.Response {
	t.Helper()
	var d native.Decoder
	r, _, err := d.Response(nativeClean(t, "response", changes...))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestEveryNativeRule checks the cases of testdata/native.txt in every form.
func TestEveryNativeRule(t *testing.T) {
	request := edited(t, clean(t, "site"), `/imp/3/native/request = "@"`, "- /imp/3/native/ver")
	response := edited(t, clean(t, "answer"), `/seatbid/1/bid/1/adm = "@"`)
	counted := map[string][2]int{}
	for _, one := range nativeCases(t) {
		rule, broken := one.rule, one.broken
		n := counted[rule.ID]
		if broken {
			n[0]++
		} else {
			n[1]++
		}
		counted[rule.ID] = n
		for _, f := range nativeForms {
			if rule.Scope == "pair" && f.mark[1:] != "" && f.mark[1] == '#' {
				continue // an answer that is encoded twice is not one; see Bid.native.adm
			}
			req := f.place(t, request, nativeClean(t, "request", one.ofRequest...))
			resp := f.place(t, response, nativeClean(t, "response", one.ofResponse...))
			var opts []Option
			for _, s := range spec.Native().Silences {
				if s.Rule == rule.ID && s.When == "" && broken {
					opts = append(opts, WithSeverity(s.YieldsTo, Off))
				}
			}
			c := strict(t, opts...)
			var r Report
			path := "/seatbid/1/bid/1/adm" + f.mark
			switch rule.Scope {
			case "request":
				r, path = c.Request(req), "/imp/3/native/request"+f.mark
			case "response":
				r = c.Response(resp)
			default:
				r = c.Pair(req, resp)
			}
			checkNativeCase(t, f.name+" "+one.line, rule, broken, path, r)
			checkPlaces(t, r, req, resp)
			checkCounts(t, r)
		}
	}
	for _, r := range spec.Native().Rules {
		if n := counted[r.ID]; (n[0] == 0 || n[1] == 0) && r.ID != "NativeRequest.root" {
			t.Errorf("%s has %d cases that break it and %d that keep it", r.ID, n[0], n[1])
		}
	}
}

func checkNativeCase(t *testing.T, name string, rule Rule, broken bool, path string, r Report) {
	t.Helper()
	found := false
	for _, f := range r.Findings {
		switch {
		case f.ID == rule.ID:
			found = true
			if !strings.HasPrefix(f.Path, path) {
				t.Errorf("%s: %s is at %q, want it in %q", name, f.ID, f.Path, path)
			}
		case broken && inPayload(f) && f.ID != nativeCompanions[rule.ID] && f.ID != "NativeRequest.root":
			t.Errorf("%s: %s comes with %s", name, f.ID, rule.ID)
		}
	}
	if found != broken {
		t.Errorf("%s: %s found %v, want %v:%s", name, rule.ID, found, broken, describe(r))
	}
}

// TestNativeRoot checks the rule about the wrapper, which depends on both versions.
func TestNativeRoot(t *testing.T) {
	for _, x := range []struct {
		imp, payload string
		wrapped      bool
		want         string
	}{
		{"", "", true, "NativeRequest.root"}, {"", "1.0", true, ""}, {"1.0", "", true, ""}, {"", "1.2", true, "NativeRequest.root"},
		{"1.1", "", true, "Native.request.root11"}, {"1.2", "1.0", true, "Native.request.root11"}, {"1.0", "1.2", true, ""},
		{"x", "", true, "NativeRequest.root"}, {"", "", false, ""}, {"1.2", "1.2", false, ""}, {"1.0", "1.0", false, "Native.request.root10"},
	} {
		payload := nativeClean(t, "request", fmt.Sprintf("/ver = %q", x.payload))
		if x.wrapped {
			payload = []byte(`{"native":` + string(payload) + `}`)
		}
		doc := edited(t, clean(t, "site"), "/imp/3/native/request = "+quote(string(payload)), fmt.Sprintf("/imp/3/native/ver = %q", x.imp))
		var got []string
		for _, id := range ids(strict(t).Request(doc)) {
			if strings.Contains(id, ".root") {
				got = append(got, id)
			}
		}
		if s := strings.Join(got, " "); s != x.want {
			t.Errorf("version %q, in the payload %q, wrapped %v: %q, want %q", x.imp, x.payload, x.wrapped, s, x.want)
		}
	}
}

// TestNativeTruncated checks that no beginning of a payload passes as one, in any form.
func TestNativeTruncated(t *testing.T) {
	c := strict(t)
	request := edited(t, clean(t, "site"), `/imp/3/native/request = "@"`)
	response := edited(t, clean(t, "response"), `/seatbid/0/bid/0/adm = "@"`, `/seatbid/0/bid/0/mtype = 4`)
	for _, f := range nativeForms {
		whole := f.carry(nativeClean(t, "request"))
		for n := range strings.TrimRight(whole, "\n") {
			doc := bytes.Replace(request, []byte(`"@"`), []byte(f.literal(whole[:n])), 1)
			if r := c.Request(doc); r.Valid() {
				t.Fatalf("%s, cut at %d, is valid: %q", f.name, n, whole[:n])
			}
			doc = bytes.Replace(response, []byte(`"@"`), []byte(f.literal(whole[:n])), 1)
			c.Response(doc)
		}
	}
}

// TestNativeText checks the rules about the text inside a payload.
func TestNativeText(t *testing.T) {
	for _, x := range []struct{ payload, want string }{
		{`{"assets":[{"id":"1"}]}`, "any.type #/assets/0/id"},
		{`{"assets":[{"id":1,"id":2}]}`, "any.duplicate-key #/assets/0/id"},
		{`{"assets":[{"ID":1}]}`, "any.key-case #/assets/0/ID"},
		{`{"assets":[{"ext":{"a":{"b":1,"b":2}}}]}`, "any.ext.duplicate-key #/assets/0/ext/a/b"},
		{`{"native":{},"native":{"assets":[]}}`, "any.duplicate-key #/native"},
		{`{"native":{"assets":[{"id":1.5}]}}`, "any.integer #/native/assets/0/id"},
		{`{"native":5}`, "any.type #/native"},
		{`{"native":null}`, "NativeRequest.assets.required #/assets"},
		{`{"native":{"native":[]}}`, "json.syntax #/native"},
	} {
		doc := edited(t, clean(t, "site"), "/imp/3/native/request = "+quote(x.payload))
		r := strict(t, WithPreset(Admission), WithSeverity("json.*", Error)).Request(doc)
		id, path, _ := strings.Cut(x.want, " ")
		if !slices.ContainsFunc(r.Findings, func(f Finding) bool {
			return f.ID == id && f.Path == "/imp/3/native/request"+path && f.Severity == Error
		}) {
			t.Errorf("%.80s: want %s:%.2000s", x.payload, x.want, describe(r))
		}
	}
}

// TestNativeNested checks a wrapper inside a string inside a string, and what is not a payload
// there.
func TestNativeNested(t *testing.T) {
	for payload, want := range map[string]bool{
		`"{\"assets\":[]}"`: true, `"{\"native\":{\"assets\":[]}}"`: true, `"\"{}\""`: false, `"["`: false, `"`: false, ` 5 `: false,
	} {
		doc := edited(t, clean(t, "site"), "/imp/3/native/request = "+quote(payload))
		if r := strict(t).Request(doc); has(r, "NativeRequest.assets.min") != want || r.Valid() {
			t.Errorf("%s: want its assets checked %v:%s", payload, want, describe(r))
		}
		// With the rules of payloads off, nothing is looked for.
		if r := strict(t, WithSeverity("*", Off), WithSeverity("Native.request.json", Warn)).Request(doc); has(r, "Native.request.twice") {
			t.Errorf("%s:%s", payload, describe(r))
		}
	}
}

// TestNativeLimit checks that findings in a payload count and are dropped like others.
func TestNativeLimit(t *testing.T) {
	doc := edited(t, clean(t, "site"), "/imp/3/native/request = "+quote(`{"assets":[`+strings.Repeat(`{},`, 200)+`{}]}`))
	all := strict(t).Request(doc)
	for _, n := range []int{1, 10, 150, 1000} {
		r := strict(t, WithMaxFindings(n)).Request(doc)
		checkCounts(t, r)
		if r.Counts != all.Counts {
			t.Errorf("limit %d: counts %v, want %v", n, r.Counts, all.Counts)
		}
	}
}

// TestNativeMarkup checks which bids are taken for native ads.
func TestNativeMarkup(t *testing.T) {
	for _, x := range []struct {
		adm, mtype string
		native     bool
	}{
		{`{"assets":[]}`, "", true}, {" \n{\"native\":{}}", "", true}, {`{"x":1,"dcourl":""}`, "0", true}, {`{"settings":{"assets":[]}}`, "", false},
		{`{}`, "4", true}, {`{}`, "1", false}, {`{"link":{"a":1}}`, "2", false}, {`{}`, "0", false}, {`{}`, "", false},
		{`<div>`, "", false}, {`<div>`, "4", false}, {``, "4", false}, {`[]`, "4", false}, {`"{}"`, "4", true}, {`"{}"`, "", false}, {`{`, "4", false},
	} {
		doc := `{"id":"1","seatbid":[{"bid":[{"id":"1","impid":"1","price":1,"adm":` + quote(x.adm)
		if x.mtype != "" {
			doc += `,"mtype":` + x.mtype
		}
		if r := strict(t).Response([]byte(doc + `}]}]}`)); slices.ContainsFunc(r.Findings, func(f Finding) bool { return strings.HasPrefix(f.ID, "Native") }) != x.native {
			t.Errorf("%q with mtype %q: want native %v:%s", x.adm, x.mtype, x.native, describe(r))
		}
	}
}

// TestNativePairBounded checks that pairs of many bids on large requests end, and that the answers
// to one impression share its decoded request.
func TestNativePairBounded(t *testing.T) {
	assets := strings.Repeat(`{"id":5,"title":{"len":1}},`, 2000)
	imp := func(id int) string {
		return fmt.Sprintf(`{"id":"%d","native":{"request":%s}}`, id, quote(`{"assets":[`+assets+`{"id":1,"required":1,"data":{"type":1}}]}`))
	}
	bid := func(imp int) string {
		return fmt.Sprintf(`{"id":"b","impid":"%d","price":1,"adm":"{\"assets\":[]}"}`, imp)
	}
	var bids []string
	for i := range 2000 {
		bids = append(bids, bid(i%2))
	}
	request := `{"id":"1","imp":[` + imp(0) + "," + imp(1) + `]}`
	response := `{"id":"1","seatbid":[{"bid":[` + strings.Join(bids, ",") + `]}]}`
	r := strict(t).Pair([]byte(request), []byte(response))
	found := 0
	for _, f := range r.Findings {
		if f.ID == "NativeAssetResponse.required" {
			found++
		}
	}
	if found == 0 || found == len(bids) {
		t.Errorf("%d findings for %d bids, expected the first ones", found, len(bids))
	}
}

// TestNativeAllocations checks that payloads without findings cost no memory.
func TestNativeAllocations(t *testing.T) {
	if !mem.ZeroCopy {
		t.Skip("this build copies texts")
	}
	f := nativeForms[0]
	request := f.place(t, edited(t, clean(t, "site"), `/imp/3/native/request = "@"`), nativeClean(t, "request"))
	response := f.place(t, edited(t, clean(t, "answer"), `/seatbid/1/bid/1/adm = "@"`), nativeClean(t, "response"))
	for _, preset := range Presets() {
		c := strict(t, WithPreset(preset))
		c.engine.severity[ruleBidRequestCurOne] = Off // the clean request has two
		allocs(t, "Request", func() Report { return c.Request(request) })
		allocs(t, "Response", func() Report { return c.Response(response) })
		allocs(t, "Pair", func() Report { return c.Pair(request, response) })
	}
}
