package stream

import (
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/rtbwire/rtbwire/adcom"
)

// suspects are records that the broker did not take on their way to the topic of accepted records.
// It refuses whole batches, so who is to blame is not known at first: the session ends, and after
// the next one has read them again, each is written alone. The one that is refused then is a dead
// letter. So the order of records stays, whatever one of them holds.
type suspects struct {
	many atomic.Int64 // their number: mostly 0
	mu   sync.Mutex
	by   map[place]error // nil: not known yet
}

// place is where a record was read.
type place struct {
	topic     string
	partition int32
	offset    int64
}

func (c *chunk) place(i int) place { return place{c.p.topic, c.p.number, c.offsets[i]} }

// add notes that a record was refused, with others or alone.
func (s *suspects) add(at place, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.by == nil {
		s.by = map[place]error{}
	}
	if _, before := s.by[at]; before {
		s.by[at] = err
	} else {
		s.by[at] = nil
	}
	s.many.Store(int64(len(s.by)))
}

// has reports whether a record is to be written alone.
func (s *suspects) has(c *chunk, i int) bool {
	if s.many.Load() == 0 {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, has := s.by[c.place(i)]
	return has
}

// refused reports whether the broker has refused a record that was written alone.
func (s *suspects) refused(c *chunk, i int) bool { return s.many.Load() > 0 && s.err(c, i) != nil }

func (s *suspects) err(c *chunk, i int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.by[c.place(i)]
}

// reason returns the reason of a record that was refused.
func (s *suspects) reason(c *chunk, i int) string {
	if err := s.err(c, i); errors.Is(err, kerr.MessageTooLarge) || errors.Is(err, kerr.RecordListTooLarge) {
		return ReasonSize
	}
	return ReasonUndeliverable
}

// forget forgets the records of a partition below a committed offset.
func (s *suspects) forget(topic string, partition int32, below int64) {
	if s.many.Load() == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.by, func(at place, _ error) bool {
		return at.topic == topic && at.partition == partition && at.offset < below
	})
	s.many.Store(int64(len(s.by)))
}

// sendAlone writes a record that may be the one that the broker refuses: what was written before is
// waited for, and nothing else is written until it is acknowledged.
func (n *session) sendAlone(c *chunk, i int, r *kgo.Record) {
	n.alone.Lock()
	defer n.alone.Unlock()
	if err := n.cl.Flush(c.p.ctx); err != nil {
		c.finish(i, false)
		return
	}
	err := n.cl.ProduceSync(c.p.ctx, r).FirstErr()
	if refusesRecord(err) && r.Topic == n.o.Accepted && !n.o.ExactlyOnce { // a transaction has to be aborted
		n.s.suspects.add(c.place(i), err)
		c.fates[i].refuse(n.s.suspects.reason(c, i), adcom.NoBidReasonTechnicalError)
		n.deadLetter(c, i)
		err = n.cl.ProduceSync(c.p.ctx, r).FirstErr()
	}
	c.acknowledged(i, r, err)
}

// refusesRecord reports whether an error is about what a record holds.
func refusesRecord(err error) bool {
	for _, e := range []*kerr.Error{
		kerr.MessageTooLarge, kerr.RecordListTooLarge, kerr.InvalidRecord, kerr.InvalidTimestamp, kerr.PolicyViolation,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// notWritten decides what follows when a record was not written. Its offset is not committed.
func (n *session) notWritten(c *chunk, i int, topic string, err error) {
	switch {
	case c.p.ctx.Err() != nil, errors.Is(err, kgo.ErrAborting), errors.Is(err, kgo.ErrClientClosed):
		return // given up
	case refusesRecord(err) && topic == n.o.Accepted:
		n.s.suspects.add(c.place(i), err)
		n.fail(fmt.Errorf("the broker refuses records for topic %q: %w", topic, err))
	case refusesRecord(err), hopeless(err):
		n.fail(&fatal{fmt.Errorf("stream: topic %q can't be written, %s is not committed: %w", topic, c.source(i), err)})
	default:
		n.fail(fmt.Errorf("topic %q can't be written: %w", topic, err))
	}
}
