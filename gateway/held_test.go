package gateway

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/serving/balance"
	"github.com/rtbwire/rtbwire/internal/serving/upstreams"
	"github.com/rtbwire/rtbwire/openrtb"
)

// TestAnswersCount has answers of an upstream count as bytes of their requests do: from the head
// on that declares them, as long as they are there. What is too much is shed, which says nothing
// about the upstream.
func TestAnswersCount(t *testing.T) {
	eachProtocol(t, testAnswersCount)
}

func testAnswersCount(t *testing.T, serve func(Options) (*started, sending)) {
	const large, medium = 60_000, 20_000
	release := make(chan struct{})
	let := sync.OnceFunc(func() { close(release) })
	up := newCore(t, func(w http.ResponseWriter, r *http.Request, _ []byte) {
		switch r.Header.Get("X-Kind") {
		case "large":
			w.Header().Set("Content-Length", fmt.Sprint(large))
			io.WriteString(w, "x")
			w.(http.Flusher).Flush()
			<-release
			w.Write(noise(large - 1))
		case "declared":
			w.Header().Set("Content-Length", fmt.Sprint(medium))
			w.Write(noise(medium))
		case "chunked":
			for range medium / 1000 {
				w.Write(noise(1000))
				w.(http.Flusher).Flush()
			}
		case "broken":
			w.Header().Set("Content-Length", fmt.Sprint(medium))
			w.Write(noise(medium / 2))
			panic(http.ErrAbortHandler)
		default:
			io.WriteString(w, answered)
		}
	})
	t.Cleanup(let) // before the core's, which waits for its requests
	g, send := serve(Options{Upstreams: At(up.URL), MemoryMax: 64 << 10})
	post := func(kind string) reply { return send(http.MethodPost, PathDefault, good(t), "X-Kind", kind) }
	first := make(chan reply, 1)
	go func() { first <- post("large") }()
	waitFor(t, "the large answer", func() bool { return g.conns.held.Load() >= large })
	for i := range 2 * balance.BreakerFailures {
		kind := [...]string{"declared", "chunked"}[i%2]
		if r := post(kind); r.status != 503 || r.header.Get("Retry-After") != retryAfter {
			t.Errorf("%s, with no memory left: %d %v", kind, r.status, r.header)
		}
		if r := post("small"); r.status != 200 || r.body != answered {
			t.Errorf("a small answer after %s: %+v", kind, r)
		}
	}
	let()
	if r := <-first; r.status != 200 || len(r.body) != large {
		t.Errorf("the large answer: %d, %d bytes", r.status, len(r.body))
	}
	nothing := func() bool { return g.conns.held.Load() == 0 }
	waitFor(t, "the end of the large answer", nothing)
	for kind, want := range map[string]int{"declared": 200, "chunked": 200, "broken": 502} {
		if r := post(kind); r.status != want {
			t.Errorf("%s, with memory left: %d, want %d", kind, r.status, want)
		}
		waitFor(t, "the end of "+kind, nothing)
	}
}

// TestLateAnswersCount ends requests whose answers are late: nothing counts any more.
func TestLateAnswersCount(t *testing.T) {
	eachProtocol(t, testLateAnswersCount)
}

func testLateAnswersCount(t *testing.T, serve func(Options) (*started, sending)) {
	up := newCore(t, func(w http.ResponseWriter, r *http.Request, _ []byte) {
		w.Header().Set("Content-Length", "1000")
		io.WriteString(w, "x")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	g, send := serve(Options{Upstreams: At(up.URL), UpstreamTimeout: 100 * time.Millisecond})
	if r := send(http.MethodPost, PathDefault, good(t)); r.status != 504 {
		t.Errorf("%+v", r)
	}
	waitFor(t, "the end", func() bool { return g.conns.held.Load() == 0 })
}

// TestPanicGivesBack panics while a request is served that counts: nothing counts afterwards.
func TestPanicGivesBack(t *testing.T) {
	eachProtocol(t, testPanicGivesBack)
}

func testPanicGivesBack(t *testing.T, serve func(Options) (*started, sending)) {
	var held atomic.Int64
	var g *started
	up := newCore(t, nil)
	var send sending
	g, send = serve(Options{Upstreams: At(up.URL), Inspectors: []Inspector{panicsAfter(func() { held.Store(g.conns.held.Load()) })}})
	body := fmt.Appendf(nil, `{"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"1"},"ext":{"x":"%s"}}`, noise(50_000))
	if r := send(http.MethodPost, PathDefault, zipped(t, body), "Content-Encoding", "gzip"); r.status != 500 {
		t.Errorf("%+v", r)
	}
	if n := held.Load(); n < int64(len(body)) {
		t.Errorf("%d bytes count before the panic, want at least %d", n, len(body))
	}
	waitFor(t, "the end", func() bool { return g.conns.held.Load() == 0 })
}

// panicsAfter is an inspector that calls a function and panics.
type panicsAfter func()

func (panicsAfter) Name() string { return "panics" }

func (f panicsAfter) Inspect(*openrtb.BidRequest, *inspect.Facts) int {
	f()
	panic("x")
}

// TestUnreadAnswersCount has an answer count until its client has read it, or is gone.
func TestUnreadAnswersCount(t *testing.T) {
	eachPlane(t, testUnreadAnswersCount)
}

func testUnreadAnswersCount(t *testing.T, serve func(Options) *started) {
	const size = 32 << 20 // more than sockets buffer
	up := newCore(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) { w.Write(make([]byte, size)) })
	g := serve(Options{Upstreams: At(up.URL), ResponseMax: 2 * size, WriteTimeout: time.Minute})
	c := g.dial(t)
	ok := string(good(t))
	c.write(t, fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", PathDefault, len(ok), ok))
	if _, err := c.answers.Peek(1); err != nil {
		t.Fatal(err)
	}
	if n := g.conns.held.Load(); n < size {
		t.Errorf("%d bytes count while the answer is written, want at least %d", n, size)
	}
	c.Close()
	waitFor(t, "the end of the connection", func() bool { return g.conns.held.Load() == 0 })
}

// TestInflatedAnswersCount inflates answers to judge them: what they are inflated to counts too.
func TestInflatedAnswersCount(t *testing.T) {
	eachPlane(t, testInflatedAnswersCount)
}

func testInflatedAnswersCount(t *testing.T, serve func(Options) *started) {
	const size = 100_000
	body := zipped(t, fmt.Appendf(nil, `{"id":"r","seatbid":[],"ext":{"x":"%0*d"}}`, size, 0))
	up := newCore(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(body)
	})
	for memory, want := range map[int]int{size / 2: 204, 4 * size: 200} {
		g := serve(Options{Upstreams: At(up.URL), MemoryMax: memory, RatioMax: 1000, Responses: Responses{Mode: ResponsesEnforce}})
		if r := g.post(t, PathDefault, []byte(asked)); r.status != want {
			t.Errorf("%d bytes of memory: %d, want %d", memory, r.status, want)
		}
		waitFor(t, "the end", func() bool { return g.conns.held.Load() == 0 })
	}
}

// TestCoreAnswersCount has answers of a core in Go count.
func TestCoreAnswersCount(t *testing.T) {
	for size, want := range map[int]int{heldMin: 200, heldMin + 1: 503} {
		g := start(t, Options{MemoryMax: 1000, Core: CoreFunc(func(_ *fasthttp.Request, resp *fasthttp.Response, _ time.Duration) error {
			resp.SetBody(make([]byte, size))
			return nil
		})})
		if r := g.post(t, PathDefault, good(t)); r.status != want {
			t.Errorf("%d bytes: %d, want %d", size, r.status, want)
		}
		waitFor(t, "the end", func() bool { return g.conns.held.Load() == 0 })
	}
}

// TestHeldAfterClose counts for a connection that was closed meanwhile, as Shutdown does with those
// that take too long: nothing would give that back.
func TestHeldAfterClose(t *testing.T) {
	g := start(t, Options{Upstreams: At("http://127.0.0.1:9")})
	client := g.dial(t)
	waitFor(t, "the connection", func() bool { return g.conns.count() == 1 })
	c := g.conns.all()[0]
	c.hold(1000)
	c.Close()
	c.hold(1000)
	if n := g.conns.held.Load(); n != 0 {
		t.Errorf("%d bytes are left", n)
	}
	client.Close()
}

// TestBreakerAndMemory checks that an answer without memory for it does not count as a failure.
func TestBreakerAndMemory(t *testing.T) {
	e := addressOf0(start(t, Options{Upstreams: At("http://127.0.0.1:9")}).plan.Load())
	for range 2 * balance.BreakerFailures {
		e.Begin()
		e.Done(0, fmt.Errorf("wrapped: %w", errMemory), time.Second, time.Second)
	}
	if !e.Healthy() || failureOf(errMemory) != failCapacity || upstreams.Unsent(errMemory) {
		t.Errorf("healthy %v, failure %+v", e.Healthy(), failureOf(errMemory))
	}
}
