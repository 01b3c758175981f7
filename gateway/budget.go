package gateway

import "time"

// budget finds out how long the upstream may take: what tmax leaves (OpenRTB 2.6, section 3.2.1:
// it includes both ways through the network), and at most the time for upstreams. It reports false
// if nothing is left, and has answered the request then.
func (x *exchange) budget() bool {
	o := &x.plan.options
	x.deadline = time.Time{}
	tmax := x.tmaxMs()
	if tmax <= 0 {
		return true // without one the upstream's time counts, and the verdict judges the value
	}
	x.deadline = x.began.Add(time.Duration(tmax)*time.Millisecond - x.reserve())
	if time.Until(x.deadline) > 0 {
		return true
	}
	if o.Shadow {
		x.deadline = time.Time{}
		return true
	}
	x.refuseLate()
	return false
}

// tmaxMs is the time that the request or the partner gives, in milliseconds; 0 for none.
func (x *exchange) tmaxMs() int {
	tmax := 0
	if r := x.worker.Request(); r != nil && r.TMax != nil && *r.TMax > 0 {
		tmax = *r.TMax
	}
	if x.partner != nil && x.partner.TMaxMs > 0 && (tmax == 0 || x.partner.TMaxMs < tmax) {
		tmax = x.partner.TMaxMs
	}
	return min(tmax, tmaxMsMax)
}

// tmaxMsMax bounds what requests can ask for, so that times do not overflow.
const tmaxMsMax = 60_000

// reserve is the part of the time that is kept for the way back.
func (x *exchange) reserve() time.Duration {
	if x.partner != nil && x.partner.Reserve > 0 {
		return x.partner.Reserve
	}
	return x.plan.options.Reserve
}

// timeout is how long the upstream may take from now on; not positive if nothing is left.
func (x *exchange) timeout() time.Duration {
	t := x.plan.options.UpstreamTimeout
	if x.partner != nil && x.partner.UpstreamTimeout > 0 {
		t = x.partner.UpstreamTimeout
	}
	if !x.deadline.IsZero() {
		t = min(t, time.Until(x.deadline))
	}
	return t
}
