package candidate

import (
	"bytes"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/internal/serving/kept"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

type holdsFor func(in *rule.Input) bool

func (h holdsFor) Holds(in *rule.Input) (bool, error) { return h(in), nil }

// engine has one rule, which refuses.
func engine(t testing.TB, when holdsFor) *inspect.Engine {
	t.Helper()
	e, err := inspect.New(inspect.Config{Global: inspect.Layer{Rules: []inspect.Rule{{Name: "own", When: when}}}})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func never(*rule.Input) bool { return false }

const good = `{"id":"%d","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"s"}}`

func start(t testing.TB, o Options) *Candidate {
	t.Helper()
	o.Namespace = "x_"
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	c := New(o)
	c.Start()
	t.Cleanup(c.Stop)
	return c
}

// judged is how many requests were judged, or left out.
func (c *Candidate) judged() (n float64) {
	for _, k := range c.metrics.kinds {
		n += valueOf(k)
	}
	return n + valueOf(c.metrics.full) + valueOf(c.metrics.panics)
}

func valueOf(c prometheus.Counter) float64 {
	var m dto.Metric
	if err := c.Write(&m); err != nil {
		panic(err)
	}
	return m.GetCounter().GetValue()
}

// counted returns the requests by change, and the changes by reason.
func (c *Candidate) counted(t *testing.T) map[string]float64 {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(c)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for _, f := range families {
		name := map[string]string{"x_" + MetricRequests: "requests", "x_" + MetricChanges: "changes"}[f.GetName()]
		if name == "" {
			continue
		}
		for _, m := range f.GetMetric() {
			key := name
			for _, l := range m.GetLabel() {
				key += " " + l.GetValue()
			}
			out[key] = m.GetCounter().GetValue()
		}
	}
	return out
}

func wait(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited 20 s for: %s", what)
		}
	}
}

// TestCandidate counts differences by change and reason, with the facts of the live configuration,
// and uses another engine after a swap.
func TestCandidate(t *testing.T) {
	t.Parallel()
	live := engine(t, func(in *rule.Input) bool { return in.Request.ID == "1" })
	facts := inspect.Facts{
		Partner: "p", Publisher: "pub", Peer: netip.MustParseAddr("192.0.2.1"), UserAgent: "agent", Forwarded: []netip.Addr{netip.MustParseAddr("192.0.2.2")},
		Headers: []inspect.Header{{Name: "X-A", Value: "b"}}, Time: time.Unix(1, 2), Seen: true, Counts: inspect.Counts{IFA: 3, Address: 4}, Vendor: []inspect.VendorAnswer{{Name: "v", Score: 5}},
	}
	seen := make(chan inspect.Facts, 1)
	h := inspect.NewHolder(engine(t, func(in *rule.Input) bool {
		if in.Request.ID == "2" {
			f := *in.Facts
			f.Vendor, f.Forwarded = append([]inspect.VendorAnswer(nil), f.Vendor...), append([]netip.Addr(nil), f.Forwarded...)
			seen <- f
		}
		return in.Request.ID == "2"
	}))
	c := start(t, Options{Holder: h})
	w := live.NewWorker()
	add := func() {
		for i := range 4 {
			body := fmt.Appendf(nil, good, i)
			v := w.Inspect(body, facts)
			before := c.judged()
			c.Add(body, &facts, nil, &v)
			clear(body) // it is copied
			wait(t, "the request to be judged", func() bool { return c.judged() == before+1 })
		}
	}
	add()
	if got := <-seen; !reflect.DeepEqual(got, facts) {
		t.Errorf("the facts are %+v, want %+v", got, facts)
	}
	expect := func(same float64) {
		t.Helper()
		want := map[string]float64{
			"requests same": same, "requests to-refuse": 1, "requests to-forward": 1, "requests other-reason": 0, "requests observed-refuse": 0, "requests observed-forward": 0,
			"changes to-refuse policy.own": 1, "changes to-forward policy.own": 1,
		}
		if got := c.counted(t); !maps.Equal(got, want) {
			t.Errorf("counted %v\nwant %v", got, want)
		}
	}
	expect(2)
	h.Swap(live) // promoted: there is no difference any more
	c.Reloaded()
	add()
	expect(6)
	if now := c.Configuration(); now.Generation != 2 {
		t.Errorf("%+v", now)
	}
	c.ReloadFailed(fmt.Errorf("no such file"))
	if now := c.Configuration(); now.Generation != 2 || now.Problem == "" {
		t.Errorf("%+v", now)
	}
}

// TestObserving: what operators observe refuses nothing under the candidate either, and is not its
// difference.
func TestObserving(t *testing.T) {
	t.Parallel()
	always := engine(t, func(*rule.Input) bool { return true })
	c := start(t, Options{Holder: inspect.NewHolder(always)})
	body, n := fmt.Appendf(nil, good, 1), 0.0
	for _, live := range []*inspect.Engine{always, engine(t, never)} {
		w, o := live.NewWorker(), &inspect.Observing{Reasons: map[string]bool{"policy.own": true}}
		_ = w.Decode(body)
		v := w.JudgeObserving(inspect.Facts{}, o)
		c.Add(body, &inspect.Facts{}, o, &v)
		n++
		wait(t, "the request to be judged", func() bool { return c.judged() == n })
	}
	if got := c.counted(t); got["requests same"] != 1 || got["requests observed-refuse"] != 1 {
		t.Errorf("counted %v", got)
	}
}

// TestPanic: a rule that panics costs the request that it is about.
func TestPanic(t *testing.T) {
	t.Parallel()
	c := start(t, Options{Holder: inspect.NewHolder(engine(t, func(in *rule.Input) bool {
		if in.Request.ID == "1" {
			panic("planted")
		}
		return false
	}))})
	v := inspect.Verdict{}
	for i := range 3 {
		c.Add(fmt.Appendf(nil, good, i), &inspect.Facts{}, nil, &v)
	}
	wait(t, "all to be judged", func() bool { return c.judged() == 3 })
	if panics := valueOf(c.metrics.panics); panics != 1 {
		t.Errorf("%v panics", panics)
	}
}

// TestSlow: a rule that does not end holds up nobody. What has no room is left out and counted.
func TestSlow(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 100 << 10} {
		release := make(chan struct{})
		c := start(t, Options{Holder: inspect.NewHolder(engine(t, func(*rule.Input) bool { <-release; return false }))})
		const sent = 4 * QueueMax
		body := bytes.Replace(fmt.Appendf(nil, good, 1), []byte(`"s"`), fmt.Appendf(nil, "%q", "s"+strings.Repeat("x", size)), 1)
		v := inspect.Verdict{}
		for range sent {
			c.Add(body, &inspect.Facts{}, nil, &v)
		}
		full := valueOf(c.metrics.full)
		if most := min(QueueMax, QueueBytesMax/len(body)); full < float64(sent-most-1) || full > sent {
			t.Errorf("%d bytes: %v of %d are left out", len(body), full, sent)
		}
		close(release)
		wait(t, "the rest to be judged", func() bool { return c.judged() == sent })
		if held := c.bytes.Load(); held != 0 {
			t.Errorf("%d bytes are still counted", held)
		}
	}
}

// TestShare judges about as many as were asked for, and refuses what is no share.
func TestShare(t *testing.T) {
	t.Parallel()
	c := New(Options{Holder: inspect.NewHolder(nil), Share: 0.25}) // it does not run
	const sent = 2000
	v := inspect.Verdict{}
	for range sent {
		c.Add(fmt.Appendf(nil, good, 1), &inspect.Facts{}, nil, &v) // all with the same id
	}
	taken := float64(len(c.items))
	if deviation := 5 * math.Sqrt(0.25*0.75*sent); math.Abs(taken-0.25*sent) > deviation {
		t.Errorf("%v of %d are taken, want a quarter", taken, sent)
	}
	for _, share := range []float64{-1, 1.5, math.NaN()} {
		if Validate(share) == nil {
			t.Errorf("%v is a share", share)
		}
	}
}

// TestNone: without a holder there is no candidate, and nothing to do.
func TestNone(t *testing.T) {
	t.Parallel()
	c := New(Options{})
	c.Start()
	c.Add(nil, nil, nil, nil)
	c.Reloaded()
	c.ReloadFailed(nil)
	c.Stop()
	if c != nil || c.Configuration() != nil {
		t.Errorf("%+v", c)
	}
}

// TestStop ends while requests wait, and takes none afterwards.
func TestStop(t *testing.T) {
	t.Parallel()
	c := start(t, Options{Holder: inspect.NewHolder(engine(t, never))})
	v := inspect.Verdict{}
	for range 100 {
		c.Add(fmt.Appendf(nil, good, 1), &inspect.Facts{}, nil, &v)
	}
	c.Stop()
	c.Stop()
	c.Add(fmt.Appendf(nil, good, 1), &inspect.Facts{}, nil, &v)
}

// TestAllocations: a warm candidate takes a request without memory.
func TestAllocations(t *testing.T) {
	if !mem.ZeroCopy || testkit.Race {
		t.Skip("pools and copies differ")
	}
	c := New(Options{Holder: inspect.NewHolder(nil)}) // it does not run
	body, facts, v := fmt.Appendf(nil, good, 1), inspect.Facts{UserAgent: "x", Headers: []inspect.Header{{Name: "a", Value: "b"}}}, inspect.Verdict{}
	if n := testing.AllocsPerRun(100, func() {
		c.Add(body, &facts, nil, &v)
		c.recycle(<-c.items)
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestKept: a copy has everything, and none of the memory of what it was made of.
func TestKept(t *testing.T) {
	t.Parallel()
	var r kept.Request
	for range 2 {
		body := []byte("body")
		f := inspect.Facts{Publisher: "pub", UserAgent: "agent", Headers: []inspect.Header{{Name: "a", Value: "1"}, {Name: "b", Value: ""}}}
		r.Fill(body, &f)
		clear(body)
		if got := r.Facts(); string(r.Body()) != "body" || !reflect.DeepEqual(got.Headers, f.Headers) || got.Publisher != "pub" || got.UserAgent != "agent" || r.Size() == 0 {
			t.Errorf("%q, %+v", r.Body(), got)
		}
		if r.Reset(); r.Size() != 0 || len(r.Body()) != 0 || r.Facts().Partner != "" {
			t.Errorf("after Reset: %q", r.Body())
		}
	}
}

// TestIdle: a worker that waits for the next request keeps nothing of the last one.
func TestIdle(t *testing.T) {
	t.Parallel()
	c := New(Options{Holder: inspect.NewHolder(engine(t, never))})
	w, i := c.options.Holder.NewWorker(), &item{}
	i.Fill(fmt.Appendf(nil, good, 1), &inspect.Facts{Partner: "p"})
	if !c.judge(w, i) || w.Request() != nil {
		t.Errorf("it keeps %+v", w.Request())
	}
}

// BenchmarkAdd is what a request costs the one who answers it.
func BenchmarkAdd(b *testing.B) {
	c := New(Options{Holder: inspect.NewHolder(nil)})
	body, facts, v := testkit.Requests(b)[0], inspect.Facts{UserAgent: "x"}, inspect.Verdict{}
	b.ReportAllocs()
	for b.Loop() {
		c.Add(body, &facts, nil, &v)
		c.recycle(<-c.items)
	}
}
