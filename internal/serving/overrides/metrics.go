package overrides

import "github.com/prometheus/client_golang/prometheus"

var (
	inEffect = prometheus.NewDesc("rtbwire_gateway_overrides_in_effect", "Changes of operators that are in effect.", []string{"action"}, nil)
	unsaved  = prometheus.NewDesc("rtbwire_gateway_overrides_unsaved", "Whether the file of state lacks changes, because it could not be written.", nil, nil)
)

// Describe implements [prometheus.Collector].
func (s *Store) Describe(out chan<- *prometheus.Desc) {
	out <- inEffect
	out <- unsaved
}

// Collect implements [prometheus.Collector].
func (s *Store) Collect(out chan<- prometheus.Metric) {
	counts := map[Action]float64{}
	for _, e := range s.List() {
		counts[e.Action]++
	}
	for _, a := range Actions {
		out <- prometheus.MustNewConstMetric(inEffect, prometheus.GaugeValue, counts[a], string(a))
	}
	failed := 0.0
	if s.Problem() != nil {
		failed = 1
	}
	out <- prometheus.MustNewConstMetric(unsaved, prometheus.GaugeValue, failed)
}
