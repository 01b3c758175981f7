package stream

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/serving/tracing"
	"github.com/rtbwire/rtbwire/openrtb"
)

// Traces of records, with names of OpenTelemetry's conventions.
type (
	// Tracer takes traces of records. It never waits.
	Tracer = tracing.Tracer
	// Trace is what a Tracer gets: the spans of a record.
	Trace = tracing.Trace
	// Sampling says which records are traced.
	Sampling = tracing.Sampling
)

// trace is what is noted about a record for its spans. Most records have none.
type trace struct {
	context        tracing.Context
	headers        []Header // as they were read
	began          time.Time
	decoded, ended time.Time
	judged         time.Time
	publisher      string
	scored         bool
}

// beginTrace decides whether a record is traced, and makes it tell receivers where it is in the
// trace.
func (f *Flow) beginTrace(r *Record, o *outcome) {
	parent, parents := []byte(nil), 0
	for i := range r.Headers {
		if strings.EqualFold(r.Headers[i].Key, tracing.HeaderParent) {
			parent, parents = r.Headers[i].Value, parents+1
		}
	}
	c, broken := f.o.Sampling.Begin(parent, parents)
	if c == nil {
		return
	}
	o.trace = &trace{context: *c, headers: r.Headers, began: time.Now()}
	told := slices.DeleteFunc(slices.Clone(r.Headers), func(h Header) bool {
		return strings.EqualFold(h.Key, tracing.HeaderParent) || broken && strings.EqualFold(h.Key, tracing.HeaderState)
	})
	r.Headers = append(told, Header{Key: strings.ToLower(tracing.HeaderParent), Value: c.Append(nil)})
}

// verdict notes what was decided. The request is nil if it could not be decoded.
func (t *trace) verdict(bid *openrtb.BidRequest) {
	if t.judged, t.scored = time.Now(), bid != nil; bid != nil {
		t.publisher = strings.Clone(inspect.PublisherOf(bid)) // its memory is used again
	}
}

// endTrace gives the spans of a delivered record to the tracer, if it is sampled.
func (f *Flow) endTrace(r *Record, o *outcome) {
	t := o.trace
	if !t.context.Sampled() {
		return
	}
	t.ended = time.Now()
	out := &tracing.Trace{Context: t.context, Root: tracing.Span{
		Name: "process " + r.Lane.ID.Name, Kind: tracing.Consumer, Began: t.began, Ended: t.ended,
	}}
	s := &out.Root
	if kind, known := f.o.Source.(interface{ System() string }); known {
		s.Add(tracing.Text("messaging.system", kind.System()))
	}
	s.Add(
		tracing.Text("messaging.operation.name", "process"), tracing.Text("messaging.operation.type", "process"),
		tracing.Text("messaging.destination.name", r.Lane.ID.Name), tracing.Text("messaging.destination.partition.id", strconv.Itoa(int(r.Lane.ID.Number))),
		tracing.Number("messaging.kafka.offset", r.Position), tracing.Number("messaging.message.body.size", len(o.value)),
		tracing.Text("rtbwire.partner", o.partner), tracing.Text("rtbwire.publisher.id", t.publisher),
		tracing.Text("rtbwire.outcome", o.result()), tracing.Text("rtbwire.reason", o.decision.Reason),
	)
	if t.scored {
		s.Add(tracing.Number("rtbwire.score", o.score))
	}
	if o.decision.NBR != 0 {
		s.Add(tracing.Number("rtbwire.nbr", o.decision.NBR))
	}
	if o.decision.Reason == ReasonUndeliverable {
		s.Failed = ReasonUndeliverable
	}
	out.Stage("decode", t.began, t.decoded)
	out.Stage("verdict", t.decoded, t.judged)
	if !t.judged.IsZero() {
		out.Inside = append(out.Inside, tracing.Span{Name: "deliver", Kind: tracing.Client, ID: t.context.Next, Began: t.judged, Ended: t.ended})
	}
	f.o.Tracer.Take(out)
}
