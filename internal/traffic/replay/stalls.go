package replay

import "slices"

// stall is a time in which requests became due and the loop did not see it.
type stall struct{ from, to int64 }

// stalls are those that requests which are still to be sent became due in, in the order of time.
type stalls struct{ list []stall }

const (
	// stallMin is the length of the shortest stall that is remembered.
	stallMin = 50_000 // ns
	// stallsMax is how many are. With more the shortest one is forgotten: on a busy machine, with a
	// target that is far behind, many short ones would push out those that make a run invalid.
	stallsMax = 64
)

func (s *stalls) add(t stall) {
	if t.to-t.from <= stallMin {
		return
	}
	if len(s.list) == stallsMax {
		shortest := 0
		for i, o := range s.list {
			if o.to-o.from < s.list[shortest].to-s.list[shortest].from {
				shortest = i
			}
		}
		s.list = slices.Delete(s.list, shortest, shortest+1)
	}
	s.list = append(s.list, t)
}

// end returns the end of the stall that a request became due in, or 0. Requests are asked about in
// the order in which they become due.
func (s *stalls) end(due int64) int64 {
	if len(s.list) == 0 {
		return 0
	}
	past := 0
	for past < len(s.list) && s.list[past].to < due {
		past++
	}
	s.list = slices.Delete(s.list, 0, past)
	if len(s.list) > 0 && s.list[0].from <= due {
		return s.list[0].to
	}
	return 0
}
