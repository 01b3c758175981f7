package stream

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// TestRecycle: a chunk whose records are delivered stays until nobody uses it any more, and keeps
// nothing for the next one. The test is not parallel: another one could take the chunk.
func TestRecycle(t *testing.T) {
	p := newPartition(&session{work: t.Context(), room: newRoom(1)}, topicIn, 0)
	c := newChunk(p, 3)
	for i := range 2 {
		c.add(&kgo.Record{Offset: 41 + int64(i)})
		c.done[i].Store(true)
	}
	p.n.room.take(c.bytes)
	p.first, p.last = c, c
	if at, moved := p.uncommitted(); !moved || at != (kgo.EpochOffset{Epoch: 3, Offset: 43}) {
		t.Errorf("position %+v", at)
	}
	if p.first != c || c.p != p || len(c.records) != 2 {
		t.Error("the chunk is free while its sender may still use it")
	}
	c.over = true
	p.uncommitted()
	if p.first != nil || p.last != nil || p.n.room.inUse() != 0 {
		t.Errorf("the chunk is not free; %d bytes in flight", p.n.room.inUse())
	}
	if c.p != nil || c.over || c.bytes != 0 || len(c.records) != 0 || c.done[0].Load() || c.done[1].Load() {
		t.Error("the next chunk has something of this one")
	}
}

// TestPlaces: the lag is what is not delivered yet, committed or not; -1 if it is not known.
func TestPlaces(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ end, position, committed, lag int64 }{
		{-1, 5, 3, -1},
		{10, -1, -1, -1},
		{10, -1, 4, 6},
		{10, 7, 4, 3},
		{10, 10, 10, 0},
		{5, 7, 4, 0}, // what was asked for is older than what was read
	} {
		p := newPartition(&session{work: t.Context()}, topicIn, 0)
		p.end, p.position.Offset, p.committed.Offset = tt.end, tt.position, tt.committed
		lag, at, committed := p.places()
		if lag != tt.lag || at != max(tt.position, tt.committed) || committed != tt.committed {
			t.Errorf("%+v: lag %d, position %d, committed %d", tt, lag, at, committed)
		}
	}
}

// TestRevoked: before a partition goes to another member, what is on its way arrives and is
// committed, so that nothing comes twice.
func TestRevoked(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 2)
	all := c.fillWith(0, 200, 2, goods)
	var waiting atomic.Int64
	gate := make(chan struct{})
	open := sync.OnceFunc(func() { close(gate) })
	d := &destination{do: func(_ context.Context, own Delivery) ([]byte, error) {
		if own.Offset >= 50 {
			waiting.Add(1)
			<-gate
		}
		return nil, nil
	}}
	o := c.options()
	o.Accepted, o.Upstream, o.CommitInterval = "", d, time.Hour
	first := start(t, o)
	t.Cleanup(open)
	eventually(t, "records on their way", func() bool { return waiting.Load() > 0 })
	second := start(t, o)
	t.Cleanup(open)
	eventually(t, "a partition leaves", func() bool {
		n := first.session.Load()
		if n == nil {
			return false
		}
		has := n.assignedPartitions()
		return len(has) < 2 || slices.ContainsFunc(has, (*partition).isStopped)
	})
	open()
	eventually(t, "all delivered", func() bool { return len(d.delivered()) == len(all) })
	second.drained()
	first.drained()
	if at := c.committed(); at != int64(len(all)) {
		t.Errorf("committed %d", at)
	}
	for source, n := range d.delivered() {
		if n != 1 {
			t.Errorf("%s was delivered %d times", source, n)
		}
	}
}
