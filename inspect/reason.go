package inspect

import (
	"slices"
	"strings"
	"sync"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/inspect/rule"
)

// Reason is something that an inspector can report. docs/reference/reasons.md lists those of every
// engine; [Engine.Reasons] adds those of its configuration.
type Reason struct {
	// ID is stable: "schema.Imp.id.required", "json.syntax", "limit.size", "policy.blocked-site",
	// "payload.xss.script-tag".
	ID string
	// Inspector is who reports it.
	Inspector Inspector
	// NBR is the no-bid reason of a request that is refused for it: one of OpenRTB's, or one of
	// [OwnNoBidReasons].
	NBR adcom.NoBidReason
	// Severity is the severity under the preset [PresetDefault], unless a layer sets another.
	Severity Severity
	// Text says what is asked for. It holds no part of a document.
	Text string
	// Layer is the layer that has brought the reason: `partner "exchange-a"`. It is "" for the
	// reasons of every engine.
	Layer string
}

// The no-bid reasons of our own. OpenRTB leaves the codes from 500 to the parties.
const (
	// NBRLimit is for requests beyond a limit of the receiver: they may be valid.
	NBRLimit = rule.OwnNBR
	// NBRPolicy is for requests that a rule of the receiver refuses, if the rule has no other one.
	NBRPolicy = rule.OwnNBR + 1
	// NBRResponse is for requests whose answer has no bid that could be sent.
	NBRResponse = rule.OwnNBR + 2
)

// OwnNoBidReason describes a no-bid reason that OpenRTB does not have.
type OwnNoBidReason struct {
	NBR  adcom.NoBidReason
	Text string
}

// OwnNoBidReasons returns the no-bid reasons from 500, in rising order.
func OwnNoBidReasons() []OwnNoBidReason {
	return []OwnNoBidReason{
		{NBRLimit, "the request is beyond a limit of the receiver (size, elements, memory, work)"},
		{NBRPolicy, "a rule of the receiver refuses the request"},
		{NBRResponse, "no bid of the answer may be sent"},
	}
}

// NoBidReasonText returns the meaning of a no-bid reason in a few words.
func NoBidReasonText(n adcom.NoBidReason) string {
	for _, own := range OwnNoBidReasons() {
		if own.NBR == n {
			return own.Text
		}
	}
	return n.String()
}

// Reasons returns the reasons of every engine, by inspector. The caller owns the slice.
func Reasons() []Reason { return slices.Clone(registry().reasons) }

// ReasonByID returns the reason with the given id, if every engine has it.
func ReasonByID(id string) (Reason, bool) {
	if n, ok := registry().numbers[id]; ok {
		return registry().reasons[n], true
	}
	return Reason{}, false
}

// Reasons returns the reasons of every engine and those of the engine's configuration, by
// inspector. Two partners can have rules of the same name, so an id can be there more than once.
// The caller owns the slice.
func (e *Engine) Reasons() (list []Reason) {
	e = e.orDefault()
	for i := range inspectors {
		list = append(list, registry().of(Inspector(i))...)
		for _, own := range e.entries {
			if own.Inspector == Inspector(i) {
				list = append(list, own.Reason)
			}
		}
	}
	return list
}

// ReasonByID returns the reason with the given id. Of several it is the first of [Engine.Reasons].
func (e *Engine) ReasonByID(id string) (Reason, bool) {
	if r, ok := ReasonByID(id); ok {
		return r, true
	}
	if own := e.orDefault().byID[id]; own != nil {
		return own.Reason, true
	}
	return Reason{}, false
}

// reasonTable is the fixed reasons: those of every engine, one inspector after the other. The place
// of a reason in it is the reason's number.
type reasonTable struct {
	reasons []Reason
	numbers map[string]int // by id
	spans   []span         // by inspector
}

// span is the reasons of one inspector in the table.
type span struct{ from, to int }

// registry is the table of this version of the package. It does not change.
var registry = sync.OnceValue(func() *reasonTable {
	t := &reasonTable{numbers: map[string]int{}}
	for _, i := range inspectors {
		from := len(t.reasons)
		t.reasons = append(t.reasons, i.reasons()...)
		t.spans = append(t.spans, span{from, len(t.reasons)})
	}
	for n, r := range t.reasons {
		t.numbers[r.ID] = n
	}
	return t
})

// of returns the fixed reasons of an inspector.
func (t *reasonTable) of(inspector Inspector) []Reason {
	return t.reasons[t.spans[inspector].from:t.spans[inspector].to]
}

// severities returns an inspector's part of the severities of all fixed reasons.
func (t *reasonTable) severities(all []Severity, inspector Inspector) []Severity {
	return all[t.spans[inspector].from:t.spans[inspector].to]
}

// match returns the numbers of the reasons that a pattern matches.
func (t *reasonTable) match(p pattern) (numbers []int) {
	if !p.star {
		if n, ok := t.numbers[p.prefix]; ok {
			return []int{n}
		}
		return nil
	}
	for n := range t.reasons {
		if id := t.reasons[n].ID; p.matches(id) && !namedOnly(id) {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// namedOnly reports whether no pattern matches a reason: a setting must name it, or can't be about
// it.
func namedOnly(id string) bool { return id == scrubFailed || id == ruleLimit || id == ReasonBlockedNow }

// pattern is an id, or one with a * that matches any text.
type pattern struct {
	prefix, suffix string
	star           bool
}

func newPattern(text string) (p pattern) {
	p.prefix, p.suffix, p.star = strings.Cut(text, "*")
	return p
}

func (p pattern) matches(id string) bool {
	if !p.star {
		return id == p.prefix
	}
	return len(id) >= len(p.prefix)+len(p.suffix) && strings.HasPrefix(id, p.prefix) && strings.HasSuffix(id, p.suffix)
}
