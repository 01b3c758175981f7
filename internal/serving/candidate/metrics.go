package candidate

import (
	"cmp"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rtbwire/rtbwire/internal/serving/rejects"
	"github.com/rtbwire/rtbwire/internal/verdictchange"
)

// Names of metrics, without the namespace.
const (
	MetricRequests = "candidate_requests_total"
	MetricChanges  = "candidate_changes_total"
)

// metrics count what a candidate has judged.
type metrics struct {
	all     []prometheus.Collector
	kinds   [verdictchange.Kinds]prometheus.Counter
	reasons [verdictchange.Kinds]*rejects.Reasons // nil for Same

	full, panics prometheus.Counter
	reloads      rejects.Reloads
}

func (m *metrics) init(namespace string, share float64) {
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: namespace + name, Help: help}, labels)
		m.all = append(m.all, c)
		return c
	}
	gauge := func(name, help string, value func(rejects.Configuration) float64) {
		m.all = append(m.all, prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: namespace + name, Help: help}, func() float64 { return value(m.reloads.Now()) }))
	}
	kinds := counters(MetricRequests, "Requests that the candidate configuration has judged, by how its verdict differs from the live one.", "change")
	for k := range m.kinds {
		m.kinds[k] = kinds.WithLabelValues(verdictchange.Kind(k).String())
	}
	changes := counters(MetricChanges, "Requests whose verdict differs, by the change and the reason: the candidate's, or that of the live configuration where only that one objects.", "change", "reason")
	for k := range m.reasons {
		if kind := verdictchange.Kind(k); kind != verdictchange.Same {
			m.reasons[k] = rejects.NewReasons(changes.MustCurryWith(prometheus.Labels{"change": kind.String()}), rejects.ReasonsMax)
		}
	}
	skipped := counters("candidate_skipped_total", "Requests that the candidate did not judge: queue (full), panic.", "cause")
	m.full, m.panics = skipped.WithLabelValues("queue"), skipped.WithLabelValues("panic")
	gauge("candidate_share", "Share of requests that the candidate judges.", func(rejects.Configuration) float64 { return share })
	gauge("candidate_config_generation", "Candidate configurations since the start.", func(c rejects.Configuration) float64 { return float64(c.Generation) })
	gauge("candidate_config_loaded_timestamp_seconds", "When this one was loaded.", func(c rejects.Configuration) float64 { return float64(c.Loaded.UnixNano()) / 1e9 })
	gauge("candidate_config_failed", "Whether a later one could not be loaded.", func(c rejects.Configuration) float64 {
		if c.Problem != "" {
			return 1
		}
		return 0
	})
	m.reloads.Done()
}

// judged counts a request.
func (m *metrics) judged(kind verdictchange.Kind, old, next string) {
	m.kinds[kind].Inc()
	if kind != verdictchange.Same {
		m.reasons[kind].Inc(cmp.Or(next, old))
	}
}

// Reloaded notes that the holder has another engine.
func (c *Candidate) Reloaded() {
	if c != nil {
		c.metrics.reloads.Done()
	}
}

// ReloadFailed notes that a later candidate could not be loaded: the one before stays.
func (c *Candidate) ReloadFailed(err error) {
	if c != nil {
		c.metrics.reloads.Failed(err)
	}
}

// Configuration says which candidate is in use, nil if there is none.
func (c *Candidate) Configuration() *rejects.Configuration {
	if c == nil {
		return nil
	}
	now := c.metrics.reloads.Now()
	return &now
}

// Describe implements [prometheus.Collector].
func (c *Candidate) Describe(out chan<- *prometheus.Desc) {
	for _, m := range c.metrics.all {
		m.Describe(out)
	}
}

// Collect implements [prometheus.Collector].
func (c *Candidate) Collect(out chan<- prometheus.Metric) {
	for _, m := range c.metrics.all {
		m.Collect(out)
	}
}
