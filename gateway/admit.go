package gateway

import (
	"bytes"
	"errors"
	"net"
	"strings"

	"github.com/valyala/fasthttp"
)

// route is what a request is for.
type route int

const (
	routeNone    route = iota // answered
	routeAuction              // a bid request
	routeStatus
)

// statusPath is where load balancers ask on the data port.
const statusPath = "/status"

// admit checks what can be checked without decoding. A request without a route was answered.
func (x *exchange) admit() route {
	path := string(x.req.URI().PathOriginal())
	switch {
	case path == statusPath:
		if !x.req.Header.IsGet() && !x.req.Header.IsHead() {
			return x.notAllowed("GET, HEAD")
		}
		return routeStatus
	case path != x.plan.options.Path:
		x.decline(fasthttp.StatusNotFound, reasonPath)
		return routeNone
	case !x.req.Header.IsPost():
		return x.notAllowed(fasthttp.MethodPost)
	case !jsonType(x.req.Header.ContentType()):
		x.decline(fasthttp.StatusUnsupportedMediaType, reasonType)
		return routeNone
	}
	version := x.req.Header.Peek(headerVersion)
	if len(version) > 0 && !knownVersion(version) {
		x.decline(fasthttp.StatusBadRequest, reasonVersion)
		return routeNone
	}
	return routeAuction
}

// notAllowed answers a method that the path does not have.
func (x *exchange) notAllowed(allowed string) route {
	x.resp.Header.Set(fasthttp.HeaderAllow, allowed)
	x.decline(fasthttp.StatusMethodNotAllowed, reasonMethod)
	return routeNone
}

// jsonType reports whether a Content-Type is JSON, or missing.
func jsonType(value []byte) bool {
	value, _, _ = bytes.Cut(value, []byte{';'})
	value = bytes.TrimSpace(value)
	return len(value) == 0 || bytes.EqualFold(value, typeJSON)
}

var typeJSON = []byte("application/json")

// knownVersion reports whether the value of X-Openrtb-Version is 2.x.
func knownVersion(v []byte) bool {
	if len(v) < 3 || len(v) > 8 || v[0] != '2' || v[1] != '.' {
		return false
	}
	for _, c := range v[2:] {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// headReceived is asked after the head of each request: from then on the body has its own time.
func (g *Gateway) headReceived(*fasthttp.RequestHeader) fasthttp.RequestConfig {
	return fasthttp.RequestConfig{ReadTimeout: g.options.BodyTimeout}
}

// expected answers Expect: 100-continue: what would be refused without a look at the body is
// refused before the body is sent.
func (g *Gateway) expected(ctx *fasthttp.RequestCtx) int {
	if ctx.Request.Header.ContentLength() > g.options.BodyMax {
		return fasthttp.StatusRequestEntityTooLarge
	}
	return fasthttp.StatusContinue
}

// unreadable answers a request that fasthttp can't read. The connection closes afterwards.
func (g *Gateway) unreadable(ctx *fasthttp.RequestCtx, err error) {
	ctx.Response.Reset()
	ctx.Response.Header.SetNoDefaultContentType(true)
	ctx.Response.SetStatusCode(unreadableStatus(err))
}

func unreadableStatus(err error) int {
	var timeout net.Error
	var small *fasthttp.ErrSmallBuffer
	switch {
	case errors.Is(err, fasthttp.ErrBodyTooLarge):
		return fasthttp.StatusRequestEntityTooLarge
	case errors.As(err, &small):
		return fasthttp.StatusRequestHeaderFieldsTooLarge
	case errors.As(err, &timeout) && timeout.Timeout():
		return fasthttp.StatusRequestTimeout
	case strings.Contains(err.Error(), "unsupported http version"): // fasthttp has no value for it
		return fasthttp.StatusHTTPVersionNotSupported
	}
	return fasthttp.StatusBadRequest
}

// status answers load balancers.
func (x *exchange) status() {
	if !x.g.Ready() {
		x.resp.SetStatusCode(fasthttp.StatusServiceUnavailable)
		return
	}
	x.resp.SetStatusCode(fasthttp.StatusOK)
}
