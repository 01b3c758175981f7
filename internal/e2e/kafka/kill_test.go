//go:build unix

package kafka

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

// rate is how many records a second are sent while something happens to the program.
const rate = 4000

// TestKill kills the program with SIGKILL again and again under load. Nothing is lost. What is
// delivered a second time is what was delivered and not yet committed: with --commit-interval 1s,
// about what a second brings.
func TestKill(t *testing.T) {
	s := newStage(t, shared.get(t), len(codecs))
	f := newFeeder(t, s)
	f.on(rate)
	bound := 0
	for round := range testkit.Scale(t, 2, 5, 5) {
		p := s.run(t)
		s.more(t, rate/2, p)
		time.Sleep(time.Duration(rand.IntN(1000)) * time.Millisecond) // anywhere between two commits
		p.kill(t)
		s.settle(t)
		ahead := s.ahead(t)
		t.Logf("kill %d: %d records were delivered and not committed", round+1, ahead)
		bound += ahead
	}
	f.stop()
	p := s.run(t)
	s.done(t, p)
	p.Stop(t)
	s.account(t, bound)
}

// settle waits until nothing arrives any more: what a program has sent can still be on its way when
// it is killed.
func (s *stage) settle(t *testing.T) {
	t.Helper()
	for before := int64(-1); ; time.Sleep(200 * time.Millisecond) {
		now := s.Ends(t, s.accepted, s.dead).Sum()
		if now == before {
			return
		}
		before = now
	}
}

// TestKillExactly kills the program ten times. A reader of committed records sees each exactly
// once.
func TestKillExactly(t *testing.T) {
	s := newStage(t, shared.get(t), len(codecs))
	f := newFeeder(t, s)
	f.on(rate)
	for range testkit.Scale(t, 2, 10, 10) {
		p := s.run(t, "--exactly-once")
		s.more(t, rate/2, p)
		time.Sleep(time.Duration(rand.IntN(1000)) * time.Millisecond) // anywhere in a transaction
		p.kill(t)
	}
	f.stop()
	p := s.run(t, "--exactly-once")
	s.done(t, p)
	p.Stop(t)
	s.account(t, 0)
}

// TestTerm ends the program with SIGTERM again and again under load. Nothing is lost, and nothing
// comes twice: a clean end knows what it has delivered.
func TestTerm(t *testing.T) {
	eachWay(t, func(t *testing.T, args []string) {
		s := newStage(t, shared.get(t), len(codecs))
		f := newFeeder(t, s)
		f.on(rate)
		for round := range testkit.Scale(t, 2, 5, 20) {
			p := s.run(t, args...)
			s.more(t, rate/2, p)
			time.Sleep(time.Duration(rand.IntN(300)) * time.Millisecond)
			p.Stop(t)
			if ahead := s.ahead(t); ahead != 0 {
				t.Errorf("round %d: %d records were delivered and not committed", round, ahead)
			}
		}
		f.stop()
		p := s.run(t, args...)
		s.done(t, p)
		p.Stop(t)
		s.account(t, 0)
	})
}

// TestTermEarly ends the program at any moment of its start. It exits with 0, and the next one does
// the work.
func TestTermEarly(t *testing.T) {
	eachWay(t, func(t *testing.T, args []string) {
		s := newStage(t, shared.get(t), len(codecs))
		newFeeder(t, s).all(20_000)
		for range testkit.Scale(t, 3, 10, 30) {
			p := s.begin(t, args...)
			waitFor(t, "a sign of life", func() bool { return p.Text() != "" })
			time.Sleep(time.Duration(rand.IntN(600)) * time.Millisecond)
			p.Stop(t)
		}
		p := s.run(t, args...)
		s.done(t, p)
		p.Stop(t)
		s.account(t, 0)
	})
}
