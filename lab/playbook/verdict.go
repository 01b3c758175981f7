package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/lab/figures"
)

// answer is what a value says about a claim.
type answer struct {
	claim *claim
	got   figures.Figure
	known bool // measured in this run
	yes   bool // decided by the median
	close bool // a limit lies within the interval: another run may answer otherwise
}

// word is the answer in a table.
func (a answer) word() string {
	words := map[bool]string{true: "yes", false: "no"}[a.yes]
	switch {
	case !a.known:
		return "not measured"
	case a.close:
		return words + ", close"
	}
	return words
}

// answers holds the section's claims against figures.
func (e *experiment) answers(found map[string]figures.Figure) []answer {
	out := make([]answer, len(e.claims))
	for i := range e.claims {
		a := &out[i]
		a.claim = &e.claims[i]
		if a.got, a.known = found[e.prefix()+a.claim.value]; a.known {
			in := func(v float64) bool { return a.claim.want.lo <= v && v <= a.claim.want.hi }
			a.yes = in(a.got.Value)
			a.close = in(a.got.Lo) != a.yes || in(a.got.Hi) != a.yes
		}
	}
	return out
}

// verdict is what became of a section.
type verdict struct {
	yes, no []string // conditions under which it holds, and under which it does not
	close   bool     // an answer that counts is close
}

// decide groups answers by their conditions. A condition holds if all claims under it do, so that
// the words of a verdict separate the cases in which the section is right from the others.
func decide(answers []answer) verdict {
	var v verdict
	var order []string
	good := map[string]bool{}
	for _, a := range answers {
		if !a.known {
			continue
		}
		when := a.claim.when
		if before, seen := good[when]; !seen {
			order = append(order, when)
			good[when] = a.yes
		} else {
			good[when] = before && a.yes
		}
		v.close = v.close || a.close
	}
	for _, when := range order {
		if good[when] {
			v.yes = append(v.yes, when)
		} else {
			v.no = append(v.no, when)
		}
	}
	return v
}

// String is "holds", "false" or "holds if ...".
func (v verdict) String() string {
	switch {
	case len(v.yes)+len(v.no) == 0:
		return "not measured"
	case len(v.no) == 0:
		return "holds"
	case len(v.yes) == 0:
		return "false"
	}
	return fmt.Sprintf("holds if %s; false if %s", either(v.yes), either(v.no))
}

// either joins conditions. Those that have commas would be hard to tell apart.
func either(list []string) string {
	if len(list) == 1 {
		return list[0]
	}
	separator := ", "
	if slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, ",") }) {
		separator = "; "
	}
	last := len(list) - 1
	return strings.Join(list[:last], separator) + separator + "or " + list[last]
}
