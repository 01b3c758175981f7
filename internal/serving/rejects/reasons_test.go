package rejects

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
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
