package replay

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"
)

// loop sends the requests of one schedule on its connections and reads the answers, in one
// goroutine. Times are nanoseconds from the start of the run.
type loop struct {
	config  *Config
	base    time.Time
	poller  poller
	streams []*stream
	conns   []*conn
	events  []event
	scratch []byte // for reading
	out     []byte // for writing

	// polled is when the last wait ended, and since the earliest time at which what it reported can
	// have happened: what was there when it began may have been there since the one before.
	polled, since int64
	sweep         int64 // when to look for timeouts again
	tick          int64 // when to hand over tallies again
	drain         int64 // when to give up waiting for answers; never before the schedule's end
	progress      int64 // when a request was answered or failed last

	judge *judge
	hand  func(l *loop, final bool) // hands over the tallies

	mu     sync.Mutex
	dialed []dialed // connections that were made since the last wait
	stop   bool
	closed bool // the poller is
}

// stream is the traffic of a loop to one target.
type stream struct {
	index    int // 0: the target, 1: the one to compare with
	target   *Target
	head     []byte
	schedule schedule
	free     ring
	busy     int
	tally    *tally

	looked int64 // when the loop last saw whether a request is due
	idle   bool  // whether there was a free connection then
	stalls stalls
}

// look notes whether the loop comes too late to see that a request is due.
func (s *stream) look(now int64) {
	if due := s.schedule.due; s.idle && due > s.looked && !s.schedule.closed() {
		s.stalls.add(stall{due, now})
	}
	s.looked = now
}

// overslept notes that a wait lasted longer than it should have: a loop that sleeps can't know when
// a connection became free, so requests that became due after its end are late by its doing.
func (s *stream) overslept(end, now int64) {
	if !s.idle && !s.schedule.closed() {
		s.stalls.add(stall{end, now})
	}
}

// late returns how late the generator is with a request that is sent now on a connection that was
// free since a time. Requests of a stall are late until its end at least: later ones that found no
// connection did so because those before them came at once.
func (s *stream) late(now, since int64) int64 {
	due := s.schedule.due
	return max(now-max(due, since), s.stalls.end(due)-due)
}

// dialed is the outcome of making a connection.
type dialed struct {
	c   *conn
	net net.Conn
	err error
}

const (
	tickInterval = 200 * time.Millisecond
	sweepMax     = 50 * time.Millisecond
	// waitMax is the longest wait: a stall shows when a wait lasts longer.
	waitMax = 2 * time.Millisecond
	// redialFirst and redialMax limit how long a loop waits before it tries again to make a
	// connection; the wait doubles with each failure.
	redialFirst = 10 * time.Millisecond
	redialMax   = time.Second
	// goneMax is how long no connection can be made to a target that is gone.
	goneMax = 2 * redialMax
)

func (l *loop) now() int64 { return int64(time.Since(l.base)) }

// run sends until the schedule ends and every answer is there, or until ctx ends and the answers
// had time to arrive.
func (l *loop) run(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() { l.tell(func() { l.stop = true }) })()
	l.polled = l.now()
	l.tick, l.drain = l.polled+int64(tickInterval), never
	for {
		now := l.now()
		l.sendDue(now)
		if l.finished(now) {
			break
		}
		var err error
		wait := l.patience(now)
		before := l.now()
		l.events, err = l.poller.wait(l.events[:0], wait)
		if err != nil {
			return fmt.Errorf("replay: cannot wait for connections: %w", err)
		}
		after := l.now()
		if l.since = l.polled; wait > 0 && after-now > int64(waitedMin) {
			l.since = after // nothing was there when the wait began
		}
		l.polled = after
		for _, s := range l.streams {
			s.overslept(before+int64(wait), after)
		}
		for _, e := range l.events {
			if c := l.conns[e.index]; c.generation == e.generation {
				l.handle(c, e.hangup)
			}
		}
		l.housekeeping(after)
	}
	l.unsent()
	l.hand(l, true)
	return nil
}

// tell changes what other goroutines may change, and wakes the loop. It returns false if the loop
// has ended.
func (l *loop) tell(change func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	change()
	l.poller.wake()
	return true
}

// close closes what the loop has opened.
func (l *loop) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for _, c := range l.conns {
		c.hangUp()
	}
	for _, d := range l.dialed {
		if d.net != nil {
			_ = d.net.Close() // it was never used
		}
	}
	l.poller.close()
}

// waitedMin is how long a wait takes that really waited.
const waitedMin = 5 * time.Microsecond

// sendDue sends what is due, as far as there are free connections.
func (l *loop) sendDue(now int64) {
	for _, s := range l.streams {
		s.look(now)
		for s.schedule.ready(now) && s.free.len() > 0 {
			l.send(s.free.take(), now)
			now = l.now()
		}
		s.idle = s.free.len() > 0
	}
}

// patience returns how long there is nothing to do unless something happens.
func (l *loop) patience(now int64) time.Duration {
	next := min(l.sweep, l.tick, now+int64(waitMax))
	for _, s := range l.streams {
		if s.free.len() > 0 && !s.schedule.over(now) {
			next = min(next, s.schedule.due)
		}
	}
	return time.Duration(max(0, next-now))
}

// finished reports whether nothing is left to do, or no time to do it.
func (l *loop) finished(now int64) bool {
	over, ready, busy := true, false, 0
	for _, s := range l.streams {
		over = over && s.schedule.over(now)
		ready = ready || s.schedule.ready(now)
		busy += s.busy
	}
	// A run for a number of requests may take any time, but not without a target.
	if l.config.Requests > 0 && ready && busy == 0 && now-l.progress > int64(l.config.Timeout+goneMax) {
		return true
	}
	if l.drain == never && now >= int64(l.config.Duration) {
		l.drain = now + int64(l.config.Timeout)
	}
	return over && busy == 0 || now >= l.drain
}

// housekeeping does what need not be done at once.
func (l *loop) housekeeping(now int64) {
	l.mu.Lock()
	made, stop := l.dialed, l.stop
	l.dialed = nil
	l.mu.Unlock()
	for _, d := range made {
		l.connected(d)
	}
	if stop && l.drain == never {
		l.drain = now + int64(l.config.Timeout)
		for _, s := range l.streams {
			s.schedule.due = never // what is due and not sent was interrupted; it is not the target's
		}
	}
	if now >= l.sweep {
		l.sweep = now + min(int64(l.config.Timeout)/8, int64(sweepMax))
		for _, c := range l.conns {
			if c.state == stateBusy && now-c.sent > int64(l.config.Timeout) {
				l.fail(c, FailureTimeout, now)
			}
		}
	}
	if now >= l.tick {
		l.tick = now + int64(tickInterval)
		for _, s := range l.streams {
			s.tally.busy, s.tally.waiting = int64(s.busy), s.schedule.waiting(now)
		}
		l.hand(l, false)
	}
}

// unsent counts the requests that were due and never sent, with the time they have waited.
func (l *loop) unsent() {
	now := l.now()
	for _, s := range l.streams {
		for ; s.schedule.due <= now && !s.schedule.closed(); s.schedule.advance() {
			s.tally.failures[FailureUnsent]++
			s.tally.latency.record(now - s.schedule.due)
		}
		for _, c := range l.conns {
			if c.stream == s && c.state == stateBusy {
				l.count(c, FailureTimeout, now)
			}
		}
	}
}

// dial makes the connection c, some time from now, without waiting for it.
func (l *loop) dial(c *conn) {
	c.state = stateDialing
	wait := time.Duration(0)
	if c.refused > 0 {
		wait = min(redialFirst<<min(c.refused-1, 10), redialMax)
	}
	target, timeout := c.stream.target, l.config.Timeout
	go func() {
		time.Sleep(wait)
		made, err := (&net.Dialer{Timeout: timeout}).Dial(target.Network, target.Address)
		if !l.tell(func() { l.dialed = append(l.dialed, dialed{c, made, err}) }) && made != nil {
			_ = made.Close() // it was never used
		}
	}()
}

// connected takes a connection that was made.
func (l *loop) connected(d dialed) {
	err := d.err
	if err == nil {
		err = l.adopt(d.c, d.net)
	}
	if err != nil {
		d.c.stream.tally.refused++
		d.c.refused++
		l.dial(d.c)
	}
}

// adopt begins to use a connection.
func (l *loop) adopt(c *conn, made net.Conn) (err error) {
	c.generation++
	if c.socket, err = l.poller.add(made, ident{c.index, c.generation}); err != nil {
		return err
	}
	c.refused = 0
	c.state, c.since = stateIdle, l.now()
	c.stream.free.put(c)
	return nil
}

// ring is a queue of free connections, so that all of them are used in turn.
type ring struct {
	list []*conn // as long as there are connections
	from int
	n    int
}

func (r *ring) len() int { return r.n }

func (r *ring) put(c *conn) {
	r.list[(r.from+r.n)%len(r.list)] = c
	r.n++
}

func (r *ring) take() *conn {
	c := r.list[r.from]
	r.from = (r.from + 1) % len(r.list)
	r.n--
	return c
}

// remove takes out a connection that has ended.
func (r *ring) remove(c *conn) {
	for range r.n {
		if other := r.take(); other != c {
			r.put(other)
		}
	}
}
