package upstream

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics are what is counted. They are a [prometheus.Collector], as [Upstream.Collector] returns
// it.
type metrics struct {
	registry *prometheus.Registry
	attempts [kinds]prometheus.Counter
	time     prometheus.Histogram
	inFlight atomic.Int64
}

// timeBuckets are from 100 µs to 6.5 s.
var timeBuckets = prometheus.ExponentialBuckets(100e-6, 2, 17)

func (m *metrics) init(u *Upstream) {
	m.registry = prometheus.NewRegistry()
	attempts := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "rtbwire_stream_upstream_attempts_total", Help: "Attempts to deliver a record to the upstream, by what came of them.",
	}, []string{"result"})
	for i := range m.attempts {
		m.attempts[i] = attempts.WithLabelValues(kindNames[i])
	}
	m.time = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "rtbwire_stream_upstream_time_seconds", Help: "Time of attempts that the upstream has answered.", Buckets: timeBuckets,
	})
	gauge := func(name, help string, value func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
	}
	m.registry.MustRegister(attempts, m.time,
		gauge("rtbwire_stream_upstream_in_flight", "Records that are being posted.", func() float64 { return float64(m.inFlight.Load()) }),
		gauge("rtbwire_stream_upstream_waiting", "Records that wait because the upstream is down.", func() float64 { return float64(u.gate.count()) }),
		gauge("rtbwire_stream_upstream_connections", "Open connections to the upstream.", func() float64 { return float64(u.client.pool.ConnsCount()) }),
		gauge("rtbwire_stream_paused", "Whether the upstream counts as down, and records wait for it.", func() float64 {
			if u.gate.isClosed() {
				return 1
			}
			return 0
		}))
}

// attempted counts an attempt.
func (m *metrics) attempted(r *result) {
	m.attempts[r.kind].Inc()
	if r.kind != unreachable && r.kind != late {
		m.time.Observe(r.took.Seconds())
	}
}

// Collector returns the metrics of the upstream, to be registered with Prometheus.
func (u *Upstream) Collector() prometheus.Collector { return u.metrics.registry }
