//go:build unix

package kafka

import (
	"context"
	"syscall"
	"testing"

	"github.com/rtbwire/rtbwire/internal/kafkatest"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// members waits until the group is at rest with that many members, each with a partition or more.
func (s *stage) members(t *testing.T, n int, running ...*process) {
	t.Helper()
	admin, err := s.Admin()
	if err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the group's members", func() bool {
		for _, p := range running {
			p.running(t)
		}
		ctx, cancel := context.WithTimeout(context.Background(), kafkatest.Patience)
		defer cancel()
		described, err := admin.DescribeGroups(ctx, s.group)
		if err != nil || described[s.group].State != "Stable" || len(described[s.group].Members) != n {
			return false
		}
		partitions := 0
		for _, m := range described[s.group].Members {
			assigned, ok := m.Assigned.AsConsumer()
			if !ok || len(assigned.Topics) == 0 {
				return false
			}
			partitions += len(assigned.Topics[0].Partitions)
		}
		return partitions == s.partitions
	})
}

// TestRebalance has programs join and leave their group under load: nothing is lost, and nothing
// comes twice.
func TestRebalance(t *testing.T) {
	eachWay(t, func(t *testing.T, args []string) {
		s := newStage(t, shared.get(t), 2*len(codecs))
		f := newFeeder(t, s)
		f.on(rate)
		running := []*process{s.run(t, args...)}
		for range testkit.Scale(t, 1, 3, 10) {
			for range 2 {
				running = append(running, s.run(t, args...))
				s.members(t, len(running), running...)
				s.more(t, rate/2, running...)
			}
			for len(running) > 1 {
				running[0].Stop(t)
				running = running[1:]
				s.members(t, len(running), running...)
				s.more(t, rate/2, running...)
			}
		}
		f.stop()
		s.done(t, running...)
		running[0].Stop(t)
		s.account(t, 0)
	})
}

// TestRebalanceKilled kills one of two programs: the other one takes over. Exactly once, a reader
// of committed records sees each record once; at least once, nothing is lost.
func TestRebalanceKilled(t *testing.T) {
	eachWay(t, func(t *testing.T, args []string) {
		s := newStage(t, shared.get(t), 2*len(codecs))
		f := newFeeder(t, s)
		f.on(rate)
		stays := s.run(t, args...)
		bound := 0
		for range testkit.Scale(t, 1, 3, 5) {
			dies := s.run(t, args...)
			s.members(t, 2, stays, dies)
			s.more(t, rate/2, stays, dies)
			before := s.count()
			dies.kill(t)
			s.members(t, 1, stays)
			s.more(t, rate/2, stays)
			bound += s.count() - before // what the other one delivered meanwhile is not told apart
		}
		f.stop()
		s.done(t, stays)
		stays.Stop(t)
		if len(args) > 0 {
			bound = 0
		}
		s.account(t, bound)
	})
}

// TestPaused stops a program for longer than its session, as a suspended machine would: another one
// gets its partitions, and when it wakes it must not commit, or deliver in a transaction, what is
// no longer its own.
func TestPaused(t *testing.T) {
	eachWay(t, func(t *testing.T, args []string) {
		s := newStage(t, shared.get(t), 2*len(codecs))
		f := newFeeder(t, s)
		f.on(rate)
		a, b := s.run(t, args...), s.run(t, args...)
		s.members(t, 2, a, b)
		s.more(t, rate/2, a, b)
		a.Signal(t, syscall.SIGSTOP)
		s.members(t, 1, b)
		s.more(t, 2*rate, b)
		woke := s.count()
		a.Signal(t, syscall.SIGCONT)
		s.members(t, 2, a, b)
		s.more(t, 2*rate, a, b)
		f.stop()
		s.done(t, a, b)
		a.Stop(t)
		b.Stop(t)
		bound := woke
		if len(args) > 0 {
			bound = 0
		}
		s.account(t, bound)
	})
}
