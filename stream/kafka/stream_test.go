package kafka

import "testing"

// TestStream: every record is in exactly one place, as it was and in order.
func TestStream(t *testing.T) {
	t.Parallel()
	modes(t, func(t *testing.T, once bool) {
		c := newCluster(t, 3)
		all := c.fill(0, 2000, 3)
		o := c.options()
		o.ExactlyOnce = once
		r := start(t, o)
		eventually(t, "all committed", func() bool { return c.committed() == 2000 })
		all = append(all, c.fill(2000, 2500, 3)...)
		eventually(t, "all committed", func() bool { return c.committed() == 2500 })
		r.drained()
		c.model(all, 0)
	})
}
