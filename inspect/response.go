package inspect

import (
	"cmp"
	"fmt"
	"strings"
	"sync"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/inspect/payload"
	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/splice"
)

// Response says how responses are judged, by [Worker.JudgeResponse]. What becomes of findings is
// said by the severities of "response.*".
type Response struct {
	// Rates convert prices to US dollars, to compare a bid with a floor in another currency.
	// Default: only prices in the same currency are compared.
	Rates schema.Currencies
	// MarkupMax is how long the markup of a bid may be, in bytes. Default: [MarkupMaxDefault].
	MarkupMax int
}

// MarkupMaxDefault is how long the markup of a bid may be.
const MarkupMaxDefault = 256 << 10

// ResponseVerdict is the answer to one response. It is a function of the bytes of the request and
// the response, the engine, and the partner and publisher of the facts.
//
// Findings, Removed, Edits, Observed and Shadow are in the worker's memory: they are valid until
// its next JudgeResponse or Release. Strings may be kept.
type ResponseVerdict struct {
	// Decision is to refuse if no bid is left, or if the fault is not in single bids; the response
	// must then not be sent. Reason is the reason of the first finding that refuses, also if the
	// decision is to forward the remaining bids.
	Decision
	// Bids is the number of bids in the response, Removed are those that are not to be sent. It has
	// all of them if the decision is to refuse.
	Bids    int
	Removed []RemovedBid
	// Findings are in the order of the text, those about payloads last. Paths and offsets are the
	// ones of the response. Dropped and Counts are as in [Verdict].
	Findings []Finding
	Dropped  int
	Counts   [Refuse + 1]int
	// Edits remove bids. Apply them by [ResponseVerdict.Apply].
	Edits []wire.Edit
	// Observed is the decision that is missed because the request is outside of the share that is
	// enforced ([Layer.Enforce]); nil if it is inside. Such a response is to be sent as it is: the
	// decision is to forward and Edits are nil, and Removed are the bids that would not be sent.
	Observed *Decision
	// Shadow is as in [Verdict]. Its Edits are nil.
	Shadow *ResponseVerdict
}

// RemovedBid is a bid that is not to be sent: /seatbid/Seat/bid/Bid.
type RemovedBid struct {
	Seat, Bid int
	Reason    string // the id of the first finding about it
}

// Apply appends body, which is the text that the verdict is about, to dst, without the bids that
// are removed. Every other byte stays as it is. After an error, the response must not be sent.
func (v *ResponseVerdict) Apply(dst, body []byte) ([]byte, error) {
	return splice.Apply(dst, body, v.Edits...)
}

// responses is the inspector of responses. Its judge is not among the policy's judges: requests do
// not meet it.
type responses struct{}

// The ids of reasons.
const (
	responsePrefix = "response."
	responseMarkup = responsePrefix + "limit.adm"
)

// guaranteedBid is the rule about a deal that got no bid. There is nothing to remove, so it does
// not refuse.
const guaranteedBid = "Deal.guar.bid"

// ofResponses reports whether a rule can be broken by a response that was decoded.
func ofResponses(r *schema.Rule) bool {
	return r.Undecidable == "" && (r.Scope == "response" || r.Scope == "pair" || r.Scope == "both") && !decodersOwn[r.ID] && !strings.HasPrefix(r.ID, "json.")
}

func (responses) reasons() (list []Reason) {
	add := func(id string, s Severity, nbr adcom.NoBidReason, text string) {
		list = append(list, Reason{ID: responsePrefix + id, Inspector: InspectorResponse, Severity: s, NBR: nbr, Text: text})
	}
	for _, r := range (decoding{}).reasons() {
		add(r.ID, Refuse, adcom.NoBidReasonTechnicalError, r.Text)
	}
	for _, r := range schema.Rules() {
		if ofResponses(&r) {
			add(r.ID, responseSeverity(&r), NBRResponse, r.Message)
		}
	}
	add(strings.TrimPrefix(responseMarkup, responsePrefix), Refuse, NBRResponse, "the markup of a bid is longer than the limit")
	for _, p := range payload.Default() {
		add(payloadPrefix+p.ID, Refuse, NBRResponse, p.Why)
	}
	add(payloadBudget, Refuse, NBRResponse, "the search for payloads takes more work than the limit, so the response was not searched to its end")
	return list
}

// responseSeverity is the severity of a rule under the preset [PresetDefault], which says nothing
// of responses.
func responseSeverity(r *schema.Rule) Severity {
	switch {
	case refusedInResponses[r.ID]:
		return Refuse
	case r.ID == "any.ext.duplicate-key":
		return Warn
	case r.Kind == "deprecated", r.Severity == schema.Off, r.Severity == schema.Info:
		return Off
	}
	return Warn
}

// refusedInResponses are the rules that make a bid unfit to be sent: it answers something else than
// the request, the sender has said that it does not want it, or the next reader can't use it.
var refusedInResponses = setOf(
	// the text
	"any.type", "any.integer", "any.ext", "any.utf8", "any.duplicate-key", "any.key-case", "any.nul", "any.key-escape",
	// what the bid is about
	"BidResponse.id.required", "BidResponse.id.match", "Bid.id.required", "Bid.impid.required", "Bid.impid.ref",
	"Bid.dealid.ref", "Bid.dealid.private", "Bid.seat.deal", "Bid.adomain.deal", "SeatBid.seat.allowed",
	// the price
	"BidResponse.cur.format", "BidResponse.cur.known", "BidResponse.cur.allowed", "Bid.price.required", "Bid.price.range", "Bid.price.positive", "Bid.price.floor",
	// what the sender blocks
	"Bid.adomain.blocked", "Bid.cat.blocked", "Bid.bundle.blocked", "Bid.attr.blocked", "Bid.language.allowed",
	// what fits the place
	"Bid.mtype.range", "Bid.mtype.ref", "Bid.size.allowed", "Bid.flex", "Bid.api.supported", "Bid.protocol.supported", "Bid.dur.window",
	"Bid.attr.skip.conflict", "Bid.secure.markup", "Bid.native.adm", "Video.boxing.dooh",
	"NativeResponse.assets.any", "NativeAssetResponse.id.ref", "NativeAssetResponse.required", "NativeLink.url.required",
)

func setOf(names ...string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

// responseNumbers are the numbers of the inspector's reasons, by the id without its prefix.
var responseNumbers = sync.OnceValue(func() map[string]int {
	numbers := map[string]int{}
	for n, r := range (responses{}).reasons() {
		numbers[strings.TrimPrefix(r.ID, responsePrefix)] = n
	}
	return numbers
})

// responseFindingsMax is how many findings about a response are looked at, of rules and of payloads
// each. A response with as many that refuse is refused as a whole.
const responseFindingsMax = 1000

// judge makes an engine of package schema, and keeps the severities.
func (responses) judge(g grades, _ int) (judge, error) {
	j := &responseJudge{severities: g.fixed, markupMax: cmp.Or(g.response.MarkupMax, MarkupMaxDefault)}
	options := []schema.Option{schema.WithSeverity("*", schema.Off), schema.WithMaxFindings(responseFindingsMax), schema.WithCurrencies(g.response.Rates)}
	for id, n := range responseNumbers() {
		s := g.fixed[n]
		switch {
		case s == Off:
		case strings.HasPrefix(id, payloadPrefix):
			j.payloads = true
		default:
			if r, ok := schema.RuleByID(id); ok && ofResponses(&r) {
				options = append(options, schema.WithSeverity(id, s))
			}
		}
	}
	var err error
	if j.engine, err = schema.New(options...); err != nil {
		return nil, fmt.Errorf("inspect: %w", err)
	}
	return j, nil
}

// responseJudge is what counts for responses under some layers.
type responseJudge struct {
	engine     *schema.Engine
	severities []Severity
	markupMax  int
	payloads   bool // any of them is on
}

// inspect implements judge. Requests do not meet it.
func (*responseJudge) inspect(*input, *emitter) {}

// reason returns a reason by its id without the prefix, and its severity.
func (j *responseJudge) reason(id string) (*Reason, Severity) {
	n := responseNumbers()[id]
	s := j.severities[n]
	if id == guaranteedBid {
		s = min(s, Warn)
	}
	return &registry().of(InspectorResponse)[n], s
}

// answer is the memory in which a worker judges responses.
type answer struct {
	live, all answerState
	shadow    ResponseVerdict
	observed  Decision
	scan      scan            // of everything, or of a bid
	matches   []payload.Match // in a string
	text      []byte
}

// answerTextMax is how much working memory for text a worker keeps.
const answerTextMax = 64 << 10

// answerState is the state of one resolved policy.
type answerState struct {
	emitter
	blame
	edits []wire.Edit
}

// JudgeResponse returns the verdict on the response to the request that Decode has read last. Of
// the facts, Partner and Publisher count. Without a request, or after one that can't be decoded,
// the rules that need one are silent.
//
// body must not change until the last use of what JudgeResponse has returned.
func (w *Worker) JudgeResponse(body []byte, facts Facts) (v ResponseVerdict) {
	if w.engine == nil || w.in.Request == nil && w.err == nil {
		_ = w.Decode(nil)
	}
	if w.answer == nil {
		w.answer = new(answer)
	}
	w.in.facts = facts
	s, only := w.share()
	response, err := w.in.checker.DecodeResponse(body)
	if s.live.answers != s.all.answers {
		w.answer.shadow = ResponseVerdict{}
		w.decideResponse(s.all.answers, body, response, err, &w.answer.all, &w.answer.shadow)
		w.answer.shadow.Edits = nil
		v.Shadow = &w.answer.shadow
	}
	w.decideResponse(s.live.answers, body, response, err, &w.answer.live, &v)
	if only.refusals {
		w.answer.observed = v.Decision
		v.Observed, v.Action, v.Edits = &w.answer.observed, ActionForward, nil
	}
	return v
}

// release drops what refers to texts.
func (a *answer) release() {
	for _, s := range []*answerState{&a.live, &a.all} {
		clear(s.edits)
	}
	a.shadow = ResponseVerdict{}
	a.scan.reset()
	if cap(a.text) > answerTextMax {
		a.text = nil
	}
}
