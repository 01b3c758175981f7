package gateway

import (
	"bytes"
	"encoding/binary"
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
	x.watch()
	x.keepID()
	x.keepPublisher()
	x.returnWorker() // others need the memory while the upstream works
	x.verdict = inspect.Verdict{}
	x.outcome = outcomeForwarded
	x.exchangeUpstream()
}

// through is forward for a request that passes unread.
func (x *exchange) through() {
	x.document = x.req.Body()
	x.outbound()
	x.outcome = outcomePassthrough
	x.exchangeUpstream()
}

// exchangeUpstream does the exchange with an upstream.
func (x *exchange) exchangeUpstream() {
	began := x.judged
	if began.IsZero() {
		began = x.read
	}
	var err error
	if core := x.plan.options.Core; core != nil {
		err = x.ask(core)
	} else {
		err = x.plan.upstreams.do(x)
	}
	x.g.metrics.upstream(time.Since(began))
	if err != nil {
		x.resp.Reset()
		x.resp.Header.SetNoDefaultContentType(true)
		x.unavailable(failureOf(err))
		return
	}
	x.relay()
}

// keepID copies the id of the bid request: the worker is about to be released, and its strings with
// it.
func (x *exchange) keepID() {
	x.idBytes = append(x.idBytes[:0], x.requestID()...)
	x.id = mem.String(x.idBytes)
}

// splice finds the document that goes on. It reports false if it has answered.
func (x *exchange) splice() bool {
	x.document = x.req.Body()
	if edits := x.edits(); len(edits) > 0 {
		all := inspect.Verdict{Edits: edits}
		out, err := all.Apply(x.spliced[:0], x.body)
		if err != nil { // the document may hold what was to be removed
			x.unavailable(failEdits)
			return false
		}
		x.spliced = out
		x.document, x.replaced = out, true
	} else if x.head.encoding != encodingPlain && !x.plan.options.ForwardGzip {
		x.document, x.replaced = x.body, true
	}
	return true
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
	if bytes.IndexByte(name, '_') >= 0 && proxyByUnderscores(name) {
		return headerHop
	}
	return headerPasses
}

// proxyByUnderscores reports whether a name with underscores is that of a header that only trusted
// proxies may send: to CGI and its kin X_Forwarded_For is the same header.
func proxyByUnderscores(name []byte) bool {
	var plain [len("X-Forwarded-Proto")]byte
	if len(name) > len(plain) {
		return false
	}
	for i, c := range name {
		if c == '_' {
			c = '-'
		}
		plain[i] = c
	}
	for _, proxy := range proxyHeaders {
		if bytes.EqualFold(plain[:len(name)], proxy) {
			return true
		}
	}
	return false
}

// proxyHeaders are those with more than one word.
var proxyHeaders = [][]byte{
	[]byte("X-Forwarded-For"), []byte("X-Forwarded-Host"), []byte("X-Forwarded-Proto"), []byte("X-Forwarded-Port"), []byte("X-Real-Ip"),
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

// outbound notes what differs in the head of the request to an upstream.
func (x *exchange) outbound() {
	h := &x.req.Header
	x.trusted = x.plan.trusts(x.sender.peer)
	x.drop, x.ours = x.drop[:0], x.ours[:0]
	x.forUs = x.plan.tokens && x.plan.isToken(h.Peek(fasthttp.HeaderAuthorization))
	if !x.head.plain {
		for _, name := range h.PeekTrailerKeys() { // fasthttp has made headers of them
			x.noteDrop(name)
		}
		for name, value := range h.All() {
			if kindOf(name) == headerOptions {
				x.noteOptions(value)
			}
		}
	}
	if len(h.ContentType()) == 0 && h.IsPost() {
		x.addField(fasthttp.HeaderContentType, mimeJSON)
	}
	x.addField(headerRequestID, mem.String(x.traceID))
	x.forwardedFor()
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
func (x *exchange) forwardedFor() {
	b := x.scratch[:0]
	if x.trusted && x.head.forwarded {
		for _, value := range x.req.Header.PeekAll(fasthttp.HeaderXForwardedFor) {
			b = append(append(b, value...), ", "...)
		}
	}
	switch {
	case x.sender.peer.IsValid():
		b = x.sender.peer.AppendTo(b)
	case len(b) > 0:
		b = b[:len(b)-len(", ")]
	}
	if x.scratch = b; len(b) > 0 {
		x.addField(fasthttp.HeaderXForwardedFor, mem.String(b))
	}
}

// requestIDMax is the length of the longest X-Request-Id that is kept.
const requestIDMax = 128

// tracing keeps or makes the id of the request.
func (x *exchange) tracing() {
	if x.head.ids == 1 && plainID(x.head.id) {
		x.traceID = append(x.traceID[:0], x.head.id...)
		return
	}
	x.traceID = x.traceID[:0]
	for range 2 {
		n := rand.Uint64()
		x.traceID = binary.BigEndian.AppendUint64(x.traceID, hexDigits(uint32(n>>32)))
		x.traceID = binary.BigEndian.AppendUint64(x.traceID, hexDigits(uint32(n)))
	}
}

// hexDigits returns the eight hexadecimal digits of n, one in each byte.
func hexDigits(n uint32) uint64 {
	const ones = 0x0101010101010101
	x := uint64(n)
	x = (x | x<<16) & 0x0000ffff0000ffff
	x = (x | x<<8) & 0x00ff00ff00ff00ff
	x = (x | x<<4) & 0x0f0f0f0f0f0f0f0f
	letters := (x + 6*ones) >> 4 & ones // 1 where the digit is a letter
	return x + '0'*ones + letters*('a'-'0'-10)
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
	x.addField(headerAction, x.verdict.Action.String())
	x.addNumber(headerScore, x.verdict.Score)
	if x.partner != nil {
		x.addField(headerPartner, x.partner.Name)
	}
	decided := &x.verdict
	if decided.Action != inspect.ActionRefuse && decided.Shadow != nil {
		decided = decided.Shadow
	}
	if decided.Action == inspect.ActionRefuse {
		x.addField(headerReason, decided.Reason)
		x.addNumber(headerNBR, int(decided.NBR))
	}
}

// addNumber is addField for a number.
func (x *exchange) addNumber(name string, n int) {
	x.ours = strconv.AppendInt(append(append(x.ours, name...), ':', ' '), int64(n), 10)
	x.ours = append(x.ours, '\r', '\n')
}
