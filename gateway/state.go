package gateway

import "github.com/prometheus/client_golang/prometheus"

// stateMetrics are the metrics of what is asked about requests: vendors and windows.
type stateMetrics struct{ g *Gateway }

var (
	vendorQuestions = prometheus.NewDesc(Namespace+"vendor_questions_total", "Questions to services, by what became of them.", []string{"vendor", "result"}, nil)
	vendorWaiting   = prometheus.NewDesc(Namespace+"vendor_waiting", "Questions that a service has not returned from.", []string{"vendor"}, nil)
	vendorOpen      = prometheus.NewDesc(Namespace+"vendor_open", "Whether the breaker of a service is open.", []string{"vendor"}, nil)
	windowForgotten = prometheus.NewDesc(Namespace+"window_forgotten_total", "Entries that windows have removed early, because a table is full.", []string{"partner", "table"}, nil)
)

// windowOthers is the value of the label partner for the tables that partners share.
const windowOthers = "(others)"

// Describe implements [prometheus.Collector].
func (stateMetrics) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{vendorQuestions, vendorWaiting, vendorOpen, windowForgotten} {
		out <- d
	}
}

// Collect implements [prometheus.Collector].
func (m stateMetrics) Collect(out chan<- prometheus.Metric) {
	o := &m.g.plan.Load().options
	send := func(d *prometheus.Desc, kind prometheus.ValueType, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, kind, v, labels...)
	}
	for _, s := range o.Vendors.Stats() {
		for result, n := range map[string]uint64{
			"answered": s.Answered, "late": s.Late, "failed": s.Failed, "abandoned": s.Abandoned, "skipped": s.Skipped,
		} {
			send(vendorQuestions, prometheus.CounterValue, float64(n), s.Name, result)
		}
		send(vendorWaiting, prometheus.GaugeValue, float64(s.Waiting), s.Name)
		send(vendorOpen, prometheus.GaugeValue, asFloat(s.Open), s.Name)
	}
	if o.Windows == nil {
		return
	}
	for _, name := range append(o.Windows.Partners(), "") {
		f := o.Windows.Stats(name).Forgotten
		if name == "" {
			name = windowOthers
		}
		for table, n := range map[string]uint64{"ifas": f.IFAs, "addresses": f.Addresses, "ids": f.IDs} {
			send(windowForgotten, prometheus.CounterValue, float64(n), name, table)
		}
	}
}
