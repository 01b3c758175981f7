package window

import (
	"math"
	"sync"
	"sync/atomic"
)

// A clock is the time of a partner's requests, in slots: that of the newest one that was believed.
//
// The monotonic clock is always believed. In event time a record may be wrong, so none moves the
// clock ahead by more than half a window. Records that would, and those older than the window,
// are not counted. They vote for their time, and records inside the window vote against it. So
// the clock follows the majority: after a silence, after a bad record, or when it was wrong
// itself.
type clock struct {
	now       atomic.Int64 // the current slot
	contested atomic.Bool  // whether there are votes for another one

	window, aheadMax int64 // in slots
	_                [cacheLine - 8 - 8 - 8 - 8]byte

	mu          sync.Mutex
	ahead, late ballot
	jumps       uint64
}

// ballot has the votes for a time outside the window.
type ballot struct {
	slot    int64 // the last that was voted for
	votes   int
	outside uint64 // records that were not counted
}

const (
	// votesAhead is how many more records must be ahead than inside before the clock moves to them.
	// After a silence, so many less one are not counted.
	votesAhead = 16
	// votesLate is the same for records older than the window. It is larger because it is common
	// that records of a partition are late for a while, and rare that the clock is wrong.
	votesLate = 4096

	// notStarted is before every time. The first record is believed.
	notStarted = math.MinInt64
)

// place is where a time is, as a clock sees it.
type place uint8

const (
	inside place = iota
	ahead        // later than one record may move the clock
	late         // older than the window
)

// init prepares the clock. The window is in slots.
func (c *clock) init(window int64, eventTime bool) {
	c.now.Store(notStarted)
	c.window, c.aheadMax = window, window/2
	if !eventTime {
		c.aheadMax = math.MaxInt64
	}
}

// admit says where a slot is, and moves the clock to it if it is believed.
func (c *clock) admit(slot int64) place {
	if now := c.now.Load(); slot <= now && now-slot < c.window && !c.contested.Load() {
		return inside
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch now := c.now.Load(); {
	case now == notStarted:
		c.now.Store(slot)
	case slot-now > c.aheadMax:
		return c.elect(&c.ahead, slot, votesAhead, ahead)
	case now-slot >= c.window:
		return c.elect(&c.late, slot, votesLate, late)
	default:
		c.now.Store(max(now, slot))
		c.ahead.votes, c.late.votes = max(0, c.ahead.votes-1), max(0, c.late.votes-1)
		c.contested.Store(c.ahead.votes|c.late.votes != 0)
	}
	return inside
}

// elect counts a vote, and moves the clock if there are enough.
func (c *clock) elect(b *ballot, slot int64, need int, where place) place {
	if distance := max(slot-b.slot, b.slot-slot); b.votes > 0 && distance >= c.window {
		b.votes--
	} else {
		b.slot = slot
		b.votes++
	}
	if b.votes < need {
		c.contested.Store(c.ahead.votes|c.late.votes != 0)
		b.outside++
		return where
	}
	c.now.Store(slot)
	c.ahead.votes, c.late.votes = 0, 0
	c.contested.Store(false)
	c.jumps++
	return inside
}

// stats returns how many records were late and ahead, and how often the clock was moved to them.
func (c *clock) stats() (late, ahead, jumps uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.late.outside, c.ahead.outside, c.jumps
}
