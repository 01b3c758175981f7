package inspect

import (
	"slices"
	"strings"
	"sync"

	"github.com/rtbwire/rtbwire/adcom"
)

// Reason is something that an inspector can report. docs/reasons.md lists all.
type Reason struct {
	// ID is stable: "schema.Imp.id.required", "json.syntax", "limit.size".
	ID string
	// Inspector is who reports it.
	Inspector string
	// NBR is the no-bid reason of a request that is refused for it: one of OpenRTB's, or one of
	// [OwnNoBidReasons].
	NBR adcom.NoBidReason
	// Severity is the severity under the preset [PresetDefault].
	Severity Severity
	// Text says what is asked for. It holds no part of a document.
	Text string
}

// The no-bid reasons of our own. OpenRTB leaves the codes from 500 to the parties.
const (
	// NBRLimit is for requests beyond a limit of the receiver: they may be valid.
	NBRLimit adcom.NoBidReason = 500
)

// OwnNoBidReason describes a no-bid reason that OpenRTB does not have.
type OwnNoBidReason struct {
	NBR  adcom.NoBidReason
	Text string
}

// OwnNoBidReasons returns the no-bid reasons from 500, in rising order.
func OwnNoBidReasons() []OwnNoBidReason {
	return []OwnNoBidReason{
		{NBRLimit, "the request is beyond a limit of the receiver (size, elements, memory)"},
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

// Reasons returns all reasons, by inspector. The caller owns the slice.
func Reasons() []Reason { return slices.Clone(registry().reasons) }

// ReasonByID returns the reason with the given id.
func ReasonByID(id string) (Reason, bool) {
	if n, ok := registry().numbers[id]; ok {
		return registry().reasons[n], true
	}
	return Reason{}, false
}

// reasonTable is the reasons of all inspectors, one inspector after the other. The place of a
// reason in it is the reason's number.
type reasonTable struct {
	reasons []Reason
	numbers map[string]int // by id
	spans   []span         // by inspector
}

// span is the reasons of one inspector in the table.
type span struct{ from, to int }

// registry is the table of this version. It does not change.
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

// match returns the numbers of the reasons that a pattern matches: an id, or one with a * that
// matches any text. The part "schema." may be left out: "Imp.id.required", "Banner.*".
func (t *reasonTable) match(pattern string) []int {
	if numbers := t.matchExact(pattern); numbers != nil {
		return numbers
	}
	return t.matchExact(schemaPrefix + pattern)
}

func (t *reasonTable) matchExact(pattern string) (numbers []int) {
	if n, ok := t.numbers[pattern]; ok {
		return []int{n}
	}
	prefix, suffix, star := strings.Cut(pattern, "*")
	if !star {
		return nil
	}
	for n := range t.reasons {
		if id := t.reasons[n].ID; len(id) >= len(prefix)+len(suffix) && strings.HasPrefix(id, prefix) && strings.HasSuffix(id, suffix) {
			numbers = append(numbers, n)
		}
	}
	return numbers
}
