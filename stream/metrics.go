package stream

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/serving/rejects"
)

// Namespace begins the names of all metrics of a stream.
const Namespace = "rtbwire_stream_"

// metrics are what a stream counts.
type metrics struct {
	registry *prometheus.Registry

	accepted, refused, undeliverable   prometheus.Counter
	bytes                              prometheus.Counter
	sizes                              prometheus.Histogram
	reasons, shadowed                  *rejects.Reasons
	judged                             *rejects.JudgedMetrics
	commitsDone, commitsFailed         prometheus.Counter
	committed                          prometheus.Gauge
	responsesWritten, responsesDropped prometheus.Counter
	restarts, resets                   prometheus.Counter
	reloads                            *prometheus.CounterVec
}

// sizeBuckets are from 256 B to 16 MiB.
var sizeBuckets = prometheus.ExponentialBuckets(256, 4, 9)

// The values of the label result of reloads.
const (
	reloadDone   = "done"
	reloadFailed = "failed"
)

func (s *Stream) newMetrics() {
	m := &s.metrics
	m.registry = prometheus.NewRegistry()
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: Namespace + name, Help: help}, labels)
		m.registry.MustRegister(c)
		return c
	}
	counter := func(name, help string) prometheus.Counter { return counters(name, help).WithLabelValues() }
	records := counters("records_total", "Records that are delivered, by what became of them.", "result")
	m.accepted, m.refused, m.undeliverable = records.WithLabelValues("accepted"), records.WithLabelValues("refused"), records.WithLabelValues("undeliverable")
	m.bytes = counter("read_bytes_total", "Bytes of the values of delivered records, as they were read.")
	m.sizes = prometheus.NewHistogram(prometheus.HistogramOpts{Name: Namespace + "record_size_bytes", Help: "Values of records as they were read.", Buckets: sizeBuckets})
	m.reasons = rejects.NewReasons(counters("dead_letters_total", "Dead letters, by reason.", "reason"), rejects.ReasonsMax)
	m.shadowed = rejects.NewReasons(counters("shadow_rejected_total", "Records that were accepted only because something is in shadow, by the reason that would refuse them.", "reason"), rejects.ReasonsMax)
	m.judged = rejects.NewJudgedMetrics(Namespace)
	m.judged.Register(m.registry)
	commits := counters("commits_total", "Commits of offsets. One that failed is tried again.", "result")
	m.commitsDone, m.commitsFailed = commits.WithLabelValues("done"), commits.WithLabelValues("failed")
	m.committed = prometheus.NewGauge(prometheus.GaugeOpts{Name: Namespace + "committed_timestamp_seconds", Help: "When offsets were committed last."})
	responses := counters("responses_total", "Answers of the upstream: written to their topic, or dropped.", "result")
	m.responsesWritten, m.responsesDropped = responses.WithLabelValues("written"), responses.WithLabelValues("dropped")
	m.restarts = counter("restarts_total", "Memberships that ended with an error; the next one began at the committed offsets.")
	m.resets = counter("resets_total", "Partitions in which reading went on elsewhere, because offsets or records were gone.")
	m.reloads = counters("reloads_total", "Reloads of the configuration: done, or failed with the old one in use.", "result")
	for _, result := range []string{reloadDone, reloadFailed} {
		m.reloads.WithLabelValues(result) // so that it is 0 before the first one
	}
	if s.candidate != nil {
		m.registry.MustRegister(s.candidate)
	}
	m.registry.MustRegister(m.sizes, m.committed, gauges{s})
}

// count counts the records of a chunk that are delivered.
func (m *metrics) count(c *chunk) {
	var accepted, refused, undeliverable, bytes int
	for i := range c.outcomes {
		o := &c.outcomes[i]
		if !c.done[i].Load() || c.records[i].Mark {
			continue
		}
		bytes += len(o.value)
		m.sizes.Observe(float64(len(o.value)))
		switch {
		case !o.refused():
			accepted++
			switch {
			case o.would.Action == inspect.ActionRefuse:
				o.counts.WouldRefuse(o.would.Reason)
			case o.shadow.Action == inspect.ActionRefuse:
				m.shadowed.Inc(o.shadow.Reason)
			}
			continue
		case o.decision.Reason == ReasonUndeliverable:
			undeliverable++
		default:
			refused++
		}
		m.reasons.Inc(o.decision.Reason)
	}
	m.accepted.Add(float64(accepted))
	m.refused.Add(float64(refused))
	m.undeliverable.Add(float64(undeliverable))
	m.bytes.Add(float64(bytes))
}
