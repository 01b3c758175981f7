package gateway

import (
	"context"
	"net/netip"
	"slices"
	"strings"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/window"
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/openrtb"
)

// facts is what is known about a request besides its bytes.
type facts struct {
	inspect.Facts
	forwarded []netip.Addr // memory for the slices of Facts
	headers   []inspect.Header
	vendors   []inspect.VendorAnswer
}

// fill notes what is known from the connection and the head. The strings are valid as long as the
// request is unchanged.
func (f *facts) fill(p *plan, r *request) {
	f.Facts = inspect.Facts{
		Peer:      r.sender.peer,
		UserAgent: mem.String(r.http.Header.UserAgent()),
		Time:      r.began,
		Partner:   r.partnerName(),
	}
	if p.trusts(r.sender.peer) {
		f.forwarded = p.forwardedBy(f.forwarded[:0], &r.http.Header)
		f.Forwarded = f.forwarded
	}
	if len(p.options.FactHeaders) > 0 {
		f.headers = f.headers[:0]
		for _, name := range p.options.FactHeaders {
			if value := r.http.Header.Peek(name); len(value) > 0 {
				f.headers = append(f.headers, inspect.Header{Name: name, Value: mem.String(value)})
			}
		}
		f.Headers = f.headers
	}
}

// ask adds what windows, vendors and inspectors say about the decoded request.
func (f *facts) ask(o *Options, own *partner, bid *openrtb.BidRequest, b *timeBudget) {
	if o.Windows != nil {
		o.Windows.Fill(&f.Facts, bid, window.Delivery{})
	}
	vendors := o.Vendors
	if own != nil {
		vendors = own.vendors
	}
	if vendors != nil {
		ctx, cancel := context.WithTimeout(context.Background(), b.left())
		f.vendors = vendors.Ask(ctx, f.vendors[:0], bid, &f.Facts)
		cancel()
		f.Vendor = f.vendors
	}
	if len(o.Inspectors) > 0 {
		f.askInspectors(o.Inspectors, bid)
	}
}

// askInspectors adds the scores of the caller's inspectors.
func (f *facts) askInspectors(list []Inspector, bid *openrtb.BidRequest) {
	f.vendors = append(f.vendors[:0], f.Vendor...)
	for _, own := range list {
		score := min(max(own.Inspect(bid, &f.Facts), 0), inspectorScoreMax)
		f.vendors = append(f.vendors, inspect.VendorAnswer{Name: own.Name(), Score: score})
	}
	f.Vendor = f.vendors
}

const inspectorScoreMax = 100

// end forgets the facts, except for memory for the next ones.
func (f *facts) end() {
	clear(f.headers)
	clear(f.vendors)
	*f = facts{forwarded: f.forwarded[:0], headers: f.headers[:0], vendors: f.vendors[:0]}
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
