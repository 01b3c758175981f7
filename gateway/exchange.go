package gateway

import (
	"runtime/debug"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/serving/balance"
)

// exchange takes one request through its stages, in the order of its fields. Each stage knows the
// ones before it, and the exchange alone knows all of them: a stage that ends a request says why,
// and the exchange answers. Everything in it belongs to that request alone, until end.
type exchange struct {
	g    *Gateway
	plan *plan

	overrides *Overrides // of operators; nil for none

	request   request    // what was read
	budget    timeBudget // how long it may take
	admission admission  // limits that it counts for
	decoded   decoded    // its document
	facts     facts      // what else is known about it
	decision  decision   // what becomes of it
	outgoing  outgoing   // what an upstream gets
	answer    answer     // what the sender gets
}

// begin prepares an exchange for a request.
func (x *exchange) begin(p *plan, req *fasthttp.Request, resp *fasthttp.Response, s *sender, memory holder, began time.Time) {
	x.plan = p
	x.request.begin(req, s, memory, began)
	x.answer.begin(resp)
}

// end counts the request and drops everything that belongs to it. What the response needs is in the
// response.
func (x *exchange) end() {
	now := time.Now()
	x.admission.end(&x.g.overload, &x.request, &x.decision, now)
	x.g.metrics.done(&x.plan.options, &x.request, &x.decoded, &x.decision, len(x.answer.http.Body()), now)
	x.decoded.giveBack(x.plan, &x.g.decoding)
	x.decoded.end()
	x.request.end()
	x.facts.end()
	x.outgoing.end()
	x.answer.end()
	x.plan, x.overrides, x.budget, x.decision = nil, nil, timeBudget{}, decision{}
}

// serve takes the request through its stages. A panic is answered like any other failure.
func (x *exchange) serve() {
	x.g.inFlight.Add(1)
	defer func() {
		x.g.inFlight.Add(-1)
		if p := recover(); p != nil {
			x.decoded.worker = nil // in an unknown state
			x.g.options.Logger.Error("panic while a request was served", "panic", p, "stack", string(debug.Stack()))
			x.answer.clear()
			x.fail(failPanic)
		}
	}()
	to, f, ok := x.request.admit(x.plan)
	if !ok {
		x.reject(f)
		return
	}
	switch to {
	case routeAuction:
		x.answer.keepVersion(x.request.head.version)
		x.request.trace()
		if x.admit() && x.read() && x.judge() {
			x.forward()
		}
		x.answer.identify(x.request.traceID)
	case routePassthrough:
		x.request.trace()
		if x.admit() {
			x.pass()
		}
	case routeStatus:
		x.status()
	}
}

// admit sheds load before anything is decoded. Like the stages after it, it reports whether the
// request goes on, and has answered it otherwise.
func (x *exchange) admit() bool {
	own := x.request.partner
	x.budget.begin(&x.plan.options, own)
	x.overrides = x.g.overrides.Load()
	switch {
	case x.overrides.drains(&x.request) && !x.plan.options.Shadow:
		x.drained()
	case x.g.inFlight.Load() > int64(x.plan.options.InFlightMax):
		x.fail(failCapacity)
	case own != nil && !x.admission.hold(own.limits, x.request.began, x.plan.options.Shadow):
		x.fail(failRate)
	case !x.admission.count(&x.g.overload):
		x.fail(failOverload)
	default:
		return true
	}
	return false
}

// read finds the document and decodes it.
func (x *exchange) read() bool {
	if f, ok := x.request.inflate(&x.plan.options); !ok {
		x.fail(f)
		return false
	}
	if !x.decoded.borrow(x.plan, &x.g.decoding, len(x.request.body)) {
		x.fail(failCapacity)
		return false
	}
	return true
}

// judge decodes the document and asks for the verdict.
func (x *exchange) judge() bool {
	o, own, w := &x.plan.options, x.request.partner, x.decoded.worker
	valid := w.Decode(x.request.body) == nil // otherwise Judge says why
	if valid {
		bid := w.Request()
		if x.blockedNow(bid) {
			return false
		}
		if !x.budget.apply(o, own, bid, x.request.began) {
			x.late()
			return false
		}
		if l := own.limiterOf(bid); l != nil && !x.admission.hold(l, x.request.began, o.Shadow) {
			x.fail(failRate)
			return false
		}
	}
	x.facts.fill(x.plan, &x.request)
	if valid {
		x.facts.ask(o, own, w.Request(), &x.budget)
	}
	observing := x.overrides.observing(own)
	x.decision.judge(w, &x.facts, observing)
	x.g.metrics.inspected(o, &x.request, &x.decision)
	x.decision.capture(o, &x.request, &x.facts)
	if c := x.g.candidate; c != nil {
		c.Add(x.request.body, &x.facts.Facts, observing, &x.decision.verdict)
	}
	if x.decision.objected() {
		x.decision.show(&x.g.rejects, &x.request, o)
	}
	if o.Shadow || x.decision.verdict.Action != inspect.ActionRefuse {
		return true
	}
	x.refuse()
	return false
}

// forward sends the request to an upstream, and the answer back.
func (x *exchange) forward() {
	o, bid, out := &x.plan.options, x.decoded.request(), &x.outgoing
	out.begin(&x.request)
	edits := x.decision.verdict.Edits
	switch {
	case o.Shadow:
		edits = nil
	case o.LowerTMax:
		edits = out.lowerTMax(edits, bid, &x.budget)
	}
	if err := out.edit(edits, o.ForwardGzip); err != nil { // the document may hold what was to be removed
		x.fail(failEdits)
		return
	}
	out.addHead(x.plan)
	out.addVerdict(&x.decision.verdict)
	x.decision.decideResponses(o, x.request.partner, bid, x.request.body)
	if x.decision.responses == ResponsesEnforce || o.CompressMin > 0 {
		x.answer.gzip = acceptsGzip(x.request.http.Header.PeekAll(fasthttp.HeaderAcceptEncoding))
	}
	out.addResponses(x.decision.responses, x.answer.gzip)
	r, sample := &x.plan.routing, 0.0
	if r.samples() {
		sample = inspect.SampleOf(bid, x.request.body)
	}
	out.to = r.route(x.request.partner, bid, sample)
	x.mirror(sample)

	// Others need the memory while the upstream works.
	x.decoded.keepID()
	x.decoded.keepPublisher(o)
	x.decoded.giveBack(x.plan, &x.g.decoding)
	x.decision.verdict = inspect.Verdict{}
	x.decision.end(outcomeForwarded, "")
	x.send()
}

// mirror gives copies of the request to upstreams whose answers are ignored.
func (x *exchange) mirror(sample float64) {
	for _, to := range x.plan.routing.mirrors {
		if resampled(sample, mirrorSalt) < to.share {
			if e := to.Pick(&balance.Tried{}); e != nil {
				x.g.mirrors.offer(&x.outgoing, e, x.request.partnerName(), x.plan.options.UpstreamTimeout)
			}
		}
	}
}

// pass forwards a request undecoded.
func (x *exchange) pass() {
	x.outgoing.to = x.plan.routing.route(x.request.partner, nil, 0)
	x.outgoing.begin(&x.request)
	x.outgoing.addHead(x.plan)
	x.decision.end(outcomePassthrough, "")
	x.send()
}

// send asks an upstream, or the core of the options.
func (x *exchange) send() {
	began := x.decision.judged
	if began.IsZero() {
		began = x.request.read
	}
	var err error
	if core := x.plan.options.Core; core != nil {
		err = x.outgoing.ask(core, x.answer.http, &x.budget, x.plan.options.ResponseMax)
	} else {
		x.outgoing.responseMax = x.plan.options.ResponseMax
		err = x.outgoing.send(x.answer.http, &x.budget)
	}
	x.decision.asked = time.Since(began)
	x.g.metrics.upstream(x.decision.asked)
	switch {
	case err != nil:
		x.answer.clear()
		x.fail(failureOf(err))
	case !x.answer.relay():
		x.answer.clear()
		x.fail(failBroken)
	default:
		x.countBid()
		if x.answer.http.StatusCode() >= fasthttp.StatusInternalServerError && !x.request.passthrough && x.plan.options.UpstreamErrors == ErrorsNoBid {
			x.answer.versioned = false // the header goes with the answer
			x.answer.clear()
			x.fail(failStatus)
			return
		}
		x.judgeAnswer()
		x.answer.compressPlain(x.plan.options.CompressMin)
		x.answer.disown()
	}
}

// countBid counts whether an upstream has bid.
func (x *exchange) countBid() {
	if e := x.outgoing.asked; e != nil && x.decision.outcome == outcomeForwarded {
		e.Stats.Bid(x.request.partnerName(), bidOf(x.answer.http))
	}
}

// judgeAnswer judges the upstream's answer if that was decided, and acts on it where responses are
// enforced.
func (x *exchange) judgeAnswer() {
	status, mode := x.answer.http.StatusCode(), x.decision.responses
	if mode == "" || mode == ResponsesOff || status < 200 || status > 299 || len(x.answer.http.Body()) == 0 {
		return
	}
	began, partner := time.Now(), x.request.partnerName()
	enforce := mode == ResponsesEnforce
	body, inflated, err := x.answer.plain(&x.plan.options)
	if err != nil {
		x.unread(reasonAnswer, enforce)
		return
	}
	if inflated && x.request.memory.hold(int64(len(body))) && len(body) > heldMin {
		x.unread(failCapacity.reason, enforce)
		return
	}
	// The request is decoded again. Its worker was released while the upstream worked: holding as
	// many as there are requests in flight would cost more memory than decoding costs time.
	memory := decodedMax(len(x.request.body)) + decodedMax(len(body))
	wait := time.Duration(0) // don't wait for a request that is only observed
	if enforce {
		wait = decodeWait
	}
	if !x.g.decoding.acquire(memory, wait) {
		x.unread(failCapacity.reason, enforce)
		return
	}
	defer x.g.decoding.release(memory)
	w := x.plan.worker()
	_ = w.Decode(x.request.body)
	v := w.JudgeResponse(body, inspect.Facts{Partner: partner})
	x.g.metrics.answers.judged(x.g.metrics.counts(&x.request), &v, enforce)
	if enforce {
		if no := x.answer.enforce(&v, body, inflated); no.reason != "" {
			x.withhold(no.reason, no.nbr)
		}
	}
	x.plan.release(w)
	x.g.metrics.response(time.Since(began))
}

// unread ends the inspection of an answer that can't be read.
func (x *exchange) unread(reason string, enforce bool) {
	x.g.metrics.answers.unread(x.g.metrics.counts(&x.request), enforce)
	if enforce {
		x.withhold(reason, adcom.NoBidReasonTechnicalError)
	}
}

// noBid returns how refusals are answered.
func (x *exchange) noBid() NoBid {
	if x.request.partner != nil {
		return x.request.partner.NoBid
	}
	return x.plan.options.NoBid
}

// refuse answers a request that the verdict refuses.
func (x *exchange) refuse() {
	v, id := &x.decision.verdict, x.decoded.requestID()
	if x.decision.malformed() {
		x.decision.end(outcomeMalformed, v.Reason)
		x.answer.refuseMalformed(x.noBid(), id, v.NBR)
		return
	}
	x.decision.end(outcomeRefused, v.Reason)
	x.answer.refuse(x.noBid(), id, v.NBR)
}

// late answers a request whose time is over.
func (x *exchange) late() {
	x.decision.end(outcomeRefused, reasonTMax)
	x.answer.refuse(x.noBid(), x.decoded.requestID(), adcom.NoBidReasonInsufficientTime)
}

// withhold refuses the request in place of the upstream's answer.
func (x *exchange) withhold(reason string, nbr adcom.NoBidReason) {
	x.decision.end(outcomeWithheld, reason)
	x.answer.versioned = false // the header goes with the answer
	x.answer.clear()
	x.answer.refuse(x.noBid(), x.decoded.requestID(), nbr)
}

// fail answers a request that did not get a verdict or an upstream's answer. Exchanges throttle
// bidders that answer with errors, so a partner gets a no-bid, unless the message itself is wrong.
func (x *exchange) fail(f failure) {
	x.decision.end(f.outcome, f.reason)
	if !x.request.isPartnersBid() || f.outcome == outcomeRejected {
		x.answer.fail(f)
		if f.outcome == outcomeRejected {
			x.answer.explain(x.request.explain(x.plan, f))
		}
		return
	}
	nbr := adcom.NoBidReasonTechnicalError
	if f.outcome == outcomeShed {
		nbr = inspect.NBRLimit
	}
	how, id := x.noBid(), x.decoded.requestID()
	if id == "" {
		how = how.undecoded()
	}
	x.answer.refuse(how, id, nbr)
}

// reject answers a request whose head is wrong.
func (x *exchange) reject(f failure) {
	switch f.status {
	case fasthttp.StatusMethodNotAllowed:
		x.answer.http.Header.Set(fasthttp.HeaderAllow, x.plan.methods[string(x.request.head.path)])
	case fasthttp.StatusHTTPVersionNotSupported:
		x.answer.http.SetConnectionClose()
	}
	x.request.identify(x.plan, x.request.head.path) // whom it counts for
	x.fail(f)
}

// status answers load balancers.
func (x *exchange) status() {
	x.decision.end(outcomeStatus, "")
	m := x.answer.http
	m.Header.SetContentType(mimeText)
	if !x.g.Ready() {
		m.SetStatusCode(fasthttp.StatusServiceUnavailable)
		m.SetBodyString("stopping\n")
		return
	}
	m.SetBodyString("ready\n")
}
