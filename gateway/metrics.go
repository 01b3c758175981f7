package gateway

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/serving/rejects"
)

// Namespace begins the names of all metrics of a gateway.
const Namespace = "rtbwire_gateway_"

// metrics are the gateway's counters. Where Prebid Server has the same one, the rest of the name is
// the same.
type metrics struct {
	registry *prometheus.Registry
	requests outcomes
	total    prometheus.Histogram
	stages   struct{ read, inspect, upstream, response, own prometheus.Observer }
	sizes    struct{ request, response prometheus.Observer }
	judged   *rejects.JudgedMetrics
	reloads  *prometheus.CounterVec
	answers  responseMetrics

	// The counts of partners, which stay when the options change, and of requests of no partner.
	partners                       map[string]*partnerCounts
	rejections, shadowed, outcomes *prometheus.CounterVec
	strangers                      *partnerCounts

	publishers publishers
}

var (
	// timeBuckets are from 50 µs to 1.6 s.
	timeBuckets = prometheus.ExponentialBuckets(50e-6, 2, 16)
	// stageBuckets are from 6 µs to 1.6 s.
	stageBuckets = prometheus.ExponentialBuckets(6.25e-6, 2, 19)
	// sizeBuckets are from 256 B to 1 MiB.
	sizeBuckets = prometheus.ExponentialBuckets(256, 2, 13)
)

func (g *Gateway) newMetrics() {
	m := &g.metrics
	m.registry = prometheus.NewRegistry()
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: Namespace + name, Help: help}, labels)
		m.registry.MustRegister(c)
		return c
	}
	histogram := func(name, help string, buckets []float64) prometheus.Histogram {
		h := prometheus.NewHistogram(prometheus.HistogramOpts{Name: Namespace + name, Help: help, Buckets: buckets})
		m.registry.MustRegister(h)
		return h
	}
	requests := counters("requests_total", "Requests by what they were for and what became of them.", "request_type", "request_status")
	for i := range m.requests {
		m.requests[i] = requests.WithLabelValues(typeOf(outcome(i)), outcomeNames[i])
	}
	m.total = histogram("request_time_seconds", "Time from the first byte of a forwarded request to its answer.", timeBuckets)
	stages := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: Namespace + "stage_time_seconds", Help: "Time to read a request (read), from then to its verdict (inspect), of the upstream, to judge its answer (response), and all of a forwarded request but reading and the upstream (own).", Buckets: stageBuckets,
	}, []string{"stage"})
	m.registry.MustRegister(stages)
	m.stages.read, m.stages.inspect, m.stages.upstream = stages.WithLabelValues("read"), stages.WithLabelValues("inspect"), stages.WithLabelValues("upstream")
	m.stages.response, m.stages.own = stages.WithLabelValues("response"), stages.WithLabelValues("own")
	m.answers.init(counters)
	m.sizes.request = histogram("request_size_bytes", "Bid requests that were judged, after inflation.", sizeBuckets)
	m.sizes.response = histogram("response_size_bytes", "Bodies of upstreams' answers to bid requests.", sizeBuckets)
	m.rejections = counters("rejected_total", "Requests that were not forwarded, by reason and partner; those of no partner have the partner \"\".", "partner", "reason")
	m.shadowed = counters("shadow_rejected_total", "Requests that were forwarded only because something is in shadow, by partner and the reason that would refuse them.", "partner", "reason")
	m.outcomes = counters("partner_requests_total", "Requests of partners by what became of them.", "partner", "request_status")
	m.judged = rejects.NewJudgedMetrics(Namespace)
	m.judged.Register(m.registry)
	m.partners = map[string]*partnerCounts{}
	m.strangers = m.newCounts("", rejects.ReasonsMax)
	m.publishers.init(counters("publisher_requests_total", "Requests of publishers by what became of them, where publishers are counted.", "partner", "publisher", "request_status"))
	m.reloads = counters("reloads_total", "Reloads of the configuration: done, or failed with the old one in use.", "result")
	for _, result := range []string{reloadDone, reloadFailed} {
		m.reloads.WithLabelValues(result) // so that it is 0 before the first one
	}
	if g.candidate != nil {
		m.registry.MustRegister(g.candidate)
	}
	m.registry.MustRegister(gauges{g}, stateMetrics{g}, captures{g}, upstreamMetrics{g})
}

// The values of the label result.
const (
	reloadDone   = "done"
	reloadFailed = "failed"
)

// typeOf is the value of the label request_type.
func typeOf(o outcome) string {
	switch o {
	case outcomePassthrough:
		return "passthrough"
	case outcomeStatus:
		return "status"
	}
	return "openrtb2"
}

// newCounts returns counts with a bound on reasons.
func (m *metrics) newCounts(partner string, reasonsMax int) *partnerCounts {
	own := prometheus.Labels{"partner": partner}
	return &partnerCounts{
		judged:   m.judged.Of(partner),
		reasons:  rejects.NewReasons(m.rejections.MustCurryWith(own), reasonsMax, failPanic.reason),
		shadowed: rejects.NewReasons(m.shadowed.MustCurryWith(own), reasonsMax),
		answers:  rejects.NewReasons(m.answers.findings.MustCurryWith(own), reasonsMax),
	}
}

// countsOf returns the counts of a partner: the same ones each time, so that a reload does not
// begin with new bounds. One goroutine at a time may call it.
func (m *metrics) countsOf(partner string) *partnerCounts {
	c := m.partners[partner]
	if c == nil {
		c = m.newCounts(partner, rejects.PartnerReasonsMax)
		for i := range c.requests {
			c.requests[i] = m.outcomes.WithLabelValues(partner, outcomeNames[i])
		}
		m.partners[partner] = c
	}
	return c
}

// counts returns the counts that a request belongs to.
func (m *metrics) counts(r *request) *partnerCounts {
	if r.partner != nil {
		return r.partner.counts
	}
	return m.strangers
}

// done counts a request that was answered.
func (m *metrics) done(o *Options, r *request, d *decoded, dec *decision, answerBytes int, now time.Time) {
	m.requests[dec.outcome].Inc()
	counts := m.counts(r)
	if c := counts.requests[dec.outcome]; c != nil {
		c.Inc()
	}
	m.publishers.done(o, r.partnerName(), d, dec.outcome)
	if dec.outcome == outcomeForwarded {
		m.total.Observe(now.Sub(r.began).Seconds())
		m.stages.own.Observe((now.Sub(r.read) - dec.asked).Seconds())
		m.sizes.response.Observe(float64(answerBytes))
	} else if dec.reason != "" {
		counts.reasons.Inc(dec.reason)
	}
}

// rejected counts a request that was answered without an exchange.
func (m *metrics) rejected(reason string) {
	m.requests[outcomeRejected].Inc()
	m.strangers.reasons.Inc(reason)
}

// inspected counts a request that has a verdict.
func (m *metrics) inspected(o *Options, r *request, dec *decision) {
	m.stages.read.Observe(r.read.Sub(r.began).Seconds())
	m.stages.inspect.Observe(dec.judged.Sub(r.read).Seconds())
	m.sizes.request.Observe(float64(len(r.body)))
	counts, v := m.counts(r), &dec.verdict
	counts.judged.Count(v)
	switch {
	case v.Action == inspect.ActionRefuse:
		if o.Shadow {
			counts.shadow(v.Reason)
		}
	case v.WouldRefuse().Action == inspect.ActionRefuse:
		counts.judged.WouldRefuse(v.WouldRefuse().Reason)
	case v.Shadow != nil && v.Shadow.Action == inspect.ActionRefuse:
		counts.shadowed.Inc(v.Shadow.Reason)
	}
}

// shadow counts a request that is forwarded only because the gateway is in shadow.
func (c *partnerCounts) shadow(reason string) {
	c.shadowed.Inc(reason)
	c.judged.WouldRefuse(reason)
}

// upstream counts the time that an upstream took, response the time to judge its answer.
func (m *metrics) upstream(d time.Duration) { m.stages.upstream.Observe(d.Seconds()) }
func (m *metrics) response(d time.Duration) { m.stages.response.Observe(d.Seconds()) }

// Register adds metrics of what is around the gateway to its own, those of a transport for example.
func (g *Gateway) Register(c prometheus.Collector) error { return g.metrics.registry.Register(c) }

// Collector returns the metrics of the gateway, to be registered with Prometheus.
func (g *Gateway) Collector() prometheus.Collector { return g.metrics.registry }
