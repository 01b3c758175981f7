package gateway

import (
	"sync/atomic"
	"time"
)

// Limits are the limits of a partner or publisher. 0 means no limit.
type Limits struct {
	Rate     int // requests per second
	Burst    int // requests at once beyond the rate; 0 with a rate: as many as in one second
	InFlight int // requests at the same time
}

// limiter enforces Limits. It takes no lock, since all requests of a partner ask it.
type limiter struct {
	Limits
	rate     pace
	inFlight atomic.Int64
}

func newLimiter(l Limits) *limiter {
	out := &limiter{Limits: l}
	if l.Rate > 0 {
		burst := l.Burst
		if burst == 0 {
			burst = l.Rate
		}
		out.rate.init(l.Rate, burst)
	}
	return out
}

// acquire reports whether a request may begin now. If so, release must follow.
func (l *limiter) acquire(now time.Time) bool {
	if l.InFlight > 0 && l.inFlight.Add(1) > int64(l.InFlight) {
		l.inFlight.Add(-1)
		return false
	}
	if l.Rate > 0 && !l.rate.allow(now) {
		l.release()
		return false
	}
	return true
}

func (l *limiter) release() {
	if l.InFlight > 0 {
		l.inFlight.Add(-1)
	}
}

// pace limits a rate by the generic cell rate algorithm: it keeps the time at which a sender that
// has kept to the rate would send its next request. A sender may be ahead of that by a burst.
type pace struct {
	interval, burst int64 // in ticks
	next            atomic.Int64
}

// ticksPerNs are finer than nanoseconds, so that high rates are exact to a part in a thousand.
const ticksPerNs = 16

// processStart is the time that ticks count from.
var processStart = time.Now()

func (p *pace) init(rate, burst int) {
	p.interval = max(int64(time.Second)*ticksPerNs/int64(rate), 1)
	p.burst = p.interval * int64(burst-1) // the request itself is one
}

// allow reports whether a request may be sent now, and counts it.
func (p *pace) allow(now time.Time) bool {
	at := int64(now.Sub(processStart)) * ticksPerNs
	for {
		next := p.next.Load()
		from := max(next, at)
		if from-at > p.burst {
			return false
		}
		if p.next.CompareAndSwap(next, from+p.interval) {
			return true
		}
	}
}
