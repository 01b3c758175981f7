// Package telemetry sends spans and metrics to a collector of OpenTelemetry, as OTLP over HTTP,
// with OpenTelemetry's own SDK. It is the only package that links it.
//
//	t, err := telemetry.Open(telemetry.Options{...})
//	gateway.Options{Tracer: t.Tracer(), ...}
//	err = t.SendMetrics(registry)
//	...
//	err = t.Close(ctx) // sends what waits
//
// Nothing ever waits for a collector. Traces go into a bounded queue, from which one goroutine
// makes spans of them and sends those. While the collector does not answer the queue fills, and
// what has no place in it is dropped and counted.
//
//	telemetry.go  Options, Telemetry
//	spans.go      traces become spans of the SDK, and go out
//	metrics.go    metrics go out, and what this package counts
package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/service"
	"github.com/rtbwire/rtbwire/internal/serving/tracing"
)

// The limits.
const (
	// QueueMax is how many traces wait at most.
	QueueMax = 2048
	// BatchMax is how many spans are sent at once, as soon as there are as many. Fewer are sent
	// after BatchTime.
	BatchMax  = 512
	BatchTime = 2 * time.Second
	// ExportTimeout is how long a batch, or all metrics, may take to be sent, with all attempts.
	ExportTimeout = 10 * time.Second
	// FlushTimeout is how long a service that stops waits for what is still to be sent.
	FlushTimeout = 5 * time.Second

	retryMin = 500 * time.Millisecond
	retryMax = 4 * time.Second
)

// Options say what is sent where.
type Options struct {
	tracing.Settings
	// Service is the name of the service, and Version that of the program. Variables of the
	// environment win: OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES.
	Service, Version string
	// Namespace begins the names of metrics.
	Namespace string
	// Log gets what goes wrong.
	Log *slog.Logger
}

// Telemetry sends spans and metrics. A nil one sends nothing.
type Telemetry struct {
	options  Options
	resource *resource.Resource
	counts   *counts

	queue  chan *tracing.Trace
	spans  spans
	ctx    context.Context //nolint:containedctx // of what is being sent
	cancel context.CancelFunc
	stop   chan struct{}
	done   chan struct{}
	once   sync.Once

	meter *metric.MeterProvider
}

// Open begins to take traces. Nothing connects before there is something to send. It returns nil if
// there is no endpoint, or if the environment has OTEL_SDK_DISABLED.
func Open(o Options, getenv func(string) string) (*Telemetry, error) {
	if o.Endpoint == "" {
		return nil, nil //nolint:nilnil // it is off
	}
	if getenv("OTEL_SDK_DISABLED") == "true" {
		o.Log.Warn("OTEL_SDK_DISABLED is true: no spans and no metrics are sent", "endpoint", o.Endpoint)
		return nil, nil //nolint:nilnil // it is off
	}
	t := &Telemetry{
		options: o, counts: newCounts(o.Namespace), queue: make(chan *tracing.Trace, QueueMax), stop: make(chan struct{}), done: make(chan struct{}),
	}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	// What fails is told by those who send. The SDK would tell it again.
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { o.Log.Debug("OpenTelemetry", "error", err) }))
	var err error
	if t.resource, err = resource.New(t.ctx, resource.WithTelemetrySDK(), resource.WithHost(), resource.WithProcessPID(), resource.WithAttributes(
		attribute.String("service.name", o.Service), attribute.String("service.version", o.Version),
	), resource.WithFromEnv()); err != nil && !errors.Is(err, resource.ErrPartialResource) {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	exporter, err := otlptracehttp.New(t.ctx, otlptracehttp.WithEndpointURL(below(o.Endpoint, "v1/traces")), otlptracehttp.WithTimeout(ExportTimeout),
		otlptracehttp.WithCompression(otlptracehttp.GzipCompression),
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{Enabled: true, InitialInterval: retryMin, MaxInterval: retryMax, MaxElapsedTime: ExportTimeout}))
	if err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	t.spans.init(t, exporter)
	go t.run()
	return t, nil
}

// below returns a URL with a path added.
func below(endpoint, path string) string {
	all, err := url.JoinPath(endpoint, path)
	if err != nil {
		return endpoint // not reached: the endpoint was parsed
	}
	return all
}

// Tracer returns what takes traces; nil if nothing is sent.
func (t *Telemetry) Tracer() tracing.Tracer {
	if t == nil {
		return nil
	}
	return t
}

// Take implements [tracing.Tracer].
func (t *Telemetry) Take(one *tracing.Trace) {
	select {
	case t.queue <- one:
	default:
		t.counts.dropped(causeQueue, one.Spans())
	}
}

// newsOf returns what tells the log about exports.
func (t *Telemetry) newsOf(what string) *service.News {
	return &service.News{
		Log: t.options.Log, Fails: "the collector did not take " + what + "; they are dropped", Works: "the collector takes " + what + " again",
		Args: []any{"endpoint", t.options.Endpoint},
	}
}

// run makes and sends spans until Close, and then those that wait.
func (t *Telemetry) run() {
	defer close(t.done)
	tick := time.NewTicker(BatchTime)
	defer tick.Stop()
	for {
		select {
		case one := <-t.queue:
			t.spans.add(one)
		case <-tick.C:
			t.spans.send()
		case <-t.stop:
			t.spans.lost = 0
			for len(t.queue) > 0 {
				t.spans.add(<-t.queue)
			}
			t.spans.send()
			return
		}
	}
}

// Close sends what waits, as far as that is possible until the context ends, but for no longer than
// [FlushTimeout]. It returns an error if that was not all.
func (t *Telemetry) Close(ctx context.Context) (err error) {
	if t == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, FlushTimeout)
	defer cancel()
	t.once.Do(func() {
		defer context.AfterFunc(ctx, t.cancel)()
		close(t.stop)
		var metrics sync.WaitGroup
		if t.meter != nil {
			metrics.Go(func() { err = t.meter.Shutdown(ctx) })
		}
		<-t.done
		t.cancel()
		metrics.Wait()
		if lost := t.spans.lost; lost > 0 {
			err = errors.Join(fmt.Errorf("telemetry: %d spans were not sent", lost), err)
		}
	})
	return err
}

// spans are those that are to be sent. One goroutine uses them.
type spans struct {
	t        *Telemetry
	exporter *otlptrace.Exporter
	ids      ids
	tracer   trace.Tracer
	batch    []sdk.ReadOnlySpan
	news     *service.News
	lost     int // how many were not sent, since the end began
}
