package gateway

import (
	"fmt"
	"time"
)

// What the part capacity does.
const (
	capacityP99 = 5.0  // ms, as in limitKept
	capacityCut = 0.95 // a rate that a trial did not carry is followed by that much of it
	// capacityCutHeld is the same for one that was not carried for --hold: a hold is long, and what
	// a trial lets through can be far above.
	capacityCutHeld = 0.8
	// capacityTries bounds how often a rate is lowered.
	capacityTries = 8
	// capacityTrial is how long a rate is tried before it has to be carried for --hold.
	capacityTrial = time.Minute
	// holdOthers is how long it has to be carried at most by the handlers that the gateway is
	// beside: shorter is in their favour.
	holdOthers = 3 * time.Minute
	// capacityLost is the share of requests that may have another answer than 200.
	capacityLost = 0.0001
)

// capacity finds the highest rate that is carried for --hold: the gateway with the whole verdict,
// and the handlers of net/http.
func (l *lab) capacity() error {
	sets := l.sets
	l.sets = sets[len(sets)-1:] // the mix
	defer func() { l.sets = sets }()
	return l.rounds(1, l.named(ownFull, goJSON, stdJSON), "capacity", func(round int, c *contestant, b *body) error {
		return l.turn(c, b, func(p *running, listen string) error {
			var s Sample
			var err error
			rate := l.first
			if rate == 0 || c.name != ownFull {
				if s, err = l.findLimit(b, listen, b.most[c.name], min(3*time.Second, l.hold)); err != nil {
					return err
				}
				rate = s.Offered
			}
			tooHigh := 0.0
			for try := 0; try < capacityTries && rate > 0; try++ {
				held, hold := true, l.hold
				if c.name != ownFull {
					hold = min(hold, holdOthers)
				}
				for _, d := range []time.Duration{min(capacityTrial, hold), hold} {
					l.say("capacity: %s, %.0f a second for %v", c.name, rate, d)
					if s, err = l.measure(p, b, listen, load{rate: rate, connections: connectionsUsual, duration: d}); err != nil {
						return err
					}
					if why := notCarried(&s); why != "" {
						l.say("capacity: not carried: %s", why)
						if held = false; d == hold {
							rate *= capacityCutHeld / capacityCut
						}
						break
					}
				}
				if held {
					s.NotCarried = tooHigh
					l.add("capacity", c, round, s)
					return nil
				}
				tooHigh = s.Offered
				rate *= capacityCut
			}
			l.say("capacity: %s carries no rate for %v", c.name, l.hold)
			return nil
		})
	})
}

// notCarried says why a rate was not carried, "" if it was.
func notCarried(s *Sample) string {
	all := s.Answered + s.Other + s.Failed
	switch {
	case s.Invalid != "":
		return s.Invalid
	case s.P99 >= capacityP99:
		return fmt.Sprintf("p99 was %.2f ms", s.P99)
	case s.Other+s.Failed > capacityLost*all:
		return fmt.Sprintf("%.3g%% had another answer than 200", 100*(s.Other+s.Failed)/all)
	}
	return ""
}

func (l *lab) capacityEstimate() time.Duration {
	each := startTakes + loadTakes + l.warm + 8*3*time.Second + 2*min(capacityTrial, l.hold)
	return 3*each + l.hold + 2*min(l.hold, holdOthers)
}
