package gateway

import (
	"math/rand/v2"
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/gateway/capture"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/serving/rejects"
	"github.com/rtbwire/rtbwire/openrtb"
)

// decision is what becomes of a request, and why.
type decision struct {
	verdict   inspect.Verdict
	judged    time.Time     // when there was one
	asked     time.Duration // how long the upstream took
	responses ResponseMode  // what becomes of the upstream's answer
	outcome   outcome
	reason    string // for metrics; "" if it was forwarded
}

// judge asks for the verdict.
func (d *decision) judge(w *inspect.Worker, f *facts, o *inspect.Observing) {
	d.verdict = w.JudgeObserving(f.Facts, o)
	d.judged = time.Now()
}

// end notes what became of the request.
func (d *decision) end(o outcome, reason string) { d.outcome, d.reason = o, reason }

// objected reports whether the request is refused, or is forwarded only because that is observed.
func (d *decision) objected() bool {
	return d.verdict.Action == inspect.ActionRefuse || d.verdict.WouldRefuse().Action == inspect.ActionRefuse
}

// malformed reports whether the verdict is about text that is not JSON, or not a bid request's.
func (d *decision) malformed() bool { return strings.HasPrefix(d.verdict.Reason, "json.") }

// decideResponses decides what becomes of the upstream's answer.
func (d *decision) decideResponses(o *Options, own *partner, bid *openrtb.BidRequest, body []byte) {
	r := &o.Responses
	if own != nil {
		r = &own.Responses
	}
	d.responses = r.Mode
	switch {
	case r.Mode == ResponsesObserve && inspect.SampleOf(bid, body) >= r.Sample:
		d.responses = ResponsesOff
	case r.Mode == ResponsesEnforce && (o.Shadow || d.verdict.Observed != nil && d.verdict.Observed.Refusals):
		d.responses = ResponsesObserve
	}
}

// capture keeps a copy of the judged request, if chance says so: senders choose ids, and a sample
// of a layer is chosen by a hash of them.
func (d *decision) capture(o *Options, r *request, f *facts) {
	if o.Capture == nil {
		return
	}
	shares := o.CaptureShares
	if r.partner != nil && r.partner.CaptureShares != nil {
		shares = *r.partner.CaptureShares
	}
	share := shares.Forwarded
	if d.objected() {
		share = shares.Refused
	}
	if share == 0 || share < 1 && rand.Float64() >= share {
		return
	}
	o.Capture.Add(&capture.Request{Body: r.body, Facts: &f.Facts, Verdict: &d.verdict, Engine: o.Engine})
}

// show keeps a request that was objected to for operators, if it is in the sample.
func (d *decision) show(to *rejects.Ring, r *request, o *Options) {
	if !to.Wants(r.began) {
		return
	}
	refused, observed := d.verdict.Decision, o.Shadow
	if refused.Action == inspect.ActionForward {
		refused, observed = d.verdict.WouldRefuse(), true
	}
	to.Add(rejects.Reject{
		Time: r.began, Partner: r.partnerName(), RequestID: string(r.traceID), Full: o.FullRejects, Observed: observed,
		Reason: refused.Reason, NBR: int(refused.NBR), Score: d.verdict.Score,
	}, r.body, d.verdict.Findings)
}
