package gateway

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// outcome is what became of a request.
type outcome int

const (
	outcomeForwarded outcome = iota // accepted, and the upstream has answered
	outcomeRefused                  // by the verdict, or because its time was over
	outcomeMalformed                // could not be decoded
	outcomeRejected                 // wrong as a message of HTTP
	outcomeShed                     // over a limit
	outcomeFailed                   // accepted, but the upstream did not answer
	outcomeThrough                  // passed unread
	outcomeStatus                   // asked by a load balancer
	outcomeCount
)

var outcomeNames = [outcomeCount]string{
	"forwarded", "refused", "malformed", "rejected", "shed", "failed", "through", "status",
}

// outcomes counts requests by outcome.
type outcomes [outcomeCount]prometheus.Counter

// reasonsMax bounds the values of the label reason: rules bring reasons of their own.
const reasonsMax = 1000

// metrics are what the gateway counts. Their names are those of Prebid Server where it has them.
type metrics struct {
	registry *prometheus.Registry
	requests outcomes
	total    prometheus.Histogram
	stages   struct{ inspect, upstream prometheus.Observer }
	reasons  *prometheus.CounterVec
	partners *prometheus.CounterVec
	reloads  *prometheus.CounterVec

	mu       sync.RWMutex
	byReason map[string]prometheus.Counter
}

// buckets are from 50 µs to 1.6 s.
var buckets = prometheus.ExponentialBuckets(50e-6, 2, 16)

func (g *Gateway) newMetrics() {
	m := &g.metrics
	m.registry, m.byReason = prometheus.NewRegistry(), map[string]prometheus.Counter{}
	requests := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "requests_total", Help: "Requests by what they were for and what became of them.",
	}, []string{"request_type", "request_status"})
	m.total = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "request_time_seconds", Help: "Time from the first byte of a forwarded request to its answer.", Buckets: buckets,
	})
	stages := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "stage_time_seconds", Help: "Time from the first byte to the verdict (inspect), and of the upstream.", Buckets: buckets,
	}, []string{"stage"})
	m.reasons = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "rejected_total", Help: "Requests that were not forwarded, by reason.",
	}, []string{"reason"})
	m.partners = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "partner_requests_total", Help: "Requests of partners by what became of them.",
	}, []string{"partner", "request_status"})
	m.reloads = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "reloads_total", Help: "Reloads of the configuration: done, or failed with the old one in use.",
	}, []string{"result"})
	for i := range m.requests {
		m.requests[i] = requests.WithLabelValues(typeOf(outcome(i)), outcomeNames[i])
	}
	m.stages.inspect, m.stages.upstream = stages.WithLabelValues("inspect"), stages.WithLabelValues("upstream")
	m.registry.MustRegister(requests, m.total, stages, m.reasons, m.partners, m.reloads, gauges{g}, captures{g})
}

// typeOf is the value of the label request_type.
func typeOf(o outcome) string {
	switch o {
	case outcomeThrough:
		return "passthrough"
	case outcomeStatus:
		return "status"
	}
	return "openrtb2"
}

// partnerOutcomes returns the counters of a partner.
func (m *metrics) partnerOutcomes(name string) (o outcomes) {
	for i := range o {
		o[i] = m.partners.WithLabelValues(name, outcomeNames[i])
	}
	return o
}

// done counts a request that was answered.
func (m *metrics) done(x *exchange) {
	m.requests[x.outcome].Inc()
	if x.partner != nil {
		x.partner.requests[x.outcome].Inc()
	}
	if x.outcome == outcomeForwarded {
		m.total.Observe(time.Since(x.began).Seconds())
	} else if x.reason != "" {
		m.reason(x.reason)
	}
}

// rejected counts a request that was answered without an exchange.
func (m *metrics) rejected(reason string) {
	m.requests[outcomeRejected].Inc()
	m.reason(reason)
}

func (m *metrics) inspected(d time.Duration) { m.stages.inspect.Observe(d.Seconds()) }
func (m *metrics) upstream(d time.Duration)  { m.stages.upstream.Observe(d.Seconds()) }

// reason counts a reason. Beyond [reasonsMax] different ones, others are counted together.
func (m *metrics) reason(reason string) {
	m.mu.RLock()
	c := m.byReason[reason]
	m.mu.RUnlock()
	if c == nil {
		m.mu.Lock()
		if c = m.byReason[reason]; c == nil {
			if len(m.byReason) >= reasonsMax {
				reason = "other"
			}
			c = m.reasons.WithLabelValues(reason)
			m.byReason[reason] = c
		}
		m.mu.Unlock()
	}
	c.Inc()
}

// The values of the label result.
const (
	reloadDone   = "done"
	reloadFailed = "failed"
)

// reloaded counts a reload.
func (m *metrics) reloaded(err error) {
	result := reloadDone
	if err != nil {
		result = reloadFailed
	}
	m.reloads.WithLabelValues(result).Inc()
}

// gauges are numbers of now.
type gauges struct{ g *Gateway }

var (
	gaugeConnections = prometheus.NewDesc("connections_open", "Open connections to the gateway.", nil, nil)
	gaugeInFlight    = prometheus.NewDesc("requests_in_flight", "Requests that are being served.", nil, nil)
	gaugeLimit       = prometheus.NewDesc("requests_in_flight_limit", "The adaptive limit on them.", nil, nil)
	gaugeReading     = prometheus.NewDesc("requests_read_bytes", "Bytes of requests that are being served.", nil, nil)
	gaugeReady       = prometheus.NewDesc("ready", "Whether the gateway takes requests.", nil, nil)
	gaugeUpstream    = prometheus.NewDesc("upstream_in_flight", "Requests that an upstream has.", []string{"upstream"}, nil)
	gaugeHealthy     = prometheus.NewDesc("upstream_healthy", "Whether the breaker of an upstream is closed.", []string{"upstream"}, nil)
	gaugeOutbound    = prometheus.NewDesc("upstream_connections", "Open connections to an upstream.", []string{"upstream"}, nil)
)

// Describe implements [prometheus.Collector].
func (gauges) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{gaugeConnections, gaugeInFlight, gaugeLimit, gaugeReading, gaugeReady, gaugeUpstream, gaugeHealthy, gaugeOutbound} {
		out <- d
	}
}

// Collect implements [prometheus.Collector].
func (c gauges) Collect(out chan<- prometheus.Metric) {
	send := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	g := c.g
	send(gaugeConnections, float64(g.conns.count()))
	send(gaugeInFlight, float64(g.inFlight.Load()))
	send(gaugeLimit, float64(g.overload.limit.Load()))
	send(gaugeReading, float64(g.conns.held.Load()))
	send(gaugeReady, asFloat(g.Ready()))
	for _, u := range g.plan.Load().upstreams.list {
		send(gaugeUpstream, float64(u.inFlight.Load()), u.settings.name)
		send(gaugeHealthy, asFloat(u.breaker.closed()), u.settings.name)
		send(gaugeOutbound, float64(u.client.ConnsCount()), u.settings.name)
	}
}

func asFloat(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Collector returns the metrics of the gateway, to be registered with Prometheus.
func (g *Gateway) Collector() prometheus.Collector { return g.metrics.registry }
