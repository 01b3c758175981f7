package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/junit"
	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/internal/visible"
)

// JUnitPlacesMax is how many places a test case of a JUnit report lists. The number of all
// findings is in its message.
const JUnitPlacesMax = 20

// junitReport is a JUnit XML report. An input is a test suite. Its test cases are the rules with
// findings in it, not its documents, which may be millions: a case fails if a finding is of
// level error and passes with the places in its output otherwise. One more case, "readable",
// says whether the input could be read to its end, so that no suite is empty.
type junitReport struct {
	out   *junit.Writer
	rules rules
	cases map[tallyKey]*junitRule
}

// junitRule gathers the findings of a rule in an input.
type junitRule struct {
	tallyKey
	message  string
	findings int
	places   strings.Builder
}

func newJUnit(w io.Writer, o Options) Report {
	return &junitReport{out: junit.NewWriter(w, "rtbwire check"), rules: newRules(o), cases: map[tallyKey]*junitRule{}}
}

func (j *junitReport) Document(r *batch.Result) error {
	for i := range r.Findings {
		f := &r.Findings[i]
		key := tallyKey{f.ID, f.Severity}
		c := j.cases[key]
		if c == nil {
			c = &junitRule{tallyKey: key, message: f.Message}
			j.cases[key] = c
		}
		if c.findings++; c.findings <= JUnitPlacesMax {
			fmt.Fprintf(&c.places, "%s:%d:%d at %s\n", visible.Append(nil, r.Input), f.Line, f.Column, visible.Append(nil, orRoot(f.Path)))
		}
	}
	return nil
}

func (j *junitReport) Input(s *batch.InputStats) error {
	readable := junit.Case{Name: "readable", Out: &junit.Text{Text: fmt.Sprintf("%d documents, %d invalid", s.Documents, s.Invalid)}}
	if s.Err != nil {
		readable.Error = &junit.Problem{Message: s.Err.Error(), Type: "unreadable"}
	}
	suite := junit.Suite{Name: s.Name, Cases: append([]junit.Case{readable}, j.sorted()...)}
	for i := range suite.Cases {
		suite.Cases[i].Class = s.Name
	}
	clear(j.cases)
	return j.out.Write(&suite)
}

// sorted returns the cases of the input, the most severe first.
func (j *junitReport) sorted() []junit.Case {
	found := make([]*junitRule, 0, len(j.cases))
	for _, c := range j.cases {
		found = append(found, c)
	}
	slices.SortFunc(found, func(a, b *junitRule) int {
		return cmp.Or(-cmp.Compare(a.severity, b.severity), cmp.Compare(a.id, b.id))
	})
	cases := make([]junit.Case, len(found))
	for i, c := range found {
		if more := c.findings - JUnitPlacesMax; more > 0 {
			fmt.Fprintf(&c.places, "and %d more\n", more)
		}
		text := withReference(c.message, j.rules.get(c.id)) + "\n" + c.places.String()
		cases[i].Name = c.id
		if c.severity == schema.Error {
			cases[i].Failure = &junit.Problem{Message: fmt.Sprintf("%d findings: %s", c.findings, c.message), Type: "error", Text: text}
		} else {
			cases[i].Out = &junit.Text{Text: fmt.Sprintf("%s: %s", c.severity.Level(), text)}
		}
	}
	return cases
}

func (j *junitReport) End(s *Summary) error {
	if s.Pairs != nil { // a suite of its own: the numbers are about all inputs
		pairs := junit.Case{Name: "pairs", Class: s.Pairs.Name, Out: &junit.Text{Text: s.Pairs.String()}}
		if err := j.out.Write(&junit.Suite{Name: s.Pairs.Name, Cases: []junit.Case{pairs}}); err != nil {
			return err
		}
	}
	return j.out.Close()
}
