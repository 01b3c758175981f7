package stream

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// ErrUndelivered is the error of a Run whose context ended before a session has delivered what an
// earlier one had read when it failed. Nothing is lost: those records are not committed, and are
// read again.
var ErrUndelivered = errors.New("stream: what was read is not all delivered")

// owed is what sessions have read that failed, and that none has delivered since, by lane.
type owed struct {
	mu   sync.Mutex
	by   map[LaneID]debt
	last error // of the last session that failed
}

// debt is a part of a lane that is not delivered and committed.
type debt struct{ from, until int64 }

// ended notes how a session has ended that had the lanes. A lane that a long session did not get is
// another process's.
func (o *owed) ended(all []*Lane, failure error, lasted time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if failure != nil {
		o.last = failure
	}
	was := o.by
	o.by = map[LaneID]debt{}
	if lasted < restartForget {
		maps.Copy(o.by, was)
	}
	for _, l := range all {
		d, own := was[l.ID], l.debt()
		d.from = max(d.from, own.from)
		if failure != nil { // what is read and not sent when Run ends is owed by nobody
			d.until = max(d.until, own.until)
		}
		if d.until > d.from {
			o.by[l.ID] = d
		} else {
			delete(o.by, l.ID)
		}
	}
}

// forget forgets lanes that are another process's, or that are delivered.
func (o *owed) forget(some []*Lane) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, l := range some {
		delete(o.by, l.ID)
	}
}

// lanesNamed is how many lanes an error names.
const lanesNamed = 3

// error returns an [ErrUndelivered] that says how much is owed, nil if that is nothing. unit is
// what positions count.
func (o *owed) error(unit string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	var sum int64
	var names []string
	for id, d := range o.by {
		sum += d.until - d.from
		names = append(names, fmt.Sprintf("%s/%d", id.Name, id.Number))
	}
	if sum == 0 {
		return nil
	}
	if sum != 1 {
		unit += "s"
	}
	slices.Sort(names)
	if more := len(names) - lanesNamed; more > 0 {
		names = append(names[:lanesNamed], fmt.Sprintf("%d more", more))
	}
	return fmt.Errorf("%w: %d %s of %s; they are not committed, and are read again at the next start. The last failure: %v", //nolint:errorlint // its cause is history
		ErrUndelivered, sum, unit, strings.Join(names, ", "), o.last)
}

// unitByte is the unit of sources whose positions are bytes.
const unitByte = "byte"

// unit returns what the positions of a source count.
func unit(s Source) string {
	if own, has := s.(interface{ Unit() string }); has {
		return own.Unit()
	}
	return "record"
}
