package telemetry

import (
	"context"
	"fmt"

	prom "github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/contrib/bridges/prometheus"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/service"
)

// SendMetrics sends metrics from now on, at the interval of the settings.
func (t *Telemetry) SendMetrics(from prom.Gatherer) error {
	if t == nil || t.options.Metrics == 0 {
		return nil
	}
	exporter, err := otlpmetrichttp.New(t.ctx, otlpmetrichttp.WithEndpointURL(below(t.options.Endpoint, "v1/metrics")), otlpmetrichttp.WithTimeout(ExportTimeout),
		otlpmetrichttp.WithCompression(otlpmetrichttp.GzipCompression),
		otlpmetrichttp.WithRetry(otlpmetrichttp.RetryConfig{Enabled: true, InitialInterval: retryMin, MaxInterval: retryMax, MaxElapsedTime: ExportTimeout}))
	if err != nil {
		return fmt.Errorf("telemetry: %w", err)
	}
	counting := &exports{Exporter: exporter, t: t, news: t.newsOf("metrics")}
	reader := metric.NewPeriodicReader(counting, metric.WithInterval(t.options.Metrics), metric.WithTimeout(ExportTimeout),
		metric.WithProducer(prometheus.NewMetricProducer(prometheus.WithGatherer(from))))
	t.meter = metric.NewMeterProvider(metric.WithReader(reader), metric.WithResource(t.resource))
	return nil
}

// exports is an exporter that tells what becomes of its work.
type exports struct {
	metric.Exporter
	t    *Telemetry
	news *service.News
}

// Export implements [metric.Exporter].
func (e *exports) Export(ctx context.Context, all *metricdata.ResourceMetrics) error {
	err := e.Exporter.Export(ctx, all)
	e.news.Tell(err)
	if err != nil {
		e.t.counts.exportsFailed.Inc()
		return err
	}
	e.t.counts.exportsDone.Inc()
	return nil
}

// Causes of spans that are dropped.
const (
	causeQueue  = "queue"  // too many wait
	causeExport = "export" // the collector has not taken them
)

// counts are what this package counts.
type counts struct {
	sent                       prom.Counter
	droppedBy                  *prom.CounterVec
	exports                    *prom.CounterVec
	exportsDone, exportsFailed prom.Counter
}

func newCounts(namespace string) *counts {
	c := &counts{
		sent:      prom.NewCounter(prom.CounterOpts{Name: namespace + "telemetry_spans_sent_total", Help: "Spans that a collector has taken."}),
		droppedBy: prom.NewCounterVec(prom.CounterOpts{Name: namespace + "telemetry_spans_dropped_total", Help: "Spans that were dropped: too many waited (queue), or the collector did not take them (export)."}, []string{"cause"}),
		exports:   prom.NewCounterVec(prom.CounterOpts{Name: namespace + "telemetry_metrics_exports_total", Help: "Exports of metrics to a collector."}, []string{"result"}),
	}
	for _, cause := range []string{causeQueue, causeExport} {
		c.droppedBy.WithLabelValues(cause) // so that it is 0 before the first one
	}
	c.exportsDone, c.exportsFailed = c.exports.WithLabelValues("done"), c.exports.WithLabelValues("failed")
	return c
}

func (c *counts) dropped(cause string, spans int) {
	c.droppedBy.WithLabelValues(cause).Add(float64(spans))
}

// Register registers what is counted, if anything is.
func (t *Telemetry) Register(with func(prom.Collector) error) error {
	if t == nil {
		return nil
	}
	for _, c := range []prom.Collector{t.counts.sent, t.counts.droppedBy, t.counts.exports} {
		if err := with(c); err != nil {
			return err
		}
	}
	return nil
}
