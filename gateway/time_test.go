package gateway

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// withTMax gives a request without one a tmax.
func withTMax(body []byte, ms int) []byte {
	return fmt.Appendf(nil, `{"tmax":%d,%s`, ms, body[1:])
}

// TestBudget checks what is left of tmax: nothing is nbr 15 before the verdict, and the upstream is
// cut at its end.
func TestBudget(t *testing.T) {
	var wait atomic.Int64
	up := newCore(t, func(w http.ResponseWriter, r *http.Request, _ []byte) {
		select {
		case <-time.After(time.Duration(wait.Load())):
		case <-r.Context().Done():
		}
		io.WriteString(w, answered)
	})
	g := start(t, Options{
		Upstreams: At(up.URL), NoBid: NoBid200, UpstreamTimeout: 150 * time.Millisecond, Reserve: 30 * time.Millisecond,
		Partners: []Partner{{Name: "p", Match: Match{Path: "/p"}, NoBid: NoBid400JSON, TMaxMs: 80}, {Name: "late", Match: Match{Path: "/late"}, NoBid: NoBid400JSON, TMaxMs: 20}},
	})
	for _, tt := range []struct {
		name   string
		path   string
		tmax   int
		wait   time.Duration
		status int
		body   string
		from   time.Duration // how long it takes at least
		to     time.Duration
	}{
		{name: "enough", tmax: 5000, status: 200, body: answered, to: 150 * time.Millisecond},
		{name: "less than the reserve", tmax: 20, status: 200, body: `{"id":"x","nbr":15}`, to: 100 * time.Millisecond},
		{name: "slow upstream, short tmax", tmax: 100, wait: time.Second, status: 504, from: 60 * time.Millisecond, to: 150 * time.Millisecond},
		{name: "slow upstream, long tmax", tmax: 5000, wait: time.Second, status: 504, from: 140 * time.Millisecond, to: 900 * time.Millisecond},
		{name: "no tmax", wait: time.Second, status: 504, from: 140 * time.Millisecond, to: 900 * time.Millisecond},
		{name: "tmax of 0", tmax: 0, status: 200, body: answered, to: 150 * time.Millisecond},
		{name: "the partner's time", path: "/p", tmax: 5000, wait: time.Second, status: 400, body: `{"id":"x","nbr":1}`, from: 40 * time.Millisecond, to: 140 * time.Millisecond},
		{name: "none of the partner's time", path: "/late", tmax: 5000, status: 400, body: `{"id":"x","nbr":15}`, to: 100 * time.Millisecond},
	} {
		wait.Store(int64(tt.wait))
		path, body := tt.path, named(good(t), "x")
		if path == "" {
			path = PathDefault
		}
		if tt.name != "no tmax" {
			body = withTMax(body, tt.tmax)
		}
		began := time.Now()
		r := g.post(t, path, body)
		took := time.Since(began)
		if r.status != tt.status || r.body != tt.body || took < tt.from {
			t.Errorf("%s: %d %s after %v, want %d %s after %v", tt.name, r.status, r.body, took, tt.status, tt.body, tt.from)
		}
		if took > tt.to {
			t.Logf("%s: took %v, expected at most %v on an idle machine", tt.name, took, tt.to)
		}
		e := addressOf0(g.plan.Load())
		e.Begin()
		e.Done(http.StatusOK, nil, 0, 0) // its breaker closes
	}
}

// rawCore is an upstream that does what a test says with each connection.
type rawCore struct {
	net.Listener
	accepted atomic.Int64
}

func newRawCore(tb testing.TB, serve func(n int64, c net.Conn)) *rawCore {
	tb.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	core := &rawCore{Listener: ln}
	tb.Cleanup(func() { ln.Close() })
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			n := core.accepted.Add(1)
			go func() { defer c.Close(); serve(n, c) }()
		}
	}()
	return core
}

func (c *rawCore) url() string { return "http://" + c.Addr().String() }

// readRequest reads one request and returns its body.
func readRequest(c net.Conn) (string, error) {
	var all []byte
	b := make([]byte, 4096)
	for {
		n, err := c.Read(b)
		all = append(all, b[:n]...)
		if err != nil {
			return "", err
		}
		head, body, found := strings.Cut(string(all), "\r\n\r\n")
		var length int
		if _, text, there := strings.Cut(head, "Content-Length: "); found && there {
			fmt.Sscan(text, &length)
			if len(body) >= length {
				return body, nil
			}
		}
	}
}

const rawAnswer = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 28\r\n\r\n" + answered

// TestNeverTwice checks that a request of which a byte was sent is not sent again, and that a
// connection that was closed while idle is noticed before.
func TestNeverTwice(t *testing.T) {
	if len(answered) != 28 {
		t.Fatal("rawAnswer has a wrong length")
	}
	var requests atomic.Int64
	t.Run("closed after the request", func(t *testing.T) {
		requests.Store(0)
		core := newRawCore(t, func(_ int64, c net.Conn) {
			if _, err := readRequest(c); err == nil {
				requests.Add(1)
			}
		})
		g := start(t, Options{Upstreams: At(core.url())})
		if r := g.post(t, PathDefault, good(t)); r.status != 502 || requests.Load() != 1 {
			t.Errorf("%+v after %d requests", r, requests.Load())
		}
	})
	t.Run("closed in the answer", func(t *testing.T) {
		requests.Store(0)
		core := newRawCore(t, func(_ int64, c net.Conn) {
			if _, err := readRequest(c); err == nil {
				requests.Add(1)
				io.WriteString(c, rawAnswer[:50])
			}
		})
		g := start(t, Options{Upstreams: At(core.url())})
		if r := g.post(t, PathDefault, good(t)); r.status != 502 || requests.Load() != 1 {
			t.Errorf("%+v after %d requests", r, requests.Load())
		}
	})
	t.Run("closed while idle", func(t *testing.T) {
		requests.Store(0)
		closed := make(chan struct{}, 100)
		core := newRawCore(t, func(_ int64, c net.Conn) { // one request for each connection, without saying so
			if _, err := readRequest(c); err == nil {
				requests.Add(1)
				io.WriteString(c, rawAnswer)
				c.Close()
				closed <- struct{}{}
			}
		})
		g := start(t, Options{Upstreams: At(core.url())})
		for i := range int64(20) {
			if r := g.post(t, PathDefault, good(t)); r.status != 200 || requests.Load() != i+1 || core.accepted.Load() != i+1 {
				t.Fatalf("request %d: %+v, %d requests, %d connections", i, r, requests.Load(), core.accepted.Load())
			}
			<-closed
			time.Sleep(time.Millisecond)
		}
	})
	t.Run("speaks while idle", func(t *testing.T) {
		requests.Store(0)
		core := newRawCore(t, func(_ int64, c net.Conn) {
			for {
				if _, err := readRequest(c); err != nil {
					return
				}
				requests.Add(1)
				io.WriteString(c, rawAnswer+"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
			}
		})
		g := start(t, Options{Upstreams: At(core.url())})
		for range 5 {
			if r := g.post(t, PathDefault, good(t)); r.status != 200 || r.body != answered {
				t.Errorf("%+v", r)
			}
			time.Sleep(time.Millisecond)
		}
	})
	t.Run("kept", func(t *testing.T) {
		core := newRawCore(t, func(_ int64, c net.Conn) {
			for {
				if _, err := readRequest(c); err != nil {
					return
				}
				io.WriteString(c, rawAnswer)
			}
		})
		g := start(t, Options{Upstreams: At(core.url())})
		for range 20 {
			if r := g.post(t, PathDefault, good(t)); r.status != 200 {
				t.Errorf("%+v", r)
			}
		}
		if n := core.accepted.Load(); n != 1 {
			t.Errorf("%d connections for 20 requests", n)
		}
	})
}

// TestExtraBytes has a core that sends a part of a second answer with the first one, and the rest
// when the next request comes: that request goes to another connection, and gets its own answer.
func TestExtraBytes(t *testing.T) {
	const evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
	for _, part := range []string{evil[:1], evil[:20], evil[:len(evil)-1]} {
		core := newRawCore(t, func(_ int64, c net.Conn) {
			if _, err := readRequest(c); err != nil {
				return
			}
			io.WriteString(c, rawAnswer+part) // one write, and so one read of the gateway
			if _, err := readRequest(c); err == nil {
				t.Errorf("%q: the connection was used again", part)
				io.WriteString(c, evil[len(part):])
			}
		})
		g := start(t, Options{Upstreams: At(core.url())})
		for range 10 {
			if r := g.post(t, PathDefault, good(t)); r.status != 200 || r.body != answered {
				t.Errorf("%q: %+v", part, r)
			}
		}
		if n := core.accepted.Load(); n != 10 {
			t.Errorf("%q: %d connections for 10 requests", part, n)
		}
	}
}

// TestBrokenAnswers checks what becomes of answers that are not answers.
func TestBrokenAnswers(t *testing.T) {
	for _, tt := range []struct {
		name, answer string
		status       int
	}{
		{"good", rawAnswer, 200},
		{"garbage", "hello\r\n\r\n", 502},
		{"switch of protocols", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n", 502},
		{"too long", "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", 502},
		{"long head", "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 20<<10) + "\r\n\r\n", 502},
		{"interim answers", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + rawAnswer, 200},
		{"no content", "HTTP/1.1 204 No Content\r\n\r\n", 204},
		{"error of the core", "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n", 502},
		{"length with encoding", "HTTP/1.1 200 OK\r\nContent-Length: 28\r\nTransfer-Encoding: chunked\r\n\r\n1c\r\n" + answered + "\r\n0\r\n\r\n", 502},
		{"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 28\r\nContent-Length: 2\r\n\r\n" + answered, 502},
		{"a folded length", "HTTP/1.1 200 OK\r\nX: y\r\n Content-Length: 2\r\nContent-Length: 28\r\n\r\n" + answered, 502},
		{"bare LF", "HTTP/1.1 200 OK\nContent-Length: 28\n\n" + answered, 502},
		{"another version", "HTTP/3.0 200 OK\r\nContent-Length: 28\r\n\r\n" + answered, 502},
		{"until the end", "HTTP/1.0 200 OK\r\n\r\n" + answered, 200},
		{"chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1c\r\n" + answered + "\r\n0\r\n\r\n", 200},
	} {
		core := newRawCore(t, func(_ int64, c net.Conn) {
			if _, err := readRequest(c); err == nil {
				io.WriteString(c, tt.answer)
			}
		})
		g := start(t, Options{Upstreams: At(core.url()), ResponseMax: 10_000})
		r := g.post(t, PathDefault, good(t))
		if r.status != tt.status || r.status == 200 && r.body != answered {
			t.Errorf("%s: %+v, want %d", tt.name, r, tt.status)
		}
	}
}

// TestFailover checks that another upstream gets what a dead one can't, that a broken one is left
// alone, and that it is found again.
func TestFailover(t *testing.T) {
	t.Parallel() // it waits for a breaker
	up := newCore(t, nil)
	dead, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := dead.Addr().String()
	dead.Close()
	g := start(t, Options{Upstreams: At("http://"+address, up.URL)})
	for range 50 {
		if r := g.post(t, PathDefault, good(t)); r.status != 200 {
			t.Fatalf("%+v", r)
		}
	}
	e := addressOf0(g.plan.Load())
	if e.Healthy() {
		t.Error("the breaker of the dead upstream is closed")
	}
	back, err := net.Listen("tcp", address)
	if err != nil {
		t.Skip("the port is taken")
	}
	go http.Serve(back, up.Config.Handler)
	t.Cleanup(func() { back.Close() })
	waitFor(t, "the upstream that is back", func() bool {
		g.post(t, PathDefault, good(t))
		return e.Healthy()
	})
}

// TestLeastInFlight checks that a slow upstream gets fewer requests.
func TestLeastInFlight(t *testing.T) {
	var slow, fast atomic.Int64
	first := newCore(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		slow.Add(1)
		time.Sleep(50 * time.Millisecond)
	})
	second := newCore(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) { fast.Add(1) })
	g := start(t, Options{Upstreams: At(first.URL, second.URL), Balance: LeastRequest})
	done := make(chan struct{})
	for range 8 {
		go func() {
			defer func() { done <- struct{}{} }()
			for range 15 {
				g.post(t, PathDefault, good(t))
			}
		}()
	}
	for range 8 {
		<-done
	}
	if s, f := slow.Load(), fast.Load(); s == 0 || f < s || s+f != 120 {
		t.Errorf("the slow upstream got %d, the fast one %d", s, f)
	}
}
