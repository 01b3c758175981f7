package gateway

import (
	"bytes"
	"errors"
	"strings"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/internal/serving/guard"
)

// route is what a request is for.
type route int

const (
	routeNone        route = iota // answered
	routeAuction                  // a bid request
	routePassthrough              // passes unread
	routeStatus                   // for load balancers
)

// statusPath is where load balancers ask on the data port.
const statusPath = "/status"

// Passthrough is a route whose requests pass unread: notices of wins and losses, cookie syncs.
// Framing and limits still apply, with those of a partner whose [Match] has no path.
type Passthrough struct {
	Path   string
	Method string // GET, HEAD or POST; default: GET. A path can have several routes.
}

// admit checks what can be checked without decoding, and finds out who sends the request. A request
// without a route was answered.
func (x *exchange) admit() route {
	x.head.read(x.req)
	path := x.head.path
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
	switch r {
	case routeAuction:
		if !x.identify(path) { // nobody learns which paths partners have
			x.decline(fasthttp.StatusNotFound, reasonPath)
			return routeNone
		}
	case routePassthrough:
		x.unread = true
		x.identify(mem.Bytes(x.plan.options.Path)) // for limits: a partner that has no path of its own
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
		r == routePassthrough && !listed(p.methods[string(path)], h.Method()),
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

// listed reports whether a method is in a list such as "GET, HEAD".
func listed(methods string, method []byte) bool {
	for m := range strings.SplitSeq(methods, ", ") {
		if m == string(method) {
			return true
		}
	}
	return false
}

// jsonType reports whether a Content-Type is JSON, or missing.
func jsonType(value []byte) bool {
	if i := bytes.IndexByte(value, ';'); i >= 0 {
		value = value[:i]
	}
	value = bytes.TrimSpace(value)
	return len(value) == 0 || bytes.EqualFold(value, typeJSON)
}

const mimeJSON = "application/json"

var typeJSON = []byte(mimeJSON)

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
	if status, reason := g.headStatus(&ctx.Request); status != 0 {
		g.metrics.rejected(reason)
		return status
	}
	return fasthttp.StatusContinue
}

// headStatus returns the status that refuses a request by its head alone, 0 for none.
func (g *Gateway) headStatus(req *fasthttp.Request) (status int, reason string) {
	var d head
	d.read(req)
	_, status, reason = g.plan.Load().check(d.path, &req.Header, &d)
	return status, reason
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
	if status == fasthttp.StatusServiceUnavailable {
		ctx.Response.Header.Set(fasthttp.HeaderRetryAfter, retryAfter)
	}
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
