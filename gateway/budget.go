package gateway

import (
	"time"

	"github.com/rtbwire/rtbwire/openrtb"
)

// timeBudget is how long the upstream may take: what tmax leaves (OpenRTB 2.6, section 3.2.1: it
// includes both ways through the network), and at most the time for upstreams.
type timeBudget struct {
	limit    time.Duration // for upstreams, whatever requests say
	tmaxMs   int           // that the request or its partner gives; 0 for none
	deadline time.Time     // that it sets; zero if none
}

// begin sets the time for upstreams.
func (b *timeBudget) begin(o *Options, own *partner) {
	*b = timeBudget{limit: o.UpstreamTimeout}
	if own != nil && own.UpstreamTimeout > 0 {
		b.limit = own.UpstreamTimeout
	}
}

// apply sets the deadline of a request. It reports false if that has passed. In shadow mode such a
// request has no deadline.
func (b *timeBudget) apply(o *Options, own *partner, bid *openrtb.BidRequest, began time.Time) (inTime bool) {
	if b.tmaxMs = tmaxOf(bid, own); b.tmaxMs <= 0 {
		return true // without one the upstream's time counts, and the verdict judges the value
	}
	reserve := o.Reserve
	if own != nil && own.Reserve > 0 {
		reserve = own.Reserve
	}
	b.deadline = began.Add(time.Duration(b.tmaxMs)*time.Millisecond - reserve)
	if time.Until(b.deadline) > 0 {
		return true
	}
	if o.Shadow {
		b.deadline = time.Time{}
		return true
	}
	return false
}

// tmaxMsMax bounds what requests can ask for, so that times do not overflow.
const tmaxMsMax = 60_000

// tmaxOf is the time that the request or the partner gives, in milliseconds; 0 for none.
func tmaxOf(bid *openrtb.BidRequest, own *partner) int {
	tmax := 0
	if bid != nil && bid.TMax != nil && *bid.TMax > 0 {
		tmax = *bid.TMax
	}
	if own != nil && own.TMaxMs > 0 && (tmax == 0 || own.TMaxMs < tmax) {
		tmax = own.TMaxMs
	}
	return min(tmax, tmaxMsMax)
}

// left is how long the upstream may take from now on; not positive if nothing is left.
func (b *timeBudget) left() time.Duration {
	if b.deadline.IsZero() {
		return b.limit
	}
	return min(b.limit, time.Until(b.deadline))
}
