package telemetry

import (
	"context"
	"encoding/binary"
	"math/rand/v2"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/rtbwire/rtbwire/internal/serving/tracing"
)

// scope names who made the spans.
const scope = "github.com/rtbwire/rtbwire"

func (s *spans) init(t *Telemetry, exporter *otlptrace.Exporter) {
	s.t, s.exporter = t, exporter
	s.news = t.newsOf("spans")
	provider := sdk.NewTracerProvider(
		sdk.WithSampler(sdk.AlwaysSample()), // what comes here is sampled
		sdk.WithIDGenerator(&s.ids), sdk.WithResource(t.resource), sdk.WithSpanProcessor(gather{s}),
	)
	s.tracer = provider.Tracer(scope, trace.WithInstrumentationVersion(t.options.Version))
}

// add makes spans of a trace, and sends a batch if that is full.
func (s *spans) add(one *tracing.Trace) {
	c := &one.Context
	ctx := context.Background()
	if c.Parent != (tracing.SpanID{}) {
		ctx = trace.ContextWithRemoteSpanContext(ctx, trace.NewSpanContext(trace.SpanContextConfig{
			TraceID: trace.TraceID(c.Trace), SpanID: trace.SpanID(c.Parent), TraceFlags: trace.FlagsSampled, Remote: true,
		}))
	}
	s.ids.trace = trace.TraceID(c.Trace)
	one.Root.ID = c.Span
	root, inside := s.begin(ctx, &one.Root)
	for i := range one.Inside {
		child, _ := s.begin(inside, &one.Inside[i])
		end(child, &one.Inside[i])
	}
	end(root, &one.Root)
	if len(s.batch) >= BatchMax {
		s.send()
	}
}

// begin begins a span.
func (s *spans) begin(ctx context.Context, of *tracing.Span) (trace.Span, context.Context) {
	s.ids.span = trace.SpanID(of.ID)
	ctx, span := s.tracer.Start(ctx, of.Name, trace.WithTimestamp(of.Began), trace.WithSpanKind(kinds[of.Kind]), trace.WithAttributes(attributes(of.Attributes)...))
	for i := range of.Events {
		e := &of.Events[i]
		span.AddEvent(e.Name, trace.WithTimestamp(e.At), trace.WithAttributes(attributes(e.Attributes)...))
	}
	if of.Failed != "" {
		span.SetStatus(codes.Error, "")
		span.SetAttributes(attribute.String("error.type", of.Failed))
	}
	return span, ctx
}

func end(span trace.Span, of *tracing.Span) { span.End(trace.WithTimestamp(of.Ended)) }

var kinds = map[tracing.Kind]trace.SpanKind{
	tracing.Internal: trace.SpanKindInternal, tracing.Server: trace.SpanKindServer, tracing.Client: trace.SpanKindClient, tracing.Consumer: trace.SpanKindConsumer,
}

func attributes(some []tracing.Attribute) []attribute.KeyValue {
	out := make([]attribute.KeyValue, 0, len(some))
	for _, a := range some {
		if a.Numeric {
			out = append(out, attribute.Int64(a.Name, a.Number))
		} else {
			out = append(out, attribute.String(a.Name, a.Text))
		}
	}
	return out
}

// send sends the batch. What can't be sent is dropped and counted: more waits behind it.
func (s *spans) send() {
	if len(s.batch) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(s.t.ctx, ExportTimeout)
	defer cancel()
	err := s.exporter.ExportSpans(ctx, s.batch)
	n := len(s.batch)
	clear(s.batch)
	s.batch = s.batch[:0]
	if s.news.Tell(err); err != nil {
		s.lost += n
		s.t.counts.dropped(causeExport, n)
		return
	}
	s.t.counts.sent.Add(float64(n))
}

// gather is a processor of the SDK that adds spans to the batch as they end.
type gather struct{ s *spans }

func (gather) OnStart(context.Context, sdk.ReadWriteSpan) {}
func (g gather) OnEnd(s sdk.ReadOnlySpan)                 { g.s.batch = append(g.s.batch, s) }
func (gather) Shutdown(context.Context) error             { return nil }
func (gather) ForceFlush(context.Context) error           { return nil }

// ids generates the ids of spans: those that others know already, or random ones.
type ids struct {
	trace trace.TraceID
	span  trace.SpanID
}

// NewIDs implements [sdk.IDGenerator], as NewSpanID does.
func (i *ids) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	return i.trace, i.NewSpanID(ctx, i.trace)
}

func (i *ids) NewSpanID(context.Context, trace.TraceID) trace.SpanID {
	if i.span.IsValid() {
		return i.span
	}
	var id trace.SpanID
	binary.NativeEndian.PutUint64(id[:], rand.Uint64()>>1+1)
	return id
}
