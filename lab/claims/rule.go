package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/rtbwire/rtbwire/lab/figures"
)

// Rule turns a measured value into a verdict: what was said holds where the value is from lo to hi.
type Rule struct {
	lo, hi float64
	text   string // "at least %s"; each %s is a bound, written like the figure
	bounds []float64
}

// About accepts values within a part of what was said, up and down alike: 0.25 of 4 is from 3.2
// to 5.
func About(said, part float64) Rule {
	lo, hi := said/(1+part), said*(1+part)
	return Rule{lo, hi, fmt.Sprintf("%%s within %.0f%%%%: %%s to %%s", 100*part), []float64{said, lo, hi}}
}

// Between accepts values of a range that was said.
func Between(lo, hi float64) Rule { return Rule{lo, hi, "from %s to %s", []float64{lo, hi}} }

// AtLeast accepts a value and all above it.
func AtLeast(v float64) Rule { return Rule{v, math.Inf(1), "at least %s", []float64{v}} }

// AtMost accepts a value and all below it.
func AtMost(v float64) Rule { return Rule{math.Inf(-1), v, "at most %s", []float64{v}} }

// Above accepts all values above one. It is for statements that one thing is more than another.
func Above(v float64) Rule {
	return Rule{math.Nextafter(v, math.Inf(1)), math.Inf(1), "more than %s", []float64{v}}
}

// Below accepts all values below one.
func Below(v float64) Rule {
	return Rule{math.Inf(-1), math.Nextafter(v, math.Inf(-1)), "less than %s", []float64{v}}
}

// Count accepts a whole number, and means of counts that are rounded to it.
func Count(n float64) Rule { return Rule{n - 0.5, n + 0.5, "%s", []float64{n}} }

// No accepts a flag that says that something does not happen.
var No = Rule{0, 0, "it does not happen", nil}

// Outcome is what one figure says about a statement.
type Outcome int

// A figure whose interval has values that the rule accepts and values that it does not is unsure.
const (
	Unmeasured Outcome = iota
	Holds
	Less // the statement does not hold: what was measured is less
	More
	Unsure
)

// judge applies the rule to a figure.
func (r Rule) judge(f figures.Figure) Outcome {
	switch {
	case f.Lo >= r.lo && f.Hi <= r.hi:
		return Holds
	case f.Hi < r.lo:
		return Less
	case f.Lo > r.hi:
		return More
	}
	return Unsure
}

// describe says which values the rule accepts.
func (r Rule) describe(as Form, unit string) string {
	var bounds []any
	for _, v := range r.bounds {
		bounds = append(bounds, as.value(v, unit))
	}
	return fmt.Sprintf(r.text, bounds...)
}

// Verdict is the outcome of all tests of a statement.
type Verdict int

// A statement whose tests hold in part holds under a condition, unless no test says where it does
// not hold.
const (
	NotMeasured Verdict = iota
	DoesHold
	DoesNotHold
	HoldsIf
	CannotTell
)

// verdicts in the order of the conclusion.
var verdicts = []Verdict{DoesHold, HoldsIf, DoesNotHold, CannotTell, NotMeasured}

func (v Verdict) String() string {
	return [...]string{"not measured", "holds", "does not hold", "holds under a condition", "this run can't tell"}[v]
}

// combine returns the verdict of the outcomes of tests.
func combine(outcomes []Outcome) Verdict {
	var holds, fails, unsure int
	for _, o := range outcomes {
		switch o {
		case Unmeasured:
			return NotMeasured
		case Holds:
			holds++
		case Unsure:
			unsure++
		default:
			fails++
		}
	}
	switch {
	case len(outcomes) == 0:
		return NotMeasured
	case holds == len(outcomes):
		return DoesHold
	case fails == len(outcomes):
		return DoesNotHold
	case holds > 0 && fails > 0:
		return HoldsIf
	}
	return CannotTell
}

// wording returns the verdict in words. conditions has what each outcome is about.
func wording(outcomes []Outcome, conditions []string) string {
	v := combine(outcomes)
	by := map[Outcome][]string{}
	for i, o := range outcomes {
		by[o] = append(by[o], conditions[i])
	}
	switch {
	case v == DoesNotHold && by[More] == nil:
		return "does not hold: less"
	case v == DoesNotHold && by[Less] == nil:
		return "does not hold: more"
	case v == NotMeasured, v == DoesHold, v == DoesNotHold, len(outcomes) == len(by[Unsure]):
		return v.String()
	}
	var parts []string
	if c := by[Holds]; c != nil {
		parts = append(parts, "holds for "+and(c))
	}
	if c := append(by[Less], by[More]...); c != nil {
		parts = append(parts, "does not hold for "+and(c))
	}
	if c := by[Unsure]; c != nil {
		parts = append(parts, "this run can't tell for "+and(c))
	}
	return strings.Join(parts, "; ")
}

func and(list []string) string {
	if n := len(list) - 1; n > 0 {
		return strings.Join(list[:n], ", ") + " and " + list[n]
	}
	return list[0]
}
