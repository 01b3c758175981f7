package gateway

import (
	"bytes"
	"errors"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/gateway/guard"
)

// route is what a request is for.
type route int

const (
	routeNone    route = iota // answered
	routeAuction              // a bid request
	routeThrough              // passes unread
	routeStatus               // for load balancers
)

// statusPath is where load balancers ask on the data port.
const statusPath = "/status"

// Through is a route whose requests pass unread: notices of wins and losses, cookie syncs. Framing
// and limits are checked all the same.
type Through struct {
	Path   string
	Method string // default: GET
}

// admit checks what can be checked without decoding, and finds out who sends the request. A request
// without a route was answered.
func (x *exchange) admit() route {
	path := x.req.URI().PathOriginal()
	x.head.read(&x.req.Header)
	r, status, reason := x.plan.check(path, &x.req.Header, &x.head)
	switch {
	case status == fasthttp.StatusMethodNotAllowed:
		x.resp.Header.Set(fasthttp.HeaderAllow, x.plan.methods[string(path)])
		fallthrough
	case status != 0:
		if status == fasthttp.StatusHTTPVersionNotSupported {
			x.resp.SetConnectionClose()
		}
		x.decline(status, reason)
		return routeNone
	}
	if r == routeAuction && !x.identify(path) { // nobody learns which paths partners have
		x.decline(fasthttp.StatusNotFound, reasonPath)
		return routeNone
	}
	return r
}

// check checks the head of a request. A status other than 0 refuses it.
func (p *plan) check(path []byte, h *fasthttp.RequestHeader, d *head) (r route, status int, reason string) {
	r = p.routes[string(path)]
	switch proto := h.Protocol(); {
	case !h.IsHTTP11() && string(proto) != "HTTP/1.0":
		return r, fasthttp.StatusHTTPVersionNotSupported, reasonHTTP
	case r == routeNone:
		return r, fasthttp.StatusNotFound, reasonPath
	case r == routeStatus && !h.IsGet() && !h.IsHead(),
		r == routeThrough && string(h.Method()) != p.methods[string(path)],
		r == routeAuction && !h.IsPost():
		return r, fasthttp.StatusMethodNotAllowed, reasonMethod
	case r != routeAuction:
		return r, 0, ""
	case !jsonType(h.ContentType()):
		return r, fasthttp.StatusUnsupportedMediaType, reasonType
	case d.encoding == encodingUnknown:
		return r, fasthttp.StatusUnsupportedMediaType, reasonEncoding
	case d.unknown:
		return r, fasthttp.StatusBadRequest, reasonVersion
	}
	return r, 0, ""
}

// jsonType reports whether a Content-Type is JSON, or missing.
func jsonType(value []byte) bool {
	if i := bytes.IndexByte(value, ';'); i >= 0 {
		value = value[:i]
	}
	value = bytes.TrimSpace(value)
	return len(value) == 0 || bytes.EqualFold(value, typeJSON)
}

var typeJSON = []byte("application/json")

// versionMax is the length of the longest version that is understood.
const versionMax = 8

// knownVersion reports whether a value of X-Openrtb-Version is 2.x, or missing (OpenRTB 2.6,
// section 2.5).
func knownVersion(v []byte) bool {
	if len(v) == 0 {
		return true
	}
	if len(v) < len("2.0") || len(v) > versionMax || v[0] != '2' || v[1] != '.' {
		return false
	}
	for _, c := range v[2:] {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// expected answers Expect: 100-continue: what is refused by its head is refused before the body is
// sent.
func (g *Gateway) expected(ctx *fasthttp.RequestCtx) int {
	var d head
	d.read(&ctx.Request.Header)
	if _, status, reason := g.plan.Load().check(ctx.Request.URI().PathOriginal(), &ctx.Request.Header, &d); status != 0 {
		g.metrics.rejected(reason)
		return status
	}
	return fasthttp.StatusContinue
}

// unreadable answers a request that fasthttp can't read. The connection closes afterwards. What the
// guard refuses was answered and counted by the guard, and what is written here goes nowhere.
func (g *Gateway) unreadable(ctx *fasthttp.RequestCtx, err error) {
	ctx.Response.Reset()
	ctx.Response.Header.SetNoDefaultContentType(true)
	if c, ok := ctx.Conn().(*guard.Conn); ok && c.Refused() {
		return
	}
	status, reason := unreadableStatus(err)
	ctx.Response.SetStatusCode(status)
	g.metrics.rejected(reason)
}

// unreadableStatus says what an error means that is not the guard's: there was no memory for the
// request, or the connection broke.
func unreadableStatus(err error) (status int, reason string) {
	if errors.Is(err, errMemory) {
		return fasthttp.StatusServiceUnavailable, failCapacity.reason
	}
	return fasthttp.StatusBadRequest, reasonHTTP
}

// status answers load balancers.
func (x *exchange) status() {
	x.outcome = outcomeStatus
	x.resp.Header.SetContentType("text/plain; charset=utf-8")
	if !x.g.Ready() {
		x.resp.SetStatusCode(fasthttp.StatusServiceUnavailable)
		x.resp.SetBodyString("stopping\n")
		return
	}
	x.resp.SetBodyString("ready\n")
}
