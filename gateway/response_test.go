package gateway

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// asked is a request with two impressions, floors and a blocked advertiser.
const asked = `{"id":"r","imp":[{"id":"1","banner":{"w":300,"h":250},"bidfloor":1},{"id":"2","banner":{"w":320,"h":50}}],` +
	`"site":{"id":"s","page":"https://site.example/","publisher":{"id":"p"}},"device":{"ua":"x","ip":"192.0.2.1"},"badv":["bad.example"],"cur":["USD"]}`

// bid writes a bid, in a spelling that no encoder produces.
func bid(id, imp string, price float64, more string) string {
	return fmt.Sprintf(`{ "id" : %q, "impid":%q,"price":%v, "adm":"\u003ca\u003e","crid":"c"%s }`, id, imp, price, more)
}

func answerOf(seats ...string) string {
	return `{ "id":"r" , "seatbid":[ ` + strings.Join(seats, " , ") + ` ],"cur":"USD", "ext":{"k":1.50} }`
}

func seatOf(name string, bids ...string) string {
	return fmt.Sprintf(`{"seat":%q,"bid":[%s]}`, name, strings.Join(bids, ","))
}

// counted is the value of a counter.
func counted(c prometheus.Counter) float64 {
	var m dto.Metric
	if c.Write(&m) != nil {
		return -1
	}
	return m.GetCounter().GetValue()
}

// TestResponsesEnforced sends answers of all kinds through both planes.
func TestResponsesEnforced(t *testing.T) {
	good1, good2 := bid("g1", "1", 2, ""), bid("g2", "2", 2, "")
	cheap, blocked := bid("x1", "1", 0.5, ""), bid("x2", "2", 5, `,"adomain":["www.bad.example"]`)
	plain := answerOf(seatOf("a", good1, good2))
	mixed := answerOf(seatOf("a", good1, blocked), seatOf("b", cheap), seatOf("c", cheap, good2, blocked))
	mixedLeft := answerOf(seatOf("a", good1), seatOf("c", good2))
	const none = `{"id":"r","nbr":502}`
	const broken = `{"id":"r","nbr":1}`
	long := answerOf(seatOf("a", bid("g", "1", 2, `,"ext":{"x":"`+string(noise(3000))+`"}`), cheap))
	longLeft := answerOf(seatOf("a", bid("g", "1", 2, `,"ext":{"x":"`+string(noise(3000))+`"}`)))
	for _, tt := range []struct {
		name   string
		answer string
		status int    // of the core, 200 by default
		coding string // of the answer, which is compressed for gzip
		accept string // by the sender
		want   string // the answer, inflated
		code   int    // the status, 200 by default
		coded  string // the answer's coding
	}{
		{name: "good", answer: plain, want: plain},
		{name: "one of two", answer: answerOf(seatOf("a", good1, blocked)), want: answerOf(seatOf("a", good1))},
		{name: "the first", answer: answerOf(seatOf("a", cheap, good2)), want: answerOf(seatOf("a", good2))},
		{name: "seats", answer: mixed, want: mixedLeft},
		{name: "all", answer: answerOf(seatOf("a", cheap), seatOf("b", blocked)), want: none},
		{name: "no bids", answer: `{"id":"r","nbr":3}`, want: `{"id":"r","nbr":3}`},
		{name: "nothing", answer: ``, want: ``},
		{name: "204", status: 204, code: 204},
		{name: "an error of the core", answer: `oops`, status: 500, code: 502},
		{name: "an error of the sender", answer: `oops`, status: 422, want: `oops`, code: 422},
		{name: "malformed", answer: plain[:100], want: broken},
		{name: "HTML", answer: "<html>", want: broken},
		{name: "201", answer: "<html>", status: 201, want: broken},
		{name: "another id", answer: strings.Replace(plain, `"r"`, `"q"`, 1), want: none},
		{name: "nested deep", answer: `{"id":"r","ext":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`, want: broken},
		{name: "too long", answer: `{"id":"r","ext":"` + strings.Repeat("x", 8<<20) + `"}`, code: 502},
		{name: "gzip", answer: plain, coding: "gzip", accept: "gzip", want: plain, coded: "gzip"},
		{name: "gzip that the sender does not take", answer: plain, coding: "gzip", want: plain},
		{name: "gzip, one of two", answer: long, coding: "gzip", accept: "br, gzip;q=0.5", want: longLeft, coded: "gzip"},
		{name: "gzip, one of two, short", answer: answerOf(seatOf("a", cheap, good2)), coding: "gzip", accept: "gzip", want: answerOf(seatOf("a", good2))},
		{name: "gzip, one of two, not taken", answer: long, coding: "gzip", accept: "gzip;q=0", want: longLeft},
		{name: "gzip that inflates too far", answer: `{"id":"r","ext":"` + strings.Repeat("x", 900<<10) + `"}`, coding: "gzip", accept: "gzip", want: broken},
		{name: "no gzip", answer: plain, coding: "x-gzip", want: broken},
		{name: "another coding", answer: plain, coding: "br", accept: "br", want: broken},
		{name: "two codings", answer: plain, coding: "gzip, gzip", accept: "gzip", want: broken},
		{name: "identity", answer: plain, coding: "identity", want: plain, coded: "identity"},
	} {
		up := newCore(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
			h := w.Header()
			h.Set("Content-Type", "application/json")
			h.Set("Etag", `"1"`)
			body := []byte(tt.answer)
			if tt.coding != "" {
				h.Set("Content-Encoding", tt.coding)
			}
			if tt.coding == "gzip" {
				body = zipped(t, body)
			}
			if tt.status != 0 {
				w.WriteHeader(tt.status)
			}
			w.Write(body)
		})
		o := Options{Upstreams: At(up.URL), NoBid: NoBid200, Responses: Responses{Mode: ResponsesEnforce}}
		for plane, g := range map[string]*started{"fast": start(t, o), "std": startStd(t, o)} {
			var header []string
			if tt.accept != "" {
				header = []string{"Accept-Encoding", tt.accept}
			}
			r := g.post(t, PathDefault, []byte(asked), header...)
			body := r.body
			if r.header.Get("Content-Encoding") == "gzip" {
				inflated, err := gunzip(nil, []byte(body), 1<<20)
				if err != nil {
					t.Fatal(err)
				}
				body = string(inflated)
			}
			code := tt.code
			if code == 0 {
				code = 200
			}
			if r.status != code || body != tt.want || r.header.Get("Content-Encoding") != tt.coded {
				t.Errorf("%s, %s: %d %v %s\nwant %d %s", tt.name, plane, r.status, r.header, body, code, tt.want)
			}
			if changed := tt.want != tt.answer; changed && r.header.Get("Etag") != "" {
				t.Errorf("%s, %s: the tag of another answer", tt.name, plane)
			}
			if r.header.Get("X-Openrtb-Version") != "2.6" || r.header.Get("X-Request-Id") == "" {
				t.Errorf("%s, %s: header %v", tt.name, plane, r.header)
			}
			for _, got := range up.take() {
				want := "identity"
				if strings.Contains(tt.accept, "gzip") && !strings.Contains(tt.accept, "q=0") || strings.Contains(tt.accept, "q=0.5") {
					want = "gzip"
				}
				if got.header.Get("Accept-Encoding") != want || got.header.Get("X-Rtbwire-Responses") != "enforce" {
					t.Errorf("%s, %s: the core got %v", tt.name, plane, got.header)
				}
			}
		}
	}
}

// TestResponsesNotEdited withholds an answer whose edits can't be applied: it still has the bid
// that was to be removed.
func TestResponsesNotEdited(t *testing.T) {
	t.Parallel()
	for _, edits := range [][]wire.Edit{{wire.Remove("/seatbid/0")}, {wire.Set("/a", []byte("1"))}} {
		a := answer{http: &fasthttp.Response{}}
		got := a.enforce(&inspect.ResponseVerdict{Edits: edits}, []byte(`{"seatbid":[`), false)
		if want := (withheld{failEdits.reason, adcom.NoBidReasonTechnicalError}); got != want {
			t.Errorf("%v: %+v, want %+v", edits, got, want)
		}
	}
}

// TestResponsesWithheld sends each no-bid answer when no bid is left.
func TestResponsesWithheld(t *testing.T) {
	up := newCore(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		w.Header().Set("Set-Cookie", "a=b")
		w.Header().Set("X-Openrtb-Version", "2.3")
		io.WriteString(w, answerOf(seatOf("a", bid("x", "9", 1, ""))))
	})
	for answer, want := range map[NoBid]reply{
		NoBid204: {status: 204}, NoBid200: {status: 200, body: `{"id":"r","nbr":502}`}, NoBid400: {status: 400}, NoBid400JSON: {status: 400, body: `{"id":"r","nbr":502}`},
	} {
		g := start(t, Options{Upstreams: At(up.URL), NoBid: answer, Responses: Responses{Mode: ResponsesEnforce}})
		r := g.post(t, PathDefault, []byte(asked))
		if r.status != want.status || r.body != want.body || r.header.Get("Set-Cookie") != "" || r.header.Get("X-Openrtb-Version") != "2.6" {
			t.Errorf("%s: %+v", answer, r)
		}
		if n := counted(g.metrics.requests[outcomeWithheld]); n != 1 {
			t.Errorf("%s: %v withheld", answer, n)
		}
	}
}

// TestResponsesObserved judges answers and changes none.
func TestResponsesObserved(t *testing.T) {
	answers := map[string]string{
		"good": answerOf(seatOf("a", bid("g", "1", 2, ""))), "bad": answerOf(seatOf("a", bid("g", "1", 2, ""), bid("x", "1", 0.5, ""))),
		"refused": answerOf(seatOf("a", bid("x", "9", 1, ""))), "malformed": `{`, "br": `{`,
	}
	up := newCore(t, func(w http.ResponseWriter, r *http.Request, _ []byte) {
		if kind := r.Header.Get("X-Kind"); kind == "br" {
			w.Header().Set("Content-Encoding", "br")
		}
		io.WriteString(w, answers[r.Header.Get("X-Kind")])
	})
	for _, o := range []Options{
		{Responses: Responses{Sample: 1}},
		{Responses: Responses{Mode: ResponsesEnforce}, Shadow: true},
		{Partners: []Partner{{Name: "p", Match: Match{Path: PathDefault}, Responses: Responses{Mode: ResponsesObserve, Sample: 1}}}, Responses: Responses{Mode: ResponsesEnforce}},
	} {
		o.Upstreams = At(up.URL)
		g := start(t, o)
		for kind, answer := range answers {
			r := g.post(t, PathDefault, []byte(asked), "X-Kind", kind, "Accept-Encoding", "br, gzip")
			if r.status != 200 || r.body != answer {
				t.Errorf("%s: %+v", kind, r)
			}
			if got := up.take()[0].header; got.Get("X-Rtbwire-Responses") != "observe" || got.Get("Accept-Encoding") != "br, gzip" {
				t.Errorf("the core got %v", got)
			}
		}
		m, partner := &g.metrics.answers, ""
		if len(o.Partners) > 0 {
			partner = "p"
		}
		for name, want := range map[string]float64{"clean": 1, "edited": 1, "refused": 2, "unread": 1, "noted": 0} {
			if n := counted(m.results.WithLabelValues("observe", name)); n != want {
				t.Errorf("%v %s, want %v", n, name, want)
			}
		}
		for reason, want := range map[string]float64{"response.Bid.price.floor": 1, "response.Bid.impid.ref": 1, "response.json.type": 0, "response.json.truncated": 1, reasonAnswer: 1} {
			if n := counted(m.findings.WithLabelValues(partner, reason)); n != want {
				t.Errorf("%v of %s, want %v", n, reason, want)
			}
		}
		if good, bad := counted(m.good[0]), counted(m.bad[0]); good != 2 || bad != 2 {
			t.Errorf("%v good bids, %v bad ones", good, bad)
		}
	}
}

// TestResponsesSample observes the share that the hash of the id says, and nothing when off.
func TestResponsesSample(t *testing.T) {
	up := newCore(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) { w.WriteHeader(http.StatusNoContent) })
	o := Options{Upstreams: At(up.URL), Responses: Responses{Sample: 0.2}, Partners: []Partner{
		{Name: "all", Match: Match{Path: "/all"}, Responses: Responses{Sample: 1}},
		{Name: "off", Match: Match{Path: "/off"}, Responses: Responses{Mode: ResponsesOff}},
	}}
	g := start(t, o)
	watched := 0
	for i := range 100 {
		id := fmt.Sprintf("id-%d", i)
		body := []byte(strings.Replace(asked, `"r"`, `"`+id+`"`, 1))
		for path, sample := range map[string]float64{PathDefault: 0.2, "/all": 1, "/off": 0} {
			want := ""
			if inspect.SampleOf(&openrtb.BidRequest{ID: id}, nil) < sample {
				want = "observe"
			}
			g.post(t, path, body)
			if got := up.take()[0].header.Get("X-Rtbwire-Responses"); got != want {
				t.Errorf("%s to %s: %q, want %q", id, path, got, want)
			}
			if path == PathDefault && want != "" {
				watched++
			}
		}
	}
	if watched < 5 || watched > 50 {
		t.Errorf("%d of 100 are in the sample", watched)
	}
	for _, r := range []Responses{{Mode: "on"}, {Sample: -1}, {Sample: 1.5}} {
		if _, err := New(Options{Upstreams: At(up.URL), Responses: r}); err == nil {
			t.Errorf("%+v is accepted", r)
		}
		if _, err := New(Options{Upstreams: At(up.URL), Partners: []Partner{{Name: "p", Match: Match{Path: "/p"}, Responses: r}}}); err == nil {
			t.Errorf("%+v of a partner is accepted", r)
		}
	}
}

// TestCompress compresses answers for senders that accept it, if that pays.
func TestCompress(t *testing.T) {
	answers := map[string]string{
		"short": answered, "long": `{"id":"r","ext":"` + strings.Repeat("text ", 1000) + `"}`,
		"noise": `{"id":"r","ext":"` + string(noise(5000)) + `"}`, "large": `{"id":"r","ext":"` + strings.Repeat(string(noise(5000))+strings.Repeat("x", 5000), 40) + `"}`,
	}
	up := newCore(t, func(w http.ResponseWriter, r *http.Request, _ []byte) {
		io.WriteString(w, answers[r.Header.Get("X-Kind")])
	})
	g := start(t, Options{Upstreams: At(up.URL), CompressMin: CompressMinDefault, Responses: Responses{Mode: ResponsesOff}})
	for _, tt := range []struct {
		kind, accept string
		coded        bool
	}{
		{"short", "gzip", false}, {"long", "gzip", true}, {"long", "", false}, {"long", "br;q=1, *;q=0.1", true}, {"long", "gzip;q=0", false},
		{"long", "br", false}, {"large", "gzip", true}, {"large", "", false}, {"noise", "gzip", false},
	} {
		header := []string{"X-Kind", tt.kind}
		if tt.accept != "" {
			header = append(header, "Accept-Encoding", tt.accept)
		}
		r := g.post(t, PathDefault, []byte(asked), header...)
		body, coded := []byte(r.body), r.header.Get("Content-Encoding") == "gzip"
		if coded {
			var err error
			if body, err = gunzip(nil, body, 1<<20); err != nil {
				t.Fatal(err)
			}
			if len(r.body) > len(body)*7/8 {
				t.Errorf("%s: %d bytes of %d", tt.kind, len(r.body), len(body))
			}
		}
		if string(body) != answers[tt.kind] || coded != tt.coded || r.status != 200 {
			t.Errorf("%+v: %d %v, %d bytes", tt, r.status, r.header, len(r.body))
		}
	}
	off := start(t, Options{Upstreams: At(up.URL)})
	if r := off.post(t, PathDefault, []byte(asked), "X-Kind", "long", "Accept-Encoding", "gzip"); r.header.Get("Content-Encoding") != "" {
		t.Errorf("compressed by default: %v", r.header)
	}

	// Without gain, answers are plain.
	serve, resp := served(t, Options{CompressMin: 1}, []byte(asked))
	serve()
	if len(resp.Header.ContentEncoding()) > 0 || string(resp.Body()) != answered {
		t.Errorf("an answer that does not get shorter: %v", resp)
	}
}

// TestAcceptsGzip reads Accept-Encoding.
func TestAcceptsGzip(t *testing.T) {
	for header, want := range map[string]bool{
		"": false, "gzip": true, "GZIP": true, "x-gzip": true, "br": false, "br,gzip": true, "br , gzip ; q=0.001": true, "gzip;q=0": false, "gzip; q=0.000": false,
		"gzip;Q=0.0": false, "*": true, "*;q=0": false, "*;q=0, gzip": true, "gzip;q=0, *": false, "gzipped": false, ",,": false, "gzip;q=1.0": true, "gzip;x=0": true,
	} {
		if got := acceptsGzip([][]byte{[]byte(header)}); got != want {
			t.Errorf("%q: %v", header, got)
		}
	}
	if !acceptsGzip([][]byte{[]byte("br"), []byte("gzip")}) || acceptsGzip(nil) {
		t.Error("two headers, or none")
	}
}

// TestResponsesCrossTalk enforces different answers for many clients at once, compressed or not.
// What a client gets belongs to its request.
func TestResponsesCrossTalk(t *testing.T) {
	up := newCore(t, func(w http.ResponseWriter, r *http.Request, body []byte) {
		req, err := openrtb.Parse(body)
		if err != nil {
			t.Error(err)
			return
		}
		answer := fmt.Sprintf(`{"id":%q,"seatbid":[{"bid":[%s,%s]}],"ext":{"x":%q}}`, req.ID, bid("x", "1", 0.1, ""), bid(req.ID, "1", 2, ""), strings.Repeat(req.ID, len(body)/20))
		if r.Header.Get("X-Zip") != "" {
			w.Header().Set("Content-Encoding", "gzip")
			answer = string(zipped(t, []byte(answer)))
		}
		io.WriteString(w, answer)
	})
	g := start(t, Options{Upstreams: At(up.URL), NoBid: NoBid200, OverloadTolerance: -1, CompressMin: 500, Responses: Responses{Mode: ResponsesEnforce}})
	rounds := testkit.Scale(t, 6, 20, 500)
	var all sync.WaitGroup
	for n := range 32 {
		all.Go(func() {
			c := client(t)
			for i := range rounds {
				id := fmt.Sprintf("request-%d-%d", n, i)
				body := strings.Replace(asked, `"r"`, `"`+id+`"`, 1)
				body = body[:len(body)-1] + `,"ext":{"x":"` + string(noise((n*7919+i*104729)%20_000)) + `"}}`
				r, _ := http.NewRequest(http.MethodPost, g.url(PathDefault), strings.NewReader(body))
				if i%2 == 0 {
					r.Header.Set("X-Zip", "1")
				}
				if i%3 == 0 {
					r.Header.Set("Accept-Encoding", "gzip")
				}
				got := do(t, c, r)
				text := []byte(got.body)
				if got.header.Get("Content-Encoding") == "gzip" {
					text, _ = gunzip(nil, text, 1<<20)
				}
				want := fmt.Sprintf(`{"id":%q,"seatbid":[{"bid":[%s]}],"ext":{"x":%q}}`, id, bid(id, "1", 2, ""), strings.Repeat(id, len(body)/20))
				if got.status != 200 || string(text) != want {
					t.Errorf("%s: %d %v, %d bytes, want %d: %.300s", id, got.status, got.header, len(text), len(want), text)
					return
				}
			}
		})
	}
	all.Wait()
}

// TestResponsesAllocation judges answers: our code allocates nothing, and what is not judged costs
// nothing.
func TestResponsesAllocation(t *testing.T) {
	if testkit.Race || testkit.Poisoned || !mem.ZeroCopy {
		t.Skip("allocations differ in this build")
	}
	for _, r := range []Responses{{Mode: ResponsesOff}, {Sample: 1e-18}, {Sample: 1}, {Mode: ResponsesEnforce}} {
		serve, resp := served(t, Options{Responses: r}, bytes.Replace(good(t), []byte("80ce30c53c16e6ede735f123ef6e32361bfc7b22"), []byte("answer"), 1))
		for range 100 {
			serve()
		}
		if n := testing.AllocsPerRun(500, serve); n > 0 {
			t.Errorf("%+v: %v allocations", r, n)
		}
		if resp.StatusCode() != 200 || string(resp.Body()) != answered {
			t.Errorf("%+v: %v", r, resp)
		}
	}
}
