package stream

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Flow is what a stream offers to a session of its source: lanes to add records to, the byte budget
// to wait for, and the ways in which lanes leave. Its methods may be called from any goroutine.
type Flow struct {
	s *Stream
	o *Options

	// work ends when what is still on its way is given up.
	work   context.Context
	giveUp context.CancelFunc
	// failed is closed when err is set.
	failed   chan struct{}
	failOnce sync.Once
	err      error

	lanes      lanes
	commits    commits
	budget     *budget
	todo       *queue[*chunk]
	deliveries *queue[delivery]
	working    sync.WaitGroup

	transactional bool // the session commits by itself
	settled       bool // of transactions: whether the last one had everything
}

func newFlow(s *Stream, ctx context.Context) *Flow { //nolint:revive // the stream comes first, as it would as a receiver
	f := &Flow{
		s: s, o: &s.options, failed: make(chan struct{}), budget: newBudget(s.options.MaxInFlight),
		todo: newQueue[*chunk](), deliveries: newQueue[delivery](), lanes: lanes{by: map[LaneID]*Lane{}},
	}
	f.deliveries.taking = func(d *delivery) { d.late = d.c.lane.isStopped() }
	f.work, f.giveUp = context.WithCancel(context.WithoutCancel(ctx))
	return f
}

// Options returns the options of the stream, with their defaults. They must not be changed.
func (f *Flow) Options() *Options { return f.o }

// Add adds a lane, in place of one with the same name.
func (f *Flow) Add(id LaneID) *Lane {
	l := newLane(f, id)
	f.lanes.add(l)
	return l
}

// Lane returns the lane with a name, nil if there is none.
func (f *Flow) Lane(id LaneID) *Lane { return f.lanes.get(id) }

// Lanes returns all lanes.
func (f *Flow) Lanes() []*Lane { return f.lanes.all() }

// Wait waits until fewer bytes are in flight than [Options.MaxInFlight], or until ctx ends. One
// goroutine waits.
func (f *Flow) Wait(ctx context.Context) { f.budget.wait(ctx) }

// Work returns a context that ends when what is still on its way is given up.
func (f *Flow) Work() context.Context { return f.work }

// Fail ends the session, with Run if the error is [Fatal]. The first error counts.
func (f *Flow) Fail(err error) {
	f.failOnce.Do(func() {
		f.err = err
		close(f.failed)
	})
}

// failure returns the error of a session that has failed.
func (f *Flow) failure() error {
	select {
	case <-f.failed:
		return f.err
	default:
		return nil
	}
}

// Warn logs a kind of message, at most once in five seconds.
func (f *Flow) Warn(kind, msg string, args ...any) { f.s.log.warn(kind, msg, args...) }

// Release lets lanes go to another process: what is on its way arrives and is committed, as far as
// that is possible until ctx ends.
func (f *Flow) Release(ctx context.Context, leaving []*Lane) {
	f.settle(ctx, leaving)
	f.commitLast(ctx, leaving)
	f.forget(leaving)
}

// Drop lets lanes go that another process may have already, or that nothing is on its way of:
// nothing is committed. It waits for what is on its way until ctx ends, so that the last
// [Lane.Position] is the right one.
func (f *Flow) Drop(ctx context.Context, gone []*Lane) {
	f.settle(ctx, gone)
	f.forget(gone)
}

// Renew puts new lanes in the place of some of which records were given up that a sink did not take
// ([context.Canceled]): the session reads again from the first record that is not delivered.
// moved is called with each new lane and that record's position, while nothing is committed. What
// is on its way until ctx ends arrives; if that is not all, the session fails.
func (f *Flow) Renew(ctx context.Context, some []*Lane, moved func(l *Lane, at int64)) {
	some = slices.DeleteFunc(some, func(l *Lane) bool { return f.Lane(l.ID) != l }) // it has left
	if !f.settle(ctx, some) {
		f.Fail(errNotSettled)
		return
	}
	f.commits.mu.Lock()
	defer f.commits.mu.Unlock()
	for _, l := range some {
		fresh, at := l.renewed()
		l.drop()
		f.lanes.add(fresh)
		if at >= 0 {
			moved(fresh, at)
		}
	}
}

// settle stops lanes and waits for what is on its way, at most until ctx ends. It reports whether
// all has arrived.
func (f *Flow) settle(ctx context.Context, some []*Lane) bool {
	for _, l := range some {
		l.stop()
	}
	settled := true
	for _, l := range some {
		settled = l.wait(ctx) && settled
	}
	return settled
}

// forget drops lanes. A commit that is under way ends first.
func (f *Flow) forget(some []*Lane) {
	f.commits.mu.Lock()
	defer f.commits.mu.Unlock()
	var dropped sync.WaitGroup
	for _, l := range some {
		f.lanes.remove(l)
		dropped.Go(l.drop)
	}
	dropped.Wait()
	f.s.owed.forget(some)
}

// The methods below are for sessions that write and commit in transactions.

// Transactional says that the session commits by itself, with what is written. It is called in
// Open.
func (f *Flow) Transactional() { f.transactional, f.settled = true, true }

// Settle waits until everything that was added is delivered. After the end of ctx it waits no
// longer than [Options.DrainTimeout]. It reports whether a transaction may be committed.
func (f *Flow) Settle(ctx context.Context) bool {
	limit, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	go func() {
		select {
		case <-ctx.Done():
			select {
			case <-time.After(f.o.DrainTimeout):
			case <-f.failed:
			case <-limit.Done():
			}
			cancel()
		case <-f.failed:
			cancel()
		case <-limit.Done():
		}
	}()
	f.settled = true
	for _, l := range f.Lanes() {
		if !l.wait(limit) {
			f.settled = false
			break
		}
	}
	return f.settled && f.failure() == nil
}

// Discard gives up what is on its way, before a transaction is aborted. Nothing is sent after it.
func (f *Flow) Discard() {
	for _, l := range f.Lanes() {
		l.silence()
	}
}

// Rewind forgets what was read since the last commit, after a transaction was aborted: the session
// reads it again.
func (f *Flow) Rewind() {
	for _, l := range f.Lanes() {
		l.rewind()
	}
}

// Positions returns the positions that are past the last commit.
func (f *Flow) Positions() []Position { return moved(f.Lanes()) }

// Committed notes positions that a transaction has committed.
func (f *Flow) Committed(at []Position) {
	for _, p := range at {
		p.Lane.wasCommitted(p.At)
	}
	f.s.metrics.committed.SetToCurrentTime()
}

// Commit commits the positions that have moved, between transactions.
func (f *Flow) Commit(ctx context.Context) error { return f.commit(ctx, f.Lanes) }

// lanes are those that the process has.
type lanes struct {
	mu sync.Mutex
	by map[LaneID]*Lane
}

func (t *lanes) add(l *Lane) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.by[l.ID] = l
}

func (t *lanes) get(id LaneID) *Lane {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.by[id]
}

func (t *lanes) remove(l *Lane) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.by[l.ID] == l {
		delete(t.by, l.ID)
	}
}

func (t *lanes) all() (all []*Lane) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, l := range t.by {
		all = append(all, l)
	}
	return all
}

var (
	errNotOpen    = errors.New("the session is not open yet")
	errNotSettled = errors.New("records are to be read again, and others of their lanes were still on their way")
)
