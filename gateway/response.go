package gateway

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/inspect"
)

// ResponseMode says what becomes of the answers of upstreams.
type ResponseMode string

// The modes.
const (
	ResponsesOff     ResponseMode = "off"     // they pass unread
	ResponsesObserve ResponseMode = "observe" // a sample is judged and counted, and all pass
	ResponsesEnforce ResponseMode = "enforce" // all are judged; bids that break rules are removed
)

// Responses says how the answers of upstreams are inspected.
type Responses struct {
	// Mode is what becomes of them. Default: [ResponsesObserve].
	Mode ResponseMode
	// Sample is the share of answers that is judged where they are observed, more than 0 and at
	// most 1. It is chosen by a hash of the request's id, see [inspect.SampleOf]. Default:
	// [ResponseSampleDefault].
	Sample float64
}

// ResponseSampleDefault is the share of answers that is judged where they are observed.
const ResponseSampleDefault = 0.01

// validate checks what is set, and fills in the rest.
func (r *Responses) validate(otherwise Responses) error {
	if r.Mode == "" {
		r.Mode = otherwise.Mode
	}
	if r.Sample == 0 {
		r.Sample = otherwise.Sample
	}
	if !slices.Contains([]ResponseMode{ResponsesOff, ResponsesObserve, ResponsesEnforce}, r.Mode) {
		return fmt.Errorf("gateway: unknown mode of responses %q (want off, observe or enforce)", r.Mode)
	}
	if !(r.Sample > 0 && r.Sample <= 1) { // also NaN
		return fmt.Errorf("gateway: the sample of responses is %v (want more than 0, at most 1)", r.Sample)
	}
	return nil
}

// headerResponses tells the core that its answer is judged, and in which mode.
const headerResponses = headerPrefix + "Responses"

// watch decides whether the answer is judged. It comes before the worker is released.
func (x *exchange) watch() {
	r := &x.plan.options.Responses
	if x.partner != nil {
		r = &x.partner.Responses
	}
	mode := r.Mode
	switch {
	case mode == ResponsesObserve && inspect.SampleOf(x.worker.Request(), x.body) >= r.Sample:
		mode = ResponsesOff
	case mode == ResponsesEnforce && x.plan.options.Shadow:
		mode = ResponsesObserve
	}
	x.responses = mode
	if mode == ResponsesEnforce || x.plan.options.CompressMin > 0 {
		x.takesGzip = acceptsGzip(x.req.Header.PeekAll(fasthttp.HeaderAcceptEncoding))
	}
	if mode == ResponsesOff {
		return
	}
	x.addField(headerResponses, string(mode))
	h := &x.req.Header
	if mode == ResponsesEnforce { // what can't be read is no bid, so ask for nothing else
		h.Del(fasthttp.HeaderAcceptEncoding)
		if x.takesGzip {
			h.SetBytesV(fasthttp.HeaderAcceptEncoding, nameGzip)
		} else {
			h.SetBytesV(fasthttp.HeaderAcceptEncoding, nameIdentity)
		}
	}
}

// judgeAnswer judges the answer of the upstream if that was decided, and acts on it where responses
// are enforced.
func (x *exchange) judgeAnswer() {
	status := x.resp.StatusCode()
	if x.responses == "" || x.responses == ResponsesOff || status < 200 || status > 299 || len(x.resp.Body()) == 0 {
		return
	}
	began := time.Now()
	enforce := x.responses == ResponsesEnforce
	body, inflated, err := x.plainAnswer()
	if err != nil {
		x.g.metrics.responseUnread(x, enforce)
		if enforce {
			x.withhold(reasonAnswer, adcom.NoBidReasonTechnicalError)
		}
		return
	}
	// The request is decoded again. Its worker was released while the upstream worked: holding as
	// many as there are requests in flight would cost more memory than decoding costs time.
	memory := decodedMax(len(x.body)) + decodedMax(len(body))
	wait := time.Duration(0) // nobody waits for what is only observed
	if enforce {
		wait = decodeWait
	}
	if !x.g.decoding.acquire(memory, wait) {
		x.g.metrics.responseUnread(x, enforce)
		if enforce {
			x.withhold(failCapacity.reason, adcom.NoBidReasonTechnicalError)
		}
		return
	}
	defer x.g.decoding.release(memory)
	w := x.plan.worker()
	_ = w.Decode(x.body)
	facts := inspect.Facts{}
	if x.partner != nil {
		facts.Partner = x.partner.Name
	}
	v := w.JudgeResponse(body, facts)
	x.g.metrics.responseJudged(x, &v, enforce)
	if enforce {
		x.enforce(&v, body, inflated)
	}
	x.plan.release(w)
	x.g.metrics.response(time.Since(began))
}

// enforce makes the answer what the verdict leaves of it.
func (x *exchange) enforce(v *inspect.ResponseVerdict, plain []byte, inflated bool) {
	switch {
	case v.Action == inspect.ActionRefuse:
		x.withhold(v.Reason, v.NBR)
	case len(v.Edits) > 0:
		out, err := v.Apply(x.edited[:0], plain)
		if err != nil { // the answer may have what was to be removed
			x.withhold(failEdits.reason, adcom.NoBidReasonTechnicalError)
			return
		}
		x.edited = out
		x.replaceAnswer(&x.edited)
	case inflated && !x.takesGzip:
		x.replaceAnswer(&x.inflatedAnswer)
	}
}

// replaceAnswer makes a buffer of the exchange the body of the answer. The answer is written after
// the exchange has ended, so it gets a copy, or the buffer itself if that is not kept anyway.
func (x *exchange) replaceAnswer(b *[]byte) {
	h := &x.resp.Header
	again := x.takesGzip && len(h.ContentEncoding()) > 0 && !bytes.EqualFold(h.ContentEncoding(), nameIdentity)
	for _, name := range ofBody {
		h.Del(name)
	}
	if cap(*b) > keepMax {
		x.resp.SwapBody(nil)
		x.resp.SetBodyRaw(*b)
		*b = nil
	} else {
		x.resp.SetBody(*b)
	}
	if again {
		x.compress(CompressMinDefault)
	}
}

// ofBody are the headers that say something about the bytes of the upstream's body.
var ofBody = []string{
	fasthttp.HeaderContentEncoding, fasthttp.HeaderETag, "Content-Md5", "Digest", "Content-Digest", "Repr-Digest",
}

// withhold answers in the sender's style in place of the upstream.
func (x *exchange) withhold(reason string, nbr adcom.NoBidReason) {
	x.outcome, x.reason = outcomeWithheld, reason
	x.versioned = false // the header goes with the answer
	x.resp.Reset()
	x.resp.Header.SetNoDefaultContentType(true)
	x.writeStyled(nbr)
}

var errCoding = errors.New("a content coding that is not understood")

// plainAnswer returns the answer without its content coding, and whether it had to be inflated.
func (x *exchange) plainAnswer() (body []byte, inflated bool, err error) {
	body = x.resp.Body()
	switch coding := x.resp.Header.ContentEncoding(); {
	case len(coding) == 0, bytes.EqualFold(coding, nameIdentity):
		return body, false, nil
	case !bytes.EqualFold(coding, nameGzip) && !bytes.EqualFold(coding, nameXGzip):
		return nil, false, errCoding
	}
	o := &x.plan.options
	limit := o.ResponseMax
	if most := len(body) * o.RatioMax; most < limit {
		limit = most
	}
	x.inflatedAnswer, err = gunzip(x.inflatedAnswer[:0], body, limit)
	return x.inflatedAnswer, true, err
}
