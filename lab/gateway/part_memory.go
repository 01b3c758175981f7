package gateway

import (
	"fmt"
	"time"
)

// What the part memory does.
const (
	manyConnections = 1000
	slowUpstream    = 20 * time.Millisecond
	// slowRate uses all connections in turn, at 50 requests a second each: the most that the
	// upstream lets a connection have is 1 s / 20 ms. Programs that can't carry it get what they
	// can.
	slowRate = 8000
)

// memory measures contestants with many connections and an upstream that takes its time, each with
// the first body.
func (l *lab) memory() error {
	if err := l.startSink("--delay", slowUpstream.String()); err != nil {
		return err
	}
	sets := l.sets
	l.sets = sets[:1]
	defer func() { l.sets = sets }()
	return l.rounds(l.few, l.entries, "memory", func(round int, c *contestant, b *body) error {
		rate := min(slowRate, 0.6*b.most[c.name])
		return l.turn(c, b, func(p *running, listen string) error {
			s, err := l.measure(p, b, listen, load{rate: rate, connections: manyConnections, duration: 4 * l.steady})
			if err == nil {
				s.Goroutines = p.goroutines(l.ctx)
				l.add("memory", c, round, s)
			}
			return err
		})
	})
}

func (l *lab) memoryEstimate() time.Duration {
	return time.Duration(l.few*len(l.entries)) * (startTakes + 2*loadTakes + l.warm + 4*l.steady)
}

// What the part overload does.
const (
	// busyUpstream is how long each request occupies an upstream that serves one after the other:
	// it carries 4,000 a second.
	busyUpstream = 250 * time.Microsecond
	overloaded   = 3 // times what is carried is offered
)

// The two ways to be overloaded: the upstream is, or the gateway itself.
const (
	overloadUpstream = "upstream"
	overloadGateway  = "gateway"
)

// overload offers three times what is carried: first what an upstream carries that serves one
// request after the other, then what the gateway itself carries. Goodput is answers with 200.
func (l *lab) overload() error {
	list := l.named(ownFull, bareName, stdJSON)
	sets := l.sets
	l.sets = sets[:1]
	defer func() { l.sets = sets }()
	for _, kind := range []string{overloadUpstream, overloadGateway} {
		var flags []string
		if kind == overloadUpstream {
			flags = []string{"--service", busyUpstream.String()}
		}
		if err := l.startSink(flags...); err != nil {
			return err
		}
		err := l.rounds(l.few, list, "overload of the "+kind, func(round int, c *contestant, b *body) error {
			return l.turn(c, b, func(p *running, listen string) error {
				peak, err := l.measure(p, b, listen, load{connections: 16, duration: 2 * l.steady})
				if err != nil {
					return err
				}
				l.add("overload "+kind+" peak", c, round, peak)
				// The generator may be late here: it offers more than anybody can take. What it
				// could not send is in the numbers.
				s, err := l.once(p, b, listen, load{rate: overloaded * peak.Answered, connections: manyConnections, duration: 4 * l.steady})
				if err != nil {
					return fmt.Errorf("overload: %w", err)
				}
				l.add("overload "+kind, c, round, s)
				return nil
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *lab) overloadEstimate() time.Duration {
	return time.Duration(2*l.few*3) * (startTakes + 3*loadTakes + l.warm + 6*l.steady + time.Second)
}
