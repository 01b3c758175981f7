package gateway

import (
	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/openrtb"
)

// answer is what the sender gets: the upstream's answer, or one of the gateway's own.
type answer struct {
	http *fasthttp.Response
	gzip bool // the sender takes it, if anybody has asked

	version      int              // the length of versionBytes in use
	versionBytes [versionMax]byte // X-Openrtb-Version, as the request has it
	versioned    bool             // the upstream has given one

	drop       fieldNames // fields of the upstream that do not go on
	noBid      []byte     // a body of our own
	inflated   []byte     // the upstream's body
	edited     []byte     // it with edits
	compressed []byte
}

// begin takes the message to fill in.
func (a *answer) begin(m *fasthttp.Response) { a.http = m }

// end forgets the answer, except for memory for the next one. What is sent is in the message.
func (a *answer) end() {
	*a = answer{
		drop: a.drop[:0], noBid: keep(a.noBid), inflated: keep(a.inflated), edited: keep(a.edited), compressed: keep(a.compressed),
	}
}

// clear drops what was answered so far.
func (a *answer) clear() {
	a.http.Reset()
	a.http.Header.SetNoDefaultContentType(true)
}

// refuse answers a bid request that is refused. The id is "" if it could not be decoded.
func (a *answer) refuse(how NoBid, id string, nbr adcom.NoBidReason) {
	switch how {
	case NoBid200:
		a.writeNoBid(fasthttp.StatusOK, id, nbr)
	case NoBid400:
		a.http.SetStatusCode(fasthttp.StatusBadRequest)
	case NoBid400JSON:
		a.writeNoBid(fasthttp.StatusBadRequest, id, nbr)
	default:
		a.http.SetStatusCode(fasthttp.StatusNoContent)
	}
}

// refuseMalformed answers text that is not a bid request.
func (a *answer) refuseMalformed(how NoBid, id string, nbr adcom.NoBidReason) {
	switch how {
	case NoBid200, NoBid400JSON:
		a.writeNoBid(fasthttp.StatusBadRequest, id, nbr)
	default:
		a.http.SetStatusCode(fasthttp.StatusBadRequest)
	}
}

// fail answers with the status of a failure.
func (a *answer) fail(f failure) {
	a.http.SetStatusCode(f.status)
	if f.outcome == outcomeShed {
		a.http.Header.Set(fasthttp.HeaderRetryAfter, retryAfter)
	}
}

// explain adds a sentence for people, if there is one.
func (a *answer) explain(text string) {
	if text != "" {
		a.http.Header.SetContentType(mimeText)
		a.http.SetBodyString(text)
	}
}

// writeNoBid writes a bid response without bids.
func (a *answer) writeNoBid(status int, id string, nbr adcom.NoBidReason) {
	response := openrtb.BidResponse{ID: id, NBR: &nbr}
	var err error
	if a.noBid, err = response.AppendJSON(a.noBid[:0]); err != nil {
		a.http.SetStatusCode(fasthttp.StatusNoContent) // not reached: the id comes from valid JSON
		return
	}
	a.http.SetStatusCode(status)
	a.http.Header.SetContentTypeBytes(typeJSON)
	a.http.SetBody(a.noBid)
}

// VersionDefault is the value of X-Openrtb-Version in answers to requests that have none.
const VersionDefault = "2.6"

var versionDefault = []byte(VersionDefault)

// keepVersion keeps the version that the answer will have. The request's head may change before.
func (a *answer) keepVersion(version []byte) { a.version = copy(a.versionBytes[:], version) }

// identify adds what every answer to a bid request has.
func (a *answer) identify(traceID []byte) {
	h := &a.http.Header
	if !a.versioned {
		if a.version > 0 {
			h.SetCanonical(nameVersion, a.versionBytes[:a.version])
		} else {
			h.SetCanonical(nameVersion, versionDefault)
		}
	}
	h.SetCanonical(nameRequestID, traceID)
}
