package stream

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	commitTimeout = 10 * time.Second
	// commitFirst is how long the first deliveries of a session wait to be committed.
	commitFirst = 10 * time.Millisecond
	// commitAgain is the wait before the last commit of a lane is tried again.
	commitAgain = 100 * time.Millisecond
)

// commits knows where commits go. Positions come from the prefixes of lanes, and go to
// the session, one commit at a time.
type commits struct {
	mu      sync.Mutex // while positions are committed, and while lanes leave
	session Session    // nil until it is open
}

func (m *commits) open(s Session) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.session = s
}

// commitNowAndThen commits until ctx ends: the first deliveries at once, and then less and less
// often down to the interval. A process that is killed again and again sooner than that gets on all
// the same.
func (f *Flow) commitNowAndThen(ctx context.Context) {
	wait := min(commitFirst, f.o.CommitInterval)
	for {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
		if len(moved(f.Lanes())) > 0 {
			wait = min(2*wait, f.o.CommitInterval)
		}
		// A commit is not cut short by the end of ctx: the last one would be sent on top of it.
		within, cancel := context.WithTimeout(f.work, commitTimeout)
		_ = f.commit(within, f.Lanes)
		cancel()
	}
}

// commit commits the positions that have moved. An error has no consequence but a message, because
// the next commit has it all, unless commits never work.
func (f *Flow) commit(ctx context.Context, some func() []*Lane) error {
	err := f.commitOnce(ctx, some)
	switch {
	case err == nil:
	case isFatal(err):
		f.Fail(err)
	case ctx.Err() == nil:
		f.Warn("commit", "a commit failed; it is tried again", "error", err)
	}
	return err
}

// commitOnce holds the lock from the look at the lanes on, so that no lane leaves before the commit
// ends and nothing is committed for another process.
func (f *Flow) commitOnce(ctx context.Context, some func() []*Lane) error {
	f.commits.mu.Lock()
	defer f.commits.mu.Unlock()
	at := moved(some())
	if len(at) == 0 {
		return nil
	}
	if f.commits.session == nil {
		return errNotOpen
	}
	err := f.commits.session.Commit(ctx, at)
	for _, p := range at {
		if p.Stored {
			p.Lane.wasCommitted(p.At)
		}
	}
	m := &f.s.metrics
	if err != nil {
		m.commitsFailed.Inc()
		return err
	}
	m.commitsDone.Inc()
	m.committed.SetToCurrentTime()
	return nil
}

// moved returns the positions that are past the last commit.
func moved(some []*Lane) (all []Position) {
	for _, l := range some {
		if at, moved := l.Position(); moved {
			all = append(all, Position{Lane: l, At: at})
		}
	}
	return all
}

// commitLast commits lanes that leave, and tries again until it works, can't work, or ctx ends. It
// reports whether it is done.
func (f *Flow) commitLast(ctx context.Context, leaving []*Lane) bool {
	for {
		err := f.commit(ctx, func() []*Lane { return leaving })
		switch {
		case err == nil:
			return true
		case ctx.Err() != nil, isFatal(err), errors.Is(err, ErrLaneLost):
			return false
		}
		select {
		case <-time.After(commitAgain):
		case <-ctx.Done():
			return false
		}
	}
}
