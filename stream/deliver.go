package stream

import (
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/rtbwire/rtbwire/adcom"
)

// address makes a record what is written: it gets its topic, and a dead letter its headers. A
// record for the upstream stays as it is.
func (n *session) address(c *chunk, i int) {
	r, f := c.records[i], &c.fates[i]
	if !f.refused() && n.o.Upstream == nil {
		switch {
		case !n.fits(r, n.o.Accepted):
			f.refuse(ReasonSize, nbrSize)
		case n.s.suspects.refused(c, i):
			f.refuse(n.s.suspects.reason(c, i), adcom.NoBidReasonTechnicalError)
		default:
			n.route(r, c.p, n.o.Accepted)
		}
	}
	if f.refused() {
		n.deadLetter(c, i)
	}
}

// send hands the records of a chunk on, in their order.
func (n *session) send(c *chunk) {
	n.alone.RLock()
	for i, r := range c.records {
		switch {
		case n.failure() != nil: // what is sent now would be sent again
			c.finish(i, false)
		case c.fates[i].control:
			c.finish(i, true)
		case !c.fates[i].refused() && n.o.Upstream != nil:
			n.deliveries.push(delivery{c: c, i: i})
		case n.s.suspects.has(c, i):
			n.alone.RUnlock()
			n.sendAlone(c, i, r)
			n.alone.RLock()
		default:
			n.cl.Produce(c.p.ctx, r, c.promises[i])
		}
	}
	n.alone.RUnlock()
	c.unpend()
}

// acknowledged is called when a record is written, or can't be.
func (c *chunk) acknowledged(i int, r *kgo.Record, err error) {
	if err != nil {
		c.p.n.notWritten(c, i, r.Topic, err)
	}
	c.finish(i, err == nil)
}

// delivery is a record on its way to the upstream.
type delivery struct {
	c    *chunk
	i    int
	late bool // its partition is on its way out
}

// deliver is one of the goroutines that deliver to the upstream.
func (n *session) deliver() {
	for {
		d, ok := n.deliveries.pop()
		if !ok {
			return
		}
		if d.late {
			d.c.finish(d.i, false)
			continue
		}
		n.deliverOne(d.c, d.i)
	}
}

func (n *session) deliverOne(c *chunk, i int) {
	r, f := c.records[i], &c.fates[i]
	answer, err := n.o.Upstream.Deliver(c.p.ctx, Delivery{
		Topic: c.p.topic, Partition: c.p.number, Offset: c.offsets[i], Timestamp: r.Timestamp,
		Key: r.Key, Headers: r.Headers, Value: r.Value,
		Decision: f.decision, Shadow: f.shadow, Score: f.score, Partner: f.partner,
	})
	var one *Undeliverable
	switch {
	case err == nil:
		n.respond(c, i, answer)
	case errors.As(err, &one):
		f.refuse(ReasonUndeliverable, adcom.NoBidReasonTechnicalError)
		n.deadLetter(c, i)
		n.cl.Produce(c.p.ctx, r, c.promises[i])
	default:
		if c.p.ctx.Err() == nil {
			n.fail(fmt.Errorf("the upstream failed for %s: %w", c.source(i), err))
		}
		c.finish(i, false)
	}
}

// respond writes what the upstream has answered, if there is a topic for it.
func (n *session) respond(c *chunk, i int, answer []byte) {
	m := &n.s.metrics
	if answer == nil || n.o.Responses == "" {
		if answer != nil {
			m.responsesDropped.Inc()
		}
		c.finish(i, true)
		return
	}
	r := c.records[i]
	out := &kgo.Record{
		Key: r.Key, Value: answer, Timestamp: r.Timestamp,
		Headers: []kgo.RecordHeader{{Key: HeaderSource, Value: []byte(c.source(i))}},
	}
	n.route(out, c.p, n.o.Responses)
	n.cl.Produce(c.p.ctx, out, func(_ *kgo.Record, err error) {
		switch {
		case err == nil:
			m.responsesWritten.Inc()
		case refusesRecord(err): // the record itself is delivered
			m.responsesDropped.Inc()
			n.s.log.warn("response", "a response was not written", "source", c.source(i), "error", err)
			err = nil
		default:
			n.notWritten(c, i, n.o.Responses, err)
		}
		c.finish(i, err == nil)
	})
}
