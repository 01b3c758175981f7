package admin

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/serving/rejects"
)

// histogramOf returns a histogram with observations.
func histogramOf(values ...float64) *dto.Histogram {
	h := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "h", Buckets: []float64{1, 2, 4}})
	for _, v := range values {
		h.Observe(v)
	}
	var m dto.Metric
	_ = h.Write(&m)
	return m.GetHistogram()
}

func TestQuantile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name          string
		before, after *dto.Histogram
		q, want       float64
	}{
		{"nothing", nil, nil, 0.5, math.NaN()},
		{"nothing new", histogramOf(1), histogramOf(1), 0.5, math.NaN()},
		{"the middle of a bucket", nil, histogramOf(1.5, 1.5), 0.5, 1.5},
		{"the last bucket", nil, histogramOf(0.5, 0.5, 0.5, 3), 0.99, 3.92},
		{"only what is new", histogramOf(0.5, 0.5, 0.5), histogramOf(0.5, 0.5, 0.5, 3, 3), 0.5, 3},
		{"beyond the last bound", nil, histogramOf(100), 0.5, 4},
		{"a restart", histogramOf(1, 1, 1), histogramOf(1), 0.5, math.NaN()},
	} {
		if got := quantile(tt.q, tt.before, tt.after); !(math.Abs(got-tt.want) < 1e-9 || math.IsNaN(got) && math.IsNaN(tt.want)) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestHistory computes rates and latencies, and keeps as many points as it says.
func TestHistory(t *testing.T) {
	t.Parallel()
	from := newSource()
	h := newHistory(from.registry, gatewaySeries)
	at := time.Unix(1_000_000, 0)
	step := func() {
		h.add(take(from.registry, at))
		at = at.Add(2 * time.Second)
	}
	step()
	if _, n := h.columns(0); n != 0 {
		t.Errorf("%d points from one sample", n)
	}
	from.requests.WithLabelValues("openrtb2", "forwarded").Add(30)
	from.requests.WithLabelValues("openrtb2", "refused").Add(5)
	from.times.Observe(0.0005)
	step()
	step()
	columns := func(since int) map[string][]*float64 {
		t.Helper()
		text, _ := h.columns(since)
		var out map[string][]*float64
		if err := json.Unmarshal(text, &out); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		for name, values := range out {
			if len(values) != len(out["time"]) {
				t.Errorf("%s has %d values of %d", name, len(values), len(out["time"]))
			}
		}
		if len(out) != len(gatewaySeries)+1 {
			t.Errorf("%d series", len(out))
		}
		return out
	}
	got := columns(0)
	for name, want := range map[string][]float64{
		"time": {1_000_002_000, 1_000_004_000}, "requests.forwarded": {15, 0}, "requests.refused": {2.5, 0}, "latency.total.p50": {0.5, math.NaN()},
		"connections": {math.NaN(), math.NaN()},
	} {
		for i, v := range got[name] {
			if (v == nil) != math.IsNaN(want[i]) || v != nil && *v != want[i] {
				t.Errorf("%s[%d]: %v, want %v", name, i, v, want[i])
			}
		}
	}
	if got := columns(1)["time"]; len(got) != 1 || *got[0] != 1_000_004_000 {
		t.Errorf("since 1: %v", got)
	}
	if got := columns(2)["time"]; len(got) != 0 {
		t.Errorf("since 2: %v", got)
	}
	for _, since := range []int{-1, 3, math.MaxInt} { // of another process
		if got := columns(since)["time"]; len(got) != 2 {
			t.Errorf("since %d: %v", since, got)
		}
	}
	for range PointsMax + 10 {
		step()
	}
	if got := columns(0)["time"]; len(got) != PointsMax {
		t.Errorf("%d points", len(got))
	}
	if got := columns(h.next - 3)["time"]; len(got) != 3 {
		t.Errorf("%d points", len(got))
	}
	if len(h.recent) != recentMax {
		t.Errorf("%d samples", len(h.recent))
	}
}

// TestReasonRows orders reasons by what happens now, and adds the rest up.
func TestReasonRows(t *testing.T) {
	t.Parallel()
	from := newSource()
	at := time.Unix(1_000_000, 0)
	from.reasons.WithLabelValues("old", "").Add(1000)
	from.reasons.WithLabelValues("never", "").Add(0)
	before := take(from.registry, at)
	from.reasons.WithLabelValues("new", "").Add(100)
	now := take(from.registry, at.Add(10*time.Second))
	if got, want := reasonRows("rejected_total", "", before, now), []reasonRow{{Reason: "new", Total: 100, PerSecond: 10}, {Reason: "old", Total: 1000}}; !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if got := reasonRows("rejected_total", "", now, now); len(got) != 2 || got[0].Reason != "old" {
		t.Errorf("at one time: %v", got)
	}
	for i := range 2 * ReasonsMax {
		from.reasons.WithLabelValues(string(rune('a'+i)), "").Add(1)
	}
	got := reasonRows("rejected_total", "", before, take(from.registry, at.Add(10*time.Second)))
	if last := got[len(got)-1]; len(got) != ReasonsMax || last.Reason != "other" || last.Total != 1000+2*ReasonsMax-(ReasonsMax-2) {
		t.Errorf("%d rows, the last is %+v", len(got), last)
	}
}

// TestRuleRows measures rules that can't decide against the requests of their partner, in the last
// minute: one that fails for half of a small partner's is broken, however many others there are.
func TestRuleRows(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	m := rejects.NewJudgedMetrics(namespace)
	m.Register(registry)
	judge := func(partner string, n int, rules ...string) {
		var v inspect.Verdict
		for _, id := range rules {
			v.Errors = append(v.Errors, inspect.ConditionError{ID: id})
		}
		for range n {
			m.Of(partner).Count(&v)
		}
	}
	at := time.Unix(1_000_000, 0)
	judge("large", 1000, "policy.before")
	before := take(registry, at)
	judge("large", 9900)
	judge("large", 100, "policy.seldom")
	judge("small", 5)
	judge("small", 5, "policy.broken")
	want := []ruleRow{
		{Rule: "policy.broken", Partner: "small", Total: 5, PerSecond: 0.5, Share: 0.5, Broken: true}, {Rule: "policy.seldom", Partner: "large", Total: 100, PerSecond: 10, Share: 0.01},
		{Rule: "policy.before", Partner: "large", Total: 1000},
	}
	if got := ruleRows("", before, take(registry, at.Add(10*time.Second))); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := ruleRows("small", before, take(registry, at.Add(10*time.Second))); !slices.Equal(got, want[:1]) {
		t.Errorf("of one partner: %+v, want %+v", got, want[:1])
	}
	for i := range 2 * RulesMax {
		judge("", 1, fmt.Sprint("policy.", i))
	}
	if got := ruleRows("", before, take(registry, at.Add(10*time.Second))); len(got) != RulesMax {
		t.Errorf("%d rows", len(got))
	}
}
