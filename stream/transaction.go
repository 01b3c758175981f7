package stream

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// transact reads until polling ends, in transactions of a commit interval. A transaction has all
// records that were polled since it began, so that it ends when they are delivered. It is committed
// only if the member still has their partitions; otherwise they are read again. Rebalances wait for
// its end, which they bring about.
func (n *session) transact(polling, ctx context.Context) {
	n.drained = true
	for polling.Err() == nil {
		if n.commitChecked(polling, n.assignedPartitions) != nil { // where partitions begin, see beginAt
			n.pause(polling)
			continue
		}
		first := n.poll(polling, time.Now().Add(n.o.CommitInterval))
		if first.NumRecords() == 0 {
			n.take(first)
			n.settleRebalance()
			n.txn.AllowRebalance()
			continue
		}
		if err := n.txn.Begin(); err != nil {
			n.fail(fmt.Errorf("a transaction can't begin: %w", err))
			n.txn.AllowRebalance()
			return
		}
		n.take(first)
		n.collect(polling, time.Now().Add(n.o.CommitInterval))
		n.endTransaction(ctx)
		n.txn.AllowRebalance()
	}
}

// pause waits before something is tried again.
func (n *session) pause(ctx context.Context) {
	select {
	case <-time.After(commitAgain):
	case <-ctx.Done():
	}
}

// poll polls until there is something, or until a time.
func (n *session) poll(ctx context.Context, until time.Time) kgo.Fetches {
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	n.waiting.Store(&cancel)
	defer n.waiting.Store(nil)
	n.room.wait(ctx)
	return n.txn.PollFetches(ctx)
}

// settleRebalance lets the client tell of the next partitions that leave. After it has told of some
// it expects a transaction to end first, which is aborted: it says nothing until then. A member
// that is idle has none, so it ends one that never began.
func (n *session) settleRebalance() {
	within, cancel := context.WithTimeout(n.work, endTimeout)
	defer cancel()
	if !n.left.Load() || n.commitChecked(within, n.assignedPartitions) != nil {
		return
	}
	n.left.Store(false)
	if _, err := n.txn.End(within, kgo.TryAbort); err != nil {
		n.fail(fmt.Errorf("a transaction that never began did not end: %w", err))
	}
}

// leaves notes that partitions leave.
func (n *session) leaves() {
	n.left.Store(true)
	if cancel := n.waiting.Load(); cancel != nil {
		(*cancel)()
	}
}

// collect polls until a time, or until a rebalance waits.
func (n *session) collect(ctx context.Context, until time.Time) {
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	go func() {
		select {
		case <-n.asked:
			cancel()
		case <-ctx.Done():
		}
	}()
	for ctx.Err() == nil {
		n.room.wait(ctx)
		n.take(n.txn.PollFetches(ctx))
	}
}

// endTransaction commits when everything is delivered. If something can't be, or not before the
// drain deadline, it aborts.
func (n *session) endTransaction(ctx context.Context) {
	all := n.assignedPartitions()
	n.drained = n.arrive(ctx, all)
	commit := n.drained && n.failure() == nil
	if !commit {
		for _, p := range all {
			p.silence()
		}
	}
	within, cancel := context.WithTimeout(n.work, endTimeout)
	defer cancel()
	// The end waits for a heartbeat. If the group has removed the member meanwhile, there is none
	// before the partitions are given back, which waits for the end.
	allow := time.AfterFunc(endPatience, n.txn.AllowRebalance)
	defer allow.Stop()
	n.left.Store(false)
	committed, err := n.txn.End(within, kgo.TransactionEndTry(commit))
	m := &n.s.metrics
	switch {
	case err != nil:
		m.transactionsAborted.Inc()
		err = fmt.Errorf("a transaction did not end: %w", err)
		if hopeless(err) {
			err = &fatal{fmt.Errorf("stream: %w", err)}
		}
		n.fail(err)
	case !committed:
		m.transactionsAborted.Inc()
		if commit { // the group has changed: what was read is read again, perhaps by others
			for _, p := range all {
				p.restart()
			}
		}
	default:
		m.transactionsCommitted.Inc()
		m.committed.SetToCurrentTime()
		for _, p := range all {
			if at, moved := p.uncommitted(); moved {
				p.wasCommitted(at)
			}
		}
	}
}

// endTimeout bounds the end of a transaction: after it, the brokers abort it.
const endTimeout = 30 * time.Second

// endPatience is how long rebalances wait for the end of a transaction.
const endPatience = 2 * time.Second

// arrive waits until everything that was polled is delivered. After the end of ctx it waits no
// longer than the drain deadline.
func (n *session) arrive(ctx context.Context, all []*partition) bool {
	limit, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	go func() {
		select {
		case <-ctx.Done():
			select {
			case <-time.After(n.o.DrainTimeout):
			case <-n.failed:
			case <-limit.Done():
			}
			cancel()
		case <-n.failed:
			cancel()
		case <-limit.Done():
		}
	}()
	for _, p := range all {
		if !p.wait(limit) {
			return false
		}
	}
	return true
}
