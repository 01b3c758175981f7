package inspect

import (
	"cmp"

	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// Worker judges one request after the other in memory of its own: once warm, a request without
// findings allocates nothing. One goroutine at a time may use it. Make it with [Engine.NewWorker]
// or [Holder.NewWorker]; the zero value uses the default engine.
type Worker struct {
	holder *Holder
	engine *Engine // since the last Decode

	in  input
	err error // of the last Decode

	live, all emitter
	shadow    Verdict
	observed  Observation
	editors   map[int]rule.Editor // by the number of the scrub
	edits     []wire.Edit
	scratch   rule.Scratch // of conditions
	note      []byte       // the annotation
	answer    *answer      // of responses; made when needed
}

// Inspect judges one request: it is [Worker.Decode], then [Worker.Judge].
func (w *Worker) Inspect(body []byte, facts Facts) Verdict {
	_ = w.Decode(body) // Judge knows
	return w.Judge(facts)
}

// Decode reads a request, by the engine that is in use now. An error, a [*wire.Error], says why
// it can't be decoded; Judge is called all the same, and makes it a verdict.
//
// body must not change until the last use of what Decode, Request or Judge have returned.
func (w *Worker) Decode(body []byte) error {
	if e := w.current(); e != w.engine {
		w.engine, w.editors = e, nil
		w.in.checker = new(schema.Checker)
		w.in.checker.SetDecoding(e.decoding...)
	}
	w.in.Body = body
	w.in.scan.reset()
	w.in.Request, w.err = w.in.checker.Decode(body)
	return w.err
}

// observing says what is only observed for a request.
type observing struct {
	refusals, scrubs bool
	reasons          map[string]bool // as [Observing.Reasons]
}

// some reports whether anything is.
func (o *observing) some() bool { return o.refusals || o.scrubs || len(o.reasons) > 0 }

// share returns the resolved policies for the request and the facts, and what of them is only
// observed.
func (w *Worker) share() (*sampleShare, observing) {
	publisher := w.in.facts.Publisher
	if publisher == "" {
		publisher = PublisherOf(w.in.Request)
	}
	p := w.engine.policies(w.in.facts.Partner, publisher)
	place := 0.0
	if p.sampled() {
		place = SampleOf(w.in.Request, w.in.Body)
	}
	return p.at(place), observing{refusals: place >= p.enforce, scrubs: p.observeScrubs}
}

// current returns the engine that is in use.
func (w *Worker) current() *Engine {
	if w.holder == nil {
		return defaultEngine()
	}
	return w.holder.Engine()
}

// Request returns the decoded request, or nil if it can't be decoded. It is valid until the next
// Decode or Release, or until the body is changed.
func (w *Worker) Request() *openrtb.BidRequest { return w.in.Request }

// Judge returns the verdict on the request that Decode has read. It may be called again with other
// facts. Without a request it judges an empty text.
func (w *Worker) Judge(facts Facts) Verdict { return w.JudgeObserving(facts, nil) }

// JudgeObserving is Judge where an operator observes something at the moment. o may be nil.
func (w *Worker) JudgeObserving(facts Facts, o *Observing) (v Verdict) {
	if w.engine == nil || w.in.Request == nil && w.err == nil { // no Decode since the beginning or Release
		_ = w.Decode(nil)
	}
	w.in.facts = facts
	w.in.Facts, w.in.Scratch = &w.in.facts, &w.scratch
	s, only := w.share()
	if o != nil {
		only.refusals, only.reasons = only.refusals || o.All, o.Reasons
	}
	if s.live != s.all { // first, because the edits of the other one are used
		w.shadow = Verdict{}
		w.decide(s.all, observing{}, &w.all, &w.shadow)
		v.Shadow = &w.shadow
	}
	w.decide(s.live, only, &w.live, &v)
	w.edits = resolve(w.edits)
	if w.engine.annotate {
		w.annotate(&v)
	}
	if len(w.edits) > 0 {
		v.Edits = w.edits
	}
	return v
}

// decide asks the inspectors of a policy, and writes their answer to v, which is zero, and to the
// worker's edits. What is only observed does not decide.
func (w *Worker) decide(p *resolvedPolicy, only observing, out *emitter, v *Verdict) {
	out.begin(w.engine.maxFindings)
	if w.err == nil { // a text that can't be decoded is no request that could go on
		out.observing = only.reasons
	}
	w.edits = w.edits[:0]
	if w.err != nil {
		undecodable(w.err, p.severities, out)
	} else {
		for _, j := range p.judges {
			j.inspect(&w.in, out)
		}
	}
	if only.some() {
		w.observe(p, only, out, v)
	} else if out.decided == nil {
		w.scrub(p, out)
	}
	v.Findings, v.Dropped, v.Counts, v.Errors, v.Scrubs, v.Score, v.Signals = out.findings, out.dropped, out.counts, out.errors, out.scrubs, out.score, out.signals
	if r := out.decided; r != nil {
		v.Decision = Decision{ActionRefuse, r.ID, r.NBR}
	}
}

// observe ends a decision of which something is only observed. Scrubs are a duty: they are applied
// to a request that goes on only because refusals are observed. A text that can't be decoded is no
// request that could go on.
func (w *Worker) observe(p *resolvedPolicy, only observing, out *emitter, v *Verdict) {
	full := out.would
	if only.refusals && w.err == nil {
		out.decided = nil
	}
	out.observing = nil // for scrubs
	o := &w.observed
	*o = Observation{Refusals: only.refusals}
	if out.decided == nil {
		w.scrub(p, out)
		full = cmp.Or(full, out.decided)
		if only.scrubs {
			o.Scrubs, out.scrubs, out.decided, w.edits = out.scrubs, out.scrubs[:0], nil, w.edits[:0]
		}
	}
	if full != nil {
		o.Decision = Decision{ActionRefuse, full.ID, full.NBR}
	}
	v.Observed = o
}

// Release drops the request and its text, so that an idle worker keeps neither. It ends the
// validity of the request and the verdict.
func (w *Worker) Release() {
	if w.in.checker != nil {
		w.in.checker.Release()
		w.in.checker.ReleaseResponse()
	}
	if w.answer != nil {
		w.answer.release()
	}
	w.in.scan.reset()
	w.in.fraud.Release()
	w.scratch.Release()
	w.in.Input, w.in.facts, w.err = rule.Input{}, Facts{}, nil
	clear(w.edits[:cap(w.edits)]) // their values can be parts of the text
}
