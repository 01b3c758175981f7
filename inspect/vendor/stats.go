package vendor

import "sync/atomic"

// Stats counts what became of the questions to a service since its group was made. Asked is the sum
// of Answered, Late, Failed, Abandoned, and those that are under way.
type Stats struct {
	Name string
	// Asked counts questions that the service was given.
	Asked uint64
	// Answered counts scores in time.
	Answered uint64
	// Late counts questions that had no answer at their deadline.
	Late uint64
	// Failed counts errors, panics, and scores that are not from 0 to 100.
	Failed uint64
	// Abandoned counts questions whose caller had no more time, before the deadline of the service.
	Abandoned uint64
	// Skipped counts questions that the service was not given: too many were under way, the breaker
	// was open, or the caller had no time.
	Skipped uint64
	// Waiting is the number of questions that the service has not returned from.
	Waiting int
	// Open is whether the breaker is open: the service is not asked, but for probes.
	Open bool
	// Err is the error of the last question that failed; nil if none did.
	Err error
}

type counters struct {
	asked, answered, late, failed, abandoned, skipped atomic.Uint64
	err                                               atomic.Pointer[error]
}

// Stats returns the counters of all services, in their order.
func (g *Group) Stats() []Stats {
	if g == nil {
		return nil
	}
	all := make([]Stats, len(g.members))
	for i, m := range g.members {
		c := &m.counters
		all[i] = Stats{
			Name:     m.name,
			Answered: c.answered.Load(), Late: c.late.Load(), Failed: c.failed.Load(), Abandoned: c.abandoned.Load(),
			Skipped: c.skipped.Load(), Waiting: len(m.slots), Open: !m.breaker.Closed(),
			Asked: c.asked.Load(), // after its parts, which are never more
		}
		if err := c.err.Load(); err != nil {
			all[i].Err = *err
		}
	}
	return all
}
