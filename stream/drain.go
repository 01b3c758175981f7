package stream

import (
	"context"
	"time"
)

const (
	// failedTimeout is how long a session that has failed waits for what is on its way.
	failedTimeout = 5 * time.Second
	// commitLeast is how long the last commit is tried at least.
	commitLeast = 500 * time.Millisecond
	// leaveTimeout bounds leaving the group.
	leaveTimeout = 2 * time.Second
)

// end ends a session: what is on its way arrives, is committed, and the member leaves the group. It
// returns the failure of the session; nil or [ErrDrain] if it ends because ctx did.
func (n *session) end(ctx context.Context) error {
	failure := n.failure()
	patience := n.o.DrainTimeout
	if failure != nil {
		patience = min(patience, failedTimeout)
	}
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if failure == nil {
		n.o.Log.Info("draining", "group", n.o.Group)
	}
	settled := true
	if n.txn == nil {
		all := n.assignedPartitions()
		settled = n.settle(limit, all)
		if !settled {
			n.giveUp()
		}
		n.cl.AllowRebalance()
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), max(patience, commitLeast))
		settled = n.commitLast(last, all) && settled
		cancel()
	} else {
		settled = n.drained
	}
	if f := n.failure(); f != nil { // perhaps while it was draining
		failure, settled = f, true
	}
	n.leave()
	n.giveUp()
	for _, p := range n.assignedPartitions() {
		p.stop()
		n.remember(p)
	}
	n.todo.close()
	n.deliveries.close()
	n.working.Wait()
	if failure == nil && !settled {
		return ErrDrain
	}
	return failure
}

// leave leaves the group and closes the client.
func (n *session) leave() {
	ctx, cancel := context.WithTimeout(context.Background(), leaveTimeout)
	defer cancel()
	n.cl.AllowRebalance()
	if err := n.cl.LeaveGroupContext(ctx); err != nil {
		n.o.Log.Warn("the group was not left; others wait for the session timeout", "group", n.o.Group, "error", err)
	}
	context.AfterFunc(ctx, n.cut)
	n.cl.CloseAllowingRebalance()
	n.cut()
}
