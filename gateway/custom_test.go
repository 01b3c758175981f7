package gateway

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/openrtb"
)

// constant is an inspector that always returns its score.
type constant struct {
	name  string
	score int
}

func (c constant) Name() string                                    { return c.name }
func (c constant) Inspect(*openrtb.BidRequest, *inspect.Facts) int { return c.score }

// engineOf returns the engine of a configuration.
func engineOf(tb testing.TB, text string) *inspect.Engine {
	tb.Helper()
	c, problems := config.Parse("test", "version: 1\n"+text, config.Options{})
	if err := problems.Err(); err != nil {
		tb.Fatal(err)
	}
	setup, problems := c.Open(config.OpenOptions{})
	if err := problems.Err(); err != nil {
		tb.Fatal(err)
	}
	return setup.Engine
}

// TestInspectors has rules see the scores of all inspectors.
func TestInspectors(t *testing.T) {
	core := CoreFunc(func(_ *fasthttp.Request, resp *fasthttp.Response, _ time.Duration) error {
		resp.SetBodyString(answered)
		return nil
	})
	engine := engineOf(t, `rules: [{name: own, when: 'facts.vendor["a"].score >= 80 && facts.vendor["b"].score == 0', severity: refuse, nbr: 4}]`)
	for score, want := range map[int]int{79: 200, 80: 204, 1000: 204, -5: 200} {
		g := start(t, Options{Engine: engine, Core: core, Inspectors: []Inspector{constant{"a", score}, constant{"b", -1}}})
		if r := g.post(t, PathDefault, good(t)); r.status != want {
			t.Errorf("score %d: %d, want %d", score, r.status, want)
		}
	}
}

// TestInspectorThatPanics costs its own request.
func TestInspectorThatPanics(t *testing.T) {
	g := start(t, Options{Core: CoreFunc(func(*fasthttp.Request, *fasthttp.Response, time.Duration) error { return nil }), Inspectors: []Inspector{panics{}}})
	for range 2 {
		if r := g.post(t, PathDefault, good(t)); r.status != http.StatusInternalServerError {
			t.Errorf("%+v", r)
		}
	}
}

type panics struct{ constant }

func (panics) Inspect(*openrtb.BidRequest, *inspect.Facts) int { panic("x") }

// TestCore gives requests to a function: it gets what an upstream would, and its errors mean what
// those of upstreams do.
func TestCore(t *testing.T) {
	var err error
	answer, body, seen := answered, good(t), ""
	g := start(t, Options{ResponseMax: 100, UpstreamTimeout: time.Minute, Core: CoreFunc(func(req *fasthttp.Request, resp *fasthttp.Response, timeout time.Duration) error {
		seen = fmt.Sprint(string(req.Body()) == string(body), " ", string(req.Header.Peek("X-Rtbwire-Action")), " ", timeout > time.Second)
		resp.Header.Set("X-Rtbwire-Internal", "1")
		resp.Header.Set("X-Own", "1")
		resp.SetBodyString(answer)
		return err
	})})
	r := g.post(t, PathDefault, body)
	if seen != "true forward true" || r.status != 200 || r.body != answered || r.header.Get("X-Own") != "1" || r.header.Get("X-Rtbwire-Internal") != "" {
		t.Errorf("the core got %s, the sender %+v", seen, r)
	}
	for _, tt := range []struct {
		err  error
		want int
	}{{ErrAbsent, 503}, {fmt.Errorf("full: %w", ErrAbsent), 503}, {fasthttp.ErrTimeout, 504}, {errors.New("x"), 502}} {
		err = tt.err
		if r := g.post(t, PathDefault, body); r.status != tt.want || r.body == answered || r.header.Get("X-Own") != "" {
			t.Errorf("%v: %+v, want status %d", tt.err, r, tt.want)
		}
	}
	err, answer = nil, strings.Repeat(" ", 101)
	if r := g.post(t, PathDefault, body); r.status != 502 || len(r.body) > 100 {
		t.Errorf("an answer that is too long: %+v", r)
	}
}

// TestCoreOrUpstreams refuses options with both, or with neither.
func TestCoreOrUpstreams(t *testing.T) {
	core := CoreFunc(func(*fasthttp.Request, *fasthttp.Response, time.Duration) error { return nil })
	for _, o := range []Options{{}, {Core: core, Upstreams: At("http://127.0.0.1:9")}} {
		if _, err := New(o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}
