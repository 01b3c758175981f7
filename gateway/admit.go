package gateway

import (
	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/internal/mem"
)

// admit checks what can be checked without decoding, and finds out who sends the request.
func (r *request) admit(p *plan) (to route, f failure, ok bool) {
	r.head.read(r.http)
	path := r.head.path
	to, status, reason := p.check(path, &r.http.Header, &r.head)
	if status != 0 {
		return to, rejected(status, reason), false
	}
	switch to {
	case routeAuction:
		if !r.identify(p, path) { // don't reveal which paths partners have
			return to, rejected(fasthttp.StatusNotFound, reasonPath), false
		}
	case routePassthrough:
		r.passthrough = true
		r.identify(p, mem.Bytes(p.options.Path)) // for limits: a partner that has no path of its own
	}
	return to, f, true
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
	case r == routeStatus:
		return r, 0, ""
	}
	if reason = p.named.check(h); reason != "" {
		return r, fasthttp.StatusBadRequest, reason
	}
	switch {
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
