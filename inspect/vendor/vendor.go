// Package vendor queries external scoring services about a request, between decoding and judging.
// Their answers are facts, so that the verdict stays a function of the bytes, the configuration and
// the facts.
//
//	group, err := vendor.NewGroup(vendor.Member{Vendor: ivt, Deadline: 8 * time.Millisecond, Fail: vendor.Closed})
//	...
//	if worker.Decode(body) == nil {
//		facts.Vendor = group.Ask(ctx, nil, worker.Request(), &facts)
//	}
//	verdict := worker.Judge(facts)
//
// A [Group] asks its services at the same time, and waits for each until its deadline and no
// longer, whatever the service does: one that hangs, panics, or ignores its context costs a request
// that time and a place among the questions that may be under way. A service that keeps failing is
// not asked for a while.
//
// [NewHTTP] makes a service of a URL. Others implement [Vendor].
//
//	vendor.go   Vendor, Member: a service and how it is asked
//	keys.go     the settings
//	group.go    Group: asking
//	stats.go    counters
//	http.go     HTTP: a service that is asked by HTTP
package vendor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/openrtb"
)

// Vendor is a service that scores requests. It is asked in two steps, because a question can
// outlive the request: Question copies what the service needs, and Ask has nothing else.
type Vendor interface {
	// Name returns the name of the service, which its answers have: [facts.VendorAnswer].
	Name() string
	// Question appends what the service is asked about a request, in a form of its own, or reports
	// false if it has nothing to ask; there is no answer then. It runs on the caller's goroutine:
	// it must not wait, nor keep the request, the facts or strings of them.
	Question(dst []byte, r *openrtb.BidRequest, f *rule.Facts) ([]byte, bool)
	// Ask asks the service, and returns a score from 0 (good) to 100 (fraud). It should return when
	// the context ends. It runs on a goroutine of its own, perhaps several at once, and may run on
	// after [Group.Ask] has returned. The question is its own until it returns.
	Ask(ctx context.Context, question []byte) (score int, err error)
}

// Fail says what the absence of an answer means.
type Fail uint8

// The values of Fail.
const (
	Open   Fail = iota // it is ignored: the score is 0
	Closed             // it counts as fraud: the score is ScoreMax
)

// ScoreMax is the score of what is certainly fraud.
const ScoreMax = 100

// The defaults of [Member] and [Breaker], and the longest deadline.
const (
	DeadlineDefault   = 5 * time.Millisecond
	DeadlineMax       = 10 * time.Second
	ConcurrentDefault = 64
	FailuresDefault   = 16
	PauseDefault      = time.Second
)

// Member is a service of a [Group], and how it is asked. Zero values mean the defaults.
type Member struct {
	Vendor Vendor
	// Deadline is how long an answer may take, from the start of [Group.Ask]. The default is 5 ms.
	Deadline time.Duration
	// Concurrent is how many questions may be under way at once; those of which the answer is late
	// count until the service returns. Beyond it the service is not asked. The default is 64.
	Concurrent int
	// Fail is what an answer that is late, wrong or missing means. The default is [Open].
	Fail Fail
	// Breaker is when a service that keeps failing is not asked.
	Breaker Breaker
}

// Breaker is when a service is not asked: after a number of failures in a row (late answers,
// errors) there is a pause. After it one question is a probe. If that is answered, all are asked
// again; else there is another pause.
type Breaker struct {
	// Failures is the number of failures in a row. The default is 16; a negative one means that
	// there is no pause.
	Failures int
	// Pause is how long the service is not asked. The default is 1 s.
	Pause time.Duration
}

// validate refuses what a member can't mean, and fills in the defaults.
func (m *Member) validate() error {
	if m.Vendor == nil {
		return errors.New("expected a vendor, found nil")
	}
	m.Deadline = cmp.Or(m.Deadline, DeadlineDefault)
	m.Concurrent = cmp.Or(m.Concurrent, ConcurrentDefault)
	m.Breaker.Failures = cmp.Or(m.Breaker.Failures, FailuresDefault)
	m.Breaker.Pause = cmp.Or(m.Breaker.Pause, PauseDefault)
	name := m.Vendor.Name()
	switch {
	case name == "":
		return errors.New("a vendor has no name")
	case m.Deadline < 0 || m.Deadline > DeadlineMax:
		return fmt.Errorf("vendor %s: expected a deadline of at most %v, found %v", name, DeadlineMax, m.Deadline)
	case m.Concurrent < 0:
		return fmt.Errorf("vendor %s: the limit of concurrent questions is negative", name)
	case m.Fail > Closed:
		return fmt.Errorf("vendor %s: unknown value %d of fail (want open or closed)", name, m.Fail)
	case m.Breaker.Pause < 0:
		return fmt.Errorf("vendor %s: the pause of the breaker is negative", name)
	}
	return nil
}
