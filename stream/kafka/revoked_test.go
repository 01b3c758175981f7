package kafka

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/stream"
)

// TestRevoked: before a partition goes to another member, what is on its way arrives and is
// committed, so that nothing comes twice.
func TestRevoked(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 2)
	all := c.fillWith(0, 200, 2, goods)
	var waiting atomic.Int64
	gate := make(chan struct{})
	open := sync.OnceFunc(func() { close(gate) })
	d := &destination{do: func(_ context.Context, own stream.Delivery) ([]byte, error) {
		if own.Position >= 50 {
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
		n := first.group.session.Load()
		return n != nil && n.left.Load()
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
