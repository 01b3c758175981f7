package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// eachPoller runs a test with the poller of this system and with that of others.
func eachPoller(t *testing.T, test func(t *testing.T, poller func() (poller, error))) {
	t.Run("system", func(t *testing.T) { test(t, newPoller) })
	t.Run("portable", func(t *testing.T) { test(t, newPortable) })
}

// TestRun sends a known number of requests and wants each of them counted and answered, with the
// text of the bodies in their order.
func TestRun(t *testing.T) {
	t.Parallel() // it mostly waits
	eachPoller(t, func(t *testing.T, poller func() (poller, error)) {
		for _, network := range []string{"tcp", "unix"} {
			var bytesIn atomic.Int64
			var wrong atomic.Int64
			target := serve(t, network, func(ctx *fasthttp.RequestCtx) {
				bytesIn.Add(int64(len(ctx.PostBody())))
				if string(ctx.Request.Header.ContentType()) != "application/json" || string(ctx.Request.Header.Peek("X-Test")) != "1" || string(ctx.Path()) != PathDefault {
					wrong.Add(1)
				}
				noBid(ctx)
			})
			bodies := corpus(t)
			r := mustRun(t, Config{
				Target: target, Bodies: bodies, Rate: 4000, Requests: 600, Connections: 10, Loops: 3, LagMax: time.Minute, Timeout: 10 * time.Second,
				Header: []Header{{"X-Test", "1"}}, poller: poller,
			})
			want := int64(0)
			for i := range 600 {
				want += int64(len(bodies.At(i % bodies.Len())))
			}
			g := &r.Target
			if g.Sent != 600 || g.Answered != 600 || g.Statuses[204] != 600 || g.Failed() != 0 || g.Latency.Count() != 600 || g.Naive.Count() != 600 || g.Lag.Count() != 600 {
				t.Errorf("%s: %+v", network, g)
			}
			if bytesIn.Load() != want || wrong.Load() != 0 {
				t.Errorf("%s: the server got %d bytes, expected %d; %d requests with other headers", network, bytesIn.Load(), want, wrong.Load())
			}
			if r.Elapsed < 149*time.Millisecond {
				t.Errorf("%s: 600 requests at 4000 a second took %v", network, r.Elapsed)
			}
		}
	})
}

// TestBigBodies sends and receives more than sockets take at once.
func TestBigBodies(t *testing.T) {
	t.Parallel() // it mostly waits
	eachPoller(t, func(t *testing.T, poller func() (poller, error)) {
		big := strings.Repeat("0123456789abcdef", 50_000)
		var wrong atomic.Int64
		target := serve(t, "unix", func(ctx *fasthttp.RequestCtx) {
			if string(ctx.PostBody()) != big {
				wrong.Add(1)
			}
			ctx.SetBodyString(big[:700_000])
		})
		r := mustRun(t, Config{Target: target, Bodies: texts(big), Requests: 40, Connections: 4, Timeout: 10 * time.Second, poller: poller})
		if r.Target.Answered != 40 || r.Target.BytesIn < 40*700_000 || wrong.Load() > 0 {
			t.Errorf("%+v, %d requests arrived changed", r.Target, wrong.Load())
		}
	})
}

// TestClosedLoop sends as fast as possible, for a time.
func TestClosedLoop(t *testing.T) {
	t.Parallel() // it mostly waits
	target := serve(t, "tcp", noBid)
	r := mustRun(t, Config{Target: target, Bodies: corpus(t), Duration: 100 * time.Millisecond, Connections: 8, Timeout: 10 * time.Second})
	if r.Target.Answered < 10 || r.Target.Failed() != 0 || r.Target.Lag.Count() != 0 || r.Invalid != "" {
		t.Errorf("%+v", r.Target)
	}
	if r.Target.Sent != r.Target.Answered || r.Elapsed < 100*time.Millisecond {
		t.Errorf("sent %d, answered %d in %v", r.Target.Sent, r.Target.Answered, r.Elapsed)
	}
}

// TestStoppedTarget is what the open loop is for: a target that stops for a second makes the
// requests of that second wait, and the latencies say so. Those of a generator that waits for
// answers don't.
func TestStoppedTarget(t *testing.T) {
	t.Parallel() // it mostly waits
	stop := testkit.Scale(t, 500*time.Millisecond, time.Second, time.Second)
	var begin atomic.Int64
	target := serve(t, "tcp", func(ctx *fasthttp.RequestCtx) {
		begin.CompareAndSwap(0, time.Now().UnixNano())
		from := time.Unix(0, begin.Load()).Add(300 * time.Millisecond)
		if now := time.Now(); now.After(from) {
			time.Sleep(from.Add(stop).Sub(now))
		}
		noBid(ctx)
	})
	r := mustRun(t, Config{
		Target: target, Bodies: corpus(t), Rate: 1500, Duration: stop + 500*time.Millisecond, Connections: 1, Timeout: 30 * time.Second, LagMax: time.Minute,
	})
	latency, naive := r.Target.Latency.Quantile(0.999), r.Target.Naive.Quantile(0.999)
	t.Logf("stopped for %v; p99.9 %v, naive %v; p50 %v", stop, latency, naive, r.Target.Latency.Quantile(0.5))
	if latency < stop*9/10 {
		t.Errorf("p99.9 is %v, expected the %v that the target stopped", latency, stop)
	}
	if naive > stop/2 {
		t.Errorf("the naive p99.9 is %v, although one request in %d met the stop", naive, r.Target.Answered)
	}
	if most := r.Target.Naive.Max(); most < stop*9/10 {
		t.Errorf("the longest naive latency is %v, expected %v", most, stop)
	}
	if n := r.Target.Intervals; len(n) < 3 {
		t.Errorf("%d intervals", len(n))
	}
}

// TestSlowTarget finds a target that is slower than it says.
func TestSlowTarget(t *testing.T) {
	t.Parallel() // it mostly waits
	for _, slow := range []time.Duration{5 * time.Millisecond, 40 * time.Millisecond} {
		target := serve(t, "unix", func(ctx *fasthttp.RequestCtx) { time.Sleep(slow); noBid(ctx) })
		r := mustRun(t, Config{Target: target, Bodies: corpus(t), Rate: 300, Duration: 300 * time.Millisecond, Timeout: 10 * time.Second, LagMax: time.Minute})
		if p50 := r.Target.Latency.Quantile(0.5); p50 < slow || p50 > slow+500*time.Millisecond {
			t.Errorf("p50 is %v of a target that takes %v", p50, slow)
		}
	}
}

// TestOverload asks for twice what a target can do. What could not be sent in time is a failure
// with its waiting time, not an uncounted request.
func TestOverload(t *testing.T) {
	t.Parallel() // it mostly waits
	const slow = 20 * time.Millisecond
	target := serve(t, "unix", func(ctx *fasthttp.RequestCtx) { time.Sleep(slow); noBid(ctx) })
	r := mustRun(t, Config{Target: target, Bodies: corpus(t), Rate: 1000, Duration: 300 * time.Millisecond, Connections: 2, Timeout: 100 * time.Millisecond, LagMax: time.Minute})
	g := &r.Target
	if g.Answered+g.Failed() != 300 || g.Failures[FailureUnsent] < 150 {
		t.Errorf("answered %d, failed %v; expected 300 together, most of them unsent", g.Answered, g.Failures)
	}
	if p50 := g.Latency.Quantile(0.5); p50 < 100*time.Millisecond {
		t.Errorf("p50 is %v, expected the time that requests waited in vain", p50)
	}
	if lag := g.Lag.Quantile(0.5); lag > 50*time.Millisecond {
		t.Errorf("the generator takes the target's slowness for its own: lag %v", lag)
	}
}

// late is a poller that comes back late now and then, as on a machine that is too busy.
type late struct {
	poller
	by, every time.Duration
	next      time.Time
}

func (l *late) wait(list []event, d time.Duration) ([]event, error) {
	list, err := l.poller.wait(list, d)
	if now := time.Now(); now.After(l.next) {
		time.Sleep(l.by)
		l.next = now.Add(l.every)
	}
	return list, err
}

// TestInvalidRun has the generator miss its own schedule. With two connections and a slow target
// it never sees a free connection and a request that is due, and yet must know that it slept.
func TestInvalidRun(t *testing.T) {
	t.Parallel() // it mostly waits
	slow := func(ctx *fasthttp.RequestCtx) {
		time.Sleep(time.Millisecond)
		noBid(ctx)
	}
	for _, c := range []struct {
		name        string
		answer      fasthttp.RequestHandler
		connections int
	}{
		{"free connections", noBid, 64},
		{"hardly any", noBid, 2}, // most late requests find none that is free
		{"none", slow, 2},
	} {
		r := mustRun(t, Config{
			Target: serve(t, "unix", c.answer), Bodies: corpus(t), Rate: 2000, Duration: 300 * time.Millisecond, Connections: c.connections, Timeout: 10 * time.Second, LagMax: 10 * time.Millisecond,
			poller: func() (poller, error) {
				p, err := newPoller()
				return &late{poller: p, by: 40 * time.Millisecond, every: 100 * time.Millisecond}, err
			},
		})
		// Many requests become due while the generator sleeps, up to 40 ms before it wakes.
		if lag := r.Target.Lag.Quantile(0.99); r.Invalid == "" || lag < 10*time.Millisecond {
			t.Errorf("%s: lag p99 %v, invalid %q; expected an invalid run", c.name, lag, r.Invalid)
		}
		if r.Target.Answered != 600 {
			t.Errorf("%s: %d answers", c.name, r.Target.Answered)
		}
	}
}

// failing are targets that fail, and what is counted of them.
var failing = []struct {
	name    string
	handle  func(c net.Conn, n int) // answers request n of all; the connection is closed after it
	failure Failure
}{
	{"closed", func(net.Conn, int) {}, FailureClosed},
	{"cut", func(c net.Conn, _ int) { fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{}") }, FailureClosed},
	{"not HTTP", func(c net.Conn, _ int) { fmt.Fprint(c, "SSH-2.0-OpenSSH_9.9\r\n") }, FailureHTTP},
	{"both lengths", func(c net.Conn, _ int) {
		fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}")
	}, FailureHTTP},
	{"two answers", func(c net.Conn, _ int) {
		fmt.Fprint(c, "HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n")
	}, FailureHTTP},
	{"too large", func(c net.Conn, _ int) { fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Length: 1048577\r\n\r\n") }, FailureSize},
	{"reset", func(c net.Conn, _ int) { _ = c.(*net.TCPConn).SetLinger(0) }, FailureBroken},
	{"silent", func(net.Conn, int) { time.Sleep(150 * time.Millisecond) }, FailureTimeout},
}

// rawServer answers the first bytes of each connection with handle.
func rawServer(t *testing.T, handle func(c net.Conn, n int)) Target {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() }) // it was never written to
	go func() {
		var n atomic.Int64
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				if k, _ := c.Read(make([]byte, 64<<10)); k > 0 {
					handle(c, int(n.Add(1)))
				}
			}()
		}
	}()
	target, err := ParseTarget("http://" + l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return target
}

func TestFailures(t *testing.T) {
	t.Parallel() // it mostly waits
	eachPoller(t, func(t *testing.T, poller func() (poller, error)) {
		for _, tt := range failing {
			target, timeout := rawServer(t, tt.handle), 10*time.Second
			if tt.failure == FailureTimeout {
				timeout = 60 * time.Millisecond
			}
			r := mustRun(t, Config{
				Target: target, Bodies: texts("{}"), Rate: 500, Requests: 10, Connections: 5, Timeout: timeout, LagMax: time.Minute, poller: poller,
			})
			g := &r.Target
			if g.Failures[tt.failure] != g.Failed() || g.Failed() != 10 || g.Answered != 0 || g.Latency.Count() != 10 {
				t.Errorf("%s: failures %v, answered %d, expected 10 failures: %v", tt.name, g.Failures, g.Answered, tt.failure)
			}
			if g.Reconnects < 5 {
				t.Errorf("%s: %d connections were made again", tt.name, g.Reconnects)
			}
			if share := g.ErrorShare(); share != 1 {
				t.Errorf("%s: error share %v", tt.name, share)
			}
		}
	})
}

// TestConnectionClose counts answers after which the connection is closed as answers.
func TestConnectionClose(t *testing.T) {
	eachPoller(t, func(t *testing.T, poller func() (poller, error)) {
		for _, text := range []string{
			"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}",
			"HTTP/1.1 200 OK\r\n\r\n{}",
			"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}",
		} {
			target := rawServer(t, func(c net.Conn, _ int) { fmt.Fprint(c, text) })
			r := mustRun(t, Config{Target: target, Bodies: texts("{}"), Requests: 20, Connections: 3, Timeout: 10 * time.Second, poller: poller})
			if r.Target.Answered != 20 || r.Target.Failed() != 0 || r.Target.Reconnects < 17 {
				t.Errorf("%q: %+v", text, r.Target)
			}
		}
	})
}

// TestIdleConnections has the target close connections that are idle. They are made again before
// they are needed, and no request fails.
func TestIdleConnections(t *testing.T) {
	t.Parallel() // it mostly waits
	target := serve(t, "tcp", noBid, func(s *fasthttp.Server) { s.IdleTimeout = 20 * time.Millisecond })
	r := mustRun(t, Config{Target: target, Bodies: texts("{}"), Rate: 10, Requests: 4, Connections: 3, Timeout: 10 * time.Second, LagMax: time.Minute})
	if r.Target.Answered != 4 || r.Target.Reconnects < 3 {
		t.Errorf("%+v", r.Target)
	}
}

// TestTargetGone ends a run whose target has gone, and a run for a number of requests too.
func TestTargetGone(t *testing.T) {
	t.Parallel() // it mostly waits
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	target, err := ParseTarget("http://" + l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		c, err := l.Accept()
		if err == nil {
			_ = l.Close() // no other client gets in
			_ = c.Close()
		}
	}()
	r := mustRun(t, Config{Target: target, Bodies: texts("{}"), Rate: 100, Duration: 100 * time.Millisecond, Connections: 1, Timeout: 100 * time.Millisecond, LagMax: time.Minute})
	if r.Target.Failed() != 10 || r.Target.Refused == 0 {
		t.Errorf("%+v", r.Target)
	}
	if _, err := Run(t.Context(), Config{Target: target, Bodies: texts("{}")}); err == nil || !strings.Contains(err.Error(), "cannot connect to http://127.0.0.1") {
		t.Errorf("expected an error about the connection, got %v", err)
	}
}

// TestInterrupt ends a run before its time, with what was done so far.
func TestInterrupt(t *testing.T) {
	t.Parallel() // it mostly waits
	target := serve(t, "tcp", noBid)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	r, err := Run(ctx, Config{Target: target, Bodies: corpus(t), Rate: 1000, Duration: time.Hour, LagMax: time.Minute})
	if err != nil || !r.Interrupted || r.Target.Answered == 0 || r.Target.Failed() != 0 || r.Elapsed > time.Minute {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestProgress is told about once a second what goes on.
func TestProgress(t *testing.T) {
	t.Parallel() // it mostly waits
	target := serve(t, "tcp", noBid)
	var calls atomic.Int64
	mustRun(t, Config{Target: target, Bodies: corpus(t), Rate: 500, Duration: 1300 * time.Millisecond, LagMax: time.Minute, Progress: func(s Snapshot) {
		calls.Add(1)
		if s.Recent.Answered == 0 || s.Answered < s.Recent.Answered || s.Recent.Rate() < 100 || s.Elapsed < 900*time.Millisecond {
			t.Errorf("%+v", s)
		}
	}})
	if n := calls.Load(); n < 1 || n > 5 { // more than one if the machine stood still
		t.Errorf("called %d times", n)
	}
}

// TestRecordFails reports a record that can't be written, with the result.
func TestRecordFails(t *testing.T) {
	t.Parallel() // it mostly waits
	target := serve(t, "tcp", noBid)
	r, err := Run(t.Context(), Config{Target: target, Bodies: texts(`{"id":"1"}`), Requests: 5, Record: full{}})
	if r == nil || r.Target.Answered != 5 || err == nil || !errors.Is(err, errFull) {
		t.Errorf("%+v, %v", r, err)
	}
}

type full struct{}

var errFull = errors.New("no space")

func (full) Write([]byte) (int, error) { return 0, errFull }

// TestConfig refuses what makes no sense.
func TestConfig(t *testing.T) {
	target := Target{Network: "tcp", Address: "127.0.0.1:1", Host: "x", Path: "/"}
	bodies := texts("{}")
	for _, c := range []Config{
		{},
		{Bodies: bodies},
		{Bodies: new(Bodies), Target: target},
		{Bodies: bodies, Target: target, Against: &Target{}},
		{Bodies: bodies, Target: target, Rate: -1},
		{Bodies: bodies, Target: target, Rate: RateMax + 1},
		{Bodies: bodies, Target: target, Requests: -1},
		{Bodies: bodies, Target: target, Connections: ConnectionsMax + 1},
		{Bodies: bodies, Target: target, Connections: -1},
		{Bodies: bodies, Target: target, Loops: LoopsMax + 1, Connections: 1000},
		{Bodies: bodies, Target: target, Loops: -1},
		{Bodies: bodies, Target: target, Duration: -1},
		{Bodies: bodies, Target: target, Timeout: TimeoutMax + 1},
		{Bodies: bodies, Target: target, MaxResponse: -1},
		{Bodies: bodies, Target: target, LagMax: -1},
		{Bodies: bodies, Target: target, Header: []Header{{"", "x"}}},
		{Bodies: bodies, Target: target, Header: []Header{{"a b", "x"}}},
		{Bodies: bodies, Target: target, Header: []Header{{"a", "x\r\nb: c"}}},
		{Bodies: bodies, Target: target, Header: []Header{{"content-length", "1"}}},
	} {
		if r, err := Run(t.Context(), c); err == nil || r != nil || !strings.HasPrefix(err.Error(), "replay: ") {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestLoad reads files of several shapes within memory.
func TestLoad(t *testing.T) {
	list := []batch.Input{
		batch.From("lines", strings.NewReader("{\"id\":\"1\"}\n\nnot json\n")),
		batch.From("array", strings.NewReader(`[{"id":"3"}, {"id":"4"}]`)),
	}
	b, err := Load(list, LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range b.Len() {
		got = append(got, string(b.At(i)))
	}
	if want := `{"id":"1"} not json {"id":"3"} {"id":"4"}`; strings.Join(got, " ") != want || b.More() || b.TooLarge() != 0 || b.Size() != 38 {
		t.Errorf("%q, %d bytes", got, b.Size())
	}
	big := bytes.Repeat([]byte("{\"id\":\"12345678901234567890\"}\n"), 100_000)
	if b, err = Load([]batch.Input{batch.From("big", bytes.NewReader(big))}, LoadOptions{MaxMemory: 1 << 20}); err != nil || !b.More() || b.Size() > 1<<20 || b.Size() < 1<<20-100 {
		t.Errorf("%d bytes, more %v, %v", b.Size(), b.More(), err)
	}
	if b, err = Load([]batch.Input{batch.From("big", bytes.NewReader(big))}, LoadOptions{MaxDocument: 10}); err != nil || b.Len() != 0 || b.TooLarge() != 100_000 {
		t.Errorf("%d documents, %d too large, %v", b.Len(), b.TooLarge(), err)
	}
	for _, in := range []batch.Input{batch.File("no/such/file"), batch.From("cut", strings.NewReader("\x1f\x8b\x08\x00\x00"))} {
		if _, err := Load([]batch.Input{in}, LoadOptions{}); err == nil {
			t.Errorf("%s: no error", in.Name)
		}
	}
}
