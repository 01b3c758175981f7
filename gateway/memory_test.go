package gateway

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/internal/serving/guard"
	"github.com/rtbwire/rtbwire/internal/serving/upstreams"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// answering is a connection to a core that answers everything at once, for tests of memory.
type answering struct {
	net.Conn
	left string
}

func (a *answering) Write(b []byte) (int, error) { a.left = rawAnswer; return len(b), nil }
func (a *answering) SetDeadline(time.Time) error { return nil }
func (a *answering) Close() error                { return nil }
func (a *answering) Read(b []byte) (n int, err error) {
	n = copy(b, a.left)
	a.left = a.left[n:]
	return n, nil
}

// served returns a function that serves one request of the body in memory, and the answer.
func served(tb testing.TB, o Options, body []byte) (serve func(), resp *fasthttp.Response) {
	tb.Helper()
	return servedBy(tb, o, body, func() net.Conn { return &answering{} })
}

// servedBy is served with a core of the caller's.
func servedBy(tb testing.TB, o Options, body []byte, core func() net.Conn) (serve func(), resp *fasthttp.Response) {
	tb.Helper()
	o.Upstreams = At("http://127.0.0.1:9")
	g, err := New(o)
	if err != nil {
		tb.Fatal(err)
	}
	limits := &guard.Options{HeadBytes: HeadMaxDefault, Fields: guard.DefaultFields, BodyBytes: ResponseMaxDefault}
	addressOf0(g.plan.Load()).SetDial(func(time.Duration) (net.Conn, error) { return upstreams.New(core(), limits), nil })
	ctx := &fasthttp.RequestCtx{}
	a, b := net.Pipe()
	tb.Cleanup(func() { a.Close(); b.Close() })
	c := &conn{Conn: a, conns: &g.conns, sender: sender{}}
	ctx.Init2(c, nil, false)
	return func() {
		ctx.Request.Reset()
		ctx.Response.Reset()
		h := &ctx.Request.Header
		h.SetMethod("POST")
		h.SetRequestURI(PathDefault)
		h.SetHost("gateway.example")
		h.SetContentTypeBytes(typeJSON)
		h.Set("X-Openrtb-Version", "2.6")
		h.Set("Accept-Encoding", "gzip")
		h.Set("Connection", "keep-alive")
		ctx.Request.SetBody(body)
		g.handle(ctx)
		c.idle(false)
	}, &ctx.Response
}

// TestNoAllocation serves accepted requests: our code allocates nothing.
func TestNoAllocation(t *testing.T) {
	if testkit.Race || testkit.Poisoned || !mem.ZeroCopy {
		t.Skip("allocations differ in this build")
	}
	for _, tt := range []struct {
		name string
		o    Options
	}{
		{"plain", Options{}},
		{"inspector", Options{Inspectors: []Inspector{constant{"own", 1}}}},
		{"partner", Options{Partners: []Partner{{Name: "p", Match: Match{Headers: []inspect.Header{{Name: "Accept-Encoding", Value: "gzip"}}}, Limits: Limits{Rate: 1e6, InFlight: 10}}}}},
	} {
		serve, resp := served(t, tt.o, good(t))
		for range 100 {
			serve()
		}
		if n := testing.AllocsPerRun(500, serve); n > 0 {
			t.Errorf("%s: %v allocations for a request", tt.name, n)
		}
		if resp.StatusCode() != 200 || string(resp.Body()) != answered {
			t.Errorf("%s: %v", tt.name, resp)
		}
	}
}

// TestLargeBuffersAreDropped serves a large request: the exchange keeps no large buffer afterwards.
func TestLargeBuffersAreDropped(t *testing.T) {
	up := newCore(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		io.WriteString(w, strings.Repeat("x", 500_000))
	})
	engine, err := inspect.New(inspect.Config{Annotate: true})
	if err != nil {
		t.Fatal(err)
	}
	g := start(t, Options{Upstreams: At(up.URL), Engine: engine})
	body := fmt.Appendf(nil, `{"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"1"},"ext":{"x":"%s"}}`, noise(200_000))
	r := g.post(t, PathDefault, zipped(t, body), "Content-Encoding", "gzip")
	if r.status != 200 || len(r.body) != 500_000 || len(up.take()[0].body) < len(body) {
		t.Fatalf("status %d, %d bytes", r.status, len(r.body))
	}
	x := g.exchanges.Get().(*exchange)
	for name, b := range map[string][]byte{"inflated": x.request.inflated, "spliced": x.outgoing.spliced, "no-bid": x.answer.noBid} {
		if cap(b) > keepMax {
			t.Errorf("%s keeps %d bytes", name, cap(b))
		}
	}
}

// buffers returns the memory that an exchange keeps for the next request.
func (x *exchange) buffers() []*[]byte {
	r, d, o, a := &x.request, &x.decoded, &x.outgoing, &x.answer
	return []*[]byte{
		&r.inflated, &r.traceID, &d.id, &d.publisher, &o.ours, &o.message, &o.spliced, &o.tmaxText, &o.forwarded,
		&a.noBid, &a.inflated, &a.edited, &a.compressed,
	}
}

// TestKeep checks that an exchange keeps each of its buffers up to a size, and no longer.
func TestKeep(t *testing.T) {
	g, err := New(Options{Upstreams: At("http://127.0.0.1:9")})
	if err != nil {
		t.Fatal(err)
	}
	for size, kept := range map[int]bool{keepMax: true, keepMax + 1: false} {
		x := &exchange{g: g}
		x.begin(g.plan.Load(), &fasthttp.Request{}, &fasthttp.Response{}, &sender{}, &heldBody{conns: &g.conns}, time.Now())
		for _, buffer := range x.buffers() {
			*buffer = make([]byte, size)
		}
		x.end()
		for i, buffer := range x.buffers() {
			if (cap(*buffer) > 0) != kept || len(*buffer) != 0 {
				t.Errorf("buffer %d of %d bytes: length %d, capacity %d, want it kept: %v", i, size, len(*buffer), cap(*buffer), kept)
			}
		}
	}
}

// TestNothingIsLeft serves requests of all kinds: an exchange has nothing of them afterwards but
// empty buffers.
func TestNothingIsLeft(t *testing.T) {
	up := newCore(t, nil)
	g := start(t, Options{
		Upstreams: At(up.URL), LowerTMax: true, FactHeaders: []string{"X-A"}, PublisherMetricsMax: 9, CompressMin: 1,
		Inspectors: []Inspector{constant{"own", 1}}, Responses: Responses{Mode: ResponsesEnforce},
		Partners: []Partner{{Name: "p", Match: Match{Headers: []inspect.Header{{Name: "X-A", Value: "1"}}}, TMaxMs: 60_000, Limits: Limits{InFlight: 9}}},
	})
	x := &exchange{g: g.Gateway}
	g.exchanges.New = func() any { return x }
	for _, body := range [][]byte{good(t), zipped(t, good(t)), []byte(`{"id":"1"}`), []byte(`{`)} {
		encoding := ""
		if body[0] != '{' {
			encoding = "gzip"
		}
		g.post(t, PathDefault, body, "X-A", "1", "Connection", "X-B", "X-B", "1", "Content-Encoding", encoding, "Accept-Encoding", "gzip")
		if cap(x.request.traceID) == 0 {
			t.Fatalf("%q: the exchange did not serve it", body)
		}
		for _, buffer := range x.buffers() {
			*buffer = nil
		}
		if len(x.facts.headers[:cap(x.facts.headers)]) > 0 && x.facts.headers[:1][0] != (inspect.Header{}) {
			t.Errorf("%q: a header is left: %v", body, x.facts.headers[:1])
		}
		x.admission.held, x.outgoing.drop, x.outgoing.edits, x.answer.drop = nil, nil, nil, nil
		x.facts.forwarded, x.facts.headers, x.facts.vendors = nil, nil, nil
		if want := (&exchange{g: g.Gateway}); !reflect.DeepEqual(x, want) {
			t.Errorf("%q: left: %+v", body, x)
		}
	}
}

// TestMemoryMax checks that requests are refused while too many bytes are being read.
func TestMemoryMax(t *testing.T) {
	eachPlane(t, testMemoryMax)
}

func testMemoryMax(t *testing.T, serve func(Options) *started) {
	up := newCore(t, nil)
	g := serve(Options{Upstreams: At(up.URL), MemoryMax: 64 << 10})
	c, err := net.Dial("tcp", g.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n%s", PathDefault, noise(60_000))
	waitFor(t, "the bytes", func() bool { return g.conns.held.Load() > 60_000 })
	large := fmt.Appendf(nil, `{"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"1"},"ext":{"x":"%s"}}`, noise(30_000))
	if r := g.post(t, PathDefault, large); r.status != 503 || r.header.Get("Retry-After") != retryAfter {
		t.Errorf("a large request: %+v", r)
	}
	if r := g.post(t, PathDefault, good(t)); r.status != 200 {
		t.Errorf("a small request: %+v", r)
	}
	c.Close()
	waitFor(t, "the end", func() bool { return g.conns.held.Load() == 0 })
	if r := g.post(t, PathDefault, large); r.status != 200 {
		t.Errorf("a large request afterwards: %+v", r)
	}
}

// TestInflatedCounts checks that inflated documents count as bytes that were read, as long as their
// requests are served.
func TestInflatedCounts(t *testing.T) {
	inCore, release := make(chan struct{}, 2), make(chan struct{})
	up := newCore(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		inCore <- struct{}{}
		<-release
		io.WriteString(w, answered)
	})
	let := sync.OnceFunc(func() { close(release) })
	t.Cleanup(let) // before the core's, which waits for its requests
	g := start(t, Options{Upstreams: At(up.URL), MemoryMax: 128 << 10, UpstreamTimeout: 20 * time.Second})
	body := fmt.Appendf(nil, `{"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"1"},"ext":{"x":"%s"}}`, noise(50_000))
	done := make(chan reply, 1)
	go func() { done <- g.post(t, PathDefault, zipped(t, body), "Content-Encoding", "gzip") }()
	select {
	case <-inCore:
	case r := <-done:
		t.Fatalf("%+v", r)
	}
	if n := g.conns.held.Load(); n < int64(len(body)) {
		t.Errorf("%d bytes count, want at least %d", n, len(body))
	}
	second := make(chan reply, 1)
	go func() { second <- g.post(t, PathDefault, zipped(t, body), "Content-Encoding", "gzip") }()
	select {
	case <-inCore:
		t.Error("a second one reaches the core")
	case r := <-second:
		if r.status != 503 {
			t.Errorf("a second one: %+v", r)
		}
	}
	let()
	if r := <-done; r.status != 200 {
		t.Errorf("the first one: %+v", r)
	}
	waitFor(t, "the end", func() bool { return g.conns.held.Load() == 0 })
}
