package gateway

import (
	"github.com/valyala/fasthttp"
)

// forward sends the request to an upstream, and the answer back.
func (x *exchange) forward() {
	if !x.splice() {
		return
	}
	if x.worker != nil { // the verdict is done with: others need the memory while the upstream works
		x.plan.release(x.worker)
		x.worker = nil
	}
	x.upstream = x.plan.upstreams[0]
	http10 := !x.req.Header.IsHTTP11()
	x.outboundHeaders()
	err := x.upstream.do(x.req, x.resp, x.plan.options.UpstreamTimeout)
	if http10 {
		x.req.Header.SetProtocolBytes(protocol10) // fasthttp asks for it again
	}
	if err != nil {
		x.resp.Reset()
		x.unavailable(failureOf(err))
		return
	}
	x.relay()
}

var (
	protocol10 = []byte("HTTP/1.0")
	protocol11 = []byte("HTTP/1.1")
)

// splice puts the document that goes on into the request. It reports false if it has answered.
func (x *exchange) splice() bool {
	body := x.body
	if len(x.verdict.Edits) > 0 && !x.plan.options.Shadow {
		out, err := x.verdict.Apply(x.spliced[:0], x.body)
		if err != nil { // the document may hold what was to be removed
			x.unavailable(failEdits)
			return false
		}
		x.spliced, body = out, out
	}
	if len(body) != len(x.req.Body()) || len(body) > 0 && &body[0] != &x.req.Body()[0] {
		x.req.SetBodyRaw(body)
		x.req.Header.Del(fasthttp.HeaderContentEncoding)
	}
	return true
}

// The headers that are ours.
const (
	headerVersion = "X-Openrtb-Version"
)

// hopByHop are the headers that are about one connection (RFC 9110, section 7.6.1), besides those
// that Connection names.
var hopByHop = []string{
	"Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate", "Proxy-Authorization",
	"Te", "Trailer", "Transfer-Encoding", "Upgrade", "Expect",
}

// outboundHeaders makes the head of the request that of the request to the upstream.
func (x *exchange) outboundHeaders() {
	h := &x.req.Header
	for _, name := range hopByHop {
		h.Del(name)
	}
	h.ResetConnectionClose()
	h.SetProtocolBytes(protocol11)
	x.upstream.address(x.req)
}
