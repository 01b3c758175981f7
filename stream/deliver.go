package stream

import (
	"context"
	"errors"
	"fmt"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/inspect"
)

// address makes a record what is written: a dead letter gets its headers.
func (f *Flow) address(c *chunk, i int) {
	r, o := &c.records[i], &c.outcomes[i]
	var cause error
	if !o.refused() && f.o.Accepted != nil {
		if cause = f.o.Accepted.Check(r); cause != nil {
			o.refuse(reasonOf(cause))
		}
	}
	if o.refused() {
		if o.own {
			f.noteOwn(r, o, cause)
		}
		f.deadLetter(r, o)
	}
}

// reasonOf returns the reason of a record that a sink does not take. What is too large before it is
// written is a limit of ours.
func reasonOf(err error) (reason string, nbr adcom.NoBidReason) {
	_, tried := errors.AsType[*Undeliverable](err)
	switch large := errors.Is(err, ErrTooLarge); {
	case large && !tried:
		return ReasonSize, inspect.NBRLimit
	case large:
		return ReasonSize, adcom.NoBidReasonTechnicalError
	}
	return ReasonUndeliverable, adcom.NoBidReasonTechnicalError
}

// send hands the records of a chunk on, in their order.
func (f *Flow) send(c *chunk) {
	for i := range c.records {
		r := &c.records[i]
		switch {
		case f.failure() != nil: // what is sent now would be sent again
			c.finish(i, false)
		case r.Mark:
			c.finish(i, true)
		case c.outcomes[i].refused():
			f.o.DeadLetters.Write(c.lane.ctx, r, c.promises[i])
		case f.o.Upstream != nil:
			f.deliveries.push(delivery{c: c, i: i})
		default:
			f.o.Accepted.Write(c.lane.ctx, r, c.promises[i])
		}
	}
	c.unpend()
}

// written is called when a record is written, or can't be.
func (c *chunk) written(i int, err error) {
	if err == nil {
		c.finish(i, true)
		return
	}
	f, o := c.lane.f, &c.outcomes[i]
	one, only := errors.AsType[*Undeliverable](err)
	switch {
	case only && !o.refused():
		f.undeliverable(c, i, one)
		return
	case only:
		f.Fail(Fatal(fmt.Errorf("stream: a dead letter can't be written, %s is not committed: %w", c.records[i].Source(), one.Err)))
	default:
		f.notWritten(c.lane, err)
	}
	c.finish(i, false)
}

// undeliverable makes a record a dead letter that was accepted and is not taken.
func (f *Flow) undeliverable(c *chunk, i int, err error) {
	r, o := &c.records[i], &c.outcomes[i]
	o.refuse(reasonOf(err))
	f.noteOwn(r, o, err)
	f.deadLetter(r, o)
	f.o.DeadLetters.Write(c.lane.ctx, r, c.promises[i])
}

// notWritten ends the session, unless the record was given up.
func (f *Flow) notWritten(l *Lane, err error) {
	if l.ctx.Err() == nil && !errors.Is(err, context.Canceled) {
		f.Fail(err)
	}
}

// delivery is a record on its way to the upstream.
type delivery struct {
	c    *chunk
	i    int
	late bool // its lane is on its way out
}

// deliver is one of the goroutines that deliver to the upstream.
func (f *Flow) deliver() {
	for {
		d, ok := f.deliveries.pop()
		if !ok {
			return
		}
		if d.late {
			d.c.finish(d.i, false)
			continue
		}
		f.deliverOne(d.c, d.i)
	}
}

func (f *Flow) deliverOne(c *chunk, i int) {
	r, o := &c.records[i], &c.outcomes[i]
	answer, err := f.o.Upstream.Deliver(c.lane.ctx, Delivery{
		Lane: c.lane.ID, Position: r.Position, Time: r.Time, Key: r.Key, Headers: r.Headers, Value: r.Value,
		Decision: o.decision, Shadow: o.shadow, Score: o.score, Partner: o.partner,
	})
	one, only := errors.AsType[*Undeliverable](err)
	switch {
	case err == nil:
		f.respond(c, i, answer)
	case only:
		f.undeliverable(c, i, one)
	default:
		if c.lane.ctx.Err() == nil {
			f.Fail(fmt.Errorf("the upstream failed for %s: %w", r.Source(), err))
		}
		c.finish(i, false)
	}
}

// respond writes what the upstream has answered, if somebody wants it.
func (f *Flow) respond(c *chunk, i int, answer []byte) {
	m := &f.s.metrics
	if answer == nil || f.o.Responses == nil {
		if answer != nil {
			m.responsesDropped.Inc()
		}
		c.finish(i, true)
		return
	}
	r := &c.records[i]
	out := &Record{
		Key: r.Key, Value: answer, Time: r.Time, Lane: r.Lane, Position: r.Position, Next: r.Next,
		Added: []Header{{Key: HeaderSource, Value: []byte(r.Source())}},
	}
	written := func(err error) {
		one, only := errors.AsType[*Undeliverable](err)
		switch {
		case err == nil:
			m.responsesWritten.Inc()
		case only: // the record itself is delivered
			m.responsesDropped.Inc()
			f.Warn("response", "a response was not written", "source", out.Source(), "error", one.Err)
			err = nil
		default:
			f.notWritten(c.lane, err)
		}
		c.finish(i, err == nil)
	}
	if err := f.o.Responses.Check(out); err != nil {
		written(&Undeliverable{Err: err})
		return
	}
	f.o.Responses.Write(c.lane.ctx, out, written)
}
