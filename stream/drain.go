package stream

import (
	"context"
	"time"
)

const (
	// failedTimeout is how long a session that has failed waits for what is on its way.
	failedTimeout = 5 * time.Second
	// commitMin is the minimum time for the last commit.
	commitMin = 500 * time.Millisecond
	// closeTimeout bounds the close of a session.
	closeTimeout = 2 * time.Second
)

// end ends a session: what is on its way arrives and is committed. It returns the failure of the
// session; nil or [ErrDrain] if it ends because ctx did.
func (f *Flow) end(ctx context.Context) error {
	failure := f.failure()
	patience := f.o.DrainTimeout
	if failure != nil {
		patience = min(patience, failedTimeout)
	}
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if failure == nil {
		f.o.Log.Info("draining")
	}
	settled := f.settled
	if !f.transactional {
		all := f.Lanes()
		if settled = f.settle(limit, all); !settled {
			f.giveUp()
		}
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), max(patience, commitMin))
		settled = f.commitLast(last, all) && settled
		cancel()
	}
	if err := f.failure(); err != nil { // perhaps while it was draining
		failure, settled = err, true
	}
	f.close()
	if failure == nil && !settled {
		return ErrDrain
	}
	return failure
}

// close ends everything that works for the session.
func (f *Flow) close() {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	f.commits.session.Close(ctx)
	f.giveUp()
	for _, l := range f.Lanes() {
		l.stop()
	}
	f.todo.close()
	f.deliveries.close()
	f.working.Wait()
}
