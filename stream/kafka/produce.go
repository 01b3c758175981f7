package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/rtbwire/rtbwire/stream"
)

// topic is a topic that is written: a [stream.Sink].
type topic struct {
	g    *Group
	name string
	role role
}

// role is what a topic is for, which decides what a record means that it does not take.
type role uint8

const (
	accepted    role = iota
	deadLetters      // the stream stops
	responses        // the record is dropped
)

var errNoSession = errors.New("kafka: a topic can be written only while its group is the source of the stream")

// Check reports whether a record is too large for the topic, or was refused by it before.
func (t *topic) Check(r *stream.Record) error {
	n := t.g.session.Load()
	switch {
	case n == nil:
		return nil // Write says it
	case !n.known.fits(r, t.name):
		return stream.ErrTooLarge
	case t.role == accepted:
		return t.g.suspects.refused(r)
	}
	return nil
}

// Write produces a record.
func (t *topic) Write(ctx context.Context, r *stream.Record, done func(error)) {
	n := t.g.session.Load()
	switch {
	case n == nil:
		done(errNoSession)
		return
	case !n.suspicious:
		n.produce(ctx, t, r, done)
		return
	case t.role == accepted && t.g.suspects.has(r):
		done(n.produceAlone(ctx, t, r))
		return
	}
	n.alone.RLock()
	defer n.alone.RUnlock()
	n.produce(ctx, t, r, done)
}

// outgoing returns the record that is produced: the one that was fetched, if it was, since nobody
// needs it as it was.
func (n *session) outgoing(t *topic, r *stream.Record) *kgo.Record {
	out, fetched := r.Origin.(*kgo.Record)
	switch {
	case !fetched:
		out = &kgo.Record{Timestamp: r.Time, Headers: kafkaHeaders(nil, r.Headers)}
	case len(r.Headers) == 0:
		out.Headers = nil // perhaps they were dropped
	}
	out.Key, out.Value = r.Key, r.Value
	if len(r.Added) > 0 {
		out.Headers = kafkaHeaders(slices.Clip(out.Headers), r.Added)
	}
	n.route(out, r.Lane.ID, t.name)
	return out
}

func kafkaHeaders(to []kgo.RecordHeader, from []stream.Header) []kgo.RecordHeader {
	to = slices.Grow(to, len(from))
	for _, h := range from {
		to = append(to, kgo.RecordHeader(h))
	}
	return to
}

// production is a record that is being produced. The client calls promise, which is made once: a
// new closure for each record would be memory for each record.
type production struct {
	ctx     context.Context //nolint:containedctx // it lives as long as the record is on its way
	t       *topic
	r       *stream.Record
	done    func(error)
	promise func(*kgo.Record, error)
}

var productions sync.Pool

func (n *session) produce(ctx context.Context, t *topic, r *stream.Record, done func(error)) {
	p, free := productions.Get().(*production)
	if !free {
		p = new(production)
		p.promise = p.acknowledged
	}
	p.ctx, p.t, p.r, p.done = ctx, t, r, done
	n.cl.Produce(ctx, n.outgoing(t, r), p.promise)
}

// acknowledged is called when a record is written, or can't be.
func (p *production) acknowledged(_ *kgo.Record, err error) {
	if err != nil {
		err = p.t.explain(p.ctx, p.r, err)
	}
	done := p.done
	*p = production{promise: p.promise}
	productions.Put(p)
	done(err)
}

// produceAlone writes a record that may be the one that the broker refuses: what was written before
// is waited for, and nothing else is written until it is acknowledged.
func (n *session) produceAlone(ctx context.Context, t *topic, r *stream.Record) error {
	n.alone.Lock()
	defer n.alone.Unlock()
	if err := n.cl.Flush(ctx); err != nil {
		return context.Canceled
	}
	err := n.cl.ProduceSync(ctx, n.outgoing(t, r)).FirstErr()
	switch {
	case err == nil:
		return nil
	case refusesRecord(err) && !n.o.ExactlyOnce: // a transaction has to be aborted
		t.g.suspects.add(placeOf(r), err)
		return undeliverable(err)
	}
	return t.explain(ctx, r, err)
}

// explain decides what follows when a record was not written.
func (t *topic) explain(ctx context.Context, r *stream.Record, err error) error {
	switch {
	case refusesRecord(err) && t.role == responses:
		return &stream.Undeliverable{Attempts: 1, Err: err}
	case ctx.Err() != nil, errors.Is(err, kgo.ErrAborting), errors.Is(err, kgo.ErrClientClosed):
		return context.Canceled // given up
	case refusesRecord(err) && t.role == accepted:
		t.g.suspects.add(placeOf(r), err)
		return fmt.Errorf("the broker refuses records for topic %q: %w", t.name, err)
	case refusesRecord(err), hopeless(err):
		return stream.Fatal(fmt.Errorf("stream: topic %q can't be written, %s is not committed: %w", t.name, r.Source(), err))
	}
	return fmt.Errorf("topic %q can't be written: %w", t.name, err)
}
