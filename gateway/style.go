package gateway

import (
	"strings"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/openrtb"
)

// reason says in metrics why the gateway itself has answered. Reasons of verdicts are those of
// docs/reasons.md.
type reason string

const (
	reasonPath     reason = "gateway.path"
	reasonMethod   reason = "gateway.method"
	reasonType     reason = "gateway.type"
	reasonEncoding reason = "gateway.encoding"
	reasonVersion  reason = "gateway.version"
	reasonSize     reason = "gateway.size"
	reasonGzip     reason = "gateway.gzip"
)

// failure is a reason that is not the sender's fault.
type failure struct {
	reason reason
	status int // for senders that are no partner
}

var (
	failPanic    = failure{"gateway.panic", fasthttp.StatusInternalServerError}
	failUpstream = failure{"gateway.upstream", fasthttp.StatusBadGateway}
	failAbsent   = failure{"gateway.absent", fasthttp.StatusServiceUnavailable}
	failTimeout  = failure{"gateway.timeout", fasthttp.StatusGatewayTimeout}
	failEdits    = failure{"gateway.edits", fasthttp.StatusInternalServerError}
)

// style returns how refusals are answered.
func (x *exchange) style() Style { return x.plan.options.NoBid }

// noBid answers a request that the verdict refuses.
func (x *exchange) noBid() {
	if strings.HasPrefix(x.verdict.Reason, "json.") {
		x.malformed()
		return
	}
	switch x.style() {
	case Style204:
		x.resp.SetStatusCode(fasthttp.StatusNoContent)
	case Style200:
		x.writeNoBid(fasthttp.StatusOK, x.verdict.NBR)
	case Style400JSON:
		x.writeNoBid(fasthttp.StatusBadRequest, x.verdict.NBR)
	default:
		x.resp.SetStatusCode(fasthttp.StatusBadRequest)
	}
}

// malformed answers text that is no bid request.
func (x *exchange) malformed() {
	switch x.style() {
	case Style200, Style400JSON:
		x.writeNoBid(fasthttp.StatusBadRequest, x.verdict.NBR)
	default:
		x.resp.SetStatusCode(fasthttp.StatusBadRequest)
	}
}

// decline answers a request that is wrong as a message of HTTP.
func (x *exchange) decline(status int, _ reason) { x.resp.SetStatusCode(status) }

// unavailable answers a request that could have been accepted at another time.
func (x *exchange) unavailable(f failure) { x.resp.SetStatusCode(f.status) }

// writeNoBid writes a bid response without bids. The id is that of the request; there is none if it could not
// be decoded.
func (x *exchange) writeNoBid(status int, nbr adcom.NoBidReason) {
	id := ""
	if x.worker != nil {
		if r := x.worker.Request(); r != nil {
			id = r.ID
		}
	}
	response := openrtb.BidResponse{ID: id, NBR: &nbr}
	var err error
	if x.answer, err = response.AppendJSON(x.answer[:0]); err != nil {
		x.resp.SetStatusCode(fasthttp.StatusNoContent) // not reached: the id comes from valid JSON
		return
	}
	x.resp.SetStatusCode(status)
	x.resp.Header.SetContentTypeBytes(typeJSON)
	x.resp.SetBody(x.answer)
}
