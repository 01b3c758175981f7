package inspect

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/inspect/payload"
	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/splice"
)

const responsePayload = responsePrefix + payloadPrefix // the beginning of ids of payloads in responses

// askedFor is a request with a banner, a video and a native impression, and everything that a bid
// can break.
const askedFor = `{"id":"r","imp":[
	{"id":"1","banner":{"w":300,"h":250,"format":[{"w":300,"h":250},{"w":320,"h":50}],"battr":[13],"api":[5]},"bidfloor":1,"secure":1},
	{"id":"2","video":{"mimes":["video/mp4"],"protocols":[2,3],"minduration":5,"maxduration":30,"battr":[9],"api":[7]},"bidfloor":2,"bidfloorcur":"EUR"},
	{"id":"3","native":{"request":"{\"ver\":\"1.2\",\"assets\":[{\"id\":1,\"required\":1,\"title\":{\"len\":90}}]}","ver":"1.2"}},
	{"id":"4","banner":{"w":300,"h":250},"pmp":{"private_auction":1,"deals":[{"id":"d","bidfloor":3,"wadomain":["good.example"],"wseat":["s1"]}]}}],
	"site":{"id":"s","page":"https://site.example/"},"cur":["USD","EUR"],"badv":["bad.example"],"bcat":["IAB25","IAB7-39"],"bapp":["com.bad"],"wseat":["s1","s2"],"wlang":["en"]}`

// answered has a good bid for each impression.
const answered = `{"id":"r","seatbid":[
	{"seat":"s1","bid":[
		{"id":"b1","impid":"1","price":1.5,"adm":"<script>x</script>","adomain":["good.example"],"cat":["IAB1-1"],"crid":"c","w":320,"h":50,"mtype":1,"attr":[1],"apis":[5]},
		{"id":"b2","impid":"4","price":3,"dealid":"d","adm":"<a>","adomain":["www.good.example"],"crid":"c","w":300,"h":250,"mtype":1}]},
	{"seat":"s2","bid":[
		{"id":"b3","impid":"3","price":0.1,"adm":"{\"assets\":[{\"id\":1,\"title\":{\"text\":\"t\"}}],\"link\":{\"url\":\"https://x.example\"}}","adomain":["good.example"],"crid":"c","mtype":4},
		{"id":"b4","impid":"2","price":9,"adm":"<VAST version=\"4.0\" xmlns=\"http://www.iab.com/VAST\"></VAST>","adomain":["good.example"],"crid":"c","mtype":2,"protocol":3,"dur":15}]}],"cur":"USD"}`

// change applies changes such as `/seatbid/0/bid/0/price=1`, or without = for removals.
func change(tb testing.TB, doc string, changes ...string) []byte {
	tb.Helper()
	var edits []wire.Edit
	for _, c := range changes {
		path, value, set := strings.Cut(c, "=")
		if set {
			edits = append(edits, wire.Set(path, []byte(value)))
		} else {
			edits = append(edits, wire.Remove(path))
		}
	}
	out, err := splice.Apply(nil, []byte(doc), edits...)
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

// judgeResponse judges with an engine, and holds what is true of every verdict.
func judgeResponse(tb testing.TB, w *Worker, request, response []byte) ResponseVerdict {
	tb.Helper()
	w.Decode(request)
	v := w.JudgeResponse(response, Facts{})
	checkResponse(tb, w, v, response)
	return v
}

func checkResponse(tb testing.TB, w *Worker, v ResponseVerdict, body []byte) {
	tb.Helper()
	refusing := 0
	for _, f := range v.Findings {
		r, known := w.engine.ReasonByID(f.ID)
		if !known || r.Inspector != InspectorResponse || f.Inspector != InspectorResponse || f.Message == "" || f.Offset < -1 || f.Offset > len(body) {
			tb.Fatalf("finding %+v", f)
		}
		if f.Severity == Refuse {
			refusing++
		}
	}
	if (v.Counts[Refuse] > 0) != (v.Reason != "") || (refusing > 0) != (v.Reason != "") || (v.Action == ActionRefuse || len(v.Removed) > 0) != (v.Reason != "") {
		tb.Fatalf("decision %+v, %d bids removed, findings %+v", v.Decision, len(v.Removed), v.Findings)
	}
	if v.Action == ActionRefuse || len(v.Removed) == 0 {
		if len(v.Edits) > 0 {
			tb.Fatalf("edits %v", v.Edits)
		}
		return
	}
	// What is left has the other bids, in their bytes.
	before, err := openrtb.ParseResponse(body)
	if err != nil {
		tb.Fatal(err)
	}
	out, err := v.Apply([]byte("before"), body)
	if err != nil {
		tb.Fatal(err)
	}
	after, err := openrtb.ParseResponse(bytes.TrimPrefix(out, []byte("before")))
	if err != nil {
		tb.Fatalf("%v: %s", err, out)
	}
	var want, got []string
	for i, seat := range before.SeatBid {
		for k, bid := range seat.Bid {
			if !slices.ContainsFunc(v.Removed, func(b RemovedBid) bool { return b.Seat == i && b.Bid == k }) {
				want = append(want, seat.Seat+" "+bid.ID)
			}
		}
	}
	for _, seat := range after.SeatBid {
		if len(seat.Bid) == 0 && len(v.Removed) > 0 && !slices.ContainsFunc(before.SeatBid, func(s openrtb.SeatBid) bool { return len(s.Bid) == 0 }) {
			tb.Fatalf("an empty seat is left: %s", out)
		}
		for _, bid := range seat.Bid {
			got = append(got, seat.Seat+" "+bid.ID)
		}
	}
	if !slices.Equal(got, want) || len(want) != v.Bids-len(v.Removed) || len(want) == 0 {
		tb.Fatalf("left are %q, want %q", got, want)
	}
}

// outcome describes a verdict: what decided, then the bids that are removed, or "no bid".
func outcome(v ResponseVerdict) string {
	text := strings.TrimPrefix(v.Reason, responsePrefix)
	if v.Action == ActionRefuse {
		return text + ": no bid"
	}
	for _, b := range v.Removed {
		text += fmt.Sprintf(" %d/%d", b.Seat, b.Bid)
	}
	return text
}

// TestResponseRules breaks one thing after the other, and keeps it.
func TestResponseRules(t *testing.T) {
	w := mustNew(t, Config{Response: Response{MarkupMax: 200, Rates: euros{}}}).NewWorker()
	const b1, b2, b3, b4 = "/seatbid/0/bid/0", "/seatbid/0/bid/1", "/seatbid/1/bid/0", "/seatbid/1/bid/1"
	for _, tt := range []struct {
		change string // of the response, changes separated by " ;; "; those of the request after " || "
		want   string
	}{
		{"", ""},
		{`/id="other"`, "BidResponse.id.match: no bid"},
		{`/id`, "BidResponse.id.required: no bid"},
		{`/seatbid=[]`, ""},
		{`/seatbid=[] ;; /nbr=2`, ""},
		{`/seatbid`, ""},
		{`/cur="XYZ"`, "BidResponse.cur.known: no bid"},
		{`/cur="usd"`, "BidResponse.cur.format: no bid"},
		{`/cur="JPY"`, "BidResponse.cur.allowed: no bid"},
		{`/cur="JPY" || /cur`, ""},
		{`/seatbid/0/seat="s9"`, "SeatBid.seat.allowed 0/0 0/1"},
		{`/seatbid/0/seat="s1" || /bseat=["s1"] ;; /wseat`, "SeatBid.seat.allowed 0/0 0/1"},
		{b1 + `/impid="9"`, "Bid.impid.ref 0/0"},
		{b1 + `/impid`, "Bid.impid.required 0/0"},
		{b1 + `/id`, "Bid.id.required 0/0"},
		// the floor
		{b1 + `/price=0.99`, "Bid.price.floor 0/0"},
		{b1 + `/price=1`, ""},
		{b1 + `/price=0`, "Bid.price.positive 0/0"},
		{b1 + `/price=-1`, "Bid.price.range 0/0"},
		{b1 + `/price`, "Bid.price.required 0/0"},
		{b2 + `/price=2.9`, "Bid.price.floor 0/1"}, // of the deal
		{b4 + `/price=3.9`, "Bid.price.floor 1/1"}, // 2 EUR are 4 USD
		{b4 + `/price=3.97`, ""},                   // rates differ a little
		{b4 + `/price=4`, ""},
		{`/cur="EUR" ;; ` + b1 + `/price=0.4`, "Bid.price.floor 0/0"},
		{`/cur="EUR" ;; ` + b1 + `/price=0.5 ;; ` + b2 + `/price=1.5`, ""},
		{`/cur="XXX" || /cur`, "BidResponse.cur.known: no bid"},
		{`/cur="JPY" ;; ` + b4 + `/price=0.01 || /cur`, ""}, // no rate: unknown
		// what the sender blocks
		{b1 + `/adomain=["bad.example"]`, "Bid.adomain.blocked 0/0"},
		{b1 + `/adomain=["good.example","a.b.Bad.Example"]`, "Bid.adomain.blocked 0/0"},
		{b1 + `/adomain=["notbad.example"]`, ""},
		{b1 + `/cat=["IAB25"]`, "Bid.cat.blocked 0/0"},
		{b1 + `/cat=["IAB1","IAB25-3"]`, "Bid.cat.blocked 0/0"},
		{b1 + `/cat=["IAB7-39"]`, "Bid.cat.blocked 0/0"},
		{b1 + `/cat=["IAB7-38"]`, ""},
		{b1 + `/cat=["IAB7"]`, ""},
		{b1 + `/cat=["IAB25"] ;; ` + b1 + `/cattax=6`, ""}, // of another taxonomy
		{b1 + `/bundle="com.bad"`, "Bid.bundle.blocked 0/0"},
		{b1 + `/bundle="com.bad.other"`, ""},
		{b1 + `/attr=[1,13]`, "Bid.attr.blocked 0/0"},
		{b1 + `/attr=[9]`, ""}, // that of the video
		{b4 + `/attr=[9]`, "Bid.attr.blocked 1/1"},
		{b1 + `/language="de"`, "Bid.language.allowed 0/0"},
		{b1 + `/language="en"`, ""},
		// what fits the place
		{b1 + `/w=728 ;; ` + b1 + `/h=90`, "Bid.size.allowed 0/0"},
		{b1 + `/w=300 ;; ` + b1 + `/h=250`, ""},
		{b1 + `/w ;; ` + b1 + `/h`, ""},
		{b1 + `/wratio=16 ;; ` + b1 + `/hratio=9 ;; ` + b1 + `/w ;; ` + b1 + `/h || /imp/0/banner={"format":[{"wratio":16,"hratio":9}]}`, ""},
		{b1 + `/w ;; ` + b1 + `/h || /imp/0/banner={"format":[{"wratio":16,"hratio":9,"wmin":10}]}`, "Bid.flex 0/0"},
		{b1 + `/mtype=2`, "Bid.mtype.ref 0/0"},
		{b1 + `/mtype=5`, "Bid.mtype.range 0/0"},
		{b1 + `/mtype`, ""},
		{b1 + `/apis=[3]`, "Bid.api.supported 0/0"},
		{b4 + `/protocol=7`, "Bid.protocol.supported 1/1"},
		{b4 + `/dur=31`, "Bid.dur.window 1/1"},
		{b4 + `/dur=30`, ""},
		{b4 + `/attr=[16] || /imp/1/video/skip=1`, "Bid.attr.skip.conflict 1/1"},
		{b2 + `/dealid="e"`, "Bid.dealid.ref 0/1"},
		{b2 + `/dealid`, "Bid.dealid.private 0/1"},
		{b2 + `/adomain=["other.example"]`, "Bid.adomain.deal 0/1"},
		{`/seatbid/0/seat="s2"`, "Bid.seat.deal 0/1"},
		{b1 + `/adm="<img src='http://x.example/1.gif'>"`, "Bid.secure.markup 0/0"},
		{b1 + `/nurl="HTTP://x.example/"`, "Bid.secure.markup 0/0"},
		{b1 + `/adm="<img src='https://x.example/1.gif'>"`, ""},
		{b2 + `/adm="<img src='http://x.example/1.gif'>"`, ""}, // which is not asked for
		{b3 + `/adm="<a>"`, "Bid.native.adm 1/0"},
		{b3 + `/adm="{\"assets\":[{\"id\":7,\"title\":{\"text\":\"t\"}}],\"link\":{\"url\":\"x\"}}"`, "NativeAssetResponse.id.ref 1/0"},
		{b1 + `/adm="` + strings.Repeat("x", 200) + `"`, ""},
		{b1 + `/adm="` + strings.Repeat("x", 201) + `"`, "limit.adm 0/0"},
		// several
		{b1 + `/price=0.1 ;; ` + b4 + `/price=0.1`, "Bid.price.floor 0/0 1/1"},
		{b1 + `/price=0.1 ;; ` + b2 + `/price=0.1`, "Bid.price.floor 0/0 0/1"},
		{b1 + `/price=0.1 ;; ` + b2 + `/dealid ;; ` + b3 + `/price=0 ;; ` + b4 + `/price=0.1`, "Bid.price.floor: no bid"},
		{b1 + `/price=0.1 ;; /seatbid/0/group=1`, "Bid.price.floor 0/0 0/1"},
		{b1 + `/price=0.1 ;; /seatbid/1/group=1`, "Bid.price.floor 0/0"},
		{b1 + `/price=0.1 ;; /seatbid/-={"seat":"s1","bid":[]}`, "Bid.price.floor 0/0"},
		// payloads
		{b1 + `/adm="${jndi:ldap://x}"`, "payload.template.jndi 0/0"},
		{b1 + `/adm="\u0024{JNDI:ldap://x}"`, "payload.template.jndi 0/0"},
		{b1 + `/adm="${jndi:a}" ;; ` + b4 + `/adm="${jndi:b}"`, "payload.template.jndi 0/0 1/1"},
		{b3 + `/adm="{\"assets\":[{\"id\":1,\"title\":{\"text\":\"\\u0024{jndi:x}\"}}],\"link\":{\"url\":\"https://x\"}}"`, "payload.template.jndi 1/0"},
		{b1 + `/adm="<script>eval(atob('x'));onload=1;setTimeout(sleep(1))</script><a href='javascript:void(0)'>Credit Union Select</a>"`, ""},
		{b1 + `/crid="<script>"`, "payload.xss.script-tag 0/0"},
		{b1 + `/nurl="javascript:alert(1)"`, "payload.url.javascript 0/0"},
		{b1 + `/nurl="https://x.example/?p=${AUCTION_PRICE}&q=%3Cscript%3E"`, ""},
		{b1 + `/nurl="https://x.example/?download=1"`, ""},
		{b1 + `/nurl="https://x.example/?a=<script>"`, "payload.xss.script-tag 0/0"},
		{b1 + `/crid="onload=x"`, "payload.xss.onload 0/0"},
		{b1 + `/adomain=["good.example","<script>"]`, "payload.xss.script-tag 0/0"},
		{b1 + `/cat=["IAB1","alert(\"x"]`, "payload.xss.alert-double-quote 0/0"},
		{b1 + `/cid="windows\\system32"`, "payload.command.system32 0/0"},
		{`/seatbid/1/seat="<script>" || /wseat`, "payload.xss.script-tag 1/0 1/1"},
		{b1 + `/ext={"a":{"b":["<iframe src='x'>"]}}`, ""},
		{b1 + `/ext={"a":{"b":["${jndi:x}"]}}`, "payload.template.jndi 0/0"},
		{`/seatbid/0/ext={"a":"/etc/passwd"}`, "payload.command.etc-passwd 0/0 0/1"},
		{`/seatbid/1/seat="s2" ;; /ext={"a":"/etc/passwd"} ;; ` + b1 + `/adm="/etc/passwd"`, "payload.command.etc-passwd: no bid"},
		{`/ext={"sync":["<iframe src='x'>"]}`, ""},
		{`/customdata="<script>"`, "payload.xss.script-tag: no bid"},
	} {
		changes, request := tt.change, askedFor
		if before, after, found := strings.Cut(tt.change, " || "); found {
			changes, request = before, string(change(t, askedFor, strings.Split(after, " ;; ")...))
		}
		response := []byte(answered)
		if changes != "" {
			response = change(t, answered, strings.Split(changes, " ;; ")...)
		}
		v := judgeResponse(t, w, []byte(request), response)
		if got := outcome(v); got != tt.want {
			t.Errorf("%s: %s, want %s\nfindings %+v", tt.change, got, tt.want, v.Findings)
		}
	}
}

// euros are worth two dollars.
type euros struct{}

func (euros) USD(price float64, currency string) (float64, bool) {
	return 2 * price, currency == "EUR"
}

// TestResponseText judges texts that hide bids, or are no responses.
func TestResponseText(t *testing.T) {
	w := mustNew(t, Config{}).NewWorker()
	seats := answered[strings.Index(answered, "["):strings.LastIndex(answered, ",\"cur")]
	cheap := string(change(t, answered, "/seatbid/0/bid/0/price=0.1"))
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", "json.empty: no bid"},
		{"no JSON", "<html>", "json.syntax: no bid"},
		{"cut", answered[:200], "json.truncated: no bid"},
		{"a list", "[]", "json.type: no bid"},
		{"nothing", "{}", ""},
		{"a wrong type", strings.Replace(answered, `"price":1.5`, `"price":"x"`, 1), "json.type: no bid"},
		{"nested deep", `{"id":"r","ext":` + strings.Repeat("[", 10000) + strings.Repeat("]", 10000) + `}`, "json.depth: no bid"},
		{"two bids in one", strings.Replace(answered, `"price":1.5`, `"price":9,"price":1.5`, 1), "any.duplicate-key 0/0"},
		{"a price in capitals", strings.Replace(answered, `"price":1.5`, `"price":1.5,"Price":0.1`, 1), "any.key-case 0/0"},
		{"a domain with a NUL", strings.Replace(answered, `"price":1.5`, `"price":1.5,"adomain":["a.example\u0000"]`, 1), "any.nul 0/0"},
		{"a key with an escape", strings.Replace(answered, `"price":1.5`, `"pr\u0069ce":1.5`, 1), "any.key-escape 0/0"},
		{"two lists of bids", strings.Replace(answered, `"seat":"s1",`, `"seat":"s1","bid":[{"id":"x"}],`, 1), "any.duplicate-key 0/0 0/1"},
		{"two lists of seats", `{"seatbid":` + seats + `,` + answered[1:], "any.duplicate-key: no bid"},
		{"seats in capitals", `{"SeatBid":` + seats + `,` + answered[1:], "any.key-case: no bid"},
		{"seats with an escape", `{"seatb\u0069d":` + seats + `,` + cheap[1:], "any.key-escape: no bid"},
	} {
		v := judgeResponse(t, w, []byte(askedFor), []byte(tt.text))
		if got := outcome(v); got != tt.want {
			t.Errorf("%s: %s, want %s\nfindings %+v", tt.name, got, tt.want, v.Findings)
		}
	}

	// A configuration may let repeated keys pass. Then bids can't be removed one by one.
	w = mustNew(t, Config{Global: Layer{Severities: []Setting{{"response.any.*", Observe}}}}).NewWorker()
	for _, text := range []string{
		`{"seatbid":` + seats + `,` + cheap[1:], `{"SeatBid":` + seats + `,` + cheap[1:],
		`{"seatbid":[{},{},{},{"bid":[{},{"ext":{},"ext":{}}]}],` + cheap[1:],
	} {
		if v := judgeResponse(t, w, []byte(askedFor), []byte(text)); outcome(v) != "Bid.price.floor: no bid" {
			t.Errorf("%s: %s", text, outcome(v))
		}
	}
}

// TestResponseLayers sets severities by partner, in shadow and by another preset.
func TestResponseLayers(t *testing.T) {
	cheap := change(t, answered, "/seatbid/0/bid/0/price=0.1")
	w := mustNew(t, Config{Partners: map[string]Partner{
		"off":    {Layer: Layer{Severities: []Setting{{"response.*", Off}}}},
		"warn":   {Layer: Layer{Severities: []Setting{{"response.Bid.price.floor", Warn}}}},
		"shadow": {Layer: Layer{Shadow: true, Severities: []Setting{{"response.Bid.adomain.format", Refuse}, {"response.Bid.price.floor", Off}}}},
	}}).NewWorker()
	w.Decode([]byte(askedFor))
	for partner, want := range map[string]string{"": "Bid.price.floor 0/0", "other": "Bid.price.floor 0/0", "off": "", "warn": ""} {
		v := w.JudgeResponse(cheap, Facts{Partner: partner})
		checkResponse(t, w, v, cheap)
		if outcome(v) != want || v.Shadow != nil || (v.Counts[Warn] > 0) != (partner == "warn") {
			t.Errorf("%q: %s %+v", partner, outcome(v), v.Findings)
		}
	}
	odd := change(t, string(cheap), `/seatbid/1/bid/1/adomain=["https://x.example/"]`)
	v := w.JudgeResponse(odd, Facts{Partner: "shadow"})
	if outcome(v) != "Bid.price.floor 0/0" || v.Shadow == nil || outcome(*v.Shadow) != "Bid.adomain.format 1/1" || v.Shadow.Edits != nil {
		t.Errorf("%s, in shadow %+v", outcome(v), v.Shadow)
	}
	if v := w.JudgeResponse([]byte(answered), Facts{}); outcome(v) != "" || len(v.Findings) > 0 {
		t.Errorf("%+v", v)
	}

	// By another preset, its severities count.
	strict := mustNew(t, Config{Preset: schema.Strict}).NewWorker()
	if v := judgeResponse(t, strict, []byte(askedFor), cheap); outcome(v) != "" || !slices.ContainsFunc(v.Findings, func(f Finding) bool { return f.ID == "response.Bid.price.floor" && f.Severity == Warn }) {
		t.Errorf("strict: %+v", v.Findings)
	}

	// A guaranteed deal without a bid does not count here.
	guaranteed := mustNew(t, Config{Global: Layer{Severities: []Setting{{"response.*", Refuse}}}}).NewWorker()
	v = judgeResponse(t, guaranteed, change(t, askedFor, "/imp/3/pmp/deals/0/guar=1"), []byte(`{"id":"r"}`))
	if i := slices.IndexFunc(v.Findings, func(f Finding) bool { return f.ID == "response.Deal.guar.bid" }); i < 0 || v.Findings[i].Severity != Warn || v.Findings[i].Path != "" {
		t.Errorf("%+v", v.Findings)
	}

	if _, err := New(Config{Response: Response{MarkupMax: -1}}); err == nil {
		t.Error("a negative limit is accepted")
	}
}

// TestResponseWithoutRequest judges responses whose request can't be decoded, or was never read.
func TestResponseWithoutRequest(t *testing.T) {
	w := new(Worker)
	if v := w.JudgeResponse([]byte(answered), Facts{}); outcome(v) != "" {
		t.Errorf("%+v", v)
	}
	w.Decode([]byte(`{"id":`))
	if v := w.JudgeResponse(change(t, answered, "/seatbid/0/bid/0/id"), Facts{}); outcome(v) != "Bid.id.required 0/0" {
		t.Errorf("%+v", v)
	}
	w.Release()
	if v := w.JudgeResponse([]byte(`{`), Facts{}); outcome(v) != "json.truncated: no bid" {
		t.Errorf("%+v", v)
	}
}

// TestResponseMany removes every other one of many bids, and refuses one with too many faults.
func TestResponseMany(t *testing.T) {
	w := new(Worker)
	crid := "c"
	build := func(bids, every int) []byte {
		b := []byte(`{"id":"r","seatbid":[{"seat":"s1","bid":[`)
		for i := range bids {
			price := 2
			if i%every == 0 {
				price = 0
			}
			b = fmt.Appendf(b, `{"id":"b%d","impid":"1","price":%d,"w":300,"h":250,"adm":"x","crid":"%s"},`, i, price, crid)
		}
		return append(b[:len(b)-1], `]}]}`...)
	}
	v := judgeResponse(t, w, []byte(askedFor), build(1200, 3)) // two findings for each
	if len(v.Removed) != 400 || v.Dropped == 0 || len(v.Findings) != MaxFindingsDefault {
		t.Errorf("%d removed, %d dropped, %d findings", len(v.Removed), v.Dropped, len(v.Findings))
	}
	v = judgeResponse(t, w, []byte(askedFor), build(3*responseFindingsMax, 2))
	if v.Action != ActionRefuse {
		t.Errorf("%d removed", len(v.Removed))
	}

	// Payloads in all bids but the last one.
	for _, crid = range []string{"<script", "${jndi:"} {
		for bids, want := range map[int]Action{responseFindingsMax - 1: ActionForward, responseFindingsMax: ActionRefuse, responseFindingsMax + 1: ActionRefuse} {
			body := build(bids, 1<<30)
			body = bytes.Replace(body, []byte(`"price":0`), []byte(`"price":2`), 1)
			body = append(body[:len(body)-len(`]}]}`)], `,{"id":"ok","impid":"1","price":2,"w":300,"h":250}]}]}`...)
			v := judgeResponse(t, w, []byte(askedFor), body)
			if v.Action != want || want == ActionForward && len(v.Removed) != bids {
				t.Errorf("%s in %d bids: %v, %d removed", crid, bids, v.Action, len(v.Removed))
			}
		}
	}
}

// TestResponsesOfBidders searches the responses of the corpus. They contain no payloads.
func TestResponsesOfBidders(t *testing.T) {
	w := new(Worker)
	w.Decode([]byte(askedFor))
	judged := 0
	for _, body := range testkit.Responses(t) {
		v := w.JudgeResponse(body, Facts{})
		checkResponse(t, w, v, body)
		for _, f := range v.Findings {
			if strings.HasPrefix(f.ID, responsePayload) {
				t.Errorf("%s at %s in %s", f.ID, f.Path, testkit.Abridged(body))
			}
		}
		judged++
	}
	if judged < 700 {
		t.Errorf("%d responses", judged)
	}
}

// TestHarmlessInMarkup checks that what is left to look for in markup is what attacks alone have.
func TestHarmlessInMarkup(t *testing.T) {
	w := new(Worker)
	w.Decode([]byte(askedFor))
	left := 0
	for _, p := range payload.Default() {
		literal := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(p.Literal)
		v := w.JudgeResponse(change(t, answered, `/seatbid/0/bid/0/adm="`+literal+`"`), Facts{})
		found := slices.ContainsFunc(v.Findings, func(f Finding) bool { return strings.HasPrefix(f.ID, responsePayload) })
		v = w.JudgeResponse(change(t, answered, `/seatbid/0/bid/0/crid="`+literal+`"`), Facts{})
		if !slices.ContainsFunc(v.Findings, func(f Finding) bool { return f.ID == responsePayload+p.ID }) {
			t.Errorf("%s is not found in an id", p.ID)
		}
		if found {
			left++
		}
	}
	if all := len(payload.Default()); left < all/3 || left > all*2/3 {
		t.Errorf("%d of %d patterns are looked for in markup", left, all)
	}
}

// TestResponseAllocations judges without findings.
func TestResponseAllocations(t *testing.T) {
	if !mem.ZeroCopy {
		t.Skip("the decoder copies strings")
	}
	w := new(Worker)
	w.Decode([]byte(askedFor))
	body := []byte(answered)
	if n := testing.AllocsPerRun(100, func() {
		if v := w.JudgeResponse(body, Facts{}); len(v.Findings) > 0 {
			t.Fatalf("%+v", v.Findings)
		}
	}); n > 0 && !testkit.Race {
		t.Errorf("%v allocations", n)
	}
}

// pairs are requests of the corpus, with responses that fit some of them more or less.
func pairs(tb testing.TB) (list [][2][]byte) {
	tb.Helper()
	requests, responses := testkit.Requests(tb), testkit.Responses(tb)
	random := testkit.Rand(2)
	for range testkit.Scale(tb, 300, 1500, 30000) {
		request := requests[random.IntN(len(requests))]
		list = append(list, [2][]byte{request, responses[random.IntN(len(responses))]},
			[2][]byte{request, mutated(random, responses[random.IntN(len(responses))])},
			[2][]byte{[]byte(askedFor), mutated(random, []byte(answered))})
	}
	return list
}

// TestResponseEnforced holds what enforcing means: what is left of a response has nothing that
// refuses.
func TestResponseEnforced(t *testing.T) {
	configs := []Config{{}, {Global: Layer{Severities: []Setting{{"response.*", Refuse}}}}, {Global: Layer{Severities: []Setting{{"response.any.*", Observe}}}}}
	removed, refused, whole := 0, 0, 0
	for _, c := range configs {
		w := mustNew(t, c).NewWorker()
		for _, p := range pairs(t) {
			v := judgeResponse(t, w, p[0], p[1])
			switch {
			case v.Action == ActionRefuse:
				refused++
				continue
			case len(v.Removed) == 0:
				whole++
				continue
			}
			removed++
			out, err := v.Apply(nil, p[1])
			if err != nil {
				t.Fatalf("%v: %s", err, p[1])
			}
			if again := w.JudgeResponse(out, Facts{}); again.Reason != "" && again.Reason != responsePrefix+guaranteedBid {
				t.Fatalf("after %s: %+v\nin %s\nof %s", v.Reason, again.Findings, out, p[1])
			}
		}
	}
	if removed < 20 || refused < 20 || whole < 20 {
		t.Errorf("bids were removed from %d responses, %d refused, %d left as they are", removed, refused, whole)
	}
}

// FuzzResponse judges a response, and what is left of it.
func FuzzResponse(f *testing.F) {
	for _, seed := range []string{answered, `{}`, `{"seatbid":[{"bid":[{}]},{"bid":[]}]}`, `{"seatbid":[{"bid":[{"ext":{"a":1,"a":2}}]}],"seatbid":[]}`, strings.Replace(answered, "<a>", "${jndi:x}", 1)} {
		f.Add([]byte(seed))
	}
	w := new(Worker)
	w.Decode([]byte(askedFor))
	f.Fuzz(func(t *testing.T, body []byte) {
		v := w.JudgeResponse(body, Facts{})
		checkResponse(t, w, v, body)
		if v.Action == ActionRefuse || len(v.Removed) == 0 {
			return
		}
		out, err := v.Apply(nil, body)
		if err != nil {
			t.Fatal(err)
		}
		if again := w.JudgeResponse(out, Facts{}); again.Reason != "" {
			t.Fatalf("%+v is left in %q", again.Findings, out)
		}
	})
}
