package kafka

import (
	"context"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
)

func goods(i int) ([]byte, bool) { return good(i), false }

// TestLatest: a group that begins at the end reads everything that comes after, also in partitions
// that are added later, and after a crash before its first commit.
func TestLatest(t *testing.T) {
	t.Parallel()
	modes(t, func(t *testing.T, once bool) {
		c := newCluster(t, 2)
		c.fillWith(0, 100, 2, goods)
		o := c.options()
		o.ExactlyOnce, o.From = once, Latest
		r := start(t, o)
		eventually(t, "ends committed", func() bool { return c.committed() == 100 })
		c.fillWith(100, 150, 2, goods)
		eventually(t, "all committed", func() bool { return c.committed() == 150 })
		if n := len(c.read(topicOK)); n != 50 {
			t.Errorf("%d records, want 50", n)
		}
		if _, err := kadm.NewClient(c.admin).UpdatePartitions(context.Background(), 4, topicIn); err != nil {
			t.Fatal(err)
		}
		c.admin = c.client()
		c.fillWith(150, 350, 4, goods) // before the stream knows of the new partitions
		c.fillWith(350, 400, 4, goods)
		r.drained()
		r = start(t, o)
		eventually(t, "all of the new partitions", func() bool { return c.committed() == 400 })
		r.drained()
		if n := len(c.read(topicOK)); n != 300 {
			t.Errorf("%d records, want 300", n)
		}
	})
}

// TestPartitionsAdded: partitions that are added while the stream runs are read from their start.
func TestPartitionsAdded(t *testing.T) {
	t.Parallel()
	for _, from := range []From{Earliest, Latest} {
		t.Run(from.String(), func(t *testing.T) {
			c := newCluster(t, 2)
			o := c.options()
			o.From = from
			r := start(t, o)
			eventually(t, "reading", func() bool { return gauged(t, r.Stream, metricPrefix+"partitions") == 2 })
			if _, err := kadm.NewClient(c.admin).UpdatePartitions(context.Background(), 4, topicIn); err != nil {
				t.Fatal(err)
			}
			c.admin = c.client()
			var all []sent
			all = append(all, c.fillWith(0, 400, 4, func(i int) ([]byte, bool) { return good(i), false })...)
			if n := r.group.session.Load(); n != nil {
				n.cl.ForceMetadataRefresh()
			}
			eventually(t, "all delivered", func() bool { return c.count(topicOK) >= int64(len(all)) })
			r.drained()
		})
	}
}
