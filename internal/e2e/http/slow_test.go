package http

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

// trickle sends a text a byte at a time until the gateway answers or closes, and returns the
// answer's status; 0 for none.
func trickle(c *client, text string, every time.Duration) int {
	status := make(chan int, 1)
	go func() {
		r, err := c.read(http.MethodPost)
		if err != nil {
			status <- 0
			return
		}
		status <- r.StatusCode
	}()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for i := 0; ; i++ {
		select {
		case s := <-status:
			return s
		case <-tick.C:
			if i < len(text) {
				if _, err := c.Write([]byte{text[i]}); err != nil {
					return <-status
				}
			}
		}
	}
}

// TestSlow has 200 slow heads and 50 slow bodies at once. Each gets 408 when its time is over,
// though bytes keep coming, and good requests are served all the while.
func TestSlow(t *testing.T) {
	heads, bodies := 200, 50
	limit := testkit.Scale(t, "2s", "3s", "5s")
	bothPlanes(t, func(t *testing.T, plane string) {
		up := newUpstream(t, nil)
		p := serve(t, plane, up.url(), "--windows=false", "--head-timeout", limit, "--body-timeout", limit)
		before := p.metrics(t)
		var slow sync.WaitGroup
		var open atomic.Int64
		start := func(text string, n int) {
			for range n {
				c := connect(t, p)
				open.Add(1)
				slow.Go(func() {
					defer open.Add(-1)
					if status := trickle(c, text, 200*time.Millisecond); status != http.StatusRequestTimeout {
						t.Errorf("a slow client got %d", status)
					}
				})
			}
		}
		start(post(good, "X-A: "+strings.Repeat("a", 2000)+"\r\n"), heads)
		// All of it but the body at once.
		for range bodies {
			c := connect(t, p)
			open.Add(1)
			slow.Go(func() {
				defer open.Add(-1)
				c.send(strings.TrimSuffix(post(padded("1", 2000)), padded("1", 2000)))
				if status := trickle(c, padded("1", 2000), 200*time.Millisecond); status != http.StatusRequestTimeout {
					t.Errorf("a slow body got %d", status)
				}
			})
		}
		c := connect(t, p)
		n, meanwhile, worst := 0, 0, time.Duration(0)
		pace := time.NewTicker(20 * time.Millisecond)
		defer pace.Stop()
		for open.Load() > 0 {
			<-pace.C
			begin := time.Now()
			if err := c.works(); err != nil {
				t.Fatalf("a good request: %v", err)
			}
			n++
			worst = max(worst, time.Since(begin))
			if open.Load() == int64(heads+bodies) {
				meanwhile++
			}
		}
		slow.Wait()
		if meanwhile == 0 {
			t.Errorf("none of %d good requests was answered while all slow clients were there", n)
		}
		t.Logf("%d good requests, %d while all slow clients were there, the slowest took %v", n, meanwhile, worst)
		waitFor(t, "the counters", func() bool {
			got := counted(before, p.metrics(t))
			return got[requests("rejected")] == float64(heads+bodies) && got[reason("http.head.timeout")] == float64(heads) && got[reason("http.body.timeout")] == float64(bodies)
		})
		settled(t, p)
		if got := len(up.take()); got != n {
			t.Errorf("the upstream got %d requests, want %d", got, n)
		}
	})
}

// settled waits until nothing of what was sent is left in the gateway.
func settled(t *testing.T, p *process) {
	t.Helper()
	var last map[string]float64
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		last = p.metrics(t)
		if last["rtbwire_gateway_requests_in_flight"] == 0 && last["rtbwire_gateway_requests_read_bytes"] == 0 {
			return
		}
	}
	t.Errorf("left behind: %v requests, %v bytes", last["rtbwire_gateway_requests_in_flight"], last["rtbwire_gateway_requests_read_bytes"])
}

// TestIdle has 1,000 idle connections: half have sent nothing, half a request. Good requests are
// served, and the connections end when their time is over.
func TestIdle(t *testing.T) {
	bothPlanes(t, func(t *testing.T, plane string) {
		up := newUpstream(t, nil)
		p := serve(t, plane, up.url(), "--windows=false", "--idle-timeout", "2s", "--head-timeout", "2s")
		var list []*client
		for i := range 1000 {
			c := connect(t, p)
			if i%2 == 0 {
				if err := c.works(); err != nil {
					t.Fatal(err)
				}
			}
			list = append(list, c)
		}
		fine(t, p)
		for i, c := range list {
			if i%2 == 0 && !c.closes() {
				t.Fatalf("idle connection %d stays, or got something", i)
			}
		}
		waitFor(t, "the end of all connections", func() bool { return p.metrics(t)["rtbwire_gateway_connections_open"] == 0 })
		fine(t, p)
		settled(t, p)
	})
}

// TestVanish has clients that leave before, during and after a request, by closing and by reset.
// Nothing is left behind.
func TestVanish(t *testing.T) {
	bothPlanes(t, func(t *testing.T, plane string) {
		up := newUpstream(t, nil)
		p := serve(t, plane, up.url(), "--windows=false")
		fine(t, p)
		files := p.descriptors(t)
		long := post(padded("1", 100_000))
		for i := range testkit.Scale(t, 200, 400, 4000) {
			c := dial(t, p.address)
			text := []string{"", "P", long[:60], long[:200], long[:50_000], long, post(good), post(good) + post(good) + long[:1000], chunked("5\r\nab"), post(zipped(good), fieldGzip)[:180]}[i%10]
			_, _ = c.Write([]byte(text))
			if i/10%2 == 0 {
				reset(c)
			} else {
				_ = c.Close()
			}
		}
		waitFor(t, "the end of all connections", func() bool { return p.metrics(t)["rtbwire_gateway_connections_open"] == 0 })
		settled(t, p)
		fine(t, p)
		waitFor(t, "the end of its files", func() bool { return p.descriptors(t) <= files+20 })
		for _, m := range up.take() {
			if !m.is(good) && !m.is(padded("1", 100_000)) {
				t.Errorf("the upstream got a part: %.200q", m.body)
			}
		}
	})
}

// TestHuge sends what is far beyond the limits: it is refused after a small part, with an answer.
func TestHuge(t *testing.T) {
	bothPlanes(t, func(t *testing.T, plane string) {
		up := newUpstream(t, nil)
		p := serve(t, plane, up.url(), "--windows=false")
		for _, tt := range []struct {
			name, text string
			status     int
			reason     string
		}{
			{"1 MB of head", post(good, strings.Repeat("X-A: "+strings.Repeat("a", 993)+"\r\n", 1000)), 431, "http.head.size"},
			{"1 MB in one field", post(good, "X-A: "+strings.Repeat("a", 1<<20)+"\r\n"), 431, "http.head.size"},
			{"20,000 fields", post(good, strings.Repeat("A: b\r\n", 20_000)), 431, "http.head.fields"},
			{"a target of 1 MB", strings.Replace(post(good), path, path+"?"+strings.Repeat("a", 1<<20), 1), 414, "http.target.size"},
			{"a method of 1 MB", strings.Repeat("A", 1<<20), 414, "http.target.size"},
			{"a declared body of 1 GB", headOf(linePost, hostIs+"Content-Length: 1073741824\r\n") + strings.Repeat("a", 1<<20), 413, "http.body.size"},
			{"a body of 10 MB", post(strings.Repeat("[", 10<<20)), 413, "http.body.size"},
			{"chunks of 10 MB", chunked(chunks(strings.Repeat("[", 10<<20), 1000)), 413, "http.body.size"},
			{"a million chunks", chunked(strings.Repeat("1\r\n[\r\n", 1_000_000)), 413, "http.body.size"},
		} {
			t.Run(tt.name, func(t *testing.T) {
				before := p.metrics(t)
				c := connect(t, p)
				defer c.Close()
				sent := make(chan struct{})
				go func() { c.send(tt.text); close(sent) }()
				// The gateway reads a part of what is still sent, so that the answer arrives, and
				// then it closes: a client that sends on may lose the answer, but never the
				// connection's end.
				r, err := c.read(http.MethodPost)
				if err == nil && (r.StatusCode != tt.status || !r.Close) {
					t.Errorf("%v", r)
				}
				if err != nil && len(tt.text) <= 1<<20 {
					t.Errorf("no answer: %v", err)
				}
				_ = c.Close()
				<-sent
				waitFor(t, "the counter", func() bool { return counted(before, p.metrics(t))[reason(tt.reason)] == 1 })
			})
		}
		if got := len(up.take()); got > 0 {
			t.Errorf("the upstream got %d requests", got)
		}
		fine(t, p)
		settled(t, p)
		if peak := p.Memory(t, "VmHWM"); !testkit.Race && peak > 150<<10 {
			t.Errorf("peak memory %d KiB", peak)
		}
	})
}

// TestBombs sends documents that inflate to much more, 21 at once.
func TestBombs(t *testing.T) {
	zeros := strings.Repeat("0", 100<<20)
	bomb := zipped(zeros) // 1000 to 1
	nested := zipped(zipped(zeros))
	members := strings.Repeat(zipped(strings.Repeat(" ", 1000)), 3000)
	empty := strings.Repeat(zipped(""), 8000)
	document := zipped(good[:50]) + zipped(good[50:])
	bothPlanes(t, func(t *testing.T, plane string) {
		up := newUpstream(t, nil)
		p := serve(t, plane, up.url(), "--windows=false")
		base := p.Memory(t, "VmHWM")
		var all sync.WaitGroup
		for i := range 21 {
			tt := []struct {
				body     string
				statuses string
			}{
				{bomb, "400 413"}, {nested, "400"}, {nested + good, "400"}, {members, "413"}, {empty, "400"}, {document, "200"}, {bomb[:len(bomb)/2], "400 413"},
			}[i%7]
			if len(tt.body) > 256<<10 {
				t.Fatalf("bomb %d has %d bytes", i%7, len(tt.body))
			}
			all.Go(func() {
				c := connect(t, p)
				defer c.Close()
				c.send(post(tt.body, fieldGzip))
				r, err := c.read(http.MethodPost)
				if err != nil || !strings.Contains(tt.statuses, fmt.Sprint(r.StatusCode)) {
					t.Errorf("bomb %d: %v, %v, want %s", i%7, r, err, tt.statuses)
					return
				}
				if err := c.works(); err != nil {
					t.Errorf("bomb %d: the next request: %v", i%7, err)
				}
			})
		}
		all.Wait()
		for _, m := range up.take() {
			if !m.is(good) {
				t.Errorf("the upstream got %.200q", m.body)
			}
		}
		if peak := p.Memory(t, "VmHWM"); !testkit.Race && peak > base+100<<10 {
			t.Errorf("peak memory %d KiB, %d before", peak, base)
		}
		settled(t, p)
	})
}
