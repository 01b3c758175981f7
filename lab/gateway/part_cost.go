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

// cost measures each contestant with all connections busy, and at a rate that all carry.
func (l *lab) cost() error {
	return l.rounds(l.effort.rounds, l.entries, "cost", func(round int, c *contestant, b *body) error {
		return l.turn(c, b, func(p *running, listen string) error {
			for _, w := range []load{{connections: connectionsUsual, duration: l.max}, {rate: b.fixed, connections: connectionsUsual, duration: l.steady}} {
				s, err := l.measure(p, b, listen, w)
				if err != nil {
					return err
				}
				l.add("cost", c, round, s)
			}
			return nil
		})
	})
}

func (l *lab) costEstimate() time.Duration {
	return time.Duration(l.effort.rounds*len(l.entries)*len(l.sets)) * (startTakes + 3*loadTakes + l.warm + l.max + l.steady)
}

// latency measures at half of what the gateway carries, in turns, without other contestants in
// between. Who can't carry that is left out.
func (l *lab) latency() error {
	list := append([]*contestant{direct}, l.named(ownFull, ownOff, ownPassthrough, bareName, "nginx", "haproxy")...)
	return l.rounds(l.effort.rounds, list, "latency", func(round int, c *contestant, b *body) error {
		rate := l.half(b)
		if c != direct && b.most[c.name] < 1.2*rate {
			return nil
		}
		return l.turn(c, b, func(p *running, listen string) error {
			s, err := l.measure(p, b, listen, load{rate: rate, connections: connectionsUsual, duration: l.steady})
			if err == nil {
				l.add("latency", c, round, s)
			}
			return err
		})
	})
}

func (l *lab) latencyEstimate() time.Duration {
	return time.Duration(l.effort.rounds*7*len(l.sets)) * (startTakes + 2*loadTakes + l.warm + l.steady)
}

// half is half of what the gateway carries.
func (l *lab) half(b *body) float64 {
	most := b.most[ownFull]
	if most == 0 { // it does not take part
		return b.fixed
	}
	return float64(int(0.5*most/100)) * 100
}
