package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"
)

// The values of the label result.
const (
	resultDone   = "done"
	resultFailed = "failed" // the client did something wrong, or left
	resultLate   = "late"
	resultCut    = "cut" // it took too long while others waited
)

// metrics are what a transport counts.
type metrics struct {
	t           *Transport
	handshakes  *prometheus.CounterVec
	headers     *prometheus.CounterVec
	connections *prometheus.CounterVec
	reloads     *prometheus.CounterVec
}

var gaugeHandshakes = prometheus.NewDesc("handshakes_in_progress", "TLS handshakes and PROXY headers that are being read.", nil, nil)

func newMetrics(t *Transport) *metrics {
	return &metrics{
		t: t,
		handshakes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tls_handshakes_total", Help: "TLS handshakes: done, failed, late, or cut because there were too many.",
		}, []string{"result"}),
		headers: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "proxy_headers_total", Help: "Headers of the PROXY protocol: done, failed, or late.",
		}, []string{"result"}),
		connections: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tls_connections_total", Help: "Connections of TLS by version and protocol.",
		}, []string{"version", "protocol"}),
		reloads: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tls_reloads_total", Help: "Certificates that were read again: done, or failed with the old ones in use.",
		}, []string{"result"}),
	}
}

// Collector returns the metrics, to be registered with Prometheus.
func (t *Transport) Collector() prometheus.Collector { return t.metrics }

// Describe implements [prometheus.Collector].
func (m *metrics) Describe(out chan<- *prometheus.Desc) {
	for _, v := range m.vectors() {
		v.Describe(out)
	}
	out <- gaugeHandshakes
}

// Collect implements [prometheus.Collector].
func (m *metrics) Collect(out chan<- prometheus.Metric) {
	for _, v := range m.vectors() {
		v.Collect(out)
	}
	out <- prometheus.MustNewConstMetric(gaugeHandshakes, prometheus.GaugeValue, float64(m.t.progress.count()))
}

func (m *metrics) vectors() []*prometheus.CounterVec {
	return []*prometheus.CounterVec{m.handshakes, m.headers, m.connections, m.reloads}
}

// established counts a connection of TLS.
func (m *metrics) established(s *tls.ConnectionState) {
	m.handshakes.WithLabelValues(resultDone).Inc()
	protocol := s.NegotiatedProtocol
	if protocol == "" {
		protocol = protocolHTTP1
	}
	m.connections.WithLabelValues(tls.VersionName(s.Version), protocol).Inc()
}

// failed counts a connection that was refused.
func (m *metrics) failed(err error) {
	result := resultFailed
	if isTimeout(err) || errors.Is(err, context.DeadlineExceeded) {
		result = resultLate
	}
	if _, ok := errors.AsType[*headerError](err); ok {
		m.headers.WithLabelValues(result).Inc()
	} else {
		m.handshakes.WithLabelValues(result).Inc()
	}
}

// refreshed is told what became of certificates that have changed.
func (t *Transport) refreshed(err error) {
	log := t.options.Logger
	if t.options.Told && len(t.options.TLS.ClientCAs) == 0 {
		log = slog.New(slog.DiscardHandler)
	}
	if err != nil {
		t.metrics.reloads.WithLabelValues(resultFailed).Inc()
		log.Error("the certificates were not loaded again; the old ones stay in use", "error", err)
		return
	}
	t.metrics.reloads.WithLabelValues(resultDone).Inc()
	log.Info("the certificates were loaded again", "valid until", t.certificates.NotAfter())
}
