package inspect

import (
	"fmt"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/inspect/fraud"
	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/splice"
)

// Action says what becomes of a request.
type Action uint8

// The actions. What is only observed is a finding, and what is changed on the way is an edit.
const (
	ActionForward Action = iota
	ActionRefuse
)

var actionNames = [...]string{ActionForward: "forward", ActionRefuse: "refuse"}

// String returns "forward" or "refuse".
func (a Action) String() string {
	if int(a) < len(actionNames) {
		return actionNames[a]
	}
	return fmt.Sprintf("Action(%d)", a)
}

// Decision is what a verdict comes down to.
type Decision struct {
	Action Action
	// Reason is the id of what decided, "schema.Imp.id.required"; "" if the request is forwarded.
	// Of several findings that refuse, it is the first of [Verdict.Findings].
	Reason string
	// NBR is the no-bid reason that belongs to Reason; 0 if the request is forwarded.
	NBR adcom.NoBidReason
}

// Verdict is the answer to one request. It is a function of the request's bytes, the engine and
// the facts alone.
//
// Findings, Signals, Errors, Scrubs, Edits, Observed and Shadow are in the worker's memory: they
// are valid until its next Decode, Judge or Release. Strings may be kept.
type Verdict struct {
	Decision
	// Score is the fraud score, from 0 to [fraud.ScoreMax]; 0 for a request that can't be decoded.
	Score int
	// Signals are what the score is made of, in the order of [fraud.Signals].
	Signals []fraud.Hit
	// Findings are ordered by inspector (decode, schema, policy, payload, fraud, scrub) and then by
	// their place in the text; those of rules are in the order of the rules. A request that can't
	// be decoded has one finding: no inspector has seen it.
	Findings []Finding
	// Dropped counts the findings beyond [Config.MaxFindings]. Counts includes them. The finding
	// that decided is never dropped.
	Dropped int
	// Counts holds the number of findings by severity.
	Counts [Refuse + 1]int
	// Errors are the rules and scrubs whose condition had no value for the request, in their order.
	// A program counts them by their ids: that is how a broken rule is noticed, unless it refuses.
	Errors []ConditionError
	// Scrubs are the names of the scrubs that Edits hold, in their order.
	Scrubs []string
	// Edits change the request on its way: the scrubs of a request that is forwarded, and the
	// annotation. Apply them by [Verdict.Apply]. There are none by default.
	Edits []wire.Edit
	// Observed is nil if everything about the request is enforced. Otherwise something is only
	// observed ([Layer.Enforce], [Layer.ObserveScrubs], [Observing]), and this is what it would
	// come to.
	Observed *Observation
	// Shadow is the verdict that the same engine would give if none of its layers was in shadow
	// ([Layer.Shadow]). It is nil if no shadow layer is about the request. Its Edits are nil, since
	// nothing of it is applied; its Scrubs are those that would be. It is not observed: it refuses
	// whatever the share that is enforced.
	Shadow *Verdict
}

// Observation is what a verdict would come to if everything about the request was enforced.
type Observation struct {
	Decision
	// Refusals reports whether the request is outside of the share that is enforced, or an operator
	// observes all: no judgement refuses it, and its response is not to be changed.
	Refusals bool
	// Scrubs are the names of the scrubs that would be applied, where scrubs are only observed.
	Scrubs []string
}

// WouldRefuse returns the decision that is missed because the request is only observed: it is
// forwarded, and would be refused. It is the zero Decision otherwise. What layers in shadow would
// refuse is not meant.
func (v *Verdict) WouldRefuse() Decision {
	if v.Action == ActionRefuse || v.Observed == nil || v.Observed.Action != ActionRefuse {
		return Decision{}
	}
	return v.Observed.Decision
}

// Finding is one place that an inspector objects to. Its ID is the id of the reason; see
// [ReasonByID].
type Finding = rule.Finding

// ConditionError is a condition of the configuration that has no value for a request.
type ConditionError struct {
	// ID is the id of the rule's reason, "policy.floor-too-low"; for a scrub it is "scrub." and the
	// name.
	ID string
	// Err says why. It holds no part of the request.
	Err error
}

// Apply appends body, which is the text that the verdict is about, to dst, with the edits applied.
// Every other byte stays as it is. Without edits it copies body. After an error, the request must
// not be forwarded: it may hold what was to be removed.
func (v *Verdict) Apply(dst, body []byte) ([]byte, error) {
	body, err := withoutForged(body, v.Edits)
	if err != nil {
		return dst, err
	}
	return splice.Apply(dst, body, v.Edits...)
}
