package replay

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
)

// TestFindLimit finds what a target carries whose limit is known: with four connections and 20 ms
// for each answer, 200 requests a second.
func TestFindLimit(t *testing.T) {
	t.Parallel() // it mostly waits
	target := serve(t, "unix", func(ctx *fasthttp.RequestCtx) { time.Sleep(20 * time.Millisecond); noBid(ctx) })
	limit, err := ParseLimit("p90 < 60ms")
	if err != nil {
		t.Fatal(err)
	}
	limit.Precision, limit.Errors = 0.5, 0.05
	c := Config{Target: target, Bodies: requests(10), Rate: 60, Duration: 200 * time.Millisecond, Connections: 4, Timeout: 150 * time.Millisecond, LagMax: time.Minute}
	var found *LimitResult
	for range 10 { // on a machine that does much besides, the first rate may not hold
		if found, err = FindLimit(t.Context(), c, limit); err != nil {
			t.Fatal(err)
		}
		if found.Rate >= 60 && len(found.Steps) >= 3 {
			break
		}
	}
	if found.Rate < 60 || found.Rate > 240 || found.Best == nil || found.Generator || found.Interrupted || len(found.Steps) < 3 {
		t.Errorf("%+v", found)
	}
	for _, s := range found.Steps {
		if s.Held != (s.Why == "") || s.Held && s.Rate > found.Rate {
			t.Errorf("%+v", s)
		}
	}
	// From above: halved until a rate holds.
	c.Rate, c.Duration = 640, 100*time.Millisecond
	for range 10 {
		if found, err = FindLimit(t.Context(), c, limit); err != nil || found.Rate >= 40 {
			break
		}
	}
	if err != nil || found.Rate < 40 || found.Rate > 240 || found.Steps[0].Held {
		t.Errorf("from above: %+v, %v", found, err)
	}
}

// TestFindLimitErrors takes errors for a limit too, and ends when the generator is the limit.
func TestFindLimitErrors(t *testing.T) {
	limit := Limit{Quantile: 0.99, Max: time.Minute}
	broken := serve(t, "unix", func(ctx *fasthttp.RequestCtx) { ctx.SetStatusCode(500) })
	c := Config{Target: broken, Bodies: requests(10), Rate: 100, Duration: 20 * time.Millisecond, LagMax: time.Minute}
	found, err := FindLimit(t.Context(), c, limit)
	if err != nil || found.Rate != 0 || found.Best != nil || len(found.Steps) < 3 || found.Steps[0].Why != "100% of the requests failed" {
		t.Errorf("%+v, %v", found, err)
	}
	c.Target, c.LagMax = serve(t, "unix", noBid), 1 // a nanosecond
	if found, err = FindLimit(t.Context(), c, limit); err != nil || !found.Generator || found.Rate != 0 || !strings.Contains(found.Steps[0].Why, "late") {
		t.Errorf("%+v, %v", found, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	c.LagMax, c.Duration = time.Minute, 10*time.Second
	if found, err = FindLimit(ctx, c, limit); err != nil || !found.Interrupted || len(found.Steps) != 0 {
		t.Errorf("%+v, %v", found, err)
	}
	if _, err = FindLimit(t.Context(), Config{}, limit); err == nil {
		t.Error("expected an error about the configuration")
	}
}

func TestParseLimit(t *testing.T) {
	for text, want := range map[string]string{
		"p99<5ms": "p99<5ms", "p99.9 < 1s": "p99.9<1s", "p50<=100us": "p50<100µs", "p100<1m": "p100<1m0s",
	} {
		l, err := ParseLimit(text)
		if err != nil || l.String() != want {
			t.Errorf("%s: %v, %v, expected %s", text, l, err, want)
		}
	}
	for _, text := range []string{"", "p99", "p99<", "p99<5", "99<5ms", "p0<5ms", "p101<5ms", "pNaN<1ms", "p99<-5ms", "p99>5ms"} {
		if l, err := ParseLimit(text); err == nil {
			t.Errorf("%q is read as %v", text, l)
		}
	}
}
