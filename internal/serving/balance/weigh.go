package balance

import "time"

// slowStartMin is the part of its share that an address begins with in its slow start, and
// slowStartSteps the steps in which that grows. The first is Envoy's min_weight_percent.
const (
	slowStartMin   = 0.1
	slowStartSteps = 20
)

// level is the addresses of a group that are preferred alike: those of the zone, or all others.
type level struct {
	members []*member
	weight  float64 // of all members
	healthy float64 // the part of that which healthy addresses have
	panic   bool    // addresses that are not healthy are used too
	shares  float64 // of its members, in sum
	load    float64 // the part of the group's requests that it gets
}

// member is an upstream of a group.
type member struct {
	weight    float64
	endpoints []*Endpoint
	usable    []*Endpoint
	share     float64
}

// weigh returns the table of a group, as its addresses are now. Upstreams that are drained count as
// if there were none.
func (g *Group) weigh(o *Options) *table {
	levels := levelsOf(g.members, o.Zone)
	if len(levels[0].members) == 0 {
		return &table{}
	}
	capacity := 0.0
	for _, l := range levels {
		l.use((*Endpoint).Healthy)
		capacity += min(1, overprovisioning*l.healthy)
	}
	spread(levels)
	t := &table{}
	for _, l := range levels {
		if capacity < 1 && l.healthy < o.PanicThreshold && !g.canary {
			l.panic, t.panic = true, true
			l.use((*Endpoint).reachable)
		}
	}
	if capacity == 0 {
		spread(levels) // by what can be reached
	}
	var endpoints []*Endpoint
	var shares []float64
	for _, l := range levels {
		for _, m := range l.members {
			for _, e := range m.usable {
				if share := l.load * m.share / l.shares / float64(len(m.usable)) * e.warmth(o.SlowStart); share > 0 {
					endpoints, shares = append(endpoints, e), append(shares, share)
				}
			}
			for _, e := range m.endpoints {
				if e.tried(l.panic) {
					t.open = append(t.open, e)
				}
			}
		}
	}
	t.slots = newSlots(endpoints, shares)
	return t
}

// levelsOf splits a group by zone. Without a zone, or without upstreams in it, there is one level.
func levelsOf(upstreams []*Upstream, zone string) []*level {
	near, far := &level{}, &level{}
	for _, u := range upstreams {
		if u.Drained() {
			continue
		}
		to := far
		if zone != "" && u.Zone == zone {
			to = near
		}
		m := &member{weight: float64(u.Weight), endpoints: u.Endpoints()}
		to.members = append(to.members, m)
		to.weight += m.weight
	}
	levels := []*level{near, far}
	if len(near.members) == 0 {
		return levels[1:]
	}
	return levels
}

// use looks for the addresses that a test lets pass. An upstream keeps its share as long as they
// can carry it.
func (l *level) use(test func(*Endpoint) bool) {
	l.healthy, l.shares = 0, 0
	for _, m := range l.members {
		m.usable, m.share = nil, 0
		for _, e := range m.endpoints {
			if test(e) {
				m.usable = append(m.usable, e)
			}
		}
		if n := len(m.endpoints); n > 0 {
			part := float64(len(m.usable)) / float64(n)
			m.share = m.weight * min(1, overprovisioning*part)
			l.healthy += m.weight * part / l.weight
			l.shares += m.share
		}
	}
}

// spread gives each level what it can carry, the first one first.
func spread(levels []*level) {
	left, sum := 1.0, 0.0
	for _, l := range levels {
		l.load = min(left, overprovisioning*l.healthy)
		left -= l.load
		sum += l.load
	}
	if sum == 0 {
		return // no address is left
	}
	for _, l := range levels {
		l.load /= sum
	}
}

// warmth is the part of its share that an address gets: less than 1 in its slow start.
func (e *Endpoint) warmth(window time.Duration) float64 {
	since := time.Duration(e.warm.Load())
	if since == 0 || window == 0 {
		return 1
	}
	return min(1, max(slowStartMin, float64(now()-since)/float64(window)))
}

// warming reports whether an address is in its slow start.
func (e *Endpoint) warming(window time.Duration) bool { return e.warmth(window) < 1 }
