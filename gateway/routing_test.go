package gateway

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/serving/balance"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
)

// requestOf is a request that is forwarded, with an id and a publisher.
func requestOf(id, publisher string) []byte {
	return []byte(strings.Replace(string(siteOf("s", publisher)), `{"id":"1","imp"`, `{"id":"`+id+`","imp"`, 1))
}

// TestRouting sends requests of partners and publishers where they belong, and all others to the
// upstreams that nothing else is for.
func TestRouting(t *testing.T) {
	eachPlane(t, testRouting)
}

func testRouting(t *testing.T, serve func(Options) *started) {
	main, routed, other, canary := newCore(t, nil), newCore(t, nil), newCore(t, nil), newCore(t, nil)
	names := map[*core]string{main: "main", routed: "routed", other: "other", canary: "canary"}
	all, none := 1.0, 0.0
	g := serve(Options{
		Upstreams: []Upstream{
			{URLs: []string{main.URL}}, {Name: "routed", URLs: []string{routed.URL}, Routed: true}, {Name: "other", URLs: []string{other.URL + "/own"}, Routed: true},
			{Name: "canary", URLs: []string{canary.URL}, Canary: 1e-9},
		},
		Partners: []Partner{
			{Name: "a", Match: Match{Path: "/a"}, Upstreams: []string{"routed"}, PublisherUpstreams: map[string][]string{"p": {"other"}, "q": {main.URL}}},
			{Name: "b", Match: Match{Path: "/b"}, PublisherUpstreams: map[string][]string{"p": {"routed"}}},
			{Name: "c", Match: Match{Path: "/c"}, Canary: &all},
			{Name: "d", Match: Match{Path: "/d"}, Canary: &none, Upstreams: []string{"canary"}},
		},
		Passthrough: []Passthrough{{Path: "/win"}},
	})
	for _, tt := range []struct{ path, publisher, want, uri string }{
		{PathDefault, "p", "main", PathDefault},
		{"/a", "p", "other", "/own"},
		{"/a", "q", "main", "/a"},
		{"/a", "r", "routed", "/a"},
		{"/b", "p", "routed", "/b"},
		{"/b", "q", "main", "/b"},
		{"/c", "p", "canary", "/c"},
		{"/d", "p", "canary", "/d"},
		{"/win", "", "main", "/win"},
	} {
		if tt.path == "/win" {
			g.send(t, http.MethodGet, tt.path, nil)
		} else if r := g.post(t, tt.path, requestOf("1", tt.publisher)); r.status != 200 {
			t.Errorf("%+v: %+v", tt, r)
		}
		got, uri := "", ""
		for c, name := range names {
			for _, r := range c.take() {
				got, uri = got+name, r.uri
			}
		}
		if got != tt.want || uri != tt.uri {
			t.Errorf("%+v: %s got %s", tt, got, uri)
		}
	}
}

// TestRoutesOf refuses routes that lead nowhere.
func TestRoutesOf(t *testing.T) {
	half := 0.5
	ok := []Upstream{{Name: "core-a", URLs: []string{"http://a"}}, {Name: "m", URLs: []string{"http://m"}, Mirror: 0.5}}
	for want, o := range map[string]Options{
		`partner p: no upstream has the name "core-b"`:  {Upstreams: ok, Partners: []Partner{{Name: "p", Upstreams: []string{"core-b"}}}},
		`did you mean "core-a"?`:                        {Upstreams: ok, Partners: []Partner{{Name: "p", PublisherUpstreams: map[string][]string{"x": {"core-b"}}}}},
		"the upstream m is a mirror":                    {Upstreams: ok, Partners: []Partner{{Name: "p", Upstreams: []string{"m"}}}},
		"no upstream gets requests that nothing routes": {Upstreams: ok[1:]},
		"more than one of routed, canary and mirror":    {Upstreams: append([]Upstream{{URLs: []string{"http://c"}, Mirror: 0.1, Canary: 0.1}}, ok...)},
		"the shares of all canaries are 1.1":            {Upstreams: append([]Upstream{{URLs: []string{"http://c"}, Canary: 0.5}, {URLs: []string{"http://d"}, Canary: 0.6}}, ok...)},
		"a share of the upstream http://c is not from":  {Upstreams: append([]Upstream{{URLs: []string{"http://c"}, Canary: math.NaN()}}, ok...)},
		"the weight of the upstream http://c is -1":     {Upstreams: append([]Upstream{{URLs: []string{"http://c"}, Weight: -1}}, ok...)},
		"upstream 0 has no URL":                         {Upstreams: []Upstream{{Name: "x"}}},
		`upstream "core-a" is given twice`:              {Upstreams: append(ok, ok[0])},
		"partner p: the share of canaries is 1.5":       {Upstreams: ok, Partners: []Partner{{Name: "p", Canary: func() *float64 { f := 3 * half; return &f }()}}},
		`unknown Balance "random"`:                      {Upstreams: ok, Balance: "random"},
		"Outlier.Consecutive5xx is -1":                  {Upstreams: ok, Outlier: Outlier{Consecutive5xx: -1}},
		"HealthCheck.Interval is -1ns":                  {Upstreams: ok, HealthCheck: HealthCheck{Path: "/health", Interval: -1}},
		"health_check has no path":                      {Upstreams: ok, HealthCheck: HealthCheck{Timeout: time.Second}},
		"u has a health_path, and health_check has no":  {Upstreams: []Upstream{{Name: "u", URLs: []string{"http://127.0.0.1:1"}, CheckPath: "/ready"}}},
	} {
		if _, err := New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestCanaryShares gives canaries their share of requests: by id, so that the same request always
// goes the same way, and independently of other samples.
func TestCanaryShares(t *testing.T) {
	o := Options{Upstreams: []Upstream{
		{Name: "main", URLs: []string{"http://192.0.2.1"}}, {Name: "one", URLs: []string{"http://192.0.2.2"}, Canary: 0.05}, {Name: "two", URLs: []string{"http://192.0.2.3"}, Canary: 0.15},
	}}
	g, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	r := &g.plan.Load().routing
	const n = 100_000
	count := func(own *partner, in func(sample float64) bool) map[string]float64 {
		got, all := map[string]float64{}, 0.0
		for i := range n {
			bid := &openrtb.BidRequest{ID: fmt.Sprint(i)}
			sample := inspect.SampleOf(bid, nil)
			if !in(sample) {
				continue
			}
			all++
			to := r.route(own, bid, sample)
			if again := r.route(own, bid, sample); again != to {
				t.Fatal("the same request goes two ways")
			}
			for _, u := range []string{"one", "two"} {
				if group, _ := g.plan.Load().upstreams.Canary(u); group == to.first {
					got[u]++
				}
			}
			if to.first == r.main {
				got["main"]++
			}
			if (to.first == r.main) != (to.otherwise == nil) {
				t.Fatal("a canary has nobody to stand in for it, or the others have")
			}
		}
		for u := range got {
			got[u] /= all
		}
		return got
	}
	everybody := func(float64) bool { return true }
	half, all := 0.5, 1.0
	for name, tt := range map[string]struct {
		own  *partner
		in   func(float64) bool
		want map[string]float64
	}{
		"no partner":              {nil, everybody, map[string]float64{"main": 0.8, "one": 0.05, "two": 0.15}},
		"in another sample of 1%": {nil, func(s float64) bool { return s < 0.01 }, map[string]float64{"main": 0.8, "one": 0.05, "two": 0.15}},
		"among the mirrored":      {nil, func(s float64) bool { return resampled(s, mirrorSalt) < 0.1 }, map[string]float64{"main": 0.8, "one": 0.05, "two": 0.15}},
		"half of a partner":       {&partner{Partner: &Partner{Canary: &half}}, everybody, map[string]float64{"main": 0.5, "one": 0.125, "two": 0.375}},
		"a partner's":             {&partner{Partner: &Partner{Canary: &all}}, everybody, map[string]float64{"one": 0.25, "two": 0.75}},
		"none of a partner":       {&partner{Partner: &Partner{Canary: new(float64)}}, everybody, map[string]float64{"main": 1}},
	} {
		got := count(tt.own, tt.in)
		for _, u := range []string{"main", "one", "two"} {
			tolerance := 0.005
			if name == "in another sample of 1%" {
				tolerance = 0.04 // a thousand requests
			}
			if math.Abs(got[u]-tt.want[u]) > tolerance {
				t.Errorf("%s: %v, want %v", name, got, tt.want)
			}
		}
	}
}

// TestCanaryFails sends its share to the others while the canary is not healthy: nothing is lost
// that was not sent.
func TestCanaryFails(t *testing.T) {
	main := newCore(t, nil)
	all := 1.0
	g := start(t, Options{
		Upstreams: []Upstream{{URLs: []string{main.URL}}, {Name: "canary", URLs: []string{"http://127.0.0.1:1"}, Canary: 0.1}},
		Partners:  []Partner{{Name: "a", Match: Match{Path: "/a"}, Canary: &all}},
	})
	for range 20 {
		if r := g.post(t, "/a", good(t)); r.status != 200 {
			t.Errorf("%+v", r)
		}
	}
	if n := len(main.take()); n != 20 {
		t.Errorf("%d requests arrived", n)
	}
}

// TestCanaryAnswersErrors ejects a canary that answers with errors, although it has no other
// address: others stand in for it. It does not keep an address of these from being ejected.
func TestCanaryAnswersErrors(t *testing.T) {
	bad := func(w http.ResponseWriter, _ *http.Request, _ []byte) { w.WriteHeader(http.StatusInternalServerError) }
	main, broken, canary := newCore(t, nil), newCore(t, bad), newCore(t, bad)
	all := 1.0
	g := start(t, Options{
		Upstreams: []Upstream{{URLs: []string{main.URL}}, {URLs: []string{broken.URL}}, {Name: "canary", URLs: []string{canary.URL}, Canary: 0.1}},
		Partners:  []Partner{{Name: "a", Match: Match{Path: "/a"}, Canary: &all}},
	})
	for _, tt := range []struct {
		path string
		to   *core
	}{{"/a", canary}, {PathDefault, broken}} {
		for range 3 * Consecutive5xxDefault {
			g.post(t, tt.path, good(t))
		}
		if n := len(tt.to.take()); n != Consecutive5xxDefault {
			t.Errorf("%s: %d requests arrived, want %d", tt.path, n, Consecutive5xxDefault)
		}
	}
}

// TestMirrorGone counts the copies for a mirror that can't be reached, and those that were not made
// because its breaker is open. The requests themselves have answers.
func TestMirrorGone(t *testing.T) {
	main := newCore(t, nil)
	g := start(t, Options{Upstreams: []Upstream{{URLs: []string{main.URL}}, {Name: "mirror", URLs: []string{"http://127.0.0.1:1"}, Mirror: 1}}})
	sent := 0
	counted := func(result string) float64 {
		return measured(t, g.Gateway, "rtbwire_gateway_upstream_mirrored_total")[result+",mirror"]
	}
	waitFor(t, "a copy that is not made", func() bool {
		sent++
		if r := g.post(t, PathDefault, good(t)); r.status != 200 {
			t.Fatalf("%+v", r)
		}
		return counted("absent") > 0
	})
	waitFor(t, "all copies", func() bool { return counted("sent")+counted("absent")+counted("dropped") == float64(sent) })
	if got := counted("sent"); got < balance.BreakerFailures {
		t.Errorf("%v copies were sent, fewer than open a breaker", got)
	}
}

// TestMirror sends copies of a sample, with a field that says so. Their answers go nowhere and
// their failures cost nothing.
func TestMirror(t *testing.T) {
	eachPlane(t, testMirror)
}

func testMirror(t *testing.T, serve func(Options) *started) {
	var status atomic.Int64
	status.Store(200)
	main, mirror := newCore(t, nil), newCore(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		w.WriteHeader(int(status.Load()))
		io.WriteString(w, `{"id":"x","seatbid":[{"bid":[{"id":"1","impid":"1","price":1}]}]}`)
	})
	g := serve(Options{
		Upstreams:   []Upstream{{Name: "main", URLs: []string{main.URL}}, {Name: "mirror", URLs: []string{mirror.URL + "/copy"}, Mirror: 0.5}},
		Partners:    []Partner{{Name: "a", Match: Match{Path: "/a"}}},
		Passthrough: []Passthrough{{Path: "/win"}},
	})
	const n = 400
	want := 0
	mirrored := map[string]bool{}
	for i := range n {
		id := fmt.Sprint(i)
		if i == n/2 {
			status.Store(500)
		}
		if r := g.post(t, "/a", requestOf(id, "p"), "X-Request-Id", id); r.status != 200 || r.body != answered {
			t.Fatalf("%+v", r)
		}
		if resampled(inspect.SampleOf(&openrtb.BidRequest{ID: id}, nil), mirrorSalt) < 0.5 {
			want++
			mirrored[id] = true
		}
	}
	g.send(t, http.MethodGet, "/win", nil)
	counted := func(name, labels string) float64 {
		return measured(t, g.Gateway, "rtbwire_gateway_upstream_"+name)[labels]
	}
	waitFor(t, "the copies", func() bool {
		return counted("responses_total", "2xx,mirror")+counted("responses_total", "5xx,mirror") == float64(want)
	})
	if sent, dropped := counted("mirrored_total", "sent,mirror"), counted("mirrored_total", "dropped,mirror"); sent != float64(want) || dropped != 0 {
		t.Errorf("%v copies were sent and %v dropped, want %d", sent, dropped, want)
	}
	if d := float64(want) - n/2; math.Abs(d) > n/8 {
		t.Errorf("half of %d requests are %d", n, want)
	}
	for _, r := range mirror.take() {
		id := r.header.Get("X-Request-Id")
		if !mirrored[id] || r.header.Get(headerMirror) != "1" || r.header.Get(headerPartner) != "a" || r.uri != "/copy" || string(r.body) != string(requestOf(id, "p")) || "http://"+r.host != mirror.URL {
			t.Errorf("the mirror got %+v", r)
		}
		delete(mirrored, id)
	}
	if len(mirrored) > 0 {
		t.Errorf("the mirror did not get %v", mirrored)
	}
	for _, r := range main.take() {
		if r.header.Get(headerMirror) != "" {
			t.Errorf("the upstream got %v", r.header)
		}
	}
	if counted("bids_total", "a,bid,mirror")+counted("bids_total", "a,unread,mirror") != float64(want) || counted("bids_total", "a,no_bid,main") != n {
		t.Errorf("bids: %v", measured(t, g.Gateway, "rtbwire_gateway_upstream_bids_total"))
	}
	if g.plan.Load().upstreams.Upstream("mirror").States()[0] != 1 {
		t.Error("the mirror was ejected")
	}
}

// TestMirrorFull never waits for a mirror: what finds no room is dropped and counted.
func TestMirrorFull(t *testing.T) {
	release := make(chan struct{})
	main, mirror := newCore(t, nil), newCore(t, func(http.ResponseWriter, *http.Request, []byte) { <-release })
	defer close(release)
	g := start(t, Options{
		Upstreams: []Upstream{{URLs: []string{main.URL}}, {Name: "mirror", URLs: []string{mirror.URL}, Mirror: 1}}, MirrorQueueMax: 3, MirrorRequestsMax: 2,
	})
	const n = 20
	for range n {
		if r := g.post(t, PathDefault, good(t)); r.status != 200 {
			t.Fatalf("%+v", r)
		}
	}
	got := measured(t, g.Gateway, "rtbwire_gateway_upstream_mirrored_total")
	if got["sent,mirror"] > 2 || got["dropped,mirror"] < n-2-3 {
		t.Errorf("%v", got)
	}
	if len(main.take()) != n {
		t.Error("requests are missing")
	}
}

// TestMirrorBytes bounds the memory of copies that wait.
func TestMirrorBytes(t *testing.T) {
	var m mirrors
	m.init(100, 0) // nobody sends
	set, err := balance.New(balance.Options{Upstreams: []balance.Declared{{Name: "u", URLs: []string{"http://127.0.0.1:1"}}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	e := set.Upstreams()[0].Endpoints()[0]
	var x exchange
	x.request.begin(&fasthttp.Request{}, nil, nil, time.Now())
	x.outgoing.begin(&x.request)
	x.outgoing.document = make([]byte, MirrorBytesMax/4)
	for range 10 {
		m.offer(&x.outgoing, e, "", time.Second)
	}
	if len(m.waiting) != 3 || e.Stats.MirrorDropped.Load() != 7 || m.bytes.Load() > MirrorBytesMax {
		t.Errorf("%d copies wait, %d were dropped, %d bytes", len(m.waiting), e.Stats.MirrorDropped.Load(), m.bytes.Load())
	}
	for len(m.waiting) > 0 {
		m.drop(<-m.waiting)
	}
	if n := m.bytes.Load(); n != 0 {
		t.Errorf("%d bytes are left", n)
	}
}

// TestMirrorWorkers sends all that was taken, however workers come and go.
func TestMirrorWorkers(t *testing.T) {
	var got atomic.Int64
	mirror := newCore(t, func(http.ResponseWriter, *http.Request, []byte) { got.Add(1) })
	main := newCore(t, nil)
	g := start(t, Options{Upstreams: []Upstream{{URLs: []string{main.URL}}, {Name: "mirror", URLs: []string{mirror.URL}, Mirror: 1}}, MirrorRequestsMax: 1})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				g.post(t, PathDefault, good(t))
			}
		})
	}
	all.Wait()
	waitFor(t, "all copies", func() bool { return got.Load() == 400 })
	waitFor(t, "the end of the workers", func() bool { return g.mirrors.working.Load() == 0 && g.mirrors.bytes.Load() == 0 })
}

// TestEjectedByStatus ejects an upstream that answers with errors, and uses it again after its
// time.
func TestEjectedByStatus(t *testing.T) {
	eachPlane(t, testEjectedByStatus)
}

func testEjectedByStatus(t *testing.T, serve func(Options) *started) {
	var broken atomic.Bool
	broken.Store(true)
	bad := newCore(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		if broken.Load() {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	other := newCore(t, nil)
	log := &testkit.Log{}
	g := serve(Options{
		Upstreams: []Upstream{{Name: "bad", URLs: []string{bad.URL}}, {Name: "other", URLs: []string{other.URL}}}, Logger: log.Logger(),
		Outlier: Outlier{BaseEjectionTime: 300 * time.Millisecond},
	})
	failed := 0
	for range 20 {
		if r := g.post(t, PathDefault, good(t)); r.status != 200 {
			failed++
		}
	}
	if failed != Consecutive5xxDefault || len(log.With("level=ERROR", "upstream ejected", "upstream=bad", "an answer of status 500")) != 1 {
		t.Errorf("%d requests failed: %s", failed, log.String())
	}
	got := measured(t, g.Gateway, "rtbwire_gateway_upstream_addresses")
	if got["ejected,bad"] != 1 || got["healthy,other"] != 1 || measured(t, g.Gateway, "rtbwire_gateway_upstream_ejections_total")["done,bad"] != 1 ||
		measured(t, g.Gateway, "rtbwire_gateway_upstream_available")[""] != 1 || measured(t, g.Gateway, "rtbwire_gateway_upstream_panic")[""] != 0 {
		t.Errorf("%v", got)
	}
	broken.Store(false)
	bad.take()
	waitFor(t, "the end of the ejection", func() bool { g.post(t, PathDefault, good(t)); return len(bad.take()) > 0 })
	if len(log.With("level=INFO", "ejection of an upstream is over", "upstream=bad")) != 1 {
		t.Error(log.String())
	}
}

// TestUpstreamsReload changes the set under load: nothing is lost, and what stays keeps its state.
func TestUpstreamsReload(t *testing.T) {
	eachPlane(t, testUpstreamsReload)
}

func testUpstreamsReload(t *testing.T, serve func(Options) *started) {
	cores := []*core{newCore(t, nil), newCore(t, nil), newCore(t, nil)}
	setOf := func(weights ...int) (list []Upstream) {
		for i, w := range weights {
			if w > 0 {
				list = append(list, Upstream{Name: fmt.Sprint("core-", i), URLs: []string{cores[i].URL}, Weight: w})
			}
		}
		return list
	}
	o := Options{Upstreams: setOf(1, 1, 0), UpstreamTimeout: time.Minute, HealthCheck: HealthCheck{Path: "/health", Interval: 10 * time.Millisecond}}
	g := serve(o)
	var stop atomic.Bool
	var sent atomic.Int64
	var senders sync.WaitGroup
	body := good(t)
	for range 4 {
		senders.Go(func() {
			for !stop.Load() {
				if r := g.post(t, PathDefault, body); r.status != 200 {
					t.Errorf("%+v", r)
				}
				sent.Add(1)
			}
		})
	}
	first := g.plan.Load().upstreams.Upstream("core-0")
	for _, weights := range [][]int{{1, 3, 0}, {1, 3, 1}, {1, 0, 1}, {2, 0, 0}, {1, 1, 1}} {
		o.Upstreams = setOf(weights...)
		if _, err := g.Reload(o); err != nil {
			t.Error(err)
		}
		before := sent.Load()
		waitFor(t, "requests", func() bool { return sent.Load() >= before+20 })
	}
	stop.Store(true)
	senders.Wait()
	last := g.plan.Load().upstreams.Upstream("core-0")
	if last.Stats != first.Stats || last.Endpoints()[0] != first.Endpoints()[0] {
		t.Error("an upstream that stays is new")
	}
	n := 0
	for _, c := range cores {
		for _, r := range c.take() {
			if r.method == http.MethodPost {
				n++
			}
		}
	}
	if n != int(sent.Load()) {
		t.Errorf("%d requests arrived of %d", n, sent.Load())
	}
}

// TestBackgroundEnds works besides requests from the first Serve to Shutdown, whatever reloads
// come.
func TestBackgroundEnds(t *testing.T) {
	var checks atomic.Int64
	up := newCore(t, func(http.ResponseWriter, *http.Request, []byte) { checks.Add(1) })
	o := Options{Upstreams: At(up.URL), HealthCheck: HealthCheck{Path: "/health", Interval: 10 * time.Millisecond}}
	idle, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := idle.Reload(o); err != nil || idle.plan.Load().upstreams.Runs() {
		t.Errorf("%v, or it works before Serve", err)
	}
	g := start(t, o)
	waitFor(t, "checks", func() bool { return checks.Load() > 2 })
	before := g.plan.Load().upstreams
	if _, err := g.Reload(o); err != nil || before.Runs() || !g.plan.Load().upstreams.Runs() {
		t.Errorf("%v, or the wrong set works", err)
	}
	ctx, cancel := contextFor(time.Minute)
	defer cancel()
	if err := g.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	if g.plan.Load().upstreams.Runs() {
		t.Error("it works after Shutdown")
	}
	if _, err := g.Reload(o); err != nil || g.plan.Load().upstreams.Runs() {
		t.Errorf("%v, or it works after Shutdown and Reload", err)
	}
}

// TestErrorsOfUpstreams says what errors mean to senders.
func TestErrorsOfUpstreams(t *testing.T) {
	if f := failureOf(errors.New("reset")); f != failBroken {
		t.Errorf("%+v", f)
	}
	if f := failureOf(ErrAbsent); f != failAbsent {
		t.Errorf("%+v", f)
	}
}
