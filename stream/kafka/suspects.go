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
	lane     stream.LaneID
	position int64
}

func placeOf(r *stream.Record) place { return place{r.Lane.ID, r.Position} }

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
func (s *suspects) has(r *stream.Record) bool {
	if s.many.Load() == 0 {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, has := s.by[placeOf(r)]
	return has
}

// refused returns what the broker has refused a record with that was written alone; nil if it has
// not.
func (s *suspects) refused(r *stream.Record) error {
	if s.many.Load() == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.by[placeOf(r)]; err != nil {
		return undeliverable(err)
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
	maps.DeleteFunc(s.by, func(at place, _ error) bool { return at.lane == lane && at.position < below })
	s.many.Store(int64(len(s.by)))
}
