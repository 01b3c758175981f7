package gateway

import (
	"time"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/serving/balance"
	"github.com/rtbwire/rtbwire/openrtb"
)

// Overrides are what operators change at run time, besides the configuration. A request is served
// under those of its beginning. With [Options.Shadow] they are counted, and refuse nothing.
type Overrides struct {
	// DrainedPartners are partners whose bid requests get the no-bid answer, unread.
	DrainedPartners map[string]bool
	// DrainedUpstreams are upstreams that get no more requests.
	DrainedUpstreams map[string]bool
	// ObservedPartners are partners whose requests no verdict refuses, and from whose answers no
	// bid is taken out. Limits still count for them, and blocks do.
	ObservedPartners map[string]bool
	// ObservedRules are ids of reasons that refuse nothing, for all.
	ObservedRules map[string]bool
	// Blocks says what is refused before any rule is asked; nil if nothing is.
	Blocks Blocks

	rules *inspect.Observing // nil if none is observed
}

// Blocks is what operators block.
type Blocks interface {
	// Blocked reports whether a request is refused, and the path of what it is refused for; "" for
	// what is not in the request. Several goroutines call it at once. Of the facts, Windows and
	// vendors have not been asked yet.
	Blocked(r *openrtb.BidRequest, f *inspect.Facts) (path string, found bool)
}

// SetOverrides puts overrides in use, which the caller may not change any more. Nil ends all.
func (g *Gateway) SetOverrides(o *Overrides) {
	g.reloading.Lock()
	defer g.reloading.Unlock()
	if o != nil {
		own := *o
		if len(own.ObservedRules) > 0 {
			own.rules = &inspect.Observing{Reasons: own.ObservedRules}
		}
		o = &own
	}
	g.overrides.Store(o)
	g.plan.Load().upstreams.Drain(o.drainedUpstreams())
}

func (o *Overrides) drainedUpstreams() map[string]bool {
	if o == nil {
		return nil
	}
	return o.DrainedUpstreams
}

// drains reports whether a request is a drained partner's. Notices of wins and other routes that
// pass unread are not stopped.
func (o *Overrides) drains(r *request) bool {
	return o != nil && r.isPartnersBid() && o.DrainedPartners[r.partner.Name]
}

// observedPartner is what an observed partner's requests are judged with.
var observedPartner = &inspect.Observing{All: true}

// observing returns what refuses nothing of a partner, which may be nil.
func (o *Overrides) observing(own *partner) *inspect.Observing {
	switch {
	case o == nil:
		return nil
	case own != nil && o.ObservedPartners[own.Name]:
		return observedPartner
	}
	return o.rules
}

// blocked is the reason of requests that an operator blocks.
var blocked, _ = inspect.ReasonByID(inspect.ReasonBlockedNow)

// blockedNow refuses a decoded request that an operator blocks, and reports whether it has.
func (x *exchange) blockedNow(bid *openrtb.BidRequest) bool {
	if x.overrides == nil || x.overrides.Blocks == nil {
		return false
	}
	x.facts.fill(x.plan, &x.request)
	path, found := x.overrides.Blocks.Blocked(bid, &x.facts.Facts)
	switch {
	case !found:
		return false
	case x.plan.options.Shadow:
		x.g.metrics.counts(&x.request).shadow(blocked.ID)
		return false
	}
	x.decision.block(path)
	x.g.metrics.inspected(&x.plan.options, &x.request, &x.decision)
	x.decision.show(&x.g.rejects, &x.request, &x.plan.options)
	x.refuse()
	return true
}

// Judge returns the verdict that a request would get now, by the configuration and the overrides in
// use, without the answers of windows and services. Nothing is counted, and nothing of the request
// is kept. The worker must be of the engine of [Gateway.Options].
func (g *Gateway) Judge(w *inspect.Worker, body []byte, f inspect.Facts) inspect.Verdict {
	o, p := g.overrides.Load(), g.plan.Load()
	if w.Decode(body) == nil && o != nil && o.Blocks != nil {
		if path, found := o.Blocks.Blocked(w.Request(), &f); found {
			return blockedVerdict(path)
		}
	}
	return w.JudgeObserving(f, o.observing(p.partner(f.Partner)))
}

// block is the verdict on a request that an operator blocks.
func (d *decision) block(path string) {
	d.verdict = blockedVerdict(path)
	d.judged = time.Now()
}

func blockedVerdict(path string) inspect.Verdict {
	return inspect.Verdict{
		Decision: inspect.Decision{Action: inspect.ActionRefuse, Reason: blocked.ID, NBR: blocked.NBR},
		Findings: []inspect.Finding{{Inspector: blocked.Inspector, ID: blocked.ID, Severity: inspect.Refuse, Path: path, Offset: -1, Message: blocked.Text}},
		Counts:   [inspect.Refuse + 1]int{inspect.Refuse: 1},
	}
}

// drained answers a bid request of a drained partner. It was not decoded, so it has no id.
func (x *exchange) drained() {
	x.decision.end(outcomeRefused, reasonDrained)
	x.answer.refuse(x.noBid().undecoded(), "", inspect.NBRPolicy)
}

// UpstreamState is what is known about an upstream.
type UpstreamState struct {
	Name     string `json:"name"`
	Healthy  bool   `json:"healthy"` // an address of it gets requests, or would if it was not drained
	Drained  bool   `json:"drained"`
	InFlight int64  `json:"in_flight"`
}

// Upstreams returns the upstreams in the order of the options.
func (g *Gateway) Upstreams() (list []UpstreamState) {
	for _, u := range g.plan.Load().upstreams.Upstreams() {
		list = append(list, UpstreamState{u.Name, u.Healthy(), u.Drained(), u.InFlight()})
	}
	return list
}

// UpstreamDetail is an upstream with its addresses, as operators see it.
type UpstreamDetail = balance.Detail

// UpstreamDetails returns the upstreams with their addresses, in the order of the options.
func (g *Gateway) UpstreamDetails() []UpstreamDetail {
	p := g.plan.Load()
	return p.upstreams.Details(p.routing.main)
}

// Stranded says whose requests have no upstream that is in use, or would have none without the one
// with this name: "requests that nothing routes", "the partner p" or "a publisher of the partner
// p"; "" if nobody's.
func (g *Gateway) Stranded(without string) string {
	p := g.plan.Load()
	if p.options.Core == nil && !p.routing.main.Serves(without) {
		return "requests that nothing routes"
	}
	for _, own := range p.partners {
		if own.group != nil && !own.group.Serves(without) {
			return "the partner " + own.Name
		}
		for _, to := range own.publisherGroups {
			if !to.Serves(without) {
				return "a publisher of the partner " + own.Name
			}
		}
	}
	return ""
}
