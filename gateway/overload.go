package gateway

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// The adaptive limit on concurrency.
const (
	// overloadWindow is how long latencies are gathered before the limit changes, and
	// overloadSamples how many there must be.
	overloadWindow  = 200 * time.Millisecond
	overloadSamples = 50
	// OverloadLimitMin is the smallest limit: enough to notice that the load is over.
	OverloadLimitMin = 16
	// overloadCalm is what the limit grows back to while latency is normal, whatever the load is,
	// and what the bound on the queue never goes below.
	overloadCalm = 256
	// OverloadToleranceDefault is how many times the best latency seen is normal.
	OverloadToleranceDefault = 2.0
	// OverloadLatencyMin is latency that is always normal, however good the best is: an idle
	// gateway answers in 100 µs, one that uses its processor fully in milliseconds, and senders
	// wait for 100 ms and more. Below it nothing is won by shedding: a refusal takes the processor
	// half as long as a request, so that a gateway that sheds what it could carry serves less, not
	// faster.
	OverloadLatencyMin = 40 * time.Millisecond
	// overloadWon is how latency must have fallen when the limit has fallen to a half. Where
	// requests wait for each other it falls to a half too.
	overloadWon = 0.9
	// overloadForget is by how much the best latency can rise in a window, so that a core that
	// became slower for good is not overloaded forever.
	overloadForget = 1.01
	// overloadQueue is how many times normal latency the last of those let in may have to wait, by
	// the best rate at which requests were answered. It bounds what is let in when an overload
	// begins and its latency is not known yet. With latency that is always normal that is 60 ms: of
	// the 100 ms that senders wait, the rest is for the network and a busy processor.
	overloadQueue = 1.5
	// overloadRateForget is by how much the best rate falls in a window: to a half in 23 minutes.
	overloadRateForget = 1.0001
	// overloadTight is from which part of the limit on it may be what limits. If latency is normal
	// then, there is no queue, and the bound is too small: it grows by overloadWiden in a window.
	overloadTight = 0.9
	overloadWiden = 1.25
)

// overload limits how many requests are served at the same time, by their latency: while it is
// near the best seen, the limit grows; when it is several times that, requests wait somewhere, and
// the limit shrinks by as much (the gradient of latency, as in Netflix's concurrency-limits). The
// mean of a window is compared, so that single slow requests mean nothing.
type overload struct {
	inFlight atomic.Int64
	limit    atomic.Int64

	tolerance float64
	max       float64

	sum, count atomic.Int64 // latencies in the window
	late       atomic.Int64 // those that the upstream did not answer in time
	peak       atomic.Int64 // most requests in flight in the window
	until      atomic.Int64 // end of the window

	mu    sync.Mutex // of one who ends a window
	began int64      // the window, in nanoseconds since the process started
	best  float64    // latency, in nanoseconds
	rate  float64    // the best, in answers a nanosecond
	size  float64    // the limit by latency, before it is rounded

	// Where the limit was when it began to shrink, and the latency then; 0 while it grows.
	fromSize, fromMean float64
}

func (l *overload) init(limit int, tolerance float64) {
	l.tolerance, l.max, l.size = tolerance, float64(limit), float64(limit)
	l.limit.Store(int64(limit))
	l.began = int64(time.Since(processStart))
	l.until.Store(l.began + int64(overloadWindow))
}

// acquire reports whether a request may be served. If so, release must follow.
func (l *overload) acquire() bool {
	n := l.inFlight.Add(1)
	if n > l.limit.Load() {
		l.inFlight.Add(-1)
		return false
	}
	if n > l.peak.Load() {
		l.peak.Store(n) // a race between two loses little
	}
	return true
}

// release ends a request. The latency of those that were forwarded is comparable. Those that the
// upstream did not answer in time count too: otherwise an upstream that answers none in time would
// go unnoticed. Requests with hardly any time budget do not count.
func (l *overload) release(latency time.Duration, forwarded, late bool) {
	l.inFlight.Add(-1)
	late = late && latency >= OverloadLatencyMin
	if !forwarded && !late || l.tolerance < 0 {
		return
	}
	if late {
		l.late.Add(1)
	}
	l.sum.Add(int64(latency))
	n := l.count.Add(1)
	if now := int64(time.Since(processStart)); n >= overloadSamples && now >= l.until.Load() && l.mu.TryLock() {
		l.adapt(now)
		l.mu.Unlock()
	}
}

// adapt ends a window.
func (l *overload) adapt(now int64) {
	if now < l.until.Load() {
		return // another one has
	}
	l.until.Store(now + int64(overloadWindow))
	n := l.count.Swap(0)
	mean := float64(l.sum.Swap(0)) / float64(max(n, 1))
	late := l.late.Swap(0)
	hopeless := 2*late > n // most were not answered in time, so the latency is not comparable
	peak := float64(l.peak.Swap(l.inFlight.Load()))
	limited := peak >= l.size/2
	switch {
	case hopeless:
	case l.best == 0 || mean < l.best:
		l.best = mean
	case !limited || l.size <= OverloadLimitMin:
		// Nobody waits, so this is what the core needs now. While many wait the best must stay,
		// or it would follow the overload.
		l.best = min(l.best*overloadForget, mean)
	}
	normal := l.normal()
	gradient := min(max(normal/mean, 0.5), 1)
	if hopeless {
		gradient = 0.5
	}
	l.learnRate(now, n-late, gradient == 1 && peak >= overloadTight*float64(l.limit.Load()))
	defer l.set()
	next := l.size + math.Sqrt(l.size)
	switch {
	case gradient < 1:
		next = min(l.size, peak)*gradient + math.Sqrt(l.size)
		if !hopeless && l.inVain(min(l.size, peak), mean) {
			next, l.best = l.fromSize, mean/l.tolerance
			l.fromSize = 0
		}
	case !limited && l.size >= overloadCalm:
		l.fromSize = 0
		return // more would say nothing: the limit is not what limits
	default:
		l.fromSize = 0
	}
	l.size = min(max(next, OverloadLimitMin), l.max)
}

// normal is the latency up to which nothing waits too long, in nanoseconds.
func (l *overload) normal() float64 {
	return max(l.tolerance*l.best, float64(OverloadLatencyMin))
}

// learnRate ends a window in which so many were answered in time. It is tight if the limit was used
// although latency is normal. Requests that are not counted here, such as undecoded ones, are in
// flight too, and the rate alone would keep the limit too small.
func (l *overload) learnRate(now, answered int64, tight bool) {
	took := now - l.began
	l.began = now
	if took <= 2*int64(overloadWindow) { // else the sender paused, or sends little
		l.rate = max(l.rate/overloadRateForget, float64(answered)/float64(max(took, 1)))
	}
	if tight {
		l.rate = max(l.rate, overloadWiden*float64(l.limit.Load())/(overloadQueue*l.normal()))
	}
}

// set sets the limit: that by latency, but no more than would be answered in time.
func (l *overload) set() {
	limit := l.size
	if l.rate > 0 {
		limit = min(limit, max(l.rate*overloadQueue*l.normal(), overloadCalm))
	}
	l.limit.Store(int64(limit))
}

// inVain reports whether half of the requests are shed and the others are hardly faster: what makes
// them slow is not how many they are. A core became slower, or others use the machine. Shedding
// more would cost answers and win no time.
func (l *overload) inVain(size, mean float64) bool {
	switch {
	case l.fromSize == 0 || size > l.fromSize:
		l.fromSize, l.fromMean = size, mean
	case size > max(l.fromSize/2, OverloadLimitMin):
	case mean > l.fromMean*overloadWon:
		return true
	default:
		l.fromSize, l.fromMean = size, mean // it helps: go on from here
	}
	return false
}
