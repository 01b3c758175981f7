package stream

import (
	"context"
	"strconv"
	"sync"
)

// Lane is a part of a source whose records have an order: a partition, a file. Its records are cut
// into chunks. Those are judged in any order, by any of the jobs; they are sent in order, by
// whoever has judged the one that is next; and records are delivered in any order.
//
// A lane is made by [Flow.Add]. Its methods may be called from any goroutine, Add from one at a
// time.
type Lane struct {
	// ID names the lane. It does not change.
	ID LaneID

	f      *Flow
	source string // ID, as text: bids/3
	// ctx ends when nothing may be sent any more; what waits is given up.
	ctx    context.Context
	cancel context.CancelFunc

	mu     sync.Mutex
	idle   sync.Cond // order has changed
	order  order
	prefix prefix
	end    int64 // of what the source has; -1 if it is not known
	start  int64 // of what was added; -1 if nothing was
	read   int64 // its end
}

func newLane(f *Flow, id LaneID) *Lane {
	l := &Lane{ID: id, f: f, source: id.Name + "/" + strconv.Itoa(int(id.Number)), prefix: prefix{expected: -1, position: -1, committed: -1}, end: -1, start: -1}
	l.ctx, l.cancel = context.WithCancel(f.work)
	l.idle.L = &l.mu
	return l
}

// Begin says where the committed position is. Reading begins there.
func (l *Lane) Begin(committed int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.prefix.expected, l.prefix.committed = committed, committed
}

// Resume says that reading begins at a position past the committed one, and that it is to be
// committed.
func (l *Lane) Resume(at int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.prefix.expected, l.prefix.position = at, at
}

// SetEnd says where the last record ends that the source has, which the lag is measured from.
func (l *Lane) SetEnd(end int64) {
	l.mu.Lock()
	l.end = end
	l.mu.Unlock()
}

// Add queues records that were read. It never waits, and keeps no reference to the slice. It
// returns where the first record was expected, -1 if that was not known: a source that has lost
// records, or has fewer than were committed, tells it with [Lane.Jumped].
func (l *Lane) Add(records []Record) (expected int64) {
	if len(records) == 0 {
		return -1
	}
	l.mu.Lock()
	expected, back := l.prefix.goesBack(records)
	if l.start < 0 || back {
		l.start = records[0].Position
	}
	l.read = records[len(records)-1].Next
	l.mu.Unlock()
	var c *chunk
	for i := range records {
		if c == nil {
			c = newChunk(l)
			c.back, back = back, false
		}
		if c.add(&records[i]) {
			l.queue(c)
			c = nil
		}
	}
	if c != nil {
		l.queue(c)
	}
	return expected
}

// Jumped counts and logs that reading went on elsewhere than it was expected to, with the reason.
func (l *Lane) Jumped(reason string, args ...any) {
	l.f.s.metrics.resets.Inc()
	l.f.o.Log.Warn(reason, args...)
}

// Position returns the end of what is delivered, -1 if nothing is, and whether it is past the last
// commit.
func (l *Lane) Position() (at int64, moved bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.advance()
	return l.prefix.position, l.prefix.moved()
}

func (l *Lane) queue(c *chunk) {
	c.pending.Store(int32(len(c.records)) + 1) // 1 for the sender
	l.f.budget.take(c.bytes)
	l.mu.Lock()
	l.prefix.add(c)
	l.order.add(c)
	l.mu.Unlock()
	l.f.todo.push(c)
}

// isStopped reports whether the lane is on its way out.
func (l *Lane) isStopped() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.order.stopped
}

// wasJudged sends the chunk, if those before it are sent, and those after it that are judged.
func (l *Lane) wasJudged(c *chunk) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.judged = true
	if !l.order.begin() {
		return
	}
	for next := l.order.next(); next != nil; next = l.order.next() {
		l.mu.Unlock()
		l.f.send(next)
		l.mu.Lock()
	}
	l.order.sending = false
	l.idle.Broadcast()
}

// finished is called when all records of a chunk are delivered or given up.
func (l *Lane) finished(c *chunk) {
	l.f.s.metrics.count(c)
	l.mu.Lock()
	l.order.outstanding--
	c.over = true
	l.advance()
	l.idle.Broadcast()
	l.mu.Unlock()
}

// advance moves the position, and frees chunks that are behind it. The caller has the lock.
func (l *Lane) advance() {
	for c := l.prefix.advance(); c != nil; c = l.prefix.advance() {
		l.f.budget.give(c.bytes)
		c.recycle()
	}
}

// stop ends sending: what is not sent yet never is. What is sent is a prefix of what was read, so
// that a clean end leaves no record that is delivered and not committed.
func (l *Lane) stop() {
	l.mu.Lock()
	l.order.stopped = true
	l.mu.Unlock()
}

// GiveUp stops the lane, and lets nothing go out that is not on its way yet: the session is going
// to read again what is not delivered ([Flow.Renew]).
func (l *Lane) GiveUp() {
	l.stop()
	l.cancel()
}

// silence stops the lane, and waits until nobody sends: what was sent may still be on its way.
func (l *Lane) silence() {
	l.GiveUp()
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.order.sending {
		l.idle.Wait()
	}
}

// wait waits until nothing is on its way, or until ctx ends. It reports whether all has arrived.
func (l *Lane) wait(ctx context.Context) bool {
	defer context.AfterFunc(ctx, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.idle.Broadcast()
	})()
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.order.busy() && ctx.Err() == nil {
		l.idle.Wait()
	}
	return !l.order.busy()
}

// drop gives up everything that is still queued. The lane must be stopped.
func (l *Lane) drop() {
	l.cancel()
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := l.prefix.first; c != nil; c = c.next {
		l.f.budget.give(c.bytes)
	}
	l.prefix.first, l.prefix.last, l.order.unsent = nil, nil, nil
}

// renewed returns a lane that takes the place of a stopped one of which nothing is on its way, and
// where the first record begins that is not delivered; -1 if all are that were read.
func (l *Lane) renewed() (fresh *Lane, at int64) {
	fresh = newLane(l.f, l.ID)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.advance()
	fresh.end, fresh.start, fresh.read, at = l.end, l.start, l.read, -1
	p := &fresh.prefix
	p.expected, p.position, p.committed = l.prefix.expected, l.prefix.position, l.prefix.committed
	if c := l.prefix.first; c != nil {
		at = c.records[c.prefix()].Position
		p.expected = at
		if c.back { // committed positions mean nothing any more
			p.position, p.committed = -1, -1
		}
	}
	return fresh, at
}

// debt returns what was read and is not delivered and committed; from 0 to 0 if nothing was read.
func (l *Lane) debt() debt {
	l.mu.Lock()
	defer l.mu.Unlock()
	return debt{max(l.prefix.committed, l.start, 0), l.read}
}

// wasCommitted notes a commit.
func (l *Lane) wasCommitted(at int64) {
	l.mu.Lock()
	l.prefix.committed = at
	l.mu.Unlock()
}

// rewind forgets what was read and not committed: it is read again.
func (l *Lane) rewind() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.prefix.expected, l.prefix.position = -1, l.prefix.committed
}

// places are what is known of a lane: how much is not delivered yet, the position, and the
// committed one; -1 for what is not known.
type places struct {
	id                       LaneID
	lag, position, committed int64
}

// places returns where the lane is.
func (l *Lane) places() places {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := max(l.prefix.position, l.prefix.committed)
	p := places{id: l.ID, lag: -1, position: at, committed: l.prefix.committed}
	if l.end >= 0 && at >= 0 {
		p.lag = max(l.end-at, 0)
	}
	return p
}

func placesOf(some []*Lane) []places {
	all := make([]places, 0, len(some))
	for _, l := range some {
		all = append(all, l.places())
	}
	return all
}
