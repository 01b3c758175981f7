package kafka

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/rtbwire/rtbwire/stream"
)

// transactions are those of a session that reads, writes and commits exactly once.
type transactions struct {
	n   *session
	own *kgo.GroupTransactSession

	asked   chan struct{}                      // the transaction is to end, see endSoon
	waiting atomic.Pointer[context.CancelFunc] // ends a poll that waits for a transaction to begin
}

// run reads until ctx ends, in transactions of a commit interval. A transaction has all records
// that were polled since it began, so that it ends when they are delivered. It is committed only if
// the member still has their partitions; otherwise they are read again. Rebalances wait for its
// end, which they bring about.
func (t *transactions) run(ctx context.Context) {
	for ctx.Err() == nil {
		if t.n.f.Commit(ctx) != nil { // where partitions begin, see beginAt
			t.pause(ctx)
			continue
		}
		first := t.poll(ctx, time.Now().Add(t.n.of.CommitInterval))
		if first.NumRecords() == 0 {
			t.n.take(first)
			t.settleRebalance()
			t.own.AllowRebalance()
			continue
		}
		if err := t.own.Begin(); err != nil {
			t.n.f.Fail(fmt.Errorf("a transaction can't begin: %w", err))
			t.own.AllowRebalance()
			return
		}
		t.n.take(first)
		if !t.n.suspicious() {
			t.collect(ctx, time.Now().Add(t.n.of.CommitInterval))
		}
		t.endTransaction(ctx)
		t.own.AllowRebalance()
	}
}

// pauseFor is how long a commit that failed waits to be tried again.
const pauseFor = 100 * time.Millisecond

// pause waits before something is tried again.
func (t *transactions) pause(ctx context.Context) {
	select {
	case <-time.After(pauseFor):
	case <-ctx.Done():
	}
}

// poll polls until there is something, or until a time.
func (t *transactions) poll(ctx context.Context, until time.Time) kgo.Fetches {
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	t.waiting.Store(&cancel)
	defer t.waiting.Store(nil)
	t.n.f.Wait(ctx)
	if t.n.suspicious() {
		return t.own.PollRecords(ctx, aloneMax)
	}
	return t.own.PollFetches(ctx)
}

// aloneMax is how many records a transaction has while some are written alone: it must end before
// the broker ends it (transactionTimeout), however long each of them takes.
const aloneMax = 20

// settleRebalance lets the client tell of the next partitions that leave. After it has told of some
// it expects a transaction to end first, which is aborted: it says nothing until then. A member
// that is idle has none, so it ends one that never began.
func (t *transactions) settleRebalance() {
	within, cancel := context.WithTimeout(t.n.f.Work(), endTimeout)
	defer cancel()
	if !t.n.left.Load() || t.n.f.Commit(within) != nil {
		return
	}
	t.n.left.Store(false)
	if _, err := t.own.End(within, kgo.TryAbort); err != nil {
		t.n.f.Fail(fmt.Errorf("a transaction that never began did not end: %w", err))
	}
}

// endSoon ends the transaction that is under way, as soon as what was polled is delivered: a
// rebalance waits, or the broker has refused a record.
func (t *transactions) endSoon() {
	select {
	case t.asked <- struct{}{}:
	default:
	}
}

// wake ends a poll that waits for a transaction to begin, if there is one.
func (t *transactions) wake() {
	if cancel := t.waiting.Load(); cancel != nil {
		(*cancel)()
	}
}

// collect polls until a time, or until the transaction is to end.
func (t *transactions) collect(ctx context.Context, until time.Time) {
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	go func() {
		select {
		case <-t.asked:
			cancel()
		case <-ctx.Done():
		}
	}()
	for ctx.Err() == nil {
		t.n.f.Wait(ctx)
		t.n.take(t.own.PollFetches(ctx))
	}
}

// endTransaction commits when everything is delivered. If something can't be, or not before the
// drain deadline, it aborts. After the broker has refused a record it aborts too: what was read is
// read again in the next transaction, by the same member.
func (t *transactions) endTransaction(ctx context.Context) {
	commit := t.n.f.Settle(ctx)
	refused := t.n.again.waits()
	commit = commit && !refused
	if !commit {
		t.n.f.Discard()
	}
	within, cancel := context.WithTimeout(t.n.f.Work(), endTimeout)
	defer cancel()
	// The end waits for a heartbeat. If the group has removed the member meanwhile, there is none
	// before the partitions are given back, which waits for the end.
	allow := time.AfterFunc(endPatience, t.own.AllowRebalance)
	defer allow.Stop()
	t.n.left.Store(false)
	committed, err := t.own.End(within, kgo.TransactionEndTry(commit))
	t.n.again.take()
	m := &t.n.g.metrics
	switch {
	case err != nil:
		m.transactionsAborted.Inc()
		err = fmt.Errorf("a transaction did not end: %w", err)
		if hopeless(err) {
			err = stream.Fatal(fmt.Errorf("stream: %w", err))
		}
		t.n.f.Fail(err)
	case !committed:
		m.transactionsAborted.Inc()
		if refused {
			t.n.f.Renew(within, t.n.f.Lanes(), func(*stream.Lane, int64) {}) // the client knows from where on
		}
		if refused || commit { // or the group has changed: what was read is read again, perhaps by others
			t.n.f.Rewind()
		}
	default:
		m.transactionsCommitted.Inc()
		at := t.n.f.Positions()
		t.n.f.Committed(at)
		for _, p := range at {
			t.n.g.suspects.forget(p.Lane.ID, p.At)
		}
	}
}

// endTimeout bounds the end of a transaction: after it, the brokers abort it.
const endTimeout = 30 * time.Second

// endPatience is how long rebalances wait for the end of a transaction.
const endPatience = 2 * time.Second
