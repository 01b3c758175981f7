package gateway

import "github.com/prometheus/client_golang/prometheus"

// gauges are numbers that are looked up when somebody asks.
type gauges struct{ g *Gateway }

// gaugeDescs are all of them.
var gaugeDescs []*prometheus.Desc

func gauge(name, help string, labels ...string) *prometheus.Desc {
	d := prometheus.NewDesc(Namespace+name, help, labels, nil)
	gaugeDescs = append(gaugeDescs, d)
	return d
}

var (
	gaugeReady          = gauge("ready", "Whether the gateway takes requests.")
	gaugeConnections    = gauge("connections_open", "Open connections to the gateway.")
	gaugeConnectionsMax = gauge("connections_max", "The limit on them.")
	gaugeInFlight       = gauge("requests_in_flight", "Requests that are being served.")
	gaugeLimit          = gauge("requests_in_flight_limit", "The adaptive limit on them.")
	gaugeInFlightMax    = gauge("requests_in_flight_max", "What the adaptive limit is at most.")
	gaugeReading        = gauge("requests_read_bytes", "Bytes of requests that are being served, and of the answers to them.")
	gaugeReadingMax     = gauge("requests_read_bytes_max", "The limit on them.")
	gaugeGeneration     = gauge("config_generation", "Configurations since the start. The first is 1.")
	gaugeLoaded         = gauge("config_loaded_timestamp_seconds", "When the configuration in use was loaded.")
	gaugeFailed         = gauge("config_failed", "Whether a later configuration could not be loaded.")
	gaugeUpstream       = gauge("upstream_in_flight", "Requests that an upstream has.", "upstream")
	gaugeHealthy        = gauge("upstream_healthy", "Whether an address of an upstream gets requests.", "upstream")
	gaugeDrained        = gauge("upstream_drained", "Whether an operator has taken an upstream out of use.", "upstream")
	gaugeUpstreamConns  = gauge("upstream_connections", "Open connections to an upstream.", "upstream")
	countUpstream       = gauge("upstream_requests_total", "Requests that were sent to an upstream, or should have been.", "upstream")
	countUpstreamFailed = gauge("upstream_failures_total", "Those of them without an answer, or with one of status 5xx.", "upstream")
)

// Describe implements [prometheus.Collector].
func (gauges) Describe(out chan<- *prometheus.Desc) {
	for _, d := range gaugeDescs {
		out <- d
	}
}

// Collect implements [prometheus.Collector].
func (c gauges) Collect(out chan<- prometheus.Metric) {
	send := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	g := c.g
	o, config := g.Options(), g.Configuration()
	send(gaugeReady, asFloat(g.Ready()))
	send(gaugeConnections, float64(g.conns.count()))
	send(gaugeConnectionsMax, float64(o.ConnectionsMax))
	send(gaugeInFlight, float64(g.inFlight.Load()))
	send(gaugeLimit, float64(g.overload.limit.Load()))
	send(gaugeInFlightMax, float64(o.InFlightMax))
	send(gaugeReading, float64(g.conns.held.Load()))
	send(gaugeReadingMax, float64(o.MemoryMax))
	send(gaugeGeneration, float64(config.Generation))
	send(gaugeLoaded, float64(config.Loaded.UnixMilli())/1000)
	send(gaugeFailed, asFloat(config.Problem != ""))
	for _, u := range g.plan.Load().upstreams.Upstreams() {
		send(gaugeUpstream, float64(u.InFlight()), u.Name)
		send(gaugeHealthy, asFloat(u.Healthy()), u.Name)
		send(gaugeDrained, asFloat(u.Drained()), u.Name)
		send(gaugeUpstreamConns, float64(u.Connections()), u.Name)
		out <- prometheus.MustNewConstMetric(countUpstream, prometheus.CounterValue, float64(u.Stats.Requests.Load()), u.Name)
		out <- prometheus.MustNewConstMetric(countUpstreamFailed, prometheus.CounterValue, float64(u.Stats.Failures.Load()), u.Name)
	}
}

func asFloat(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
