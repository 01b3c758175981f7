package gateway

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/window"
	"github.com/rtbwire/rtbwire/internal/mem"
)

// inspect decodes and judges. It reports whether the request is forwarded, and has answered it
// otherwise.
func (x *exchange) inspect() bool {
	o := &x.plan.options
	if !x.borrowWorker() {
		return false
	}
	decoded := x.worker.Decode(x.body) == nil // otherwise Judge says why
	if decoded && (!x.budget() || !x.publisherAdmitted()) {
		return false
	}
	x.fillFacts()
	if decoded {
		x.askState()
	}
	x.verdict = x.worker.Judge(x.facts)
	x.judged = time.Now()
	x.g.metrics.inspected(x)
	x.capture()
	if x.verdict.Action == inspect.ActionRefuse {
		x.noteReject()
		if !o.Shadow {
			x.noBid()
			return false
		}
	}
	return true
}

// fillFacts notes what is known besides the bytes. Its strings are valid as long as the request is
// unchanged.
func (x *exchange) fillFacts() {
	x.facts = inspect.Facts{
		Peer:      x.sender.peer,
		UserAgent: mem.String(x.req.Header.UserAgent()),
		Time:      x.began,
	}
	if x.partner != nil {
		x.facts.Partner = x.partner.Name
	}
	if x.plan.trusts(x.sender.peer) {
		x.forwarded = x.plan.forwardedBy(x.forwarded[:0], &x.req.Header)
		x.facts.Forwarded = x.forwarded
	}
	if len(x.plan.options.FactHeaders) > 0 {
		x.headers = x.headers[:0]
		for _, name := range x.plan.options.FactHeaders {
			if value := x.req.Header.Peek(name); len(value) > 0 {
				x.headers = append(x.headers, inspect.Header{Name: name, Value: mem.String(value)})
			}
		}
		x.facts.Headers = x.headers
	}
}

// askState asks windows and vendors about the decoded request.
func (x *exchange) askState() {
	o := &x.plan.options
	if o.Windows != nil {
		o.Windows.Fill(&x.facts, x.worker.Request(), window.Delivery{})
	}
	vendors := o.Vendors
	if x.partner != nil {
		vendors = x.partner.vendors
	}
	if vendors != nil {
		ctx, cancel := context.WithTimeout(context.Background(), x.timeout())
		x.vendors = vendors.Ask(ctx, x.vendors[:0], x.worker.Request(), &x.facts)
		cancel()
		x.facts.Vendor = x.vendors
	}
	if len(o.Inspectors) > 0 {
		x.askInspectors(o.Inspectors)
	}
}

// trusts reports whether an address is that of a trusted proxy.
func (p *plan) trusts(a netip.Addr) bool {
	return slices.ContainsFunc(p.options.TrustedProxies, func(r netip.Prefix) bool { return r.Contains(a) })
}

// forwardedMax is how many addresses of X-Forwarded-For are looked at.
const forwardedMax = 16

// forwardedBy appends the addresses that trusted proxies have added, the nearest last: the last
// one of X-Forwarded-For, and as long as that is a trusted proxy itself the one before it.
func (p *plan) forwardedBy(dst []netip.Addr, h *fasthttp.RequestHeader) []netip.Addr {
	values := h.PeekAll(fasthttp.HeaderXForwardedFor)
	for _, value := range slices.Backward(values) {
		list := mem.String(value)
		for list != "" && len(dst) < forwardedMax {
			comma := strings.LastIndexByte(list, ',')
			a, err := netip.ParseAddr(strings.TrimSpace(list[comma+1:]))
			if err != nil {
				slices.Reverse(dst)
				return dst
			}
			a = a.Unmap()
			if dst = append(dst, a); !p.trusts(a) {
				slices.Reverse(dst)
				return dst
			}
			list = list[:max(comma, 0)]
		}
	}
	slices.Reverse(dst)
	return dst
}
