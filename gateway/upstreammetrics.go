package gateway

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/rtbwire/rtbwire/internal/serving/balance"
)

// upstreamMetrics are the metrics of upstreams: what package balance counts.
type upstreamMetrics struct{ g *Gateway }

// upstreamDescs are all of them.
var upstreamDescs []*prometheus.Desc

func ofUpstream(name, help string, labels ...string) *prometheus.Desc {
	d := prometheus.NewDesc("rtbwire_gateway_upstream_"+name, help, labels, nil)
	upstreamDescs = append(upstreamDescs, d)
	return d
}

var (
	upstreamAvailable  = ofUpstream("available", "Healthy addresses for requests that nothing routes.")
	upstreamPanic      = ofUpstream("panic", "Whether addresses that are not healthy get such requests too, because too few are healthy.")
	upstreamResponses  = ofUpstream("responses_total", "Answers of an upstream by class of status.", "upstream", "code")
	upstreamBids       = ofUpstream("bids_total", "Answers of an upstream to bid requests of a partner, by whether they have a bid.", "partner", "upstream", "result")
	upstreamAddresses  = ofUpstream("addresses", "Addresses of an upstream by state.", "upstream", "state")
	upstreamEjections  = ofUpstream("ejections_total", "Addresses of an upstream that were ejected (done), or would have been if enough others were left (overflow).", "upstream", "result")
	upstreamChecks     = ofUpstream("health_checks_total", "Health checks of an upstream by result.", "upstream", "result")
	upstreamUnresolved = ofUpstream("resolve_failures_total", "Times that the name of an upstream was not resolved.", "upstream")
	upstreamMirrored   = ofUpstream("mirrored_total", "Copies of requests for an upstream: sent, dropped because too many waited, or absent: no address was left.", "upstream", "result")
)

// Describe implements [prometheus.Collector].
func (upstreamMetrics) Describe(out chan<- *prometheus.Desc) {
	for _, d := range upstreamDescs {
		out <- d
	}
}

// Collect implements [prometheus.Collector].
func (m upstreamMetrics) Collect(out chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	counter := func(d *prometheus.Desc, n uint64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), labels...)
	}
	p := m.g.plan.Load()
	if main := p.routing.main; p.options.Core == nil {
		gauge(upstreamAvailable, float64(main.Healthy()))
		gauge(upstreamPanic, asFloat(main.Panics()))
	}
	for _, u := range p.upstreams.Upstreams() {
		s := u.Stats
		for i, class := range balance.StatusNames {
			counter(upstreamResponses, s.Statuses[i].Load(), u.Name, class)
		}
		for partner, bids := range s.Partners() {
			for i, name := range balance.BidNames {
				counter(upstreamBids, bids[i].Load(), partner, u.Name, name)
			}
		}
		for i, n := range u.States() {
			gauge(upstreamAddresses, float64(n), u.Name, balance.States[i])
		}
		counter(upstreamEjections, s.Ejections.Load(), u.Name, "done")
		counter(upstreamEjections, s.NotEjected.Load(), u.Name, "overflow")
		if p.options.HealthCheck.Path != "" {
			failed := s.CheckFailures.Load()
			counter(upstreamChecks, s.Checks.Load()-failed, u.Name, "good")
			counter(upstreamChecks, failed, u.Name, "bad")
		}
		counter(upstreamUnresolved, s.ResolveFailures.Load(), u.Name)
		if u.Apart {
			counter(upstreamMirrored, s.Mirrored.Load(), u.Name, "sent")
			counter(upstreamMirrored, s.MirrorDropped.Load(), u.Name, "dropped")
			counter(upstreamMirrored, s.MirrorAbsent.Load(), u.Name, "absent")
		}
	}
}
