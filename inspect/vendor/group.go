package vendor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/internal/breaker"
	"github.com/rtbwire/rtbwire/openrtb"
)

// Group asks several services. It is for all goroutines. A nil Group has no services.
type Group struct{ members []*member }

// member is a service with its state.
type member struct {
	Member
	name    string
	slots   chan struct{} // one for each question under way
	breaker breaker.Breaker
	counters
}

// NewGroup returns a group of services. Their names must differ.
func NewGroup(members ...Member) (*Group, error) {
	g := &Group{}
	names := map[string]bool{}
	for _, m := range members {
		if err := m.validate(); err != nil {
			return nil, err
		}
		name := m.Vendor.Name()
		if names[name] {
			return nil, fmt.Errorf("two vendors are called %s", name)
		}
		names[name] = true
		added := &member{Member: m, name: name, slots: make(chan struct{}, m.Concurrent)}
		added.breaker.Init(m.Breaker.Failures, m.Breaker.Pause)
		g.members = append(g.members, added)
	}
	return g, nil
}

// Select returns a group of some of the services, by their names. They have one state with those of
// g: limits, breakers and counters are the same.
func (g *Group) Select(names ...string) (*Group, error) {
	some := &Group{}
	for _, name := range names {
		at := -1
		if g != nil {
			at = slices.IndexFunc(g.members, func(m *member) bool { return m.name == name })
		}
		if at < 0 {
			return nil, fmt.Errorf("no vendor is called %s", name)
		}
		if slices.Contains(some.members, g.members[at]) {
			return nil, fmt.Errorf("the vendor %s is named twice", name)
		}
		some.members = append(some.members, g.members[at])
	}
	return some, nil
}

// Ask asks all services at once and appends their answers, in their order: one for each service
// that had something to ask. It returns when all have answered or are late, so after the longest
// deadline at most, or when the context ends. An answer that is missing has Err, and the score that
// [Member.Fail] says.
func (g *Group) Ask(ctx context.Context, dst []rule.VendorAnswer, r *openrtb.BidRequest, f *rule.Facts) []rule.VendorAnswer {
	if g == nil || len(g.members) == 0 {
		return dst
	}
	calls := make([]*call, len(g.members))
	for i, m := range g.members {
		calls[i] = m.start(ctx, r, f)
	}
	for _, c := range calls {
		if c != nil {
			dst = append(dst, c.wait())
		}
	}
	return dst
}

// call is one question.
type call struct {
	member *member
	ctx    context.Context //nolint:containedctx // of the question
	cancel context.CancelFunc
	// settled is set by whoever decides what became of the question: the goroutine that asks, when
	// it has an answer, or the one that waits, at the deadline. The first one then sends a result.
	settled atomic.Bool
	result  chan int // the score; unanswered
}

const unanswered = -1

var errLate = errors.New("no answer at the deadline")

// start asks the service. It returns nil if there is nothing to ask.
func (m *member) start(ctx context.Context, r *openrtb.BidRequest, f *rule.Facts) *call {
	c := &call{member: m, result: make(chan int, 1)}
	question, ok, err := m.question(r, f)
	switch {
	case err != nil:
		m.asked.Add(1)
		c.result <- m.fail(err)
		return c
	case !ok:
		return nil
	case ctx.Err() != nil || !m.acquire():
		m.skipped.Add(1)
		c.result <- unanswered
		return c
	}
	m.asked.Add(1)
	c.ctx, c.cancel = context.WithTimeoutCause(ctx, m.Deadline, errLate)
	go c.ask(question)
	return c
}

// acquire reports whether the service may be asked.
func (m *member) acquire() bool {
	select {
	case m.slots <- struct{}{}:
	default:
		return false
	}
	if !m.breaker.Allow() {
		<-m.slots
		return false
	}
	return true
}

// question is the vendor's, which may panic.
func (m *member) question(r *openrtb.BidRequest, f *rule.Facts) (question []byte, ok bool, err error) {
	defer recovered(&err)
	question, ok = m.Vendor.Question(nil, r, f)
	return question, ok, nil
}

// ask runs on a goroutine of its own.
func (c *call) ask(question []byte) {
	defer func() { <-c.member.slots }()
	score, err := c.member.score(c.ctx, question)
	if !c.settled.CompareAndSwap(false, true) {
		return // late, and counted
	}
	switch m := c.member; {
	case c.ctx.Err() != nil:
		c.result <- m.late(c.ctx)
	case err != nil:
		c.result <- m.fail(err)
	default:
		m.answered.Add(1)
		m.breaker.Success()
		c.result <- score
	}
}

// score is the vendor's, which may panic.
func (m *member) score(ctx context.Context, question []byte) (score int, err error) {
	defer recovered(&err)
	score, err = m.Vendor.Ask(ctx, question)
	if err == nil && (score < 0 || score > ScoreMax) {
		err = fmt.Errorf("expected a score from 0 to %d, found %d", ScoreMax, score)
	}
	return score, err
}

func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("panic: %v", p)
	}
}

// wait returns the answer.
func (c *call) wait() rule.VendorAnswer {
	var score int
	if c.ctx == nil { // not asked
		score = <-c.result
	} else {
		select {
		case score = <-c.result:
		case <-c.ctx.Done():
			if c.settled.CompareAndSwap(false, true) {
				score = c.member.late(c.ctx)
			} else {
				score = <-c.result // it is about to be sent
			}
		}
		c.cancel()
	}
	a := rule.VendorAnswer{Name: c.member.name, Score: score}
	if score == unanswered {
		a.Err, a.Score = true, 0
		if c.member.Fail == Closed {
			a.Score = ScoreMax
		}
	}
	return a
}

// late counts a question whose context has ended.
func (m *member) late(ctx context.Context) int {
	if context.Cause(ctx) != errLate {
		m.abandoned.Add(1) // by the caller: that says nothing about the service
		return unanswered
	}
	m.counters.late.Add(1)
	m.breaker.Failure()
	return unanswered
}

// fail counts a question that has failed.
func (m *member) fail(err error) int {
	m.failed.Add(1)
	m.err.Store(&err)
	m.breaker.Failure()
	return unanswered
}
