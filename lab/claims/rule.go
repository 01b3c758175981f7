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

// edge is the part by which a value may miss what was said, up and down alike.
const edge = 0.25

// About accepts values within a part of what was said, up and down alike: 0.25 of 4 is from 3.2
// to 5. What was said to be more than 1 is not less, whatever the part, and the other way round.
func About(said, part float64) Rule {
	lo, hi := sameSide(said, said/(1+part), said*(1+part))
	return Rule{lo, hi, fmt.Sprintf("%%s within %.0f%%%%: %%s to %%s", 100*part), []float64{said, lo, hi}}
}

func sameSide(said, lo, hi float64) (float64, float64) {
	switch {
	case said > 1:
		lo = max(lo, math.Nextafter(1, 2))
	case said < 1:
		hi = min(hi, max(said, math.Nextafter(1, 0)))
	}
	return lo, hi
}

// Between accepts values of a range that was said.
func Between(lo, hi float64) Rule { return Rule{lo, hi, "from %s to %s", []float64{lo, hi}} }

// Range accepts values of a range of factors that was said, and values beyond its ends by the same
// part as About does.
func Range(from, to float64) Rule {
	lo, _ := sameSide(from, from/(1+edge), from)
	_, hi := sameSide(to, to, to*(1+edge))
	return Rule{lo, hi, fmt.Sprintf("%%s to %%s within %.0f%%%%: %%s to %%s", 100*edge), []float64{from, to, lo, hi}}
}

// Longer accepts times that are longer by shares from one to another, and shares beyond these by
// the same part as About does.
func Longer(from, to float64) Rule {
	lo, hi := 1+from/(1+edge), 1+to*(1+edge)
	return Rule{lo, hi, fmt.Sprintf("%.0f to %.0f%%%% longer within %.0f%%%%: %%s to %%s", 100*from, 100*to, 100*edge), []float64{lo, hi}}
}

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

// Yes accepts a flag that says that something happens.
var Yes = Rule{1, 1, "it happens", nil}

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

// widest is the factor between the ends of an interval from which on it decides nothing, wherever
// it lies: another run may well give any value inside, and some outside.
const widest = 4

// spread is the factor that an interval spans, 1 where it has no meaning.
func spread(f figures.Figure) float64 {
	if f.Lo <= 0 {
		return 1
	}
	return f.Hi / f.Lo
}

// judge applies the rule to a figure.
func (r Rule) judge(f figures.Figure) Outcome {
	switch {
	case spread(f) > widest:
		return Unsure
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
	TooFewCores // the statement is about more cores than the machines have
	NotTested   // the row says why
)

// verdicts in the order of the conclusion.
var verdicts = []Verdict{DoesHold, HoldsIf, DoesNotHold, CannotTell, TooFewCores, NotTested, NotMeasured}

func (v Verdict) String() string {
	return [...]string{
		"not measured", "holds", "does not hold", "holds under a condition", "this run can't tell",
		"can't be tested on so few cores", "not tested here",
	}[v]
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
