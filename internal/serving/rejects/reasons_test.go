package rejects

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rtbwire/rtbwire/inspect"
)

// counted returns the values of a registry's counters by name and labels.
func counted(t *testing.T, from prometheus.Gatherer) map[string]float64 {
	t.Helper()
	families, err := from.Gather()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetName()+"="+l.GetValue())
			}
			all[f.GetName()+" "+strings.Join(labels, " ")] = m.GetCounter().GetValue()
		}
	}
	return all
}

// TestReasonsMax bounds the reasons, and loses no count.
func TestReasonsMax(t *testing.T) {
	const limit, goroutines = 50, 4
	vec := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "x"}, []string{"reason"})
	registry := prometheus.NewRegistry()
	registry.MustRegister(vec)
	r := NewReasons(vec, limit)
	var group sync.WaitGroup
	for range goroutines {
		group.Go(func() {
			for i := range 2 * limit {
				r.Inc(fmt.Sprint(i))
			}
		})
	}
	group.Wait()
	all := counted(t, registry)
	sum := 0.0
	for _, n := range all {
		sum += n
	}
	if len(all) != limit+1 || all["x reason="+OtherReasons] != goroutines*limit || sum != 2*goroutines*limit {
		t.Errorf("%d reasons, %v others, %v in all", len(all), all["x reason="+OtherReasons], sum)
	}
	if n := testing.AllocsPerRun(100, func() { r.Inc("1") }); n != 0 {
		t.Errorf("%v allocations for a known reason", n)
	}
}

// TestJudged counts verdicts of partners: rules that can't decide, findings that refuse nothing,
// and what layers in shadow find.
func TestJudged(t *testing.T) {
	m := NewJudgedMetrics("x_")
	registry := prometheus.NewRegistry()
	m.Register(registry)
	finding := func(id string, s inspect.Severity) inspect.Finding { return inspect.Finding{ID: id, Severity: s} }
	live := inspect.Verdict{
		Findings: []inspect.Finding{finding("a", inspect.Observe), finding("a", inspect.Observe), finding("a", inspect.Warn), finding("b", inspect.Refuse)},
		Counts:   [inspect.Refuse + 1]int{inspect.Observe: 2, inspect.Warn: 1, inspect.Refuse: 1},
		Errors:   []inspect.ConditionError{{ID: "policy.r", Err: errors.New("no value")}, {ID: "scrub.s", Err: errors.New("no value")}},
	}
	shadow := inspect.Verdict{Shadow: &inspect.Verdict{
		Findings: []inspect.Finding{finding("c", inspect.Warn)}, Counts: [inspect.Refuse + 1]int{inspect.Warn: 1},
		Errors: []inspect.ConditionError{{ID: "policy.shadow", Err: errors.New("no value")}},
	}}
	for range 3 {
		m.Of("p").Count(&live)
	}
	m.Of("").Count(&shadow)
	m.Of("q").Count(&inspect.Verdict{})
	want := map[string]float64{
		"x_judged_total partner=": 1, "x_judged_total partner=p": 3, "x_judged_total partner=q": 1,
		"x_rule_errors_total partner=p rule=policy.r": 3, "x_rule_errors_total partner=p rule=scrub.s": 3, "x_rule_errors_total partner= rule=policy.shadow": 1,
		"x_findings_total reason=a severity=observe": 6, "x_findings_total reason=a severity=warn": 3, "x_findings_total reason=c severity=warn": 1,
	}
	if got := counted(t, registry); !maps.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	j := m.Of("p")
	if n := testing.AllocsPerRun(100, func() { j.Count(&live) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	for i := range 2 * PartnerReasonsMax {
		j.Count(&inspect.Verdict{Errors: []inspect.ConditionError{{ID: fmt.Sprint("policy.", i)}}})
	}
	rules := 0
	for name := range counted(t, registry) {
		if strings.HasPrefix(name, "x_rule_errors_total partner=p ") {
			rules++
		}
	}
	if rules != PartnerReasonsMax+1 {
		t.Errorf("%d rules, want %d", rules, PartnerReasonsMax+1)
	}
}

func BenchmarkJudged(b *testing.B) {
	j := NewJudgedMetrics("x_").Of("p")
	for _, findings := range []int{0, 1, 5} {
		var v inspect.Verdict
		for i := range findings {
			v.Findings = append(v.Findings, inspect.Finding{ID: fmt.Sprintf("schema.BidRequest.something.recommended-%d", i), Severity: inspect.Observe})
			v.Counts[inspect.Observe]++
		}
		b.Run(fmt.Sprint(findings), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				j.Count(&v)
			}
		})
	}
}
