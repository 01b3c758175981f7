package gateway

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/splice"
)

// blocksFunc is what operators block, for tests.
type blocksFunc func(r *openrtb.BidRequest, f *inspect.Facts) (path string, found bool)

func (f blocksFunc) Blocked(r *openrtb.BidRequest, facts *inspect.Facts) (string, bool) {
	return f(r, facts)
}

// TestOverrides drains, observes and blocks, with every protocol, and ends it again.
func TestOverrides(t *testing.T) {
	t.Parallel()
	site := func(tb testing.TB, domain string) []byte {
		tb.Helper()
		body, err := splice.Apply(nil, good(tb), wire.Set("/id", []byte(`"test-banner"`)), wire.Set("/site/domain", fmt.Appendf(nil, "%q", domain)))
		if err != nil {
			tb.Fatal(err)
		}
		return body
	}
	eachProtocol(t, func(t *testing.T, serve func(Options) (*started, sending)) {
		up := newCore(t, nil)
		refusesBad := func(in *rule.Input) bool { return in.Request.Site != nil && in.Request.Site.Domain == "bad.example" }
		g, send := serve(Options{
			Upstreams: At(up.URL), Engine: engineThat(t, refusesBad),
			Passthrough: []Passthrough{{Path: "/win"}},
			Partners: []Partner{
				{Name: "a", Match: Match{Path: "/a", From: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}, NoBid: NoBid200},
				{Name: "b", Match: Match{Path: "/b"}, NoBid: NoBid400JSON},
				{Name: "win", Match: Match{From: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}},
			},
		})
		ok, bad, now := site(t, "ok.example"), site(t, "bad.example"), site(t, "now.example")
		check := func(what, path string, body []byte, status int, answer string) {
			t.Helper()
			r := send("POST", path, body, "Content-Type", "application/json")
			forwarded := len(up.take()) > 0
			if r.status != status || r.body != answer || forwarded != (answer == answered) {
				t.Errorf("%s: %d %s, forwarded %v; want %d %s", what, r.status, r.body, forwarded, status, answer)
			}
		}
		check("before", "/a", ok, 200, answered)
		check("before", "/a", bad, 200, `{"id":"test-banner","nbr":501}`)

		g.SetOverrides(&Overrides{DrainedPartners: map[string]bool{"a": true, "win": true}})
		check("drained", "/a", ok, 204, "")
		check("another one", "/b", ok, 200, answered)
		if r := send("GET", "/win", nil); r.status != 200 {
			t.Errorf("a notice of a drained partner: %d", r.status)
		}
		up.take()

		g.SetOverrides(&Overrides{ObservedPartners: map[string]bool{"a": true}})
		check("observed", "/a", bad, 200, answered)
		check("another one", "/b", bad, 400, `{"id":"test-banner","nbr":501}`)
		g.SetOverrides(&Overrides{ObservedRules: map[string]bool{"policy.test": true}})
		check("an observed rule", "/b", bad, 200, answered)
		check("another rule", "/b", []byte(`{"id":"r","imp":[]}`), 400, `{"id":"r","nbr":2}`)

		g.SetOverrides(&Overrides{ObservedPartners: map[string]bool{"a": true}, Blocks: blocksFunc(func(r *openrtb.BidRequest, f *inspect.Facts) (string, bool) {
			return "/site/domain", r.Site.Domain == "now.example" && f.Peer.IsLoopback()
		})})
		check("blocked", "/b", now, 400, `{"id":"test-banner","nbr":501}`)
		check("blocked, of an observed partner", "/a", now, 200, `{"id":"test-banner","nbr":501}`)
		check("not blocked", "/b", ok, 200, answered)
		last := g.Rejects()[0]
		if last.Reason != inspect.ReasonBlockedNow || last.Findings[0].Path != "/site/domain" || last.Partner != "a" {
			t.Errorf("shown as %+v", last)
		}

		g.SetOverrides(nil)
		check("after", "/b", now, 200, answered)
		for reason, want := range map[string]float64{"a,gateway.drained": 1, "a,policy.blocked-now": 1, "b,policy.blocked-now": 1} {
			if got := measured(t, g.Gateway, Namespace+"rejected_total")[reason]; got != want {
				t.Errorf("%s: %v, want %v", reason, got, want)
			}
		}
		if got := measured(t, g.Gateway, Namespace+"would_refuse_total"); got["a,policy.test"] != 1 || got["b,policy.test"] != 1 || sum(measured(t, g.Gateway, Namespace+"shadow_rejected_total")) != 0 {
			t.Errorf("would refuse: %v", got)
		}
	})
}

// TestOverridesInShadow refuses nothing, and counts what would be.
func TestOverridesInShadow(t *testing.T) {
	t.Parallel()
	up := newCore(t, nil)
	g := start(t, Options{Upstreams: At(up.URL), Shadow: true, Partners: []Partner{{Name: "a", Match: Match{Path: "/a"}}}})
	g.SetOverrides(&Overrides{DrainedPartners: map[string]bool{"a": true}, Blocks: blocksFunc(func(*openrtb.BidRequest, *inspect.Facts) (string, bool) { return "", true })})
	r := g.post(t, "/a", good(t))
	for _, name := range []string{"shadow_rejected_total", "would_refuse_total"} {
		if got := measured(t, g.Gateway, Namespace+name); r.status != 200 || got["a,"+inspect.ReasonBlockedNow] != 1 {
			t.Errorf("status %d, %s %v", r.status, name, got)
		}
	}
}

// TestDrainUpstream takes upstreams out of use, over reloads, and puts them back.
func TestDrainUpstream(t *testing.T) {
	t.Parallel()
	one, two, three := newCore(t, nil), newCore(t, nil), newCore(t, nil)
	g := start(t, Options{Upstreams: At(one.URL, two.URL)})
	got := func() (list []int) {
		t.Helper()
		for range 20 {
			if r := g.post(t, PathDefault, good(t)); r.status != 200 {
				t.Fatalf("status %d", r.status)
			}
		}
		return []int{len(one.take()), len(two.take()), len(three.take())}
	}
	if n := got(); n[0] == 0 || n[1] == 0 {
		t.Errorf("before: %v", n)
	}
	g.SetOverrides(&Overrides{DrainedUpstreams: map[string]bool{one.URL: true, "http://gone": true}})
	if n := got(); !slices.Equal(n, []int{0, 20, 0}) {
		t.Errorf("drained: %v", n)
	}
	if a, b := measured(t, g.Gateway, Namespace+"upstream_drained")[one.URL], measured(t, g.Gateway, Namespace+"upstream_drained")[two.URL]; a != 1 || b != 0 {
		t.Errorf("metrics: drained %v and %v", a, b)
	}
	if _, err := g.Reload(Options{Upstreams: At(one.URL, three.URL), UpstreamTimeout: g.Options().UpstreamTimeout}); err != nil {
		t.Fatal(err)
	}
	if n := got(); !slices.Equal(n, []int{0, 0, 20}) {
		t.Errorf("drained, after a reload: %v", n)
	}
	// One that is made anew is drained, too.
	if _, err := g.Reload(Options{Upstreams: At(one.URL, three.URL), UpstreamTimeout: g.Options().UpstreamTimeout / 2}); err != nil {
		t.Fatal(err)
	}
	if n := got(); !slices.Equal(n, []int{0, 0, 20}) {
		t.Errorf("drained, after another reload: %v", n)
	}
	g.SetOverrides(nil)
	if n := got(); n[0] == 0 || n[2] == 0 || g.Upstreams()[0].Drained {
		t.Errorf("after: %v", n)
	}
	g.SetOverrides(&Overrides{DrainedUpstreams: map[string]bool{one.URL: true, three.URL: true}})
	if r := g.post(t, PathDefault, good(t)); r.status != 503 {
		t.Errorf("all are drained: %d", r.status)
	}
}

// TestStranded says whose requests have no other upstream. Those of a drained canary go where all
// go.
func TestStranded(t *testing.T) {
	t.Parallel()
	main, canary := newCore(t, nil), newCore(t, nil)
	g := start(t, Options{
		Upstreams: []Upstream{
			{Name: "main", URLs: []string{main.URL}}, {Name: "canary", URLs: []string{canary.URL}, Canary: 1},
			{Name: "a", URLs: []string{"http://127.0.0.1:1"}, Routed: true}, {Name: "b", URLs: []string{"http://127.0.0.1:2"}, Routed: true},
		},
		Partners: []Partner{
			{Name: "p", Match: Match{Path: "/p"}, Upstreams: []string{"a", "b"}},
			{Name: "q", Match: Match{Path: "/q"}, PublisherUpstreams: map[string][]string{"1": {"b", "main"}}},
		},
	})
	drain := func(names ...string) {
		o := &Overrides{DrainedUpstreams: map[string]bool{}}
		for _, name := range names {
			o.DrainedUpstreams[name] = true
		}
		g.SetOverrides(o)
	}
	for _, tt := range []struct {
		drained []string
		without map[string]string
	}{
		{nil, map[string]string{"": "", "main": "requests that nothing routes", "canary": "", "a": "", "b": ""}},
		{[]string{"canary", "a"}, map[string]string{"": "", "b": "the partner p", "canary": ""}},
		{[]string{"a", "b"}, map[string]string{"": "the partner p"}},
		{[]string{"main"}, map[string]string{"": "requests that nothing routes"}},
	} {
		drain(tt.drained...)
		for name, want := range tt.without {
			if got := g.Stranded(name); got != want {
				t.Errorf("%v are drained, without %q: %q, want %q", tt.drained, name, got, want)
			}
		}
	}
	drain("canary")
	if r := g.post(t, PathDefault, good(t)); r.status != 200 || len(main.take()) != 1 || len(canary.take()) != 0 {
		t.Errorf("with a drained canary: status %d", r.status)
	}
}

// TestObservedResponses takes no bid out of answers to an observed partner.
func TestObservedResponses(t *testing.T) {
	t.Parallel()
	o := &Options{Responses: Responses{Mode: ResponsesEnforce, Sample: 1}}
	engine, err := inspect.New(inspect.Config{})
	if err != nil {
		t.Fatal(err)
	}
	w := engine.NewWorker()
	observed := &Overrides{ObservedPartners: map[string]bool{"p": true}}
	for name, want := range map[string]ResponseMode{"q": ResponsesEnforce, "p": ResponsesObserve} {
		var d decision
		_ = w.Decode(good(t))
		d.judge(w, &facts{}, observed.observing(&partner{Partner: &Partner{Name: name}}))
		if d.decideResponses(o, nil, nil, nil); d.responses != want {
			t.Errorf("%s: %s", name, d.responses)
		}
	}
}
