package gateway

import "time"

// utilisation is how busy a planner keeps a core: rates are those at which a contestant would be
// that busy if a request cost what it costs with all connections busy.
const utilisation = 0.6

// windowLength is the length of the windows of latency, and slowWindow the p99 that makes one slow.
const (
	windowLength = time.Second
	slowWindow   = 5.0 // ms
)

// latency measures each contestant at its own rate of the utilisation, and in the same turn the
// upstream alone at that rate. Both are medians over windows of a second. It takes the first and
// the last body.
func (l *lab) latency() error {
	sets := l.sets
	l.sets = l.ends()
	defer func() { l.sets = sets }()
	return l.rounds(l.few, l.entries, "latency", func(round int, c *contestant, b *body) error {
		rate := l.planned(c, b)
		w := load{rate: rate, connections: connectionsUsual, duration: l.windows}
		s, err := l.measure(nil, b, l.sinkAt, w)
		if err != nil {
			return err
		}
		l.add("latency direct", c, round, s)
		return l.turn(c, b, func(p *running, listen string) error {
			s, err := l.measure(p, b, listen, w)
			if err == nil {
				l.add("latency", c, round, s)
			}
			return err
		})
	})
}

func (l *lab) latencyEstimate() time.Duration {
	return time.Duration(l.few*len(l.entries)*len(l.ends())) * (startTakes + 3*loadTakes + l.warm + 2*l.windows)
}

// ends are the first and the last body.
func (l *lab) ends() []*body {
	if len(l.sets) < 2 {
		return l.sets
	}
	return []*body{l.sets[0], l.sets[len(l.sets)-1]}
}

// planned is the rate of a contestant at the utilisation.
func (l *lab) planned(c *contestant, b *body) float64 {
	if s := statOf(l.results.samples("cost", c.name, b.name), perRequest); s.Count > 0 && s.Median > 0 {
		return hundreds(utilisation * 1e6 / s.Median)
	}
	return hundreds(utilisation * b.most[c.name])
}

// hundreds rounds a rate down.
func hundreds(rate float64) float64 { return max(100, float64(int(rate/100))*100) }

// half is half of what the gateway carries.
func (l *lab) half(b *body) float64 { return hundreds(0.5 * b.most[ownFull]) }
