package gateway

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/internal/serving/balance"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// sender sends requests on a connection of its own until it is told to close, and reports whether
// each was answered.
func sendUntilClosed(addr string, body []byte, answers *atomic.Int64) error {
	var c net.Conn
	var r *bufio.Reader
	head := fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", PathDefault, len(body))
	request := append(head, body...)
	for {
		if c == nil {
			var err error
			if c, err = net.Dial("tcp", addr); err != nil {
				return nil //nolint:nilerr // it no longer listens: nothing was taken
			}
			r = bufio.NewReader(c)
		}
		if _, err := c.Write(request); err != nil {
			return fmt.Errorf("write: %w", err)
		}
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			return fmt.Errorf("after %d answers: %w", answers.Load(), err)
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK || string(text) != answered {
			return fmt.Errorf("answer %d %q: %w", resp.StatusCode, text, err)
		}
		answers.Add(1)
		if resp.Close {
			c.Close()
			return nil
		}
	}
}

// TestDrainUnderLoad stops a gateway while many connections send: every request that was sent is
// answered, the last one of each connection says that it closes.
func TestDrainUnderLoad(t *testing.T) {
	eachPlane(t, testDrainUnderLoad)
}

func testDrainUnderLoad(t *testing.T, serve func(Options) *started) {
	up := newCore(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		time.Sleep(2 * time.Millisecond)
		io.WriteString(w, answered)
	})
	body := good(t)
	for range testkit.Scale(t, 2, 4, 40) {
		g := serve(Options{Upstreams: At(up.URL), DrainDelay: 20 * time.Millisecond})
		var answers atomic.Int64
		var senders sync.WaitGroup
		failed := make(chan error, 32)
		for range 32 {
			senders.Go(func() {
				if err := sendUntilClosed(g.addr, body, &answers); err != nil {
					failed <- err
				}
			})
		}
		waitFor(t, "load", func() bool { return answers.Load() > 200 })
		ctx, cancel := contextFor(10 * time.Second)
		if err := g.Shutdown(ctx); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
		cancel()
		senders.Wait()
		close(failed)
		for err := range failed {
			t.Errorf("a request was lost: %v", err)
		}
		if err := <-g.done; err != nil {
			t.Errorf("Serve: %v", err)
		}
		if n := g.conns.held.Load(); n != 0 || g.overload.inFlight.Load() != 0 || g.inFlight.Load() != 0 {
			t.Errorf("left behind: %d bytes, %d and %d requests", n, g.overload.inFlight.Load(), g.inFlight.Load())
		}
		up.take()
	}
}

// TestDrainStates stops a gateway whose connections are in every state.
func TestDrainStates(t *testing.T) {
	eachPlane(t, testDrainStates)
}

func testDrainStates(t *testing.T, serve func(Options) *started) {
	release := make(chan struct{})
	up := newCore(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		<-release
		io.WriteString(w, answered)
	})
	g := serve(Options{Upstreams: At(up.URL), UpstreamTimeout: 20 * time.Second, HeadTimeout: 2 * time.Second})
	dial := func() net.Conn {
		c, err := net.Dial("tcp", g.addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	body := good(t)
	request := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", PathDefault, len(body), body)

	waits := dial() // for its answer
	io.WriteString(waits, request)
	half := dial() // has sent a part
	io.WriteString(half, request[:100])
	idle := dial() // between two requests
	io.WriteString(idle, "GET /status HTTP/1.1\r\nHost: x\r\n\r\n")
	b := make([]byte, 1000)
	if n, err := idle.Read(b); err != nil || !bytes.HasPrefix(b[:n], []byte("HTTP/1.1 200")) {
		t.Fatalf("%q, %v", b[:n], err)
	}
	waitFor(t, "the core", func() bool { return g.overload.inFlight.Load() == 1 })
	waitFor(t, "the first bytes", func() bool { return g.conns.count() == 3 && g.conns.held.Load() > int64(len(body)) })

	stopped := make(chan error, 1)
	go func() {
		ctx, cancel := contextFor(10 * time.Second)
		defer cancel()
		stopped <- g.Shutdown(ctx)
	}()
	waitFor(t, "the end of readiness", func() bool { return !g.Ready() && g.conns.draining.Load() })
	fresh := dial() // was queued, if the gateway was still taking what is queued
	io.WriteString(fresh, "GET /status HTTP/1.1\r\nHost: x\r\n\r\n")
	io.WriteString(half, request[100:])
	idle.SetReadDeadline(time.Now().Add(5 * time.Second))
	if n, err := idle.Read(b); !errors.Is(err, io.EOF) {
		t.Errorf("the idle connection: %q, %v, want its end", b[:n], err)
	}
	close(release)
	for name, c := range map[string]net.Conn{"waits": waits, "half": half} {
		c.SetReadDeadline(time.Now().Add(5 * time.Second))
		text, err := io.ReadAll(c)
		if err != nil || !bytes.HasPrefix(text, []byte("HTTP/1.1 200 OK")) || !bytes.Contains(text, []byte("Connection: close")) || !bytes.HasSuffix(text, []byte(answered)) {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	fresh.SetReadDeadline(time.Now().Add(5 * time.Second))
	if text, err := io.ReadAll(fresh); err == nil && len(text) > 0 && !bytes.HasPrefix(text, []byte("HTTP/1.1 503")) {
		t.Errorf("fresh: %q, %v", text, err)
	}
	if err := <-stopped; err != nil {
		t.Errorf("Shutdown: %v", err)
	}
}

// TestDrainTimeout checks that what does not end is cut, and that Shutdown says so.
func TestDrainTimeout(t *testing.T) {
	eachPlane(t, testDrainTimeout)
}

func testDrainTimeout(t *testing.T, serve func(Options) *started) {
	release := make(chan struct{})
	up := newCore(t, func(http.ResponseWriter, *http.Request, []byte) { <-release })
	defer close(release)
	g := serve(Options{Upstreams: At(up.URL), UpstreamTimeout: 20 * time.Second, DrainTimeout: 50 * time.Millisecond})
	go http.Post(g.url(PathDefault), "application/json", bytes.NewReader(good(t)))
	waitFor(t, "the request", func() bool { return g.overload.inFlight.Load() == 1 })
	ctx, cancel := contextFor(10 * time.Second)
	defer cancel()
	if err := g.Shutdown(ctx); err == nil {
		t.Error("Shutdown cut a request and says nothing")
	}
}

// TestReloadUnderLoad replaces the options many times while requests pass, by good ones and by ones
// that can't be used: no request fails, each is judged by one configuration, and the last good one
// stays.
func TestReloadUnderLoad(t *testing.T) {
	up := newCore(t, nil)
	second := newCore(t, nil)
	// In each configuration the partner's rule refuses what its name does not fit: a request that
	// was matched by one and judged by another would be refused.
	options := func(n int) Options {
		name := fmt.Sprintf("p%d", n%2)
		return Options{
			Upstreams: At(up.URL, second.URL)[:1+n%2], NoBid: NoBid400,
			Engine:   engineThat(t, func(in *rule.Input) bool { return in.Facts.Partner != name }),
			Partners: []Partner{{Name: name, Match: Match{Headers: []inspect.Header{{Name: "X-P", Value: "1"}}}, NoBid: NoBid400}},
		}
	}
	g := start(t, options(0))
	var stop atomic.Bool
	var senders sync.WaitGroup
	var requests atomic.Int64
	for range 4 {
		senders.Go(func() {
			c := client(t)
			for !stop.Load() {
				r, _ := http.NewRequest(http.MethodPost, g.url(PathDefault), bytes.NewReader(good(t)))
				r.Header.Set("X-P", "1")
				if got := do(t, c, r); got.status != 200 {
					t.Errorf("%+v", got)
					return
				}
				requests.Add(1)
			}
		})
	}
	for i := range testkit.Scale(t, 20, 60, 2000) {
		if _, err := g.Reload(options(i)); err != nil {
			t.Fatal(err)
		}
		bad := options(i)
		switch i % 3 {
		case 0:
			bad.Upstreams = nil
		case 1:
			bad.Partners = append(bad.Partners, bad.Partners[0])
		case 2:
			bad.Engine = engineThat(t, func(*rule.Input) bool { panic("a rule that panics") })
		}
		if _, err := g.Reload(bad); err == nil {
			t.Errorf("reload %d: a bad configuration was taken", i)
		}
		time.Sleep(time.Millisecond)
	}
	stop.Store(true)
	senders.Wait()
	if requests.Load() < 20 {
		t.Errorf("only %d requests", requests.Load())
	}
}

// TestReloadKeeps checks that upstreams and limits keep their state if they are the same, and that
// options which can't change are named.
func TestReloadKeeps(t *testing.T) {
	up := newCore(t, nil)
	o := Options{Upstreams: At(up.URL), UpstreamTimeout: time.Minute, Partners: []Partner{{Name: "p", Match: Match{Path: "/p"}, Limits: Limits{Rate: 1}}}}
	g := start(t, o)
	before := g.plan.Load()
	o.IdleTimeout, o.Shadow = time.Minute, true
	fixed, err := g.Reload(o)
	after := g.plan.Load()
	if err != nil || len(fixed) != 1 || fixed[0] != "IdleTimeout" || !after.options.Shadow {
		t.Errorf("%v, %v", fixed, err)
	}
	if after == before || addressOf0(after) != addressOf0(before) || after.partners[0].limits != before.partners[0].limits {
		t.Error("the upstream or the limits are new")
	}
	o.Partners[0].Limits.Rate, o.ResponseMax = 2, 1000
	if _, err := g.Reload(o); err != nil {
		t.Fatal(err)
	}
	if last := g.plan.Load(); addressOf0(last) == addressOf0(before) || last.partners[0].limits == before.partners[0].limits {
		t.Error("the upstream or the limits are the old ones")
	}
}

// addressOf0 returns the first address of the first upstream of a plan.
func addressOf0(p *plan) *balance.Endpoint { return p.upstreams.Upstreams()[0].Endpoints()[0] }

// TestShadow checks that the whole tier observes and forwards everything, byte for byte.
func TestShadow(t *testing.T) {
	up := newCore(t, nil)
	engine, err := inspect.New(inspect.Config{Annotate: true})
	if err != nil {
		t.Fatal(err)
	}
	g := start(t, Options{Upstreams: At(up.URL), Engine: engine, Shadow: true, Partners: []Partner{{Name: "p", Match: Match{Path: "/p"}, Limits: Limits{Rate: 1, InFlight: 1}}}})
	for _, tt := range []struct{ body, action, reason string }{
		{string(good(t)), "forward", ""},
		{`{"id":"1","imp":[]}`, "refuse", "schema."},
		{`{"id":`, "refuse", "json."},
		{`{"id":"1","tmax":1,"imp":[]}`, "refuse", "schema."},
	} {
		r := g.post(t, "/p", []byte(tt.body))
		got := up.take()
		if r.status != 200 || len(got) != 1 || string(got[0].body) != tt.body || got[0].header.Get("X-Rtbwire-Action") != tt.action ||
			(got[0].header.Get("X-Rtbwire-Reason") == "") != (tt.reason == "") || !bytes.HasPrefix([]byte(got[0].header.Get("X-Rtbwire-Reason")), []byte(tt.reason)) {
			t.Errorf("%s: %+v, the core got %+v", tt.body, r, got)
		}
	}
	if n := g.plan.Load().partners[0].limits.inFlight.Load(); n != 0 {
		t.Errorf("%d requests in flight are left", n)
	}
}

// TestServeAndShutdown calls Serve and Shutdown in every order: each Serve returns, those that
// begin after the end with ErrClosed, and nothing listens any more.
func TestServeAndShutdown(t *testing.T) {
	listen := func() net.Listener {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		return ln
	}
	for range testkit.Scale(t, 10, 30, 3000) {
		g, err := New(Options{Upstreams: At("http://127.0.0.1:9")})
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		listeners := make([]net.Listener, 8)
		for i := range listeners {
			listeners[i] = listen()
		}
		for i, ln := range listeners[:6] {
			all.Go(func() {
				for range i * 100 {
					runtime.Gosched()
				}
				serve := []func(net.Listener) error{g.Serve, g.ServeStd}[i%2]
				if err := serve(ln); err != nil && !errors.Is(err, ErrClosed) {
					t.Errorf("Serve: %v", err)
				}
			})
		}
		for range 2 {
			all.Go(func() {
				ctx, cancel := contextFor(20 * time.Second)
				defer cancel()
				if err := g.Shutdown(ctx); err != nil {
					t.Errorf("Shutdown: %v", err)
				}
				if n := len(g.conns.listeners()); n > 0 {
					t.Errorf("Shutdown has returned, and %d listeners are served", n)
				}
			})
		}
		all.Wait()
		for i, serve := range []func(net.Listener) error{g.Serve, g.ServeStd} {
			if err := serve(listeners[6+i]); !errors.Is(err, ErrClosed) {
				t.Errorf("Serve after Shutdown: %v", err)
			}
		}
		for i, ln := range listeners {
			if c, err := net.Dial("tcp", ln.Addr().String()); err == nil {
				c.Close()
				t.Errorf("listener %d is open", i)
			}
		}
	}
}

// TestShutdownWithoutServe ends at once.
func TestShutdownWithoutServe(t *testing.T) {
	g, err := New(Options{Upstreams: At("http://127.0.0.1:9")})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := contextFor(20 * time.Second)
	defer cancel()
	if err := g.Shutdown(ctx); err != nil {
		t.Error(err)
	}
}
