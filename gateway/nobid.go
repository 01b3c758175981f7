package gateway

import (
	"strings"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/openrtb"
)

// NoBid says how a refusal is answered.
type NoBid string

// The no-bid answers.
const (
	NoBid204     NoBid = "204"      // no content
	NoBid200     NoBid = "200"      // {"id": ..., "nbr": ...}
	NoBid400     NoBid = "400"      // without a body
	NoBid400JSON NoBid = "400-json" // {"id": ..., "nbr": ...}
)

// valid reports whether n is a no-bid answer, or "" for the default.
func (n NoBid) valid() bool {
	return n == "" || n == NoBid204 || n == NoBid200 || n == NoBid400 || n == NoBid400JSON
}

// Reasons of the gateway itself, for metrics and the log. Those of verdicts are in docs/reasons.md.
const (
	reasonGuard       = "http." // before a code of package guard
	reasonConnections = "gateway.connections"
	reasonPath        = "gateway.path"
	reasonMethod      = "gateway.method"
	reasonType        = "gateway.type"
	reasonEncoding    = "gateway.encoding"
	reasonVersion     = "gateway.version"
	reasonSize        = "gateway.size"
	reasonGzip        = "gateway.gzip"
	reasonHTTP        = "gateway.http"         // unreadable
	reasonHTTP2       = "gateway.http2"        // a breach of its protocol
	reasonResets      = "gateway.http2-resets" // too many
	reasonTMax        = "gateway.tmax"
	reasonAnswer      = "gateway.response-encoding" // of an upstream, not understood
)

// failure is a reason that is not the sender's fault.
type failure struct {
	reason  string
	status  int // for senders that are no partner
	outcome outcome
}

var (
	failRate     = failure{"gateway.rate", fasthttp.StatusTooManyRequests, outcomeShed}
	failCapacity = failure{"gateway.capacity", fasthttp.StatusServiceUnavailable, outcomeShed}
	failOverload = failure{"gateway.overload", fasthttp.StatusServiceUnavailable, outcomeShed}
	failPanic    = failure{"gateway.panic", fasthttp.StatusInternalServerError, outcomeFailed}
	failEdits    = failure{"gateway.edits", fasthttp.StatusInternalServerError, outcomeFailed}
	failBroken   = failure{"gateway.upstream-broken", fasthttp.StatusBadGateway, outcomeFailed}
	failAbsent   = failure{"gateway.upstream-absent", fasthttp.StatusServiceUnavailable, outcomeFailed}
	failSlow     = failure{"gateway.upstream-slow", fasthttp.StatusGatewayTimeout, outcomeFailed}
)

// retryAfter is what senders that are no partner are told when load is shed, in seconds.
const retryAfter = "1"

// style returns how refusals are answered.
func (x *exchange) style() NoBid {
	if x.partner != nil {
		return x.partner.NoBid
	}
	return x.plan.options.NoBid
}

// noBid answers a request that the verdict refuses.
func (x *exchange) noBid() {
	x.outcome, x.reason = outcomeRefused, x.verdict.Reason
	if malformed(x.verdict.Reason) {
		x.outcome = outcomeMalformed
		x.writeMalformed()
		return
	}
	x.writeStyled(x.verdict.NBR)
}

// malformed reports whether a reason is about text that is not JSON, or not a bid request's.
func malformed(reason string) bool { return strings.HasPrefix(reason, "json.") }

// writeMalformed answers text that is no bid request.
func (x *exchange) writeMalformed() {
	switch x.style() {
	case NoBid200, NoBid400JSON:
		x.writeNoBid(fasthttp.StatusBadRequest, x.verdict.NBR)
	default:
		x.resp.SetStatusCode(fasthttp.StatusBadRequest)
	}
}

// writeStyled answers in the sender's style.
func (x *exchange) writeStyled(nbr adcom.NoBidReason) {
	switch x.style() {
	case NoBid200:
		x.writeNoBid(fasthttp.StatusOK, nbr)
	case NoBid400:
		x.resp.SetStatusCode(fasthttp.StatusBadRequest)
	case NoBid400JSON:
		x.writeNoBid(fasthttp.StatusBadRequest, nbr)
	default:
		x.resp.SetStatusCode(fasthttp.StatusNoContent)
	}
}

// refuseLate answers a request whose time is over.
func (x *exchange) refuseLate() {
	x.outcome, x.reason = outcomeRefused, reasonTMax
	x.writeStyled(adcom.NoBidReasonInsufficientTime)
}

// decline answers a request that is wrong as a message of HTTP.
func (x *exchange) decline(status int, reason string) {
	x.outcome, x.reason = outcomeRejected, reason
	x.resp.SetStatusCode(status)
}

// shed answers a request that there is no room for. Exchanges throttle bidders that answer with
// errors, so a partner gets its style; what was not decoded has no id, so 204 stands for 200.
func (x *exchange) shed(f failure) {
	x.unavailable(f)
	if x.partner == nil || x.unread {
		x.resp.Header.Set(fasthttp.HeaderRetryAfter, retryAfter)
	}
}

// unavailable answers a request that could have been accepted at another time.
func (x *exchange) unavailable(f failure) {
	x.outcome, x.reason = f.outcome, f.reason
	if x.partner == nil || x.unread { // what is not a bid request has no no-bid
		x.resp.SetStatusCode(f.status)
		return
	}
	nbr := adcom.NoBidReasonTechnicalError
	if f.outcome == outcomeShed {
		nbr = inspect.NBRLimit
	}
	if x.style() == NoBid200 && x.requestID() == "" {
		x.resp.SetStatusCode(fasthttp.StatusNoContent)
		return
	}
	x.writeStyled(nbr)
}

// requestID is the id of the bid request, "" if it was not decoded.
func (x *exchange) requestID() string {
	if x.worker != nil {
		if r := x.worker.Request(); r != nil {
			return r.ID
		}
	}
	return x.id
}

// writeNoBid writes a bid response without bids. The id is that of the request; there is none if it
// could not be decoded.
func (x *exchange) writeNoBid(status int, nbr adcom.NoBidReason) {
	response := openrtb.BidResponse{ID: x.requestID(), NBR: &nbr}
	var err error
	if x.answer, err = response.AppendJSON(x.answer[:0]); err != nil {
		x.resp.SetStatusCode(fasthttp.StatusNoContent) // not reached: the id comes from valid JSON
		return
	}
	x.resp.SetStatusCode(status)
	x.resp.Header.SetContentTypeBytes(typeJSON)
	x.resp.SetBody(x.answer)
}
