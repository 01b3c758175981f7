package replay

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/internal/traffic/core"
	"github.com/rtbwire/rtbwire/openrtb"
)

// requests returns n requests with ids of their own.
func requests(n int) *Bodies {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`{"id":"r-%d","imp":[{"id":"1","banner":{"w":300,"h":250},"bidfloor":1.5}],"badv":["blocked.example"]}`, i))
	}
	return texts(list...)
}

// bidding answers as package core does.
func bidding(t *testing.T, c core.Config) fasthttp.RequestHandler {
	t.Helper()
	l, err := core.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s, err := core.New(c)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = s.Shutdown(ctx) // connections that are still open are closed with the process
		<-done
	})
	client := &fasthttp.HostClient{Addr: l.Addr().String(), MaxConns: 1000}
	return func(ctx *fasthttp.RequestCtx) {
		if err := client.Do(&ctx.Request, &ctx.Response); err != nil {
			ctx.SetStatusCode(fasthttp.StatusBadGateway)
		}
	}
}

// changed changes every nth answer with a body.
func changed(handler fasthttp.RequestHandler, nth int64, change func(body []byte) []byte) fasthttp.RequestHandler {
	var n atomic.Int64
	return func(ctx *fasthttp.RequestCtx) {
		handler(ctx)
		if body := ctx.Response.Body(); len(body) > 0 && n.Add(1)%nth == 0 {
			ctx.SetBody(change(bytes.Clone(body)))
		}
	}
}

// edit changes a response.
func edit(change func(r *openrtb.BidResponse)) func([]byte) []byte {
	return func(body []byte) []byte {
		r, err := openrtb.ParseResponse(body)
		if err != nil {
			panic(err) // it is the core's
		}
		change(r)
		out, err := r.AppendJSON(nil)
		if err != nil {
			panic(err)
		}
		return out
	}
}

// TestWrongTarget finds each kind of wrong answer, and the rule that it breaks.
func TestWrongTarget(t *testing.T) {
	t.Parallel() // it mostly waits
	good := bidding(t, core.Config{BidShare: 0.8, ReasonShare: 0.5})
	for _, tt := range []struct {
		rule   string
		change func([]byte) []byte
	}{
		{"", nil},
		{"Bid.price.floor", edit(func(r *openrtb.BidResponse) {
			for i := range r.SeatBid {
				r.SeatBid[i].Bid[0].Price = new(1.49)
			}
		})},
		{"BidResponse.id.match", edit(func(r *openrtb.BidResponse) { r.ID += "x" })},
		{"Bid.impid.ref", edit(func(r *openrtb.BidResponse) {
			for i := range r.SeatBid {
				r.SeatBid[i].Bid[0].ImpID = "2"
			}
		})},
		{"Bid.adomain.blocked", edit(func(r *openrtb.BidResponse) {
			for i := range r.SeatBid {
				r.SeatBid[i].Bid[0].ADomain = []string{"www.blocked.example"}
			}
		})},
		{"json.syntax", func(body []byte) []byte { return append(body, '}') }},
		{"no-body", func([]byte) []byte { return nil }},
	} {
		handler := good
		if tt.change != nil {
			handler = changed(good, 1, tt.change)
		}
		r := mustRun(t, Config{Target: serve(t, "tcp", handler), Bodies: requests(200), Requests: 200, Connections: 8, Timeout: 10 * time.Second, Check: true})
		j := r.Judgement
		if j.Checked != 200 || j.Skipped != 0 {
			t.Errorf("%s: %+v", tt.rule, j)
		}
		if tt.rule == "" {
			if j.Wrong != 0 || len(j.Rules) != 0 || len(j.Examples) != 0 {
				t.Errorf("wrong answers of a good target: %+v", j)
			}
			continue
		}
		found := int64(0)
		for _, rule := range j.Rules {
			if strings.HasPrefix(rule.ID, tt.rule) {
				found = rule.Answers
			}
		}
		if found < 100 || j.Wrong < found || len(j.Examples) != ExamplesMax || j.Examples[0].Kind != "wrong" || !strings.HasPrefix(j.Examples[0].ID, "r-") {
			t.Errorf("%s: expected most of the answers to be wrong: %+v", tt.rule, j)
		}
	}
}

// TestAgainst compares two targets that are the same, and two that are not.
func TestAgainst(t *testing.T) {
	t.Parallel() // it mostly waits
	good := bidding(t, core.Config{BidShare: 0.8})
	same := serve(t, "tcp", good)
	// Another order of members and other spellings are the same value.
	spelt := serve(t, "unix", changed(good, 1, func(body []byte) []byte {
		text := strings.Replace(string(body), `"cur":"USD"`, `"cur" : "\u0055SD"`, 1)
		return []byte(strings.Replace(text, `{`, "{ \n", 1))
	}))
	dearer := serve(t, "tcp", changed(good, 4, edit(func(r *openrtb.BidResponse) { *r.SeatBid[0].Bid[0].Price += 0.01 })))
	down := serve(t, "tcp", func(ctx *fasthttp.RequestCtx) { ctx.SetStatusCode(503) })
	for _, tt := range []struct {
		against   Target
		different int64
		ofStatus  int64
		what      string
	}{
		{same, 0, 0, ""},
		{spelt, 0, 0, ""},
		{dearer, 1, 0, `values differ at "/seatbid/0/bid/0/price"`},
		{down, 2, 2, "status 20"},
	} {
		r := mustRun(t, Config{
			Target: same, Against: &tt.against, Bodies: requests(100), Rate: 2000, Requests: 200, Connections: 8, Loops: 2, Timeout: 10 * time.Second, LagMax: time.Minute,
		})
		j := r.Judgement
		want := map[int64]int64{0: 0, 1: r.Target.Statuses[200] / 4, 2: 200}[tt.different]
		if j.Compared != 200 || j.Different != want || j.StatusDifferent != want*tt.ofStatus/2 || j.Skipped != 0 || r.Against.Answered != 200 {
			t.Errorf("%v: %+v, expected %d to be different", tt.against, j, want)
		}
		if want > 0 && (len(j.Examples) != ExamplesMax || !strings.Contains(j.Examples[0].What, tt.what)) {
			t.Errorf("%v: examples %+v", tt.against, j.Examples)
		}
	}
}

// TestAgainstFailing counts answers whose counterpart never came.
func TestAgainstFailing(t *testing.T) {
	t.Parallel() // it mostly waits
	good := serve(t, "tcp", noBid)
	over := make(chan struct{})
	bad := serve(t, "tcp", func(*fasthttp.RequestCtx) { <-over })
	t.Cleanup(func() { close(over) }) // before the servers are stopped
	r := mustRun(t, Config{
		Target: good, Against: &bad, Bodies: requests(10), Rate: 1000, Requests: 50, Duration: 50 * time.Millisecond, Connections: 2, Timeout: 2 * time.Second, LagMax: time.Minute,
	})
	if j := r.Judgement; j.Skipped != 50 || j.Compared != 0 || r.Target.Failed() != 0 || r.Against.Failed() != 50 {
		t.Errorf("%+v, %+v", j, r.Against)
	}
}

// TestRecordAndExpect records answers, and compares them with those of the same target and of
// another.
func TestRecordAndExpect(t *testing.T) {
	t.Parallel() // it mostly waits
	good := bidding(t, core.Config{BidShare: 0.6, ErrorShare: 0.1, ReasonShare: 0.5})
	var record bytes.Buffer
	c := Config{Target: serve(t, "tcp", good), Bodies: requests(300), Requests: 300, Connections: 8, Timeout: 10 * time.Second, Record: &record}
	r := mustRun(t, c)
	if j := r.Judgement; j.Recorded != 300-r.Target.Statuses[500] || j.Unrecorded != r.Target.Statuses[500] || j.Unrecorded == 0 {
		t.Errorf("%+v of %v", j, r.Target.Statuses)
	}
	if n := int64(bytes.Count(record.Bytes(), []byte("\n"))); n != r.Judgement.Recorded {
		t.Errorf("%d lines of %d answers", n, r.Judgement.Recorded)
	}
	expected, err := LoadExpected([]batch.Input{batch.From("record", &record)}, LoadOptions{})
	if err != nil || expected.Len() != int(r.Judgement.Recorded) {
		t.Fatalf("%d answers, %v", expected.Len(), err)
	}
	c.Record, c.Expect = nil, expected
	again := mustRun(t, c).Judgement
	if again.Compared != r.Judgement.Recorded || again.Different != 0 || again.Unexpected != r.Judgement.Unrecorded {
		t.Errorf("the same target: %+v", again)
	}
	c.Target = serve(t, "tcp", changed(good, 1, edit(func(r *openrtb.BidResponse) { r.Cur = "EUR" })))
	if other := mustRun(t, c).Judgement; other.Different < r.Target.Statuses[200]*9/10 || other.StatusDifferent != 0 {
		t.Errorf("another target: %+v", other)
	}
	c.Target = serve(t, "tcp", noBid)
	if other := mustRun(t, c).Judgement; other.Different != r.Target.Statuses[200] || other.StatusDifferent != other.Different {
		t.Errorf("a target that never bids: %+v, expected %d different", other, r.Target.Statuses[200])
	}
}

// TestExpected reads expected answers and compares with several of one id.
func TestExpected(t *testing.T) {
	text := `{"id":"1","nbr":1}
{"id":"1","nbr":2}
{"id":"2"}
{"id":"1","nbr":1}
`
	load := func(text string, o LoadOptions) (*Expected, error) {
		return LoadExpected([]batch.Input{batch.From("x", strings.NewReader(text))}, o)
	}
	e, err := load(text, LoadOptions{})
	if err != nil || e.Len() != 2 {
		t.Fatalf("%+v, %v", e, err)
	}
	for _, tt := range []struct {
		id     string
		status int
		text   string
		what   string
		known  bool
	}{
		{"1", 200, `{"id":"1","nbr":2}`, "", true},
		{"1", 200, `{ "nbr":2.0, "id":"1"}`, "", true},
		{"1", 200, `{"id":"1","nbr":3}`, `values differ at "/nbr"`, true},
		{"1", 204, "", "status 204, status 200", true},
		{"2", 204, "", "", true},
		{"2", 200, `{"id":"2"}`, "", true},
		{"2", 200, `{"id":"2","nbr":1}`, `values differ at "/nbr"`, true},
		{"2", 500, "", "status 500, status 204", true},
		{"3", 204, "", "", false},
	} {
		what, status, known := e.difference(tt.id, reply{tt.status, []byte(tt.text)})
		if what != tt.what || known != tt.known || status != strings.HasPrefix(tt.what, "status") {
			t.Errorf("%+v: %q, %v, %v", tt, what, status, known)
		}
	}
	for _, tt := range []struct {
		text string
		o    LoadOptions
		want string
	}{
		{"{}\n", LoadOptions{}, "x:1: this is not a bid response with an id"},
		{"{\"id\":\"1\"}\n\n[]\n", LoadOptions{}, "x:3: this is not"},
		{text, LoadOptions{MaxMemory: 500}, "x:2: the expected answers do not fit 500 bytes"},
		{"\x1f\x8b", LoadOptions{}, "x: "},
	} {
		if _, err := load(tt.text, tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, expected %q", tt.text, err, tt.want)
		}
	}
}

// TestDifference compares answers by value.
func TestDifference(t *testing.T) {
	for _, tt := range []struct{ a, b, want string }{
		{`{}`, `{}`, ""},
		{`{"a":1,"b":[true,null,"x"]}`, ` {"b":[true , null,"\u0078"],"a":1.0}`, ""},
		{`[1,10,100,-0,0.5]`, `[1e0,1E1,1.00e+2,0,5e-1]`, ""},
		{`[12345678901234567890]`, `[12345678901234567891]`, `values differ at "/0"`},
		{`[1e9999999999]`, `[1e9999999999]`, ""},
		{`[1e9999999999]`, `[10e9999999998]`, `values differ at "/0"`},
		{`[1]`, `["1"]`, `values differ at "/0"`},
		{`[-1]`, `[1]`, `values differ at "/0"`},
		{`[1]`, `[1,2]`, `values differ at "/1"`},
		{`[]`, `{}`, `values differ at ""`},
		{`{}`, `[]`, `values differ at ""`},
		{`{"a":{"b/c":1}}`, `{"a":{}}`, `values differ at "/a/b~1c"`},
		{`{"a":null}`, `{}`, `values differ at "/a"`},
		{`"x"`, `"y"`, `values differ at ""`},
		{`x`, `y`, "both bodies are not JSON, and differ"},
		{`x`, `{}`, "a body that is not JSON, JSON"},
		{`{}`, `{} {}`, "JSON, a body that is not JSON"},
	} {
		if got, status := difference(reply{200, []byte(tt.a)}, reply{200, []byte(tt.b)}); got != tt.want || status {
			t.Errorf("%s and %s: %q, expected %q", tt.a, tt.b, got, tt.want)
		}
	}
	if got, status := difference(reply{200, []byte("x")}, reply{204, nil}); got != "status 200, status 204" || !status {
		t.Errorf("%q", got)
	}
}
