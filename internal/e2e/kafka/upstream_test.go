//go:build unix

package kafka

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/rtbwire/rtbwire/internal/kafkatest"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// core is an upstream that notes what it was sent.
type core struct {
	url    string
	broken atomic.Bool                      // answers 500 to everything
	fails  atomic.Pointer[func(n int) bool] // answers 500 to these records

	mu       sync.Mutex
	answered map[int]int // with 200, by number
	asked    map[int]int
	wrong    []string

	server *http.Server
}

var number = regexp.MustCompile(`^\{"id":"r(\d+)"`)

func newCore(t *testing.T) *core {
	t.Helper()
	c := &core{answered: map[int]int{}, asked: map[int]int{}}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c.url = "http://" + ln.Addr().String()
	c.serve(ln)
	t.Cleanup(func() { _ = c.server.Close() })
	return c
}

func (c *core) serve(ln net.Listener) {
	server := &http.Server{Handler: c}
	c.server = server
	go func() { _ = server.Serve(ln) }()
}

// down closes the upstream with all its connections.
func (c *core) down() { _ = c.server.Close() }

// up opens it again, at the same address.
func (c *core) up(t *testing.T) {
	t.Helper()
	var ln net.Listener
	waitFor(t, "the port", func() (ok bool) {
		var err error
		ln, err = net.Listen("tcp", c.url[len("http://"):])
		return err == nil
	})
	c.serve(ln)
}

func (c *core) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	m := number.FindSubmatch(body)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		return // it breaks off
	}
	if m == nil || r.Method != http.MethodPost || r.Header.Get("X-Rtbwire-Action") != "forward" {
		c.wrong = append(c.wrong, fmt.Sprintf("%s %v %.100q", r.Method, r.Header, body))
		return
	}
	n, _ := strconv.Atoi(string(m[1]))
	c.asked[n]++
	fails := c.fails.Load()
	if c.broken.Load() || fails != nil && (*fails)(n) {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	if string(body) != string(value(n)) {
		c.wrong = append(c.wrong, fmt.Sprintf("record %d is not as it was sent", n))
	}
	c.answered[n]++
	fmt.Fprintf(w, `{"id":"r%d","seatbid":[]}`, n)
}

// upstreamed starts the program with the upstream.
func (s *stage) upstreamed(t *testing.T, c *core, more ...string) *process {
	t.Helper()
	p := start(t, s.args(append([]string{"--upstream", c.url}, more...)...)...)
	p.consumes(t)
	return p
}

// ahead checks that what is committed was answered or is a dead letter.
func (c *core) ahead(t *testing.T, s *stage) int {
	t.Helper()
	below := s.below(s.Committed(t, s.group))
	a := s.arrived(t)
	c.mu.Lock()
	defer c.mu.Unlock()
	missing := 0
	for _, n := range below {
		if c.answered[n] == 0 && a.dead[n] == 0 {
			missing++
		}
	}
	if missing > 0 {
		t.Errorf("%d records are committed and were not delivered", missing)
	}
	return len(c.answered) + a.different() - (len(below) - missing)
}

// account checks that each record was answered or is a dead letter, and how many were answered more
// than once.
func (c *core) account(t *testing.T, s *stage, duplicates int) *arrivals {
	t.Helper()
	a := s.arrived(t)
	c.mu.Lock()
	defer c.mu.Unlock()
	lost, twice, asked := 0, a.duplicates(), 0
	for n := range s.count() {
		if c.answered[n] == 0 && a.dead[n] == 0 {
			lost++
		}
		twice += max(0, c.answered[n]-1)
		asked += c.asked[n]
	}
	t.Logf("%d records sent; %d answered in %d requests, %d dead letters, %d lost, %d duplicates; dead letters by reason: %v",
		s.count(), len(c.answered), asked, len(a.dead), lost, twice, sorted(a.reasons))
	if lost > 0 {
		t.Errorf("%d records were lost", lost)
	}
	if twice > duplicates {
		t.Errorf("%d duplicates, want at most %d", twice, duplicates)
	}
	if len(c.wrong) > 0 {
		t.Errorf("%d wrong requests: %v", len(c.wrong), c.wrong[:min(5, len(c.wrong))])
	}
	return a
}

// TestUpstream has records that all arrive, and answers that go to a topic.
func TestUpstream(t *testing.T) {
	s, c := newStage(t, shared.get(t), len(codecs)), newCore(t)
	responses := s.source + ".responses"
	s.NewTopic(t, responses, s.partitions)
	n := testkit.Scale(t, 2000, 20_000, 100_000)
	newFeeder(t, s).all(n)
	p := s.upstreamed(t, c, "--responses", responses)
	s.done(t, p)
	p.Stop(t)
	a := c.account(t, s, 0)
	seen := map[int]int{}
	for _, r := range s.Read(t, responses) {
		source, _ := kafkatest.Header(r, "rtbwire-source")
		var partition int32
		var offset int64
		if _, err := fmt.Sscanf(string(source), s.source+"/%d/%d", &partition, &offset); err != nil {
			t.Fatalf("rtbwire-source is %q", source)
		}
		number := s.sent[partition][offset]
		if string(r.Value) != fmt.Sprintf(`{"id":"r%d","seatbid":[]}`, number) {
			t.Fatalf("answer %d is another record's: %q", number, r.Value)
		}
		if !same(r.Key, record(s.source, number, 1).Key) {
			t.Fatalf("answer %d: key %#v", number, r.Key)
		}
		seen[number]++
	}
	if len(seen) != n-len(a.dead) {
		t.Errorf("%d answers, want %d", len(seen), n-len(a.dead))
	}
}

// TestUpstreamDown has an upstream that is gone for 3 s, and one that answers 500 for 3 s. Nothing
// is committed past what it has answered, nothing becomes a dead letter because of it, and the
// program goes on by itself.
func TestUpstreamDown(t *testing.T) {
	for _, fault := range []struct {
		name        string
		unread      int // answers that may be unread
		begin, over func(t *testing.T, c *core)
	}{
		{"gone", 64, func(_ *testing.T, c *core) { c.down() }, func(t *testing.T, c *core) { c.up(t) }},
		{"500", 0, func(_ *testing.T, c *core) { c.broken.Store(true) }, func(_ *testing.T, c *core) { c.broken.Store(false) }},
	} {
		t.Run(fault.name, func(t *testing.T) {
			s, c := newStage(t, shared.get(t), len(codecs)), newCore(t)
			f := newFeeder(t, s)
			f.on(rate / 4)
			p := s.upstreamed(t, c)
			times := testkit.Scale(t, 1, 2, 5)
			for range times {
				s.more(t, rate/4, p)
				fault.begin(t, c)
				for end := time.Now().Add(3 * time.Second); time.Now().Before(end); time.Sleep(300 * time.Millisecond) {
					p.running(t)
					c.ahead(t, s)
				}
				fault.over(t, c)
				s.more(t, rate/4, p)
			}
			f.stop()
			s.done(t, p)
			p.Stop(t)
			a := c.account(t, s, fault.unread*times)
			if a.reasons["stream.undeliverable"] > 0 {
				t.Errorf("%d records were given up", a.reasons["stream.undeliverable"])
			}
		})
	}
}

// TestAlwaysFail has 20 records that always fail, far from each other and next to each other. Each
// is tried --attempts times and becomes a dead letter; all others are delivered.
func TestAlwaysFail(t *testing.T) {
	for name, fails := range map[string]func(n int) bool{
		"apart":    func(n int) bool { return n%100 == 5 && n < 2000 },
		"together": func(n int) bool { return n%5 == 3 && n >= 1000 && n < 1100 },
		"first":    func(n int) bool { return n < 20 },
	} {
		t.Run(name, func(t *testing.T) {
			s, c := newStage(t, shared.get(t), len(codecs)), newCore(t)
			c.fails.Store(&fails)
			verdict := s.expect
			s.expect = func(r *kgo.Record) expectation {
				e := verdict(r)
				if n, _ := s.identify(r); e.reason == "" && fails(n) {
					e.reason, e.nbr, e.offset = "stream.undeliverable", 1, -1
				}
				return e
			}
			n := 4000
			newFeeder(t, s).all(n)
			p := s.upstreamed(t, c, "--attempts", "3")
			s.done(t, p)
			p.Stop(t)
			c.account(t, s, 0)
			tries := map[int]int{}
			for i := range n {
				if fails(i) && poison(i) < 0 {
					tries[c.asked[i]]++
				}
			}
			t.Logf("records that always fail by requests: %v", tries)
			for times := range tries {
				if times < 3 || times > 20 {
					t.Errorf("a record was tried %d times", times)
				}
			}
		})
	}
}

// TestUpstreamKill kills the program five times while it posts: nothing is lost.
func TestUpstreamKill(t *testing.T) {
	s, c := newStage(t, shared.get(t), len(codecs)), newCore(t)
	f := newFeeder(t, s)
	f.on(rate / 4)
	bound := 0
	for range testkit.Scale(t, 1, 5, 5) {
		p := s.upstreamed(t, c)
		s.more(t, rate/4, p)
		p.kill(t)
		s.settle(t)
		bound += c.ahead(t, s)
	}
	f.stop()
	p := s.upstreamed(t, c)
	s.done(t, p)
	p.Stop(t)
	c.account(t, s, bound)
}

// TestUpstreamTerm ends the program with SIGTERM while it posts: nothing is posted twice.
func TestUpstreamTerm(t *testing.T) {
	s, c := newStage(t, shared.get(t), len(codecs)), newCore(t)
	f := newFeeder(t, s)
	f.on(rate / 4)
	for range testkit.Scale(t, 1, 5, 10) {
		p := s.upstreamed(t, c)
		s.more(t, rate/4, p)
		p.Stop(t)
	}
	f.stop()
	p := s.upstreamed(t, c)
	s.done(t, p)
	p.Stop(t)
	c.account(t, s, 0)
}

// TestTermWhileDown ends the program while its upstream is down: it can't deliver what it has read,
// says so by status 2 at its deadline, and nothing is lost.
func TestTermWhileDown(t *testing.T) {
	s, c := newStage(t, shared.get(t), len(codecs)), newCore(t)
	f := newFeeder(t, s)
	f.all(2000)
	c.down()
	p := s.upstreamed(t, c, "--drain-timeout", "1s")
	p.Signal(t, 15)
	if status := p.Status(t); status != 0 && status != 2 {
		t.Errorf("exit status %d: %s", status, p.Text())
	}
	c.ahead(t, s)
	c.up(t)
	p = s.upstreamed(t, c)
	s.done(t, p)
	p.Stop(t)
	c.account(t, s, 0)
}
