package kafka

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/rtbwire/rtbwire/stream"
)

// again are the partitions of which records are read again in the same session, because the broker
// has refused them, alone or with others.
type again struct {
	mu    sync.Mutex
	lanes map[*stream.Lane]struct{}
	many  atomic.Int64
	wake  atomic.Pointer[context.CancelFunc] // ends a poll of a session without transactions
}

// add notes a partition, and ends the poll that is under way.
func (a *again) add(l *stream.Lane) {
	a.mu.Lock()
	if a.lanes == nil {
		a.lanes = map[*stream.Lane]struct{}{}
	}
	a.lanes[l] = struct{}{}
	a.many.Store(int64(len(a.lanes)))
	a.mu.Unlock()
	if cancel := a.wake.Load(); cancel != nil {
		(*cancel)()
	}
}

// waits reports whether there are such partitions.
func (a *again) waits() bool { return a.many.Load() > 0 }

// take returns the partitions, and forgets them.
func (a *again) take() (some []*stream.Lane) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for l := range a.lanes {
		some = append(some, l)
	}
	clear(a.lanes)
	a.many.Store(0)
	return some
}

// suspect notes a record that the broker has refused: it is read again, with all of its partition
// that are not delivered, and then written alone. What follows it is not written before, unless it
// is on its way already; it is then written again.
func (n *session) suspect(t *topic, r *stream.Record, err error) {
	n.g.suspects.add(t.placeOf(r), err)
	n.f.Warn("refused", "the broker refuses records; those of the batch are read again, and each is written alone", "topic", t.name, "error", err)
	r.Lane.GiveUp()
	n.again.add(r.Lane)
	if n.txn != nil {
		n.txn.endSoon()
	}
}

// suspicious reports whether records are to be written alone that this member reads.
func (n *session) suspicious() bool {
	return n.g.suspects.any(func(id stream.LaneID) bool { return n.f.Lane(id) != nil })
}

// readAgain lets partitions go on from the first record that is not delivered. No rebalance may be
// under way.
func (n *session) readAgain() {
	ctx, cancel := context.WithTimeout(n.f.Work(), revokeTimeout)
	defer cancel()
	n.f.Renew(ctx, n.again.take(), func(l *stream.Lane, at int64) {
		n.cl.SetOffsets(map[string]map[int32]kgo.EpochOffset{l.ID.Name: {l.ID.Number: n.leaders.at(l.ID, at)}})
	})
}
