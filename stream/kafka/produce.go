package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
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
		return t.g.suspects.refused(t.placeOf(r))
	}
	return nil
}

// Write produces a record.
func (t *topic) Write(ctx context.Context, r *stream.Record, done func(error)) {
	n := t.g.session.Load()
	if n == nil {
		done(errNoSession)
		return
	}
	if _, alone := t.g.suspects.of(t.placeOf(r)); alone {
		done(n.produceAlone(ctx, t, r))
		return
	}
	n.alone.RLock()
	defer n.alone.RUnlock()
	n.produce(ctx, t, r, done)
}

// outgoing makes a record the one that is produced: with the timestamp of now if the topic does not
// take its own.
func (n *session) outgoing(out *kgo.Record, t *topic, r *stream.Record) *kgo.Record {
	out.Key, out.Value, out.Timestamp = r.Key, r.Value, r.Time
	out.Headers = senderHeaders(slices.Clip(out.Headers)[:0], r.Headers)
	if len(r.Added) > 0 {
		out.Headers = addHeaders(slices.Clip(out.Headers), r.Added)
	}
	now := time.Now()
	if own, _ := t.g.suspects.of(t.placeOf(r)); own.retimed || !n.known.timely(r, t.name, now) {
		out.Timestamp = now
		out.Headers = addHeaders(slices.Clip(out.Headers), []stream.Header{
			{Key: stream.HeaderTime, Value: strconv.AppendInt(nil, r.Time.UnixMilli(), 10)},
		})
	}
	n.route(out, r.Lane.ID, t.name)
	return out
}

// senderHeaders appends the headers that a record was read with.
func senderHeaders(to []kgo.RecordHeader, from []stream.Header) []kgo.RecordHeader {
	to = slices.Grow(to, len(from))
	for _, h := range from {
		to = append(to, kgo.RecordHeader{Key: stream.SenderHeader(h.Key), Value: h.Value})
	}
	return to
}

// addHeaders appends those of the stream.
func addHeaders(to []kgo.RecordHeader, from []stream.Header) []kgo.RecordHeader {
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
	n       *session
	t       *topic
	r       *stream.Record
	done    func(error)
	promise func(*kgo.Record, error)
}

var productions sync.Pool

// produce begins to write a record: the one that was fetched, if it was, since nobody needs it as
// it was.
func (n *session) produce(ctx context.Context, t *topic, r *stream.Record, done func(error)) {
	p, free := productions.Get().(*production)
	if !free {
		p = new(production)
		p.promise = p.acknowledged
	}
	out, fetched := r.Origin.(*kgo.Record)
	if !fetched {
		out = new(kgo.Record)
	}
	p.ctx, p.n, p.t, p.r, p.done = ctx, n, t, r, done
	n.cl.Produce(ctx, n.outgoing(out, t, r), p.promise)
}

// acknowledged is called when a record is written, or can't be.
func (p *production) acknowledged(_ *kgo.Record, err error) {
	own := *p
	*p = production{promise: p.promise}
	productions.Put(p)
	switch {
	case err == nil:
		own.done(nil)
	case own.n.triesAlone(own.t, err):
		go func() { own.done(own.n.produceAlone(own.ctx, own.t, own.r)) }() // the client waits for us
	default:
		own.done(own.n.explain(own.ctx, own.t, own.r, err))
	}
}

// triesAlone reports whether a record that was refused with others is written alone at once, behind
// those that came after it. An upstream gets nothing twice then. Accepted records keep their order,
// so they are read again; and a transaction ends with the first record that is refused.
func (n *session) triesAlone(t *topic, err error) bool {
	switch {
	case n.txn != nil:
		return false
	case t.role == deadLetters:
		return errors.Is(err, kerr.InvalidTimestamp)
	}
	return t.role == responses && refusesRecord(err)
}

// produceAlone writes a record that may be the one that the broker refuses: what was written before
// is waited for, and nothing else is written until it is acknowledged.
func (n *session) produceAlone(ctx context.Context, t *topic, r *stream.Record) error {
	n.alone.Lock()
	defer n.alone.Unlock()
	if err := n.cl.Flush(ctx); err != nil {
		return context.Canceled
	}
	at := t.placeOf(r)
	for {
		err := n.cl.ProduceSync(ctx, n.outgoing(new(kgo.Record), t, r)).FirstErr()
		if err == nil {
			return nil
		}
		before, suspected := n.g.suspects.of(at)
		if n.txn != nil || !refusesRecord(err) { // a transaction has to be aborted
			return n.explain(ctx, t, r, err)
		}
		if !suspected {
			n.g.suspects.add(at, err)
		}
		n.g.suspects.add(at, err)
		if own, _ := n.g.suspects.of(at); own.retimed && !before.retimed {
			continue
		}
		if t.role == deadLetters {
			return n.explain(ctx, t, r, err)
		}
		return undeliverable(err)
	}
}

// explain decides what follows when a record was not written.
func (n *session) explain(ctx context.Context, t *topic, r *stream.Record, err error) error {
	before, _ := n.g.suspects.of(t.placeOf(r))
	switch {
	case refusesRecord(err) && t.role == responses:
		return undeliverable(err)
	case refusesRecord(err) && t.role == accepted, n.txn != nil && errors.Is(err, kerr.InvalidTimestamp) && !before.retimed:
		n.suspect(t, r, err)
		return context.Canceled // read again
	case ctx.Err() != nil, errors.Is(err, kgo.ErrAborting), errors.Is(err, kgo.ErrClientClosed):
		return context.Canceled // given up
	case n.txn != nil && n.again.waits(): // it follows from the record that was refused
		return context.Canceled
	case refusesRecord(err), hopeless(err):
		return stream.Fatal(fmt.Errorf("stream: topic %q can't be written, %s is not committed: %w", t.name, r.Source(), err))
	}
	return fmt.Errorf("topic %q can't be written: %w", t.name, err)
}
