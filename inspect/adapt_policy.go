package inspect

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/rtbwire/rtbwire/inspect/rule"
)

// Rule is a rule of a [Layer].
type Rule = rule.Rule

// rules adapts the rules of layers, whose conditions package policy compiles. All its reasons but
// two are entries.
type rules struct{}

// ruleLimit is the reason of a request that asks for more work than a rule may do. Patterns do not
// match it: otherwise a setting about other limits would let an expensive request pass the rules.
const ruleLimit = "limit.rule"

// ReasonBlockedNow is the reason of a request that an operator blocks at the moment. The verdict
// does not have it: a front end gives it before any rule is asked. No setting is about it.
const ReasonBlockedNow = "policy.blocked-now"

// policyPrefix makes the id of a reason from the name of a rule.
const policyPrefix = "policy."

// withoutValue is the message about a rule whose condition has no value, where it objects then.
const withoutValue = "the condition of the rule has no value for this request"

func (rules) reasons() []Reason {
	return []Reason{{
		ID: ruleLimit, Inspector: InspectorPolicy, Severity: Refuse, NBR: NBRLimit,
		Text: "a rule takes more work for the request than its limit",
	}, {
		ID: ReasonBlockedNow, Inspector: InspectorPolicy, Severity: Refuse, NBR: NBRPolicy,
		Text: "an operator blocks the domain, the app or the address at the moment",
	}}
}

// judge keeps the rules that are on, in their order.
func (rules) judge(g grades, _ int) (judge, error) {
	if len(g.entries) == 0 {
		return nil, nil
	}
	limit := &registry().of(InspectorPolicy)[0]
	j := make(rulesJudge, len(g.entries))
	for i, own := range g.entries {
		what := own.entry.what.(Rule)
		j[i] = gradedRule{what.When, &own.entry.Reason, own.severity, what.OnError, limit, min(own.severity, g.fixed[0])}
	}
	return j, nil
}

// rulesJudge is rules with their severities.
type rulesJudge []gradedRule

type gradedRule struct {
	when     rule.Condition
	reason   *Reason
	severity Severity
	onError  rule.OnError

	limit         *Reason // [ruleLimit]
	limitSeverity Severity
}

// inspect asks all rules, so that findings are complete.
func (j rulesJudge) inspect(in *input, out *emitter) {
	for i := range j {
		r := &j[i]
		switch holds, err := r.when.Holds(&in.Input); {
		case err != nil:
			out.errors = append(out.errors, ConditionError{r.reason.ID, err})
			r.failed(err, out)
		case holds:
			out.emit(r.reason, r.severity, "", -1, r.reason.Text)
		}
	}
}

// failed reports a condition without a value, where the rule objects because of the cause. Beyond a
// limit of work it always does: the sender chooses how much there is to do.
func (r *gradedRule) failed(err error, out *emitter) {
	switch {
	case errors.Is(err, rule.ErrLimit):
		out.emitFor(r.reason.ID, r.limit, r.limitSeverity, "", -1, r.reason.ID+": "+err.Error())
	case r.onError.Objects(err):
		out.emit(r.reason, r.severity, "", -1, withoutValue)
	}
}

// nameMax is how long the name of a rule or scrub can be.
const nameMax = 100

// checkName returns an error unless name can be a part of an id: nothing in it is escaped in JSON,
// or in the label of a metric.
func checkName(name string) error {
	other := func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune("._-", c)
	}
	switch {
	case name == "":
		return fmt.Errorf("no name")
	case len(name) > nameMax:
		return fmt.Errorf("a name of %d bytes (want at most %d)", len(name), nameMax)
	case strings.ContainsFunc(name, other):
		return fmt.Errorf("the name %q has other characters than letters, digits, dots, dashes and underscores", name)
	}
	return nil
}

// newEntry makes a rule the entry of a layer, which where names. taken reports whether a rule that
// can meet this one has its name.
func newEntry(r *Rule, where string, taken func(name string) bool) (*entry, error) {
	if err := checkName(r.Name); err != nil {
		return nil, err
	}
	own := &entry{what: *r, shadow: r.Shadow, Reason: Reason{
		ID: policyPrefix + r.Name, Inspector: InspectorPolicy, NBR: cmp.Or(r.NBR, NBRPolicy), Severity: Refuse,
		Text: cmp.Or(r.Message, r.Name), Layer: where,
	}}
	if r.Severity != nil {
		own.Reason.Severity = *r.Severity
	}
	var err error
	if own.share, err = share(r.Sample); err != nil {
		return nil, fmt.Errorf("%s: %w", r.Name, err)
	}
	switch {
	case own.ID == scrubFailed:
		return nil, fmt.Errorf("the name %q is taken: %s is about scrubs", r.Name, scrubFailed)
	case own.ID == ReasonBlockedNow:
		return nil, fmt.Errorf("the name %q is taken: %s is about what operators block", r.Name, ReasonBlockedNow)
	case taken(r.Name):
		return nil, fmt.Errorf("the name %q is there twice, in this layer or in one outside it", r.Name)
	case r.When == nil:
		return nil, fmt.Errorf("%s has no condition", r.Name)
	case !own.NBR.Valid():
		return nil, fmt.Errorf("%s has the no-bid reason %d, which OpenRTB does not have", r.Name, own.NBR)
	case own.Reason.Severity > Refuse:
		return nil, fmt.Errorf("%s has the invalid severity %v", r.Name, own.Reason.Severity)
	}
	return own, nil
}
