package gateway

import (
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/inspect"
)

// keepMax is how large a buffer may be that is kept for the next request. Larger ones are dropped:
// a few large requests must not leave large buffers everywhere.
const keepMax = 64 << 10

// exchange is the memory of one request while it is served. Everything in it belongs to that
// request alone until end.
type exchange struct {
	g      *Gateway
	plan   *plan
	req    *fasthttp.Request
	resp   *fasthttp.Response
	sender *sender
	began  time.Time // when the first byte was read

	body     []byte // the document as it was sent, after inflation
	inflated []byte // the buffer for it
	worker   *inspect.Worker
	facts    inspect.Facts
	verdict  inspect.Verdict
	spliced  []byte // the document with edits
	answer   []byte // of our own
	upstream *upstream
}

// begin prepares an exchange for a request.
func (x *exchange) begin(p *plan, req *fasthttp.Request, resp *fasthttp.Response, s *sender, began time.Time) {
	x.plan, x.req, x.resp, x.sender, x.began = p, req, resp, s, began
}

// end drops everything that belongs to the request. What the response needs is in the response.
func (x *exchange) end() {
	if x.worker != nil {
		x.plan.release(x.worker)
	}
	if cap(x.req.Body()) > keepMax {
		x.req.SwapBody(nil)
	}
	*x = exchange{g: x.g, inflated: kept(x.inflated), spliced: kept(x.spliced), answer: kept(x.answer)}
}

// kept returns a buffer for the next request, nil in place of a large one.
func kept(b []byte) []byte {
	if cap(b) > keepMax {
		return nil
	}
	return b[:0]
}
