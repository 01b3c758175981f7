package schema

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/spec"
	"github.com/rtbwire/rtbwire/wire"
)

func TestRules(t *testing.T) {
	list := Rules()
	if n := len(spec.OpenRTB().Rules) + len(spec.Native().Rules) + len(spec.OpenRTB().OwnRules); len(list) != n {
		t.Fatalf("%d rules, want %d", len(list), n)
	}
	list[0].ID = "changed"
	if Rules()[0].ID == "changed" {
		t.Error("Rules returns the table itself")
	}
	for i, r := range Rules() {
		if found, ok := RuleByID(r.ID); !ok || found != r {
			t.Errorf("RuleByID(%q) finds %q", r.ID, found.ID)
		}
		if n, ok := ruleNumber(r.ID); !ok || int(n) != i {
			t.Errorf("%s has the number %d, want %d", r.ID, n, i)
		}
		if r.Summary == "" || r.Message == "" || r.Object == "" || r.Section == "" || r.Kind == "" || r.Scope == "" || r.Source == "" {
			t.Errorf("%+v is not complete", r)
		}
		if s := specRule(r.ID); s == nil || s.Level != r.Level || s.Kind != r.Kind || s.Scope != r.Scope || s.Source != r.Source {
			t.Errorf("%s is %+v in the data, %+v here", r.ID, s, r)
		}
	}
	for _, id := range []string{"", "A", "zzz", "Imp.id", "imp.id.required"} {
		if r, ok := RuleByID(id); ok || r.ID != "" {
			t.Errorf("RuleByID(%q) finds %q", id, r.ID)
		}
	}
}

// TestSeverities checks the statements of docs/reference/rules.md about severities.
func TestSeverities(t *testing.T) {
	exceptions := map[string]Severity{ // the severities that the data gives to single rules
		"any.type": Error, "any.integer": Error, "any.utf8": Error,
		"json.syntax": Error, "json.depth": Error, "json.limit": Error, "json.number": Error,
		"any.custom-in-ext": Info, "any.empty-array": Info,
		"any.later-version": Info, "any.ext.duplicate-key": Off, "any.nul": Off, "any.key-escape": Off, "any.ext.key-case": Off, "any.ext.type": Off, "BidRequest.cur.one": Off, "SupplyChain.complete.zero": Info, "NativeRequest.root": Warn,
	}
	for _, r := range Rules() {
		decided := r.Undecidable == ""
		info := r.Kind == "recommended" || r.Kind == "enum" || r.Kind == "default"
		s := specRule(r.ID)
		if s.Check != nil {
			info = info || s.Check.Op == "recommended_if" || s.Check.Op == "enum" || spec.OpenRTB().Formats[s.Check.Format].Advisory
		}
		exception, excepted := exceptions[r.ID]
		if excepted != (s.Severity != "") {
			t.Errorf("%s has the severity %q in the data: exceptions should list it", r.ID, s.Severity)
		}
		want := Error
		switch {
		case !decided:
			want = Off
		case excepted:
			want = exception
		case info:
			want = Info
		case r.Source == "derived", r.Source == "practice", r.Level == "should":
			want = Warn
		}
		if r.Severity != want {
			t.Errorf("%s has the severity %v, want %v", r.ID, r.Severity, want)
		}
		if r.Source == "derived" && r.Compliance() {
			t.Errorf("%s is derived and said to be about compliance", r.ID)
		}
		if r.Source == "spec" && r.Severity == Error && !r.Compliance() {
			t.Errorf("%s is an error of the specification and said not to be about compliance", r.ID)
		}
	}
}

// specRule returns the rule of that id in the data, or nil.
func specRule(id string) *spec.Rule {
	if r := spec.OpenRTB().Rule(id); r != nil {
		return r
	}
	return spec.Native().Rule(id)
}

func TestPresets(t *testing.T) {
	if want := []Preset{"strict", "exchange", "permissive", "admission"}; !slices.Equal(Presets(), want) {
		t.Errorf("presets %v, want %v", Presets(), want)
	}
	engines := map[Preset]*Engine{}
	for _, p := range Presets() {
		e, err := New(WithPreset(p))
		if err != nil {
			t.Fatal(err)
		}
		engines[p] = e
	}
	plain, err := New()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range Rules() {
		s, x, p := engines[Strict].Severity(r.ID), engines[Exchange].Severity(r.ID), engines[Permissive].Severity(r.ID)
		if s != r.Severity || plain.Severity(r.ID) != s {
			t.Errorf("%s: %v by default, %v strict, %v by New", r.ID, r.Severity, s, plain.Severity(r.ID))
		}
		if x > s || p > x && !(x == Off && p == Off) {
			t.Errorf("%s: strict %v, exchange %v, permissive %v: each has to be as mild as the one before", r.ID, s, x, p)
		}
		if (s == Error) != (x == Error) {
			t.Errorf("%s: strict %v, exchange %v: errors stay errors", r.ID, s, x)
		}
		if s == Info && (x != Off || p != Off) {
			t.Errorf("%s: information is silent outside of strict", r.ID)
		}
	}
	for id, want := range map[string][3]Severity{
		"BidRequest.id.required":      {Error, Error, Error},
		"Imp.media":                   {Error, Error, Error},
		"Bid.impid.ref":               {Error, Error, Error},
		"json.syntax":                 {Error, Error, Error},
		"any.type":                    {Error, Error, Error},
		"BidRequest.test.flag":        {Error, Error, Warn},
		"Device.ip.format":            {Error, Error, Warn},
		"Video.placement.deprecated":  {Warn, Off, Off},
		"User.legacy":                 {Warn, Off, Off},
		"Video.removed":               {Warn, Off, Off},
		"Bid.cat.blocked":             {Warn, Warn, Off},
		"Bid.id.unique":               {Warn, Warn, Off},
		"Bid.price.floor":             {Warn, Warn, Off},
		"Bid.price.positive":          {Warn, Off, Off},
		"Site.domain.format":          {Warn, Warn, Off},
		"BidRequest.tmax.positive":    {Warn, Off, Off},
		"Site.id.recommended":         {Info, Off, Off},
		"Bid.attr.enum":               {Info, Off, Off},
		"http.post":                   {Off, Off, Off},
		"no such rule":                {Off, Off, Off},
		"BidResponse.seatbid.min":     {Off, Off, Off},
		"BidRequest.imp.id.unique":    {Error, Error, Error},
		"any.custom-in-ext":           {Info, Off, Off},
		"Native.request.string":       {Error, Error, Error},
		"Video.rqddurs.exclusive":     {Error, Error, Warn},
		"SupplyChain.nodes.required":  {Error, Error, Error},
		"BidResponse.cur.allowed":     {Warn, Warn, Off},
		"Deal.guar.bid":               {Error, Error, Warn},
		"Video.slotinpod.guarantee":   {Off, Off, Off},
		"BidRequest.seats.exclusive":  {Warn, Warn, Off},
		"BidResponse.nbr.exclusive":   {Warn, Warn, Off},
		"Geo.regionfips104.withdrawn": {Warn, Off, Off},
	} {
		for i, p := range []Preset{Strict, Exchange, Permissive} {
			if got := engines[p].Severity(id); got != want[i] {
				t.Errorf("%s is %v in %s, want %v", id, got, p, want[i])
			}
		}
	}
}

func TestOptionErrors(t *testing.T) {
	for want, opt := range map[string]Option{
		`unknown preset "x" (want strict, exchange, permissive or admission)`: WithPreset("x"),
		`preset ""`:                         WithPreset(""),
		`no rule matches "x"`:               WithSeverity("x", Warn),
		`no rule matches ""`:                WithSeverity("", Warn),
		`"Imp.id"`:                          WithSeverity("Imp.id", Warn),
		`"Banner.*x*"`:                      WithSeverity("Banner.*x*", Warn),
		`"Nothing.*"`:                       WithSeverity("Nothing.*", Warn),
		`"Imp.id.required*required"`:        WithSeverity("Imp.id.required*required", Warn),
		"http.post can't":                   WithSeverity("http.post", Warn),
		"invalid severity Severity(4)":      WithSeverity("Imp.media", 4),
		`unknown version "3.0" (want 2.5, `: WithVersion("3.0"),
		`unknown version ""`:                WithVersion(""),
		"nil option":                        nil,
		"at least 1":                        WithMaxFindings(0),
		"limit of findings must be":         WithMaxFindings(-1),
	} {
		if e, err := New(opt); err == nil || !strings.Contains(err.Error(), want) || e != nil || !strings.HasPrefix(err.Error(), "schema: ") {
			t.Errorf("%v, want an error with %s", err, want)
		}
	}
}

func TestWithSeverity(t *testing.T) {
	e, err := New(
		WithSeverity("*", Off),
		WithSeverity("Banner.*", Warn),
		WithSeverity("*.deprecated", Info),
		WithSeverity("Bid.*.enum", Error),
		WithSeverity("Banner.size", Error),
		WithSeverity("Banner.wh.pair*", Off),
	)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range Rules() {
		want := Off
		switch {
		case r.Undecidable != "":
		case r.ID == "Banner.size":
			want = Error
		case r.ID == "Banner.wh.pair":
		case strings.HasPrefix(r.ID, "Bid.") && strings.HasSuffix(r.ID, ".enum"):
			want = Error
		case strings.HasSuffix(r.ID, ".deprecated"):
			want = Info
		case strings.HasPrefix(r.ID, "Banner."):
			want = Warn
		}
		if got := e.Severity(r.ID); got != want {
			t.Errorf("%s is %v, want %v", r.ID, got, want)
		}
	}
	// Later options win, presets too.
	e, err = New(WithSeverity("Imp.media", Info), WithPreset(Permissive), WithSeverity("Imp.id.required", Warn))
	if err != nil || e.Severity("Imp.media") != Error || e.Severity("Imp.id.required") != Warn {
		t.Errorf("%v, %v, %v", err, e.Severity("Imp.media"), e.Severity("Imp.id.required"))
	}
	r := e.NewChecker().Request([]byte(`{"id":"1","imp":[{}]}`))
	if r.Counts != [4]int{Warn: 1, Error: 1} || r.Valid() {
		t.Errorf("counts %v:%s", r.Counts, describe(r))
	}
	// Rules about the text can be off too.
	quiet := strict(t, WithSeverity("*", Off))
	for _, doc := range []string{``, `[]`, `{"id":1}`, `{}`, strings.Repeat("[", 2000), `{"imp":[{"bidfloor":1e999}]}`} {
		if r := quiet.Request([]byte(doc)); len(r.Findings) != 0 || !r.Valid() {
			t.Errorf("%.20q:%s", doc, describe(r))
		}
	}
}

func TestNames(t *testing.T) {
	for s, level := range map[Severity]string{Off: "off", Info: "info", Warn: "warn", Error: "error"} {
		if s.Level() != level {
			t.Errorf("%d is %q in reports", s, s.Level())
		}
	}
	if Request.String() != "request" || Response.String() != "response" {
		t.Error(Request, Response)
	}
}

// TestVersion checks which fields are of a later version than a message says.
func TestVersion(t *testing.T) {
	for version, want := range map[string][]string{
		"2.4":       {"/imp/0/metric", "/imp/0/rwdd", "/imp/0/dt", "/imp/0/video/plcmt", "/regs/gpp"},
		"2.5":       {"/imp/0/rwdd", "/imp/0/dt", "/imp/0/video/plcmt", "/regs/gpp"},
		releases[2]: {"/imp/0/video/plcmt"},
		"2.6":       nil, openrtb.SpecVersion: nil,
	} {
		doc := `{"id":"1","imp":[{"id":"1","rwdd":1,"dt":1,"metric":[],"video":{"mimes":["x/y"],"plcmt":1}}],"regs":{"gpp":"DBAA"}}`
		var got []string
		for _, f := range strict(t, WithVersion(version)).Request([]byte(doc)).Findings {
			if f.ID == "any.later-version" {
				got = append(got, f.Path)
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("version %s: %q, want %q", version, got, want)
		}
	}
}

// TestMaxFindings checks that all findings are counted, and that the one that ends a check is
// always kept.
func TestMaxFindings(t *testing.T) {
	doc := []byte(`{"id":"1","imp":[` + strings.Repeat(`{"id":"1","banner":{"W":1,"w":"x"}},`, 40) + `{}],"x":1,"y":1`)
	whole := strict(t)
	all := whole.Request(slices.Concat(doc, []byte("}")))
	cut := whole.Request(doc)
	if len(all.Findings) < 100 || !has(cut, "json.syntax") {
		t.Fatalf("%d findings", len(all.Findings))
	}
	for _, n := range []int{1, 2, 7, 50, len(all.Findings) - 1, len(all.Findings), len(all.Findings) + 1} {
		c := strict(t, WithMaxFindings(n))
		r := c.Request(slices.Concat(doc, []byte("}")))
		checkCounts(t, r)
		if r.Counts != all.Counts || len(r.Findings) != min(n, len(all.Findings)) || r.Dropped != len(all.Findings)-len(r.Findings) {
			t.Errorf("limit %d: %d kept, %d dropped, counts %v, want %v", n, len(r.Findings), r.Dropped, r.Counts, all.Counts)
		}
		if cap(r.Findings) > 2*max(n, 8) {
			t.Errorf("limit %d: room for %d", n, cap(r.Findings))
		}
		var kept [Error + 1]int
		for _, f := range r.Findings {
			kept[f.Severity]++
		}
		if room := n; kept[Error] != min(all.Counts[Error], room) || kept[Warn] != min(all.Counts[Warn], room-kept[Error]) {
			t.Errorf("limit %d: kept %v of %v, not the most severe", n, kept, all.Counts)
		}
		r = c.Request(doc)
		checkCounts(t, r)
		if !has(r, "json.syntax") || len(r.Findings) > n || r.Valid() {
			t.Errorf("limit %d: the end is not kept:%s", n, describe(r))
		}
		sum := 0
		for _, k := range r.Counts {
			sum += k
		}
		if want := len(whole.Request(doc).Findings); sum != want {
			t.Errorf("limit %d: counted %d, want %d", n, sum, want)
		}
	}
}

// TestNilAndZero checks that nil and zero engines and checkers work like the default ones, and that
// a nil document is a finding.
func TestNilAndZero(t *testing.T) {
	doc := []byte(`{"id":"1","imp":[{"id":"1","banner":{"w":-1}}],"x":1}`)
	e, err := New()
	if err != nil {
		t.Fatal(err)
	}
	want := describe(e.NewChecker().Request(doc))
	var none *Engine
	for name, c := range map[string]*Checker{"nil engine": none.NewChecker(), "zero engine": new(Engine).NewChecker(), "zero checker": {}} {
		if got := describe(c.Request(doc)); got != want {
			t.Errorf("%s:%s\nwant%s", name, got, want)
		}
		for i, r := range []Report{
			c.RequestValue(nil, doc), c.ResponseValue(nil, nil), c.PairValues(nil, &openrtb.BidResponse{}, nil, nil),
			c.PairValues(&openrtb.BidRequest{}, nil, nil, nil), c.Request(nil), c.Response(nil), c.Pair(nil, nil),
		} {
			if r.Valid() || !has(r, "json.syntax") {
				t.Errorf("%s, nil %d:%s", name, i, describe(r))
			}
		}
	}
	if none.Severity("Imp.id.required") != Error || new(Engine).Severity("Imp.id.required") != Error {
		t.Error("nil and zero engines have no severities")
	}
}

// TestLenient checks what lenient changes: the severities of repaired values, and what other rules
// see.
func TestLenient(t *testing.T) {
	for _, x := range []struct {
		doc      string
		findings string // severity, rule and path of those about types, in order
		more     string // a rule that sees the saved value
	}{
		{`{"id":1}`, "warn any.type /id", ""},
		{`{"id":{}}`, "error any.type /id", ""},
		{`{"tmax":"-5"}`, "warn any.type /tmax", "BidRequest.tmax.range"},
		{`{"tmax":-5.0}`, "warn any.integer /tmax", "BidRequest.tmax.range"},
		{`{"tmax":1e99}`, "error any.integer /tmax", ""},
		{`{"tmax":"x"}`, "error any.type /tmax", ""},
		{`{"test":true}`, "warn any.type /test", ""},
		{`{"test":"2"}`, "warn any.type /test", "BidRequest.test.flag"},
		{`{"cur":"usd"}`, "warn any.type /cur", "BidRequest.cur.format"},
		{`{"cur":5}`, "warn any.type /cur; warn any.type /cur/0", "BidRequest.cur.format"},
		{`{"cur":{}}`, "warn any.type /cur; error any.type /cur/0", ""},
		{`{"imp":{"id":"1","instl":5}}`, "warn any.type /imp", "Imp.instl.flag"},
		{`{"imp":{"id":"1","instl":"5"}}`, "warn any.type /imp; warn any.type /imp/0/instl", "Imp.instl.flag"},
		{`{"imp":[{"id":"1","bidfloor":"-1"}]}`, "warn any.type /imp/0/bidfloor", "Imp.bidfloor.range"},
		{`{"imp":[{"id":"1","bidfloor":"1e999"}]}`, "error any.type /imp/0/bidfloor", ""},
		{"\xef\xbb\xbf{\"tmax\":-1}", "warn json.syntax ", "BidRequest.tmax.range"},
		{"{\"cur\":[\"\xff\"]}", "warn any.utf8 /cur/0", "BidRequest.cur.format"},
		{`{"imp":[{"native":{"request":5}}]}`, "warn Native.request.string /imp/0/native/request", "Native.request.json"},
		{`{"imp":[{"native":{"request":{}}}]}`, "error Native.request.string /imp/0/native/request", ""},
		{`[]`, "error any.object ", ""},
	} {
		r := strict(t, WithLenient(true)).Request([]byte(x.doc))
		var got []string
		for _, f := range r.Findings {
			if f.ID == "any.type" || f.ID == "any.integer" || f.ID == "any.utf8" || f.ID == "any.object" || f.ID == "json.syntax" || f.ID == "Native.request.string" {
				got = append(got, fmt.Sprintf("%s %s %s", f.Severity.Level(), f.ID, f.Path))
			}
		}
		if s := strings.Join(got, "; "); s != x.findings {
			t.Errorf("%s:\n got %s\nwant %s", x.doc, s, x.findings)
		}
		if x.more != "" && !has(r, x.more) {
			t.Errorf("%s: %s does not see the saved value:%s", x.doc, x.more, describe(r))
		}
		checkCounts(t, r)
	}
	// Repaired values are warnings at most; milder severities stay.
	c := strict(t, WithLenient(true), WithSeverity("any.type", Info))
	if r := c.Request([]byte(`{"tmax":"100"}`)); r.Counts[Warn] != 0 || !has(r, "any.type") {
		t.Errorf("not milder:%s", describe(r))
	}
	// Values inside a bare value are located.
	if r := strict(t, WithLenient(true)).Request([]byte(`{"imp":{"banner":{"pos":77}}}`)); !slices.ContainsFunc(r.Findings, func(f Finding) bool {
		return f.ID == "Banner.pos.enum" && f.Path == "/imp/0/banner/pos" && f.Offset == len(`{"imp":{"banner":{"pos":`)
	}) {
		t.Errorf("no place:%s", describe(r))
	}
}

// TestHoles checks that a value of the wrong type is reported once: rules about missing values
// ignore it. With the rule about types off they don't.
func TestHoles(t *testing.T) {
	for _, x := range []struct{ doc, silent string }{
		{`{"id":5}`, "BidRequest.id.required"},
		{`{"imp":5}`, "BidRequest.imp.required"},
		{`{"site":5}`, "BidRequest.channel.present"},
		{`{"imp":[5]}`, "Imp.id.required"},
		{`{"imp":[{},5]}`, ""},
		{`{"imp":[{"banner":5}]}`, "Imp.media"},
		{`{"imp":[{"banner":{"w":"1","h":1}}]}`, "Banner.wh.pair"},
		{`{"imp":[{"banner":{"format":1}}]}`, "Banner.sized"},
		{`{"imp":[{"metric":[{"value":"1"}]}]}`, "Metric.value.required"},
		{`{"imp":[{"native":{"request":{}}}]}`, "Native.request.required"},
		{`{"device":{"ip":5}}`, "Device.ip.one"},
		{`{"dooh":{},"device":{"geo":[]}}`, "DOOH.device.geo"},
		{`{"user":5,"regs":{"gdpr":1}}`, "Regs.gdpr.consent"},
		{`{"source":{"schain":{"nodes":"x"}}}`, "SupplyChain.nodes.required"},
		{`{"imp":[{"bidfloor":1e999,"id":"1"}]}`, ""},
	} {
		r := strict(t).Request([]byte(x.doc))
		if r.Valid() || x.silent != "" && has(r, x.silent) {
			t.Errorf("%s is said to break %s too:%s", x.doc, x.silent, describe(r))
		}
		r = strict(t, WithSeverity("any.type", Off), WithSeverity("Native.request.string", Off), WithSeverity("json.number", Off)).Request([]byte(x.doc))
		if x.silent != "" && !has(r, x.silent) {
			t.Errorf("%s, any.type off, is not said to break %s:%s", x.doc, x.silent, describe(r))
		}
	}
}

// TestPairText checks that Pair reports documents that can't be read, and nothing else about them.
func TestPairText(t *testing.T) {
	good, answer := clean(t, "site"), clean(t, "answer")
	odd := []byte(`{"ID":1,"x":null,"id":5,"id":"1","imp":[{"id":"1"}]}`)
	tooLarge := hostile("impressions", 1<<16)
	tooLargeAnswer := []byte(`{"seatbid":[{}` + strings.Repeat(`,{"bid":[{}]}`, 20000) + `]}`)
	type at struct {
		doc Doc
		id  string
	}
	for name, x := range map[string]struct {
		request, response []byte
		want              []at
	}{
		"both good":                {good, answer, nil},
		"request cut":              {good[:100], answer, []at{{Request, "json.syntax"}}},
		"response cut":             {good, answer[:100], []at{{Response, "json.syntax"}}},
		"both cut":                 {good[:100], answer[:100], []at{{Request, "json.syntax"}, {Response, "json.syntax"}}},
		"request no object":        {[]byte(`[]`), answer, []at{{Request, "any.object"}}},
		"response too deep":        {good, []byte(strings.Repeat("[", 2000)), []at{{Response, "json.depth"}}},
		"request odd but readable": {odd, []byte(`{"id":"1","x":1,"seatbid":[]}`), nil},
		"request odd and cut":      {odd[:len(odd)-1], answer, []at{{Request, "json.syntax"}}},
		"request too large":        {tooLarge, answer, []at{{Request, "json.limit"}}},
		"response too large":       {good, tooLargeAnswer, []at{{Response, "json.limit"}}},
		"no texts":                 {nil, nil, []at{{Request, "json.syntax"}, {Response, "json.syntax"}}},
	} {
		for _, c := range []*Checker{strict(t), strict(t, WithMaxFindings(2))} {
			r := c.Pair(x.request, x.response)
			var got []at
			for _, f := range r.Findings {
				got = append(got, at{f.Doc, f.ID})
			}
			if !slices.Equal(got, x.want) {
				t.Errorf("%s:%s", name, describe(r))
			}
			checkCounts(t, r)
		}
	}
	if r := strict(t).Response(tooLargeAnswer); !has(r, "json.limit") || r.Valid() {
		t.Errorf("response too large:%s", describe(r))
	}
}

// TestUndecodable maps errors of the decoder to rules and places.
func TestUndecodable(t *testing.T) {
	doc := `{"id":1,"ID":2,"imp":5,"tmax":3,"cur":"a"}`
	c := strict(t)
	got := patched(t, c, doc)
	if want := `{"id":null,"":2,"imp":null,"tmax":3,"cur":null}`; got != want {
		t.Fatalf("patched: %s", got)
	}
	d := &c.docs[Request]
	for _, mark := range []string{`{"id"`, `,"tmax"`, `3,`, `}`} {
		if at := d.original(strings.Index(got, mark)); at != strings.Index(doc, mark) {
			t.Errorf("%s is at byte %d, want %d", mark, at, strings.Index(doc, mark))
		}
	}
	if at := d.original(strings.Index(got, "ull,\"tmax\"")); at != strings.Index(doc, "5") {
		t.Errorf("inside a patch: %d", at)
	}
	if at := d.original(len(got) + 10); at != len(doc) {
		t.Errorf("beyond the end: %d", at)
	}
	for want, err := range map[string]error{
		"json.syntax": errors.New("anything"),
		"json.limit":  fmt.Errorf("wrapped: %w", &wire.Error{Code: wire.CodeMemory, Offset: 3}),
	} {
		c.begin([]byte(`{"id":"1"}`), nil)
		c.undecodable(Request, err)
		r := c.finish()
		if len(r.Findings) != 1 || r.Findings[0].ID != want || r.Valid() {
			t.Errorf("%v:%s", err, describe(r))
		}
		if at := map[string]int{"json.syntax": -1, "json.limit": 3}[want]; r.Findings[0].Offset != at {
			t.Errorf("%v: at byte %d", err, r.Findings[0].Offset)
		}
	}
}

// TestForeignText passes a text that the value was not decoded from. Places are then unknown or
// wrong, but nothing worse happens.
func TestForeignText(t *testing.T) {
	v := mustRequest(t, []byte(`{"imp":[{"id":"1"},{"id":"1"}]}`))
	w := mustResponse(t, []byte(`{"seatbid":[{"bid":[{"id":"1"}]}]}`))
	c := strict(t)
	for _, text := range []string{``, `x`, `{"imp":`, `{}`, `[]`, `{"imp":[]}`, `{"imp":{"id":1}}`, `{"seatbid":{"bid":[]}}`, "\xef\xbb\xbf{}"} {
		for _, r := range []Report{c.RequestValue(v, []byte(text)), c.ResponseValue(w, []byte(text)), c.PairValues(v, w, []byte(text), []byte(text))} {
			for _, f := range r.Findings {
				if f.Offset < -1 || f.Offset > len(text) {
					t.Errorf("%q: %s at byte %d", text, f.ID, f.Offset)
				}
			}
		}
	}
	if r := c.RequestValue(v, []byte("\xef\xbb\xbf{\"imp\":[{},{}]}")); r.Findings[0].Offset < 0 {
		t.Errorf("no places after a byte order mark:%s", describe(r))
	}
}

// TestConcurrent shares an engine between goroutines. Each checks many documents with one checker,
// in an order of its own.
func TestConcurrent(t *testing.T) {
	e, err := New()
	if err != nil {
		t.Fatal(err)
	}
	docs := corpus(t, "requests")[:400]
	answers := corpus(t, "responses")[:400]
	want := make([]Report, len(docs))
	for i := range docs {
		want[i] = e.NewChecker().Request(docs[i])
		p := e.NewChecker().Pair(docs[i], answers[i])
		want[i].Findings = append(slices.Clone(want[i].Findings), p.Findings...)
	}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			c := e.NewChecker()
			for n := range docs {
				i := (n*(2*g+1) + g) % len(docs)
				r := c.Request(docs[i])
				found := slices.Clone(r.Findings)
				found = append(found, c.Pair(docs[i], answers[i]).Findings...)
				if !slices.Equal(found, want[i].Findings) || r.Counts != want[i].Counts {
					t.Errorf("document %d: another report than alone", i)
					return
				}
			}
		})
	}
	wg.Wait()
}
