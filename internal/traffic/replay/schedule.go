package replay

import (
	"math"
	"math/rand/v2"
)

// never is a time that does not come.
const never = math.MaxInt64

// schedule says when the requests of one loop are due, in nanoseconds from the start. Loops that
// share a run take turns: of n loops, loop i has the requests i, i+n, i+2n, ...
type schedule struct {
	seq    int64 // of the next request
	due    int64 // when it is due; never after the last
	step   int64
	end    int64 // requests due later are not sent
	limit  int64 // requests with this number and later ones are not sent
	gap    float64
	random *rand.Rand // nil for a constant rate
	now    float64    // of a random schedule
}

func newSchedule(c *Config, loop int) schedule {
	s := schedule{seq: int64(loop), step: int64(c.Loops), end: int64(c.Duration), limit: c.Requests}
	if s.limit == 0 {
		s.limit = never
	}
	if c.Rate > 0 {
		s.gap = 1e9 / c.Rate
		if c.Poisson {
			s.random = rand.New(rand.NewPCG(c.Seed, uint64(loop)))
		}
	}
	s.set()
	return s
}

// advance goes on to the next request.
func (s *schedule) advance() {
	s.seq += s.step
	s.set()
}

// set computes when the request is due. That of a closed loop is due at once.
func (s *schedule) set() {
	switch {
	case s.random != nil:
		s.now += s.random.ExpFloat64() * s.gap * float64(s.step)
		s.due = int64(s.now)
	default:
		s.due = int64(float64(s.seq) * s.gap)
	}
	if s.due >= s.end || s.seq >= s.limit {
		s.due = never
	}
}

// closed reports whether requests are due as soon as a connection is free.
func (s *schedule) closed() bool { return s.gap == 0 }

// over reports whether no request becomes due any more.
func (s *schedule) over(now int64) bool { return s.due == never || s.closed() && now >= s.end }

// ready reports whether the next request is due.
func (s *schedule) ready(now int64) bool { return s.due <= now && !s.over(now) }

// waiting returns about how many requests are due at a time and not sent.
func (s *schedule) waiting(now int64) int64 {
	if s.due == never || s.closed() || now < s.due {
		return 0
	}
	return int64(float64(min(now, s.end)-s.due)/(s.gap*float64(s.step))) + 1
}
