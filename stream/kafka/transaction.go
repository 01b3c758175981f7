package kafka

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/rtbwire/rtbwire/stream"
)

// transact reads until ctx ends, in transactions of a commit interval. A transaction has all
// records that were polled since it began, so that it ends when they are delivered. It is committed
// only if the member still has their partitions; otherwise they are read again. Rebalances wait for
// its end, which they bring about.
func (n *session) transact(ctx context.Context) {
	for ctx.Err() == nil {
		if n.f.Commit(ctx) != nil { // where partitions begin, see beginAt
			n.pause(ctx)
			continue
		}
		first := n.poll(ctx, time.Now().Add(n.of.CommitInterval))
		if first.NumRecords() == 0 {
			n.take(first)
			n.settleRebalance()
			n.txn.AllowRebalance()
			continue
		}
		if err := n.txn.Begin(); err != nil {
			n.f.Fail(fmt.Errorf("a transaction can't begin: %w", err))
			n.txn.AllowRebalance()
			return
		}
		n.take(first)
		n.collect(ctx, time.Now().Add(n.of.CommitInterval))
		n.endTransaction(ctx)
		n.txn.AllowRebalance()
	}
}

// pauseFor is how long a commit that failed waits to be tried again.
const pauseFor = 100 * time.Millisecond

// pause waits before something is tried again.
func (n *session) pause(ctx context.Context) {
	select {
	case <-time.After(pauseFor):
	case <-ctx.Done():
	}
}

// poll polls until there is something, or until a time.
func (n *session) poll(ctx context.Context, until time.Time) kgo.Fetches {
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	n.waiting.Store(&cancel)
	defer n.waiting.Store(nil)
	n.f.Wait(ctx)
	return n.txn.PollFetches(ctx)
}

// settleRebalance lets the client tell of the next partitions that leave. After it has told of some
// it expects a transaction to end first, which is aborted: it says nothing until then. A member
// that is idle has none, so it ends one that never began.
func (n *session) settleRebalance() {
	within, cancel := context.WithTimeout(n.f.Work(), endTimeout)
	defer cancel()
	if !n.left.Load() || n.f.Commit(within) != nil {
		return
	}
	n.left.Store(false)
	if _, err := n.txn.End(within, kgo.TryAbort); err != nil {
		n.f.Fail(fmt.Errorf("a transaction that never began did not end: %w", err))
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
		n.f.Wait(ctx)
		n.take(n.txn.PollFetches(ctx))
	}
}

// endTransaction commits when everything is delivered. If something can't be, or not before the
// drain deadline, it aborts.
func (n *session) endTransaction(ctx context.Context) {
	commit := n.f.Settle(ctx)
	if !commit {
		n.f.Discard()
	}
	within, cancel := context.WithTimeout(n.f.Work(), endTimeout)
	defer cancel()
	// The end waits for a heartbeat. If the group has removed the member meanwhile, there is none
	// before the partitions are given back, which waits for the end.
	allow := time.AfterFunc(endPatience, n.txn.AllowRebalance)
	defer allow.Stop()
	n.left.Store(false)
	committed, err := n.txn.End(within, kgo.TransactionEndTry(commit))
	m := &n.g.metrics
	switch {
	case err != nil:
		m.transactionsAborted.Inc()
		err = fmt.Errorf("a transaction did not end: %w", err)
		if hopeless(err) {
			err = stream.Fatal(fmt.Errorf("stream: %w", err))
		}
		n.f.Fail(err)
	case !committed:
		m.transactionsAborted.Inc()
		if commit { // the group has changed: what was read is read again, perhaps by others
			n.f.Rewind()
		}
	default:
		m.transactionsCommitted.Inc()
		at := n.f.Positions()
		n.f.Committed(at)
		for _, p := range at {
			n.g.suspects.forget(p.Lane.ID, p.At)
		}
	}
}

// endTimeout bounds the end of a transaction: after it, the brokers abort it.
const endTimeout = 30 * time.Second

// endPatience is how long rebalances wait for the end of a transaction.
const endPatience = 2 * time.Second
