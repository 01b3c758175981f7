package gateway

import (
	"bytes"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/splice"
)

// TestOverloadModel drives the limit with a core of known capacity, on a simulated clock: latency
// is the service time, and beyond the capacity as much more as requests wait. The limit finds the
// capacity, keeps the latency near the best, and opens again when the core becomes faster.
func TestOverloadModel(t *testing.T) {
	var l overload
	l.init(4000, OverloadToleranceDefault)
	const service = 50 * time.Millisecond
	now := int64(0)
	run := func(windows int, offered, capacity float64) (served, latency float64) {
		for range windows {
			now = l.until.Load() + 1
			served = math.Min(offered, float64(l.limit.Load()))
			latency = float64(service) * math.Max(1, served/capacity)
			l.peak.Store(int64(served))
			l.sum.Store(int64(latency * 1000))
			l.count.Store(1000)
			l.adapt(now)
		}
		return served, latency / float64(service)
	}
	if served, _ := run(50, 80, 100); served < 80 {
		t.Errorf("below the capacity: %v of 80 are served", served)
	}
	if served, slower := run(200, 1000, 100); served < 100 || slower > 3 {
		t.Errorf("at 10 times the capacity: %v are served, %v times as slowly", served, slower)
	}
	if served, slower := run(400, 1000, 300); served < 300 || slower > 3 {
		t.Errorf("with 3 times the capacity: %v are served, %v times as slowly", served, slower)
	}
	if served, _ := run(200, 80, 100); served < 80 {
		t.Errorf("after the overload: %v of 80 are served", served)
	}
}

// TestOverloadQuick keeps the limit open while latency is short, however many times the best it is:
// a processor that is used fully answers in milliseconds, an idle one in microseconds.
func TestOverloadQuick(t *testing.T) {
	var l overload
	l.init(4000, OverloadToleranceDefault)
	for _, tt := range []struct {
		latency time.Duration
		open    bool
	}{{100 * time.Microsecond, true}, {30 * time.Millisecond, true}, {100 * time.Millisecond, false}} {
		for range 50 {
			peak := min(64, l.limit.Load())
			l.peak.Store(peak)
			l.sum.Store(int64(tt.latency) * 1000 * peak / 64)
			l.count.Store(1000)
			l.adapt(l.until.Load() + 1)
		}
		limit := l.limit.Load()
		if tt.open && (l.size != 4000 || limit < overloadCalm) || !tt.open && limit > 64 {
			t.Errorf("at %v the limit is %d, by latency %v", tt.latency, limit, l.size)
		}
	}
}

// traffic is what arrives while nothing waits: how many requests a second, how many of them are
// counted, how many of those are late, and the mean latency of those and of the others.
type traffic struct {
	rate, counted, late float64
	latency, uncounted  time.Duration
}

// window ends a window with traffic, which began so long ago, and returns which share was let in.
func (v traffic) window(l *overload, took time.Duration) float64 {
	demand := v.rate * (v.counted*v.latency.Seconds() + (1-v.counted)*v.uncounted.Seconds())
	in := min(1, float64(l.limit.Load())/demand)
	n := v.rate * v.counted * in * took.Seconds()
	l.peak.Store(int64(math.Ceil(demand * in)))
	l.count.Store(int64(n))
	l.late.Store(int64(n * v.late))
	l.sum.Store(int64(n * float64(v.latency)))
	l.adapt(l.began + int64(took))
	return in
}

// TestOverloadOnset lets in no more than can be answered in time from the first request of an
// overload on, when the rate is known.
func TestOverloadOnset(t *testing.T) {
	var l overload
	l.init(4096, OverloadToleranceDefault)
	if limit := l.limit.Load(); limit != 4096 {
		t.Errorf("when nothing is known, the limit is %d", limit)
	}
	normal := traffic{rate: 10_000, counted: 1, latency: time.Millisecond}
	for range 100 {
		normal.window(&l, overloadWindow)
	}
	want := normal.rate * overloadQueue * OverloadLatencyMin.Seconds()
	if limit := float64(l.limit.Load()); math.Abs(limit-want) > 2 {
		t.Errorf("at 10,000/s the limit is %v, want %v", limit, want)
	}
	normal.rate = 500
	for range 20_000 {
		normal.window(&l, overloadWindow)
	}
	if limit := l.limit.Load(); limit != overloadCalm {
		t.Errorf("after an hour at 500/s the limit is %d, want %d", limit, overloadCalm)
	}
}

// TestOverloadOpen has traffic in which nothing waits for anything: nearly all of it is let in, and
// all in the end, whatever is in flight beside the answers that are counted.
func TestOverloadOpen(t *testing.T) {
	const window = overloadWindow
	for _, tt := range []struct {
		name   string
		before traffic
		every  time.Duration // a window before; 0: as always
		after  []traffic
		shed   float64 // most, as a share of a minute
	}{
		{name: "most pass unread, and take longer", after: []traffic{{rate: 6000, counted: 1. / 6, latency: 10 * time.Millisecond, uncounted: 100 * time.Millisecond}}, shed: 0.01},
		{name: "many are late", before: traffic{rate: 20_000, counted: 1, latency: 30 * time.Millisecond},
			after: []traffic{{rate: 20_000, counted: 1, late: 0.45, latency: 55 * time.Millisecond}}},
		{name: "the core becomes slower", before: traffic{rate: 20_000, counted: 1, latency: 30 * time.Millisecond},
			after: []traffic{{rate: 20_000, counted: 1, latency: 52 * time.Millisecond}, {rate: 20_000, counted: 1, latency: 63 * time.Millisecond}}},
		{name: "load after a pause", every: time.Minute, before: traffic{rate: 1, counted: 1, latency: 80 * time.Millisecond},
			after: []traffic{{rate: 20_000, counted: 1, latency: 80 * time.Millisecond}}},
		{name: "bursts", every: time.Second, before: traffic{rate: 600, counted: 1, latency: 15 * time.Millisecond},
			after: []traffic{{rate: 20_000, counted: 1, latency: 30 * time.Millisecond}}},
		{name: "ten times the load", before: traffic{rate: 1000, counted: 1, latency: 20 * time.Millisecond},
			after: []traffic{{rate: 10_000, counted: 1, latency: 35 * time.Millisecond}}, shed: 0.01},
	} {
		var l overload
		l.init(4096, OverloadToleranceDefault)
		if tt.before.rate > 0 {
			for range 50 {
				tt.before.window(&l, max(tt.every, window))
			}
		}
		for i, after := range tt.after {
			shed, last, windows := 0.0, 0.0, int(time.Minute/window)
			for range windows {
				last = 1 - after.window(&l, window)
				shed += last / float64(windows)
			}
			if last > 0 || shed > tt.shed {
				t.Errorf("%s (%d): %.3f of a minute was shed, want at most %.3f, and %.2f in the end", tt.name, i, shed, tt.shed, last)
			}
		}
	}
}

// TestOverloadInVain has latency that does not depend on how many requests are served: a core that
// became slower, or a machine that others use. Shedding does not help, and ends.
func TestOverloadInVain(t *testing.T) {
	var l overload
	l.init(4000, OverloadToleranceDefault)
	random := rand.New(rand.NewPCG(1, 2))
	served, offered := 0.0, 300.0
	for window := range 200 {
		latency := 10 * time.Millisecond
		if window >= 20 {
			latency = time.Duration(float64(200*time.Millisecond) * (0.95 + 0.1*random.Float64()))
		}
		now := math.Min(offered, float64(l.limit.Load()))
		if window >= 20 {
			served += now / (180 * offered)
		}
		l.peak.Store(int64(now))
		l.sum.Store(int64(latency) * 1000)
		l.count.Store(1000)
		l.adapt(l.until.Load() + 1)
	}
	if served < 0.9 {
		t.Errorf("%.2f of the requests were served, want nearly all", served)
	}
}

// TestOverload offers several times what a core can do: what is shed is shed early and answered
// 503, what is accepted is not slow, and afterwards everything passes again.
func TestOverload(t *testing.T) {
	slots := make(chan struct{}, 4) // the core serves 4 requests at a time, others wait
	up := newCore(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		slots <- struct{}{}
		time.Sleep(4 * time.Millisecond)
		<-slots
		io.WriteString(w, answered)
	})
	g := start(t, Options{Upstreams: At(up.URL)})
	var passed, refused atomic.Int64
	offer := func(clients int, enough func() bool) {
		passed.Store(0)
		refused.Store(0)
		var all sync.WaitGroup
		end := time.Now().Add(time.Minute)
		for range clients {
			all.Go(func() {
				c := client(t)
				for !enough() && time.Now().Before(end) {
					r, _ := http.NewRequest(http.MethodPost, g.url(PathDefault), bytes.NewReader(good(t)))
					switch got := do(t, c, r); got.status {
					case 200:
						passed.Add(1)
					case 503:
						refused.Add(1)
						time.Sleep(time.Millisecond)
					default:
						t.Errorf("status %d", got.status)
					}
				}
			})
		}
		all.Wait()
	}
	offer(2, func() bool { // until the best latency is seen
		g.overload.mu.Lock()
		defer g.overload.mu.Unlock()
		return g.overload.best > 0
	})
	// A machine that others use may have lowered the limit to its minimum already.
	const start = InFlightMaxDefault
	offer(300, func() bool { return refused.Load() > 100 && passed.Load() > 100 && g.overload.limit.Load() < start })
	if after := g.overload.limit.Load(); after >= start || refused.Load() == 0 || passed.Load() == 0 {
		t.Errorf("the limit was %d and is %d; %d passed, %d were shed", start, after, passed.Load(), refused.Load())
	}
	offer(2, func() bool { return passed.Load() > 50 })
	if refused.Load() > 0 || passed.Load() == 0 {
		t.Errorf("afterwards: %d passed, %d were shed", passed.Load(), refused.Load())
	}
	up.take()
}

// TestOverloadTimeouts has a core at which so many wait that none is answered in time. Those who
// gave up count too: otherwise nothing would say that there are too many.
func TestOverloadTimeouts(t *testing.T) {
	var turn sync.Mutex // the core serves one at a time, in 5 ms
	up := newCore(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		turn.Lock()
		time.Sleep(5 * time.Millisecond)
		turn.Unlock()
		io.WriteString(w, answered)
	})
	g := start(t, Options{Upstreams: At(up.URL)})
	hurried, err := splice.Apply(nil, good(t), wire.Set("/tmax", []byte("150"))) // the breaker stays closed
	if err != nil {
		t.Fatal(err)
	}
	const clients = 150
	var all sync.WaitGroup
	done := make(chan struct{})
	for range clients {
		all.Go(func() {
			c := client(t)
			for {
				select {
				case <-done:
					return
				default:
				}
				r, _ := http.NewRequest(http.MethodPost, g.url(PathDefault), bytes.NewReader(hurried))
				if got := do(t, c, r); got.status == 503 {
					time.Sleep(time.Millisecond)
				}
			}
		})
	}
	for end := time.Now().Add(time.Minute); g.overload.limit.Load() > clients/2; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Errorf("the limit is %d although no request is answered", g.overload.limit.Load())
			break
		}
	}
	close(done)
	all.Wait()
	up.take()
}

// TestStd runs the stages under a server of net/http.
func TestStd(t *testing.T) {
	up := newCore(t, nil)
	g, err := New(Options{Upstreams: At(up.URL), NoBid: NoBid200, BodyMax: 4 << 10, Partners: []Partner{{Name: "p", Match: Match{Path: "/p"}}}, Passthrough: []Passthrough{{Path: "/win"}}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(g)
	defer server.Close()
	s := &started{g, server.Listener.Addr().String(), nil}
	ok := good(t)
	for _, tt := range []struct {
		name, method, path string
		body               []byte
		header             []string
		status             int
		answer             string
	}{
		{"good", "POST", PathDefault, ok, []string{"X-Openrtb-Version", "2.5"}, 200, answered},
		{"gzip", "POST", PathDefault, zipped(t, ok), []string{"Content-Encoding", "gzip"}, 200, answered},
		{"partner", "POST", "/p", ok, nil, 200, answered},
		{"refused", "POST", PathDefault, []byte(`{"id":"1","imp":[]}`), nil, 200, `{"id":"1","nbr":2}`},
		{"malformed", "POST", PathDefault, []byte(`{`), nil, 400, `{"nbr":2}`},
		{"type", "POST", PathDefault, ok, []string{"Content-Type", "text/plain"}, 415, strangerTexts[reasonType]},
		{"path", "POST", "/x", ok, nil, 404, strangerTexts[reasonPath]},
		{"method", "GET", PathDefault, nil, nil, 405, "this path takes POST only\n"},
		{"too long", "POST", PathDefault, noise(5 << 10), nil, 413, ""},
		{"notice", "GET", "/win?a=b", nil, nil, 200, answered},
		{"status", "GET", "/status", nil, nil, 200, "ready\n"},
	} {
		r := s.send(t, tt.method, tt.path, tt.body, tt.header...)
		if r.status != tt.status || r.body != tt.answer {
			t.Errorf("%s: %d %q, want %d %q", tt.name, r.status, r.body, tt.status, tt.answer)
		}
		got := up.take()
		if forwards := tt.answer == answered; (len(got) == 1) != forwards {
			t.Errorf("%s: the core got %d requests", tt.name, len(got))
		} else if forwards && tt.method == "POST" && (!bytes.Equal(got[0].body, ok) || got[0].header.Get("X-Forwarded-For") != "127.0.0.1" || got[0].header.Get("Content-Encoding") != "") {
			t.Errorf("%s: the core got %+v", tt.name, got[0])
		}
		if tt.name == "good" && r.header.Get("X-Openrtb-Version") != "2.5" {
			t.Errorf("answer %v", r.header)
		}
	}
}
