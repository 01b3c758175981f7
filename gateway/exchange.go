package gateway

import (
	"net/netip"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/wire"
)

// keepMax is how large a buffer may be that is kept for the next request. Larger ones are dropped:
// a few large requests must not leave large buffers everywhere.
const keepMax = 64 << 10

// exchange is the memory of one request while it is served. Everything in it belongs to that
// request alone, until end.
type exchange struct {
	g    *Gateway
	plan *plan
	work
	buffers
}

// work is what is known about the request. It is cleared at the end.
type work struct {
	req    *fasthttp.Request
	resp   *fasthttp.Response
	sender *sender
	began  time.Time // when the first byte was read

	head      head
	partner   *partner // nil if none
	counted   bool     // by the limit on concurrency
	version   int      // the length of buffers.versionBytes in use
	versioned bool     // the upstream's answer has a version
	body      []byte   // the document as it was sent, after inflation
	sent      []byte   // the body as it was sent, if another one took its place
	worker    *inspect.Worker
	deadline  time.Time // that tmax sets; zero if none
	facts     inspect.Facts
	verdict   inspect.Verdict
	id        string // of the bid request, after the worker is released

	outcome outcome
	reason  string
}

// buffers are memory for the next request too.
type buffers struct {
	inflated     []byte // the document
	spliced      []byte // the document with edits
	answer       []byte // of our own
	scratch      []byte // values of headers
	idBytes      []byte // id
	traceID      []byte // X-Request-Id
	versionBytes [versionMax]byte
	held         []*limiter
	drop         [][]byte // names of headers
	forwarded    []netip.Addr
	headers      []inspect.Header
	vendors      []inspect.VendorAnswer
	lowered      []wire.Edit // of the verdict, and tmax
	tmaxText     []byte
}

// begin prepares an exchange for a request.
func (x *exchange) begin(p *plan, req *fasthttp.Request, resp *fasthttp.Response, s *sender, began time.Time) {
	x.plan = p
	x.req, x.resp, x.sender, x.began = req, resp, s, began
}

// end drops everything that belongs to the request. What the response needs is in the response.
func (x *exchange) end() {
	x.releaseLimits()
	x.g.metrics.done(x)
	if x.worker != nil {
		x.plan.release(x.worker)
	}
	if x.sent != nil {
		x.req.SwapBody(x.sent)
	}
	if cap(x.req.Body()) > keepMax {
		x.req.SwapBody(nil)
	}
	x.plan, x.work = nil, work{}
	x.buffers.trim()
}

// trim drops what is too large to be kept, and what others own.
func (b *buffers) trim() {
	for _, buffer := range []*[]byte{&b.inflated, &b.spliced, &b.answer, &b.scratch, &b.idBytes} {
		if cap(*buffer) > keepMax {
			*buffer = nil
		}
	}
	clear(b.headers)
	clear(b.vendors)
	clear(b.lowered) // values can be parts of the text
	poison(b)
}
