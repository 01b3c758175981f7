package kafka

import (
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/rtbwire/rtbwire/stream"
)

// suspects are records that the broker did not take. It refuses whole batches, so who is to blame
// is not known at first: they are read again, and then each is written alone. One that is refused
// then for its timestamp is written with that of now; one that is refused for something else is a
// dead letter. So the order of records stays, whatever one of them holds.
type suspects struct {
	many atomic.Int64 // their number: mostly 0
	mu   sync.Mutex
	by   map[place]suspicion
}

// place is where a record was read, and what for it was written.
type place struct {
	lane     stream.LaneID
	position int64
	role     role
}

func (t *topic) placeOf(r *stream.Record) place { return place{r.Lane.ID, r.Position, t.role} }

// suspicion is what is known of a record that was refused, with others or alone.
type suspicion struct {
	retimed bool  // its timestamp was refused
	err     error // what it was refused with that can't be mended; nil: not known yet
}

// add notes that a record was refused: at first with others, then alone.
func (s *suspects) add(at place, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.by == nil {
		s.by = map[place]suspicion{}
	}
	own, before := s.by[at]
	switch {
	case !before:
	case errors.Is(err, kerr.InvalidTimestamp) && !own.retimed:
		own.retimed = true
	default:
		own.err = err
	}
	s.by[at] = own
	s.many.Store(int64(len(s.by)))
}

// of returns what is known of a record, and whether it is to be written alone.
func (s *suspects) of(at place) (own suspicion, has bool) {
	if s.many.Load() == 0 {
		return own, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	own, has = s.by[at]
	return own, has
}

// any reports whether there is a record of one of the partitions that has is true for.
func (s *suspects) any(has func(stream.LaneID) bool) bool {
	if s.many.Load() == 0 {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for at := range s.by {
		if has(at.lane) {
			return true
		}
	}
	return false
}

// refused returns what the broker has refused a record with that was written alone; nil if it has
// not.
func (s *suspects) refused(at place) error {
	if own, _ := s.of(at); own.err != nil {
		return undeliverable(own.err)
	}
	return nil
}

// undeliverable is the error of a record that the broker does not take.
func undeliverable(err error) error {
	if errors.Is(err, kerr.MessageTooLarge) || errors.Is(err, kerr.RecordListTooLarge) {
		err = fmt.Errorf("%w: %w", stream.ErrTooLarge, err)
	}
	return &stream.Undeliverable{Attempts: 1, Err: err}
}

// forget forgets the records of a partition below a committed offset.
func (s *suspects) forget(lane stream.LaneID, below int64) {
	if s.many.Load() == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.by, func(at place, _ suspicion) bool { return at.lane == lane && at.position < below })
	s.many.Store(int64(len(s.by)))
}
