package inspect

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/inspect/payload"
)

// Payload says how signs of attacks are looked for in the strings of a request.
type Payload = payload.Settings

// Pattern is a pattern of the configuration.
type Pattern = payload.Own

// payloads adapts package payload. The default patterns are reasons of every engine, in their
// order, with one more for requests that are not searched to the end.
type payloads struct{}

// The ids of reasons.
const (
	payloadPrefix = "payload."
	payloadBudget = payloadPrefix + payload.BudgetID
)

func (payloads) reasons() (list []Reason) {
	for _, p := range payload.Default() {
		list = append(list, reasonOf(p, ""))
	}
	return append(list, Reason{
		ID: payloadBudget, Inspector: InspectorPayload, NBR: NBRLimit, Severity: Refuse,
		Text: "the search for payloads takes more work than the limit, so the request was not searched to its end",
	})
}

// reasonOf returns the reason of a pattern that a layer brings, or every engine has.
func reasonOf(p payload.Pattern, where string) Reason {
	return Reason{
		ID: payloadPrefix + p.ID, Inspector: InspectorPayload, NBR: adcom.NoBidReasonInvalidRequest, Severity: Refuse,
		Text: cmp.Or(p.Why, "A pattern of the configuration."), Layer: where,
	}
}

// newScanner returns the entries of the configuration's own patterns, and the scanner of all
// patterns. An engine has one scanner: what is found must not depend on who asks, and a pattern
// that is off costs nothing in a text that does not have it.
func newScanner(p *Payload, where string) (entries []*entry, scanner *payload.Scanner, err error) {
	o := payload.Options{Layers: p.Layers, Nested: p.Nested, Fields: p.Fields, Work: p.Work}
	for i, own := range p.Patterns {
		if i == 0 {
			o.Patterns = payload.Default()
		}
		e := &entry{what: len(o.Patterns), share: 1, Reason: reasonOf(own.Pattern, where)}
		if own.Severity != nil {
			e.Reason.Severity = *own.Severity
		}
		err := checkName(own.ID)
		switch {
		case err != nil:
		case e.ID == payloadBudget:
			err = fmt.Errorf("the id %q is taken: %s is about the limit of work", own.ID, payloadBudget)
		case e.Reason.Severity > Refuse:
			err = fmt.Errorf("%s has the invalid severity %v", own.ID, e.Reason.Severity)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("inspect: payload: pattern %d: %w", i+1, err)
		}
		entries, o.Patterns = append(entries, e), append(o.Patterns, own.Pattern)
	}
	if scanner, err = payload.New(o); err != nil {
		return nil, nil, fmt.Errorf("inspect: %w", err)
	}
	return entries, scanner, nil
}

// judge keeps which patterns are on. If none is, nothing is searched.
func (payloads) judge(g grades, limit int) (judge, error) {
	j := &payloadJudge{scanner: g.scanner, limit: limit, patterns: make([]gradedPattern, g.scanner.Len())}
	reasons := registry().of(InspectorPayload)
	on := false
	for n, s := range g.fixed {
		graded := gradedPattern{&reasons[n], s}
		if n == len(reasons)-1 {
			j.budget = graded
			break
		}
		j.patterns[n] = graded
		on = on || s != Off
	}
	for _, own := range g.entries {
		on = true
		j.patterns[own.entry.what.(int)] = gradedPattern{&own.entry.Reason, own.severity}
	}
	if !on {
		return nil, nil
	}
	return j, nil
}

// payloadJudge is the patterns with their severities.
type payloadJudge struct {
	scanner  *payload.Scanner
	limit    int             // of findings
	patterns []gradedPattern // by number
	budget   gradedPattern
}

type gradedPattern struct {
	reason   *Reason // nil if a pattern of the configuration is off
	severity Severity
}

// inspect reports each pattern once, at its first place.
func (j *payloadJudge) inspect(in *input, out *emitter) {
	s := &in.scan
	s.of(j.scanner, in.Body)
	if s.verdict == payload.Clean {
		return
	}
	if s.verdict == payload.Exhausted {
		out.emit(j.budget.reason, j.budget.severity, "", -1, j.budget.reason.Text)
	}
	for _, i := range j.kept(s.matches, out) {
		m := &s.matches[i]
		p := &j.patterns[m.Pattern]
		place := s.place(i, in.Body)
		out.emit(p.reason, p.severity, place.Pointer, m.Offset, payloadMessage(m, place, p.reason))
	}
}

// kept returns which matches are reported, in the order of the text: those that are on, and of more
// than the limit the most severe ones, observed ones last. The others count.
func (j *payloadJudge) kept(matches []payload.Match, out *emitter) (numbers []int) {
	severity := func(i int) Severity { return j.patterns[matches[i].Pattern].severity }
	observed := func(i int) int {
		if out.observing[j.patterns[matches[i].Pattern].reason.ID] {
			return 1
		}
		return 0
	}
	for i := range matches {
		if severity(i) != Off {
			numbers = append(numbers, i)
		}
	}
	if len(numbers) > j.limit {
		slices.SortStableFunc(numbers, func(a, b int) int {
			return cmp.Or(cmp.Compare(severity(b), severity(a)), cmp.Compare(observed(a), observed(b)))
		})
		for _, i := range numbers[j.limit:] {
			out.skip(severity(i), 1)
		}
		numbers = numbers[:j.limit]
		slices.Sort(numbers)
	}
	return numbers
}

// payloadMessage says what was found, and in what.
func payloadMessage(m *payload.Match, place located, r *Reason) string {
	text := "payload in a value"
	switch {
	case !place.known:
		text = "payload in the text"
	case place.Key:
		text = "payload in a key"
	}
	if m.Nested > 0 {
		text += " with JSON in it"
	}
	if m.Layered {
		text += ", encoded"
	}
	return text + ": " + r.Text
}

// scan is what was found in the request that was decoded last. It depends on nothing else, so it is
// made once for all policies.
type scan struct {
	done    bool
	verdict payload.Verdict
	matches []payload.Match // in the order of the text
	places  []located       // of the matches; made when needed
	offsets []int           // working memory
}

// located is a place, if it could be found.
type located struct {
	payload.Place
	known bool
}

// reset prepares for another request. It keeps memory, but nothing of the request.
func (s *scan) reset() {
	clear(s.places)
	*s = scan{matches: s.matches[:0], places: s.places[:0], offsets: s.offsets[:0]}
}

// of searches the request, if that was not done.
func (s *scan) of(scanner *payload.Scanner, body []byte) {
	if s.done {
		return
	}
	s.done = true
	s.matches, s.verdict = scanner.Scan(s.matches[:0], body)
	slices.SortStableFunc(s.matches, func(a, b payload.Match) int { return cmp.Compare(a.Offset, b.Offset) })
}

// place returns where a match is. The first call finds out for all, in one walk.
func (s *scan) place(i int, body []byte) located {
	if len(s.places) == 0 {
		for _, m := range s.matches {
			s.offsets = append(s.offsets, m.Offset)
			s.places = append(s.places, located{})
		}
		payload.LocateAll(body, s.offsets, func(n int, p payload.Place) { s.places[n] = located{p, true} })
	}
	return s.places[i]
}
