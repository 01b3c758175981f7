package stream

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// counted returns the sum of a metric over its labels.
func counted(tb testing.TB, s *Stream, name string) (sum float64) {
	tb.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(s.Collector())
	families, err := registry.Gather()
	if err != nil {
		tb.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
		for _, m := range f.GetMetric() {
			sum += m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	return sum
}

func gauged(tb testing.TB, s *Stream, name string) float64 { tb.Helper(); return counted(tb, s, name) }
