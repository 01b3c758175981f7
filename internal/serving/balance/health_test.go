package balance

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/internal/serving/upstreams"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// TestEjection ejects an address that loses requests in a row, for longer each time, and brings it
// back.
func TestEjection(t *testing.T) {
	log := &testkit.Log{}
	o := options(Declared{Name: "a"}, Declared{Name: "b"}, Declared{Name: "c"})
	o.Log = log.Logger()
	o.Outlier.Consecutive5xx = 3
	s, g := newSet(t, o)
	a := endpoints(s, "a")[0]
	end(a, 2, 500, nil)
	end(a, 1, 200, nil)
	end(a, 2, 503, nil)
	wantShares(t, "not in a row", g, 300, map[string]int{"a": 100, "b": 100, "c": 100})
	end(a, 1, 0, errReset) // a mixture is a row too
	wantShares(t, "three in a row", g, 300, map[string]int{"b": 150, "c": 150})
	end(a, 10, 500, nil) // requests that were under way
	if n := a.Stats.Ejections.Load(); n != 1 || a.ejections != 1 {
		t.Errorf("%d ejections", n)
	}
	if len(log.With("upstream ejected")) != 1 || len(log.With(`for=1h0m0s`)) != 1 || len(log.With("connection reset by peer")) != 1 {
		t.Errorf("log: %s", log.String())
	}
	if got := s.Upstream("a").States(); got != [len(States)]int{0, 0, 1, 0} {
		t.Errorf("states %v", got)
	}
	details := s.Details(g)
	if d := details[0].Addresses[0]; d.State != "ejected" || d.Share != 0 || time.Until(d.Until) > time.Hour || time.Until(d.Until) < time.Hour-time.Minute {
		t.Errorf("the ejected address is %+v", d)
	}
	if d := details[1]; d.Name != "b" || d.Weight != 1 || d.Addresses[0].State != "healthy" || d.Addresses[0].Share != 0.5 || !d.Addresses[0].Until.IsZero() {
		t.Errorf("a healthy one is %+v", d)
	}
	a.restore()
	if d := s.Details(nil)[0].Addresses[0]; d.State != "healthy" || !d.Until.IsZero() || d.Share != 0 {
		t.Errorf("after the ejection: %+v", d)
	}
	wantShares(t, "after the ejection", g, 300, map[string]int{"a": 100, "b": 100, "c": 100})
	if len(log.With("ejection of an upstream is over")) != 1 {
		t.Errorf("log: %s", log.String())
	}
	end(a, 3, 500, nil)
	if len(log.With(`for=2h0m0s`)) != 1 {
		t.Errorf("the second ejection is not longer: %s", log.String())
	}
	a.restore()
	a.back -= 3 * o.Outlier.Interval // two ejections are forgiven, and the next is as the first
	end(a, 3, 500, nil)
	if len(log.With(`for=1h0m0s`)) != 2 {
		t.Errorf("ejections are not forgiven: %s", log.String())
	}
	a.restore()
	a.ejections = 100
	end(a, 3, 500, nil)
	if len(log.With(`for=10h0m0s`)) != 1 {
		t.Errorf("ejections are not bounded: %s", log.String())
	}
}

// TestEjectionEnds is back after its time.
func TestEjectionEnds(t *testing.T) {
	o := options(Declared{Name: "a"}, Declared{Name: "b"})
	o.Outlier.BaseEjectionTime = 50 * time.Millisecond
	s, _ := newSet(t, o)
	a := endpoints(s, "a")[0]
	end(a, 5, 500, nil)
	if a.Healthy() {
		t.Error("it is not ejected")
	}
	waitFor(t, "the end of the ejection", a.Healthy)
}

// TestMaxEjected leaves enough addresses.
func TestMaxEjected(t *testing.T) {
	for _, tt := range []struct {
		addresses int
		most      float64
		want      int
	}{{1, 1, 0}, {2, 0.1, 1}, {9, 0.1, 1}, {20, 0.1, 2}, {10, 0.5, 5}, {2, 1, 2}, {10, 0, 0}} {
		var list []Declared
		for i := range tt.addresses {
			list = append(list, Declared{Name: fmt.Sprint(i)})
		}
		o := options(append(list, Declared{Name: "mirror", Apart: true})...)
		o.Outlier.MaxEjected = tt.most
		s, _ := newSet(t, o)
		got, over := 0, uint64(0)
		for _, e := range s.endpoints() {
			end(e, 5, 500, nil)
			if e.state.Load()&ejected != 0 {
				got++
			}
			over += e.Stats.NotEjected.Load()
		}
		if got != tt.want || int(over) != tt.addresses-tt.want {
			t.Errorf("%d addresses, at most %v: %d are ejected, %d more counted, want %d", tt.addresses, tt.most, got, over, tt.want)
		}
	}
}

// TestLatency ejects an address that is much slower than the others, if enough of them have had
// enough requests.
func TestLatency(t *testing.T) {
	o := options(Declared{Name: "a"}, Declared{Name: "b"}, Declared{Name: "c"}, Declared{Name: "d"})
	o.Outlier.Latency = 3
	for _, tt := range []struct {
		name     string
		requests int
		took     [4]time.Duration
		ejected  bool
	}{
		{"slow", latencyRequests, [4]time.Duration{50e6, 10e6, 11e6, 9e6}, true},
		{"few requests", latencyRequests - 1, [4]time.Duration{50e6, 10e6, 11e6, 9e6}, false},
		{"not slow enough", latencyRequests, [4]time.Duration{29e6, 10e6, 11e6, 9e6}, false},
		{"microseconds", latencyRequests, [4]time.Duration{400e3, 100e3, 110e3, 90e3}, false},
	} {
		s, _ := newSet(t, o)
		for i, e := range s.endpoints() {
			for range tt.requests {
				e.Begin()
				e.Done(200, nil, time.Minute, tt.took[i])
			}
		}
		s.latencies()
		for i, e := range s.endpoints() {
			if got := !e.Healthy(); got != (tt.ejected && i == 0) {
				t.Errorf("%s: address %d is ejected: %v", tt.name, i, got)
			}
		}
		if s.latencies(); s.endpoints()[0].took.Load() != 0 {
			t.Errorf("%s: latencies of an interval before count", tt.name)
		}
	}
}

// TestLatencyByItself compares after each interval.
func TestLatencyByItself(t *testing.T) {
	o := options(Declared{Name: "a"}, Declared{Name: "b"}, Declared{Name: "c"})
	o.Outlier.Latency, o.Outlier.Interval = 3, 20*time.Millisecond
	s, _ := newSet(t, o)
	s.Run()
	waitFor(t, "the ejection", func() bool {
		for i, e := range s.endpoints() {
			for range latencyRequests {
				e.Begin()
				e.Done(200, nil, time.Minute, []time.Duration{10e6, 11e6, 50e6}[i])
			}
		}
		return !endpoints(s, "c")[0].Healthy()
	})
	if !endpoints(s, "a")[0].Healthy() || !endpoints(s, "b")[0].Healthy() {
		t.Error("a fast address is ejected")
	}
}

// TestSays tells failures of an address from what says nothing about it.
func TestSays(t *testing.T) {
	for _, tt := range []struct {
		err  error
		time time.Duration
		want bool
	}{
		{errReset, time.Millisecond, true},
		{errRefused, time.Millisecond, true},
		{fasthttp.ErrTimeout, time.Second, true},
		{fasthttp.ErrTimeout, time.Second - 1, false},
		{fasthttp.ErrNoFreeConns, time.Hour, false},
		{fmt.Errorf("x: %w", ErrNeutral), time.Hour, false},
	} {
		s, _ := newSet(t, options(Declared{Name: "a"}))
		e := endpoints(s, "a")[0]
		for range BreakerFailures {
			e.Begin()
			e.Done(0, tt.err, tt.time, 0)
		}
		if got := !e.Healthy(); got != tt.want || e.Stats.Failures.Load() != BreakerFailures {
			t.Errorf("%v with %v: the breaker is open: %v", tt.err, tt.time, got)
		}
	}
}

// TestSilence ejects an address that answers no more, although senders give it less time than
// answers may take. Its breaker stays closed.
func TestSilence(t *testing.T) {
	for _, tt := range []struct {
		name          string
		own, other    time.Duration // mean latencies; 0: there are no answers
		timeout, slow time.Duration
		err           error
		want          bool
	}{
		{"twice its latency", 50e6, 1e6, 100e6, time.Second, fasthttp.ErrTimeout, true},
		{"less", 50e6, 1e6, 100e6 - 1, time.Second, fasthttp.ErrTimeout, false},
		{"twice the latency of another one", 0, 50e6, 100e6, time.Second, fasthttp.ErrTimeout, true},
		{"less than that", 0, 50e6, 100e6 - 1, time.Second, fasthttp.ErrTimeout, false},
		{"no latency is known", 0, 0, 999e6, time.Second, fasthttp.ErrTimeout, false},
		{"no memory", 50e6, 1e6, 100e6, time.Second, fmt.Errorf("x: %w", ErrNeutral), false},
	} {
		o := options(Declared{Name: "a"}, Declared{Name: "b"}, Declared{Name: "c"})
		o.Connections.Slow = tt.slow
		s, _ := newSet(t, o)
		a := endpoints(s, "a")[0]
		for e, took := range map[*Endpoint]time.Duration{a: tt.own, endpoints(s, "b")[0]: tt.other} {
			for range 3 {
				if took > 0 {
					e.Begin()
					e.Done(200, nil, time.Minute, took)
				}
			}
		}
		for range 5 {
			a.Begin()
			a.Done(0, tt.err, tt.timeout, tt.timeout)
		}
		if got := a.state.Load() == ejected; got != tt.want || !a.breaker.Closed() {
			t.Errorf("%s: ejected: %v, the breaker is closed: %v", tt.name, got, a.breaker.Closed())
		}
	}
}

// TestMean follows the latency of an address.
func TestMean(t *testing.T) {
	s, _ := newSet(t, options(Declared{Name: "a"}))
	e := endpoints(s, "a")[0]
	for _, took := range []time.Duration{10e6, 50e6} {
		for range 10 * meanOver {
			e.Begin()
			e.Done(200, nil, time.Minute, took)
		}
		if got := time.Duration(e.mean.Load()); got < took*99/100 || got > took*101/100 {
			t.Errorf("the mean is %v, want about %v", got, took)
		}
	}
}

// TestRetries tries other addresses, each once, and not more than there may be.
func TestRetries(t *testing.T) {
	var list []Declared
	for i := range 10 {
		list = append(list, Declared{Name: fmt.Sprint(i)})
	}
	for _, n := range []int{1, 2, RetriesMax + 1, 10} {
		for _, how := range []Balance{RoundRobin, LeastRequest} {
			o := options(list[:n]...)
			o.Balance = how
			_, g := newSet(t, o)
			var tried Tried
			var got []*Endpoint
			for more := true; more; {
				e := g.Pick(&tried)
				if e == nil {
					break
				}
				if slices.Contains(got, e) {
					t.Errorf("%d addresses: one is tried twice", n)
				}
				got = append(got, e)
				more = tried.Add(e)
			}
			if len(got) != min(n, RetriesMax+1) {
				t.Errorf("%d addresses: %d are tried", n, len(got))
			}
		}
	}
}

// TestOneTriesAnOpenBreaker has one request in each pause find out if an address is back.
func TestOneTriesAnOpenBreaker(t *testing.T) {
	s, g := newSet(t, options(Declared{Name: "a"}, Declared{Name: "b"}))
	a := endpoints(s, "a")[0]
	end(a, BreakerFailures, 0, errRefused)
	wantShares(t, "in the pause", g, 100, map[string]int{"b": 100})
	waitFor(t, "the end of the pause", func() bool { return g.Pick(&Tried{}) == a })
	wantShares(t, "in the next pause", g, 100, map[string]int{"b": 100})
	end(a, 1, 200, nil)
	wantShares(t, "it is back", g, 100, map[string]int{"a": 50, "b": 50})
}

// TestReload keeps addresses, their health and counts, where they are declared as they were. Those
// that are gone drain.
func TestReload(t *testing.T) {
	o := options(Declared{Name: "a"}, Declared{Name: "b"}, Declared{Name: "c"}, Declared{Name: "d"})
	s, _ := newSet(t, o)
	a, b, c := endpoints(s, "a")[0], endpoints(s, "b")[0], endpoints(s, "c")[0]
	end(a, 5, 500, nil)
	end(b, 3, 200, nil)
	o.Upstreams = slices.Clone(o.Upstreams[:3])
	o.Upstreams[0].Weight, o.Upstreams[1].Zone = 2, "z" // what is not about connections
	o.Upstreams[2].URLs = []string{"http://192.0.2.9"}
	o.Upstreams = append(o.Upstreams, Declared{Name: "e", Weight: 1, URLs: []string{"http://192.0.2.10"}})
	next, err := New(o, s)
	if err != nil {
		t.Fatal(err)
	}
	g := groupOfAll(t, next)
	if a.set.Load() != s || c.state.Load() != 0 {
		t.Error("a set changes another one before it is used")
	}
	next.Use(s)
	t.Cleanup(next.Stop)
	if endpoints(next, "a")[0] != a || endpoints(next, "b")[0] != b || endpoints(next, "c")[0] == c {
		t.Error("not the same addresses")
	}
	if c.state.Load()&gone == 0 || endpoints(s, "d")[0].state.Load()&gone == 0 {
		t.Error("addresses that are gone do not drain")
	}
	if next.Upstream("b").Stats.Requests.Load() != 3 || next.Upstream("c").Stats != s.Upstream("c").Stats {
		t.Error("counts begin again")
	}
	wantShares(t, "a is ejected still", g, 300, map[string]int{"b": 100, "c": 100, "e": 100})
	a.restore()
	wantShares(t, "and back", g, 500, map[string]int{"a": 200, "b": 100, "c": 100, "e": 100})
	o.Connections.Max++
	third, err := New(o, next)
	if err != nil || third.endpoints()[0] == a {
		t.Errorf("%v, or an address has the old limit on connections", err)
	}
}

// TestUnusable refuses what no set can be made of, with the name.
func TestUnusable(t *testing.T) {
	many := make([]Declared, UpstreamsMax+1)
	for i := range many {
		many[i].Name = fmt.Sprint(i)
	}
	for want, o := range map[string]Options{
		`upstream "a" is given twice`:         options(Declared{Name: "a"}, Declared{Name: "a"}),
		`"http://x" twice`:                    options(Declared{Name: "a", URLs: []string{"http://x", "http://x"}}),
		"ftp://x":                             options(Declared{Name: "a", URLs: []string{"ftp://x"}}),
		fmt.Sprint(UpstreamsMax+1, " upstre"): options(many...),
		fmt.Sprint(URLsMax+1, " URLs"):        options(Declared{Name: "a", URLs: make([]string, URLsMax+1)}),
	} {
		if _, err := New(o, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	s, _ := newSet(t, options(Declared{Name: "core-a"}, Declared{Name: "b"}))
	if _, err := s.Group("core-b"); err == nil || !strings.Contains(err.Error(), `did you mean "core-a"?`) {
		t.Error(err)
	}
}

// TestChecks marks an address that fails its checks, and one that passes again, after the number of
// checks that it takes. The first one decides alone.
func TestChecks(t *testing.T) {
	a, b := newCore(t, "127.0.0.1:0"), newCore(t, "127.0.0.1:0")
	log := &testkit.Log{}
	o := options(Declared{Name: "a", URLs: []string{"http://" + a.address}}, Declared{Name: "b", URLs: []string{"http://" + b.address + "/bid"}, CheckPath: "/own"})
	o.Check.Path, o.Check.Interval, o.Check.Jitter, o.Check.Unhealthy, o.Log = "/health", 10*time.Millisecond, 0.1, 10, log.Logger()
	a.status.Store(500)
	s, g := newSet(t, o)
	s.Run()
	first, second := endpoints(s, "a")[0], endpoints(s, "b")[0]
	waitFor(t, "the first check", func() bool { return a.asked.Load() > 0 && !first.Healthy() })
	if n := a.asked.Load(); n >= int64(o.Check.Unhealthy) {
		t.Errorf("the first check does not decide, but %d do", n)
	}
	wantShares(t, "a fails", g, 100, map[string]int{"b": 100})
	a.status.Store(302)
	waitFor(t, "a that is good again", first.Healthy)
	if first.Stats.Checks.Load() < uint64(o.Check.Healthy)+1 {
		t.Error("one good check is enough")
	}
	waitFor(t, "checks of b", func() bool { return b.asked.Load() > 3 })
	if p := *a.path.Load(); p != "/health" {
		t.Errorf("a was asked for %s", p)
	}
	if p := *b.path.Load(); p != "/own" {
		t.Errorf("b was asked for %s", p)
	}
	failures := second.Stats.CheckFailures.Load()
	b.status.Store(404)
	waitFor(t, "b that fails", func() bool { return !second.Healthy() })
	if n := second.Stats.CheckFailures.Load() - failures; n < uint64(o.Check.Unhealthy) {
		t.Errorf("%d bad checks are enough", n)
	}
	if len(log.With("checks of an upstream fail")) != 2 || len(log.With("succeed again")) != 1 || len(log.With("an answer of status 404")) != 1 {
		t.Error(log.String())
	}
	// A reload without checks: nothing is known to be wrong any more.
	o.Check.Path = ""
	next, err := New(o, s)
	if err != nil {
		t.Fatal(err)
	}
	next.Use(s)
	next.Run()
	t.Cleanup(next.Stop)
	if !second.Healthy() {
		t.Error("an address still fails checks that there are not")
	}
	asked := b.asked.Load()
	time.Sleep(10 * o.Check.Interval)
	if n := b.asked.Load() - asked; n > 1 {
		t.Errorf("%d checks after the end", n)
	}
}

// TestCheckNeedsAnAnswer marks an address where nobody listens.
func TestCheckNeedsAnAnswer(t *testing.T) {
	c := newCore(t, "127.0.0.1:0")
	o := options(Declared{Name: "a", URLs: []string{"http://" + c.address}}, Declared{Name: "b", URLs: []string{"http://127.0.0.1:1"}})
	o.Check.Path = "/"
	s, _ := newSet(t, o)
	s.Run()
	waitFor(t, "the checks", func() bool { return c.asked.Load() > 0 && !endpoints(s, "b")[0].Healthy() })
	if !endpoints(s, "a")[0].Healthy() {
		t.Error("an address that answers fails")
	}
}

// names is a name service.
type names struct {
	list  atomic.Pointer[[]netip.Addr]
	err   atomic.Pointer[error]
	asked atomic.Int64
}

func (n *names) set(err error, addresses ...string) {
	var list []netip.Addr
	for _, a := range addresses {
		list = append(list, netip.MustParseAddr(a))
	}
	n.list.Store(&list)
	n.err.Store(&err)
}

func (n *names) lookup(_ context.Context, host string) ([]netip.Addr, error) {
	if host != "core.example" {
		return nil, fmt.Errorf("asked for %s", host)
	}
	n.asked.Add(1)
	return *n.list.Load(), *n.err.Load()
}

// addresses returns those of an upstream.
func addresses(s *Set, name string) (list []string) {
	for _, e := range endpoints(s, name) {
		list = append(list, e.Address)
	}
	return list
}

// TestResolve follows the addresses of a name: new ones get their part, those that are gone drain,
// and without any those before stay.
func TestResolve(t *testing.T) {
	dns, log := &names{}, &testkit.Log{}
	dns.set(nil, "127.0.0.2", "127.0.0.1", "127.0.0.2", "::1", "::ffff:127.0.0.3")
	o := options(Declared{Name: "a", URLs: []string{"http://core.example:9000"}}, Declared{Name: "b"})
	o.DNSInterval, o.Lookup, o.Log, o.SlowStart = 10*time.Millisecond, dns.lookup, log.Logger(), time.Hour
	s, g := newSet(t, o)
	if got := addresses(s, "a"); !slices.Equal(got, []string{"core.example:9000"}) {
		t.Errorf("before it is resolved: %v", got)
	}
	named := endpoints(s, "a")[0]
	s.Run()
	want := func(what string, list ...string) {
		t.Helper()
		waitFor(t, what, func() bool { return slices.Equal(addresses(s, "a"), list) })
	}
	want("three addresses", "127.0.0.1:9000", "127.0.0.2:9000", "127.0.0.3:9000")
	if named.state.Load()&gone == 0 {
		t.Error("the name is still used as an address")
	}
	wantShares(t, "the share stays", g, 600, map[string]int{"a": 300, "b": 300})
	stays, leaves := endpoints(s, "a")[0], endpoints(s, "a")[1]
	dns.set(nil, "127.0.0.1", "127.0.0.4")
	want("others", "127.0.0.1:9000", "127.0.0.4:9000")
	if endpoints(s, "a")[0] != stays || leaves.state.Load()&gone == 0 || !endpoints(s, "a")[1].warming(o.SlowStart) || stays.warming(o.SlowStart) {
		t.Error("an address that stays is new, or one that is gone stays, or a new one does not begin slowly")
	}
	if string(endpoints(s, "a")[1].Host) != "core.example:9000" {
		t.Errorf("the header Host is %s", endpoints(s, "a")[1].Host)
	}
	for _, err := range []error{errors.New("no such host"), nil} {
		dns.set(err)
		failures := stays.Stats.ResolveFailures.Load()
		waitFor(t, "failures", func() bool { return stays.Stats.ResolveFailures.Load() > failures+2 })
	}
	want("the last known", "127.0.0.1:9000", "127.0.0.4:9000")
	if len(log.With("no such host")) != 1 {
		t.Errorf("log: %s", log.String())
	}
	dns.set(nil, "::1", "::2")
	want("addresses of IPv6", "[::1]:9000", "[::2]:9000")
	if len(log.With("is resolved again")) != 1 || len(log.With("have changed")) != 3 {
		t.Errorf("log: %s", log.String())
	}
	var many []string
	for i := range AddressesMax + 3 {
		many = append(many, netip.AddrFrom4([4]byte{10, 0, byte(i / 200), byte(i % 200)}).String())
	}
	dns.set(nil, many...)
	waitFor(t, "many addresses", func() bool { return len(addresses(s, "a")) == AddressesMax })
	waitFor(t, "a line about them", func() bool { return len(log.With(`"left out"=3`)) == 1 })
	s.Stop()
	time.Sleep(20 * time.Millisecond)
	asked := dns.asked.Load()
	time.Sleep(5 * o.DNSInterval)
	if n := dns.asked.Load(); n != asked {
		t.Errorf("%d questions after the end", n-asked)
	}
}

// TestResolveAndReload keeps addresses and goes on.
func TestResolveAndReload(t *testing.T) {
	dns := &names{}
	dns.set(nil, "127.0.0.1", "127.0.0.2")
	o := options(Declared{Name: "a", URLs: []string{"http://core.example"}})
	o.DNSInterval, o.Lookup = 10*time.Millisecond, dns.lookup
	s, _ := newSet(t, o)
	s.Run()
	waitFor(t, "addresses", func() bool { return len(addresses(s, "a")) == 2 })
	before := endpoints(s, "a")
	o.Upstreams = slices.Clone(o.Upstreams)
	o.Upstreams[0].Weight = 2
	next, err := New(o, s)
	if err != nil {
		t.Fatal(err)
	}
	next.Use(s)
	next.Run()
	t.Cleanup(next.Stop)
	if !slices.Equal(endpoints(next, "a"), before) || before[0].state.Load() != 0 {
		t.Error("other addresses")
	}
	if s.Runs() || !next.Runs() {
		t.Error("the set before works on, or the next one does not")
	}
	dns.set(nil, "127.0.0.3")
	waitFor(t, "the next address", func() bool { return slices.Equal(addresses(next, "a"), []string{"127.0.0.3:80"}) })
}

// TestNotResolved has URLs without a name to resolve.
func TestNotResolved(t *testing.T) {
	for url, want := range map[string]bool{
		"http://127.0.0.1:9000": false, "http://[::1]:9000": false, "http://localhost:9000": false, "http://LOCALHOST": false, "unix:/run/core.sock": false,
		"http://core:9000": true, "https://core.example": true,
	} {
		s, _ := newSet(t, options(Declared{Name: "a", URLs: []string{url}}))
		if got := s.Upstreams()[0].sources[0].resolves(); got != want {
			t.Errorf("%s: resolved %v, want %v", url, got, want)
		}
	}
}

// TestStats counts by status and partner, within limits.
func TestStats(t *testing.T) {
	s, _ := newSet(t, options(Declared{Name: "a"}))
	e := endpoints(s, "a")[0]
	for status, n := range map[int]int{200: 1, 204: 2, 302: 3, 404: 4, 500: 5, 599: 6, 999: 7} {
		end(e, n, status, nil)
	}
	for i, want := range []uint64{3, 3, 4, 11, 7} {
		if got := e.Stats.Statuses[i].Load(); got != want {
			t.Errorf("%s: %d, want %d", StatusNames[i], got, want)
		}
	}
	for i := range PartnersMax + 5 {
		e.Stats.Bid(fmt.Sprint(i), BidMade)
	}
	e.Stats.Bid("0", BidMade)
	all := e.Stats.Partners()
	if len(all) != PartnersMax+1 || all[OtherPartners][BidMade].Load() != 5 || all["0"][BidMade].Load() != 2 {
		t.Errorf("%d partners, %d of others", len(all), all[OtherPartners][BidMade].Load())
	}
}

// TestInFlight counts what is under way.
func TestInFlight(t *testing.T) {
	s, _ := newSet(t, options(Declared{Name: "a"}))
	u := s.Upstream("a")
	e := u.Endpoints()[0]
	e.Begin()
	if u.InFlight() != 1 || !u.Healthy() || u.Connections() != 0 {
		t.Error("one request is under way")
	}
	e.Done(0, errReset, time.Minute, 0)
	if u.InFlight() != 0 {
		t.Error("none is under way")
	}
	if upstreams.Unsent(errReset) || !upstreams.Unsent(errRefused) {
		t.Error("the errors of these tests are not what they are for")
	}
}
