package gateway

import (
	"bytes"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/mem"
)

// The headers that are ours. Inbound ones with the prefix are removed, so that the core can trust
// what it gets.
const (
	headerVersion   = "X-Openrtb-Version"
	headerRequestID = "X-Request-Id"

	headerPrefix  = "X-Rtbwire-"
	headerAction  = headerPrefix + "Action"  // forward; in shadow mode also refuse
	headerScore   = headerPrefix + "Score"   // the fraud score
	headerPartner = headerPrefix + "Partner" // the partner, if there is one
	headerReason  = headerPrefix + "Reason"  // what refuses, or would without shadow
	headerNBR     = headerPrefix + "Nbr"     // the no-bid reason that belongs to it
)

// VersionDefault is the value of X-Openrtb-Version in answers to requests that have none.
const VersionDefault = "2.6"

// forward sends the request to an upstream, and the answer back.
func (x *exchange) forward() {
	if !x.splice() {
		return
	}
	x.outbound()
	x.verdictHeaders()
	x.keepID()
	x.plan.release(x.worker) // others need the memory while the upstream works
	x.worker, x.verdict = nil, inspect.Verdict{}
	x.outcome = outcomeForwarded
	x.exchangeUpstream()
}

// through is forward for a request that passes unread.
func (x *exchange) through() {
	x.outbound()
	x.outcome = outcomeThrough
	x.exchangeUpstream()
}

// exchangeUpstream does the exchange with an upstream.
func (x *exchange) exchangeUpstream() {
	http10 := !x.req.Header.IsHTTP11()
	x.req.Header.SetProtocolBytes(protocol11)
	began := time.Now()
	err := x.plan.upstreams.do(x)
	x.g.metrics.upstream(time.Since(began))
	if http10 {
		x.req.Header.SetProtocolBytes(protocol10) // fasthttp asks for it again
	}
	if err != nil {
		x.resp.Reset()
		x.resp.Header.SetNoDefaultContentType(true)
		x.unavailable(failureOf(err))
		return
	}
	x.relay()
}

var (
	protocol10 = []byte("HTTP/1.0")
	protocol11 = []byte("HTTP/1.1")
)

// keepID copies the id of the bid request: the worker is about to be released, and its strings with
// it.
func (x *exchange) keepID() {
	x.idBytes = append(x.idBytes[:0], x.requestID()...)
	x.id = mem.String(x.idBytes)
}

// splice puts the document that goes on into the request. It reports false if it has answered.
func (x *exchange) splice() bool {
	if edits := x.edits(); len(edits) > 0 {
		all := inspect.Verdict{Edits: edits}
		out, err := all.Apply(x.spliced[:0], x.body)
		if err != nil { // the document may hold what was to be removed
			x.unavailable(failEdits)
			return false
		}
		x.spliced = out
		x.replaceBody(out)
	} else if x.head.encoding != encodingPlain && !x.plan.options.ForwardGzip {
		x.replaceBody(x.body)
	}
	return true
}

// replaceBody makes a document the body.
func (x *exchange) replaceBody(body []byte) {
	old := x.req.SwapBody(nil) // which stays the memory of what the verdict refers to
	x.req.SetBodyRaw(body)
	x.req.Header.Del(fasthttp.HeaderContentEncoding)
	x.sent = old
}

// headerKind says what becomes of a header on its way to the upstream.
type headerKind int

const (
	headerPasses  headerKind = iota
	headerHop                // about one connection (RFC 9110, section 7.6.1)
	headerOptions            // Connection, which names others of that kind
	headerOurs               // X-Rtbwire-*
	headerProxy              // what only trusted proxies may say
)

// kindOf returns the kind of a header.
func kindOf(name []byte) headerKind {
	switch string(name) {
	case "Connection":
		return headerOptions
	case "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate", "Proxy-Authorization", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Expect":
		return headerHop
	case "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Port", "X-Real-Ip", "Forwarded":
		return headerProxy
	}
	if len(name) >= len(headerPrefix) && name[0]|0x20 == 'x' && oursByPrefix(name[:len(headerPrefix)]) {
		return headerOurs
	}
	return headerPasses
}

// oursByPrefix compares with the prefix of our headers, in any case, and with underscores: to CGI
// and its kin X_Rtbwire_Score is the same header.
func oursByPrefix(name []byte) bool {
	for i := range len(headerPrefix) {
		c, want := name[i]|0x20, headerPrefix[i]|0x20
		if c != want && !(headerPrefix[i] == '-' && name[i] == '_') {
			return false
		}
	}
	return true
}

// outbound makes the head of the request that of the request to an upstream.
func (x *exchange) outbound() {
	h := &x.req.Header
	trusted := x.plan.trusts(x.sender.peer)
	x.drop = x.drop[:0]
	for _, name := range h.PeekTrailerKeys() { // fasthttp has made headers of them
		x.noteDrop(name)
	}
	if !x.head.plain {
		x.noteDrops(trusted)
	}
	for i := range x.drop {
		h.DelBytes(x.drop[i])
	}
	h.ResetConnectionClose()
	if x.partner != nil && x.partner.Match.Token != "" {
		h.Del(fasthttp.HeaderAuthorization) // it is for us
	}
	if len(h.ContentType()) == 0 && h.IsPost() {
		h.SetContentTypeBytes(typeJSON)
	}
	x.forwardedFor(trusted)
}

// noteDrops notes the headers that stop here.
func (x *exchange) noteDrops(trusted bool) {
	for name, value := range x.req.Header.All() {
		switch kind := kindOf(name); {
		case kind == headerPasses, kind == headerProxy && trusted:
			continue
		case kind == headerOptions:
			x.noteOptions(value)
		}
		x.noteDrop(name)
	}
}

// noteDrop notes the name of a header to remove.
func (x *exchange) noteDrop(name []byte) {
	n := len(x.drop)
	if n < cap(x.drop) {
		x.drop = x.drop[:n+1]
		x.drop[n] = append(x.drop[n][:0], name...)
		return
	}
	x.drop = append(x.drop, bytes.Clone(name))
}

// noteOptions notes the headers that Connection names.
func (x *exchange) noteOptions(value []byte) {
	for len(value) > 0 {
		name := value
		if i := bytes.IndexByte(value, ','); i >= 0 {
			name, value = value[:i], value[i+1:]
		} else {
			value = nil
		}
		if name = bytes.TrimSpace(name); len(name) > 0 {
			x.noteDrop(name)
		}
	}
}

// forwardedFor adds the peer to X-Forwarded-For.
func (x *exchange) forwardedFor(trusted bool) {
	if !x.sender.peer.IsValid() {
		return
	}
	b := x.scratch[:0]
	if trusted {
		for _, value := range x.req.Header.PeekAll(fasthttp.HeaderXForwardedFor) {
			b = append(append(b, value...), ", "...)
		}
	}
	b = x.sender.peer.AppendTo(b)
	if x.head.forwarded {
		x.req.Header.Del(fasthttp.HeaderXForwardedFor) // all of them
	}
	x.req.Header.SetCanonical(nameForwardedFor, b)
	x.scratch = b
}

// requestIDMax is the length of the longest X-Request-Id that is kept.
const requestIDMax = 128

// tracing keeps or makes the id of the request.
func (x *exchange) tracing() {
	if x.head.ids == 1 && plainID(x.head.id) {
		x.traceID = append(x.traceID[:0], x.head.id...)
		return
	}
	const digits = "0123456789abcdef"
	x.traceID = x.traceID[:0]
	for range 2 {
		for n := rand.Uint64() | 1<<63; n > 0; n >>= 4 {
			x.traceID = append(x.traceID, digits[n&15])
		}
	}
	if x.head.ids > 0 {
		x.req.Header.Del(headerRequestID)
	}
	x.req.Header.SetCanonical(nameRequestID, x.traceID)
}

// plainID reports whether an id is kept: visible ASCII, not too long.
func plainID(id []byte) bool {
	for _, c := range id {
		if c <= ' ' || c > '~' {
			return false
		}
	}
	return len(id) > 0 && len(id) <= requestIDMax
}

// verdictHeaders tells the core what was decided.
func (x *exchange) verdictHeaders() {
	h := &x.req.Header
	x.setHeader(nameAction, x.verdict.Action.String())
	x.scratch = strconv.AppendInt(x.scratch[:0], int64(x.verdict.Score), 10)
	h.SetCanonical(nameScore, x.scratch)
	if x.partner != nil {
		x.setHeader(namePartner, x.partner.Name)
	}
	decided := &x.verdict
	if decided.Action != inspect.ActionRefuse && decided.Shadow != nil {
		decided = decided.Shadow
	}
	if decided.Action == inspect.ActionRefuse {
		x.setHeader(nameReason, decided.Reason)
		x.scratch = strconv.AppendInt(x.scratch[:0], int64(decided.NBR), 10)
		h.SetCanonical(nameNBR, x.scratch)
	}
}

// setHeader sets a header of the request whose name is in its canonical form.
func (x *exchange) setHeader(name []byte, value string) {
	x.scratch = append(x.scratch[:0], value...)
	x.req.Header.SetCanonical(name, x.scratch)
}
