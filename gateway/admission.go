package gateway

import "time"

// admission is what a request holds of limits while it is served.
type admission struct {
	held    []*limiter
	counted bool // by the limit on concurrency
}

// hold asks a limiter. In shadow mode a request goes on that the limiter does not let in.
func (a *admission) hold(l *limiter, now time.Time, shadow bool) bool {
	if l.acquire(now) {
		a.held = append(a.held, l)
		return true
	}
	return shadow
}

// count asks the limit on concurrency.
func (a *admission) count(l *overload) bool {
	a.counted = l.acquire()
	return a.counted
}

// end gives everything back.
func (a *admission) end(l *overload, r *request, d *decision, now time.Time) {
	for i, own := range a.held {
		own.release()
		a.held[i] = nil
	}
	if a.counted {
		// From when it was read: senders that are slow say nothing about load.
		l.release(now.Sub(r.read), d.outcome == outcomeForwarded, d.reason == failSlow.reason)
	}
	*a = admission{held: a.held[:0]}
}
