package rejects

import (
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// TestReasonsMax bounds the reasons.
func TestReasonsMax(t *testing.T) {
	t.Parallel()
	r := NewReasons(prometheus.NewCounterVec(prometheus.CounterOpts{Name: "x"}, []string{"reason"}))
	for i := range 2 * ReasonsMax {
		r.Inc(strings.Repeat("x", i))
	}
	metrics := make(chan prometheus.Metric, 4*ReasonsMax)
	r.vec.Collect(metrics)
	if len(metrics) != ReasonsMax+1 {
		t.Errorf("%d reasons", len(metrics))
	}
}

// TestPairsMax bounds the pairs of partner and reason.
func TestPairsMax(t *testing.T) {
	t.Parallel()
	p := NewPairs(prometheus.NewCounterVec(prometheus.CounterOpts{Name: "x"}, []string{"partner", "reason"}))
	for i := range 2 * PairsMax {
		p.Inc(strconv.Itoa(i%200), strconv.Itoa(i))
		p.Inc("a", "b")
	}
	metrics := make(chan prometheus.Metric, 4*PairsMax)
	p.vec.Collect(metrics)
	if len(metrics) != PairsMax+1 {
		t.Errorf("%d pairs", len(metrics))
	}
	var m dto.Metric
	if err := p.vec.WithLabelValues("a", "b").Write(&m); err != nil || m.GetCounter().GetValue() != 2*PairsMax {
		t.Errorf("a pair was counted %v times, %v", m.GetCounter().GetValue(), err)
	}
}
