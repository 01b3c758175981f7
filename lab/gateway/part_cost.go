package gateway

import (
	"math/rand/v2"
	"time"
)

// The times that a turn takes besides its measurements.
const (
	startTakes = 300 * time.Millisecond
	loadTakes  = 250 * time.Millisecond // for each run of the generator, which reads its file first
)

// rounds calls f for all contestants and bodies in each round, in an order that changes: what
// disturbs the machine for some seconds hits one round of everything.
func (l *lab) rounds(n int, list []*contestant, what string, f func(round int, c *contestant, b *body) error) error {
	order := rand.New(rand.NewPCG(1, uint64(len(list))))
	for round := range n {
		for _, i := range order.Perm(len(list) * len(l.sets)) {
			c, b := list[i%len(list)], l.sets[i/len(list)]
			if err := l.ctx.Err(); err != nil {
				return err
			}
			l.say("%s, round %d of %d: %s, %s", what, round+1, n, c.name, b.name)
			if err := f(round, c, b); err != nil {
				return err
			}
		}
	}
	return nil
}

// cost measures each contestant with all connections busy: a closed loop, so that nothing waits for
// a clock of the machine. What a request costs then is what a core's capacity is computed from.
func (l *lab) cost() error {
	return l.rounds(l.effort.rounds, l.entries, "cost", func(round int, c *contestant, b *body) error {
		return l.turn(c, b, func(p *running, listen string) error {
			s, err := l.measure(p, b, listen, load{connections: connectionsUsual, duration: l.max})
			if err == nil {
				l.add("cost", c, round, s)
			}
			return err
		})
	})
}

func (l *lab) costEstimate() time.Duration {
	return time.Duration(l.effort.rounds*len(l.entries)*len(l.sets)) * (startTakes + 2*loadTakes + l.warm + l.max)
}
