package report

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/inspect/schema"
)

// JUnitPlacesMax is how many places a test case of a JUnit report lists. The number of all
// findings is in its message.
const JUnitPlacesMax = 20

// junitReport is a JUnit XML report. An input is a test suite. Its test cases are the rules with
// findings in it, not its documents, which may be millions: a case fails if a finding is of
// level error and passes with the places in its output otherwise. One more case, "readable",
// says whether the input could be read to its end, so that no suite is empty.
type junitReport struct {
	w     io.Writer
	rules rules
	cases map[tallyKey]*junitRule
	begun bool
}

// junitRule gathers the findings of a rule in an input.
type junitRule struct {
	tallyKey
	message  string
	findings int
	places   strings.Builder
}

func newJUnit(w io.Writer, o Options) Report {
	return &junitReport{w: w, rules: newRules(o), cases: map[tallyKey]*junitRule{}}
}

type (
	junitSuite struct {
		XMLName  xml.Name    `xml:"testsuite"`
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		XMLName xml.Name      `xml:"testcase"`
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Failure *junitFailure `xml:"failure"`
		Error   *junitFailure `xml:"error"`
		Out     *junitText    `xml:"system-out"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",cdata"`
	}
	junitText struct {
		Text string `xml:",cdata"`
	}
)

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
			fmt.Fprintf(&c.places, "%s:%d:%d at %s\n", appendVisible(nil, r.Input), f.Line, f.Column, appendVisible(nil, orRoot(f.Path)))
		}
	}
	return nil
}

func (j *junitReport) Input(s *batch.InputStats) error {
	suite := junitSuite{Name: s.Name}
	readable := junitCase{Name: "readable", Class: s.Name, Out: &junitText{fmt.Sprintf("%d documents, %d invalid", s.Documents, s.Invalid)}}
	if s.Err != nil {
		readable.Error = &junitFailure{Message: s.Err.Error(), Type: "unreadable"}
		suite.Errors++
	}
	suite.Cases = append(suite.Cases, readable)
	for _, c := range j.sorted() {
		if c.Failure != nil {
			suite.Failures++
		}
		c.Class = s.Name
		suite.Cases = append(suite.Cases, c)
	}
	suite.Tests = len(suite.Cases)
	clear(j.cases)
	return j.write(suite)
}

// sorted returns the cases of the input, the most severe first.
func (j *junitReport) sorted() []junitCase {
	found := make([]*junitRule, 0, len(j.cases))
	for _, c := range j.cases {
		found = append(found, c)
	}
	slices.SortFunc(found, func(a, b *junitRule) int {
		return cmp.Or(-cmp.Compare(a.severity, b.severity), cmp.Compare(a.id, b.id))
	})
	cases := make([]junitCase, len(found))
	for i, c := range found {
		if more := c.findings - JUnitPlacesMax; more > 0 {
			fmt.Fprintf(&c.places, "and %d more\n", more)
		}
		text := withReference(c.message, j.rules.get(c.id)) + "\n" + c.places.String()
		cases[i].Name = c.id
		if c.severity == schema.Error {
			cases[i].Failure = &junitFailure{Message: fmt.Sprintf("%d findings: %s", c.findings, c.message), Type: "error", Text: text}
		} else {
			cases[i].Out = &junitText{fmt.Sprintf("%v: %s", c.severity, text)}
		}
	}
	return cases
}

// write writes a suite, and the root's beginning before the first.
func (j *junitReport) write(s junitSuite) error {
	if err := j.begin(); err != nil {
		return err
	}
	out, err := xml.MarshalIndent(s, " ", " ")
	if err != nil {
		return err
	}
	_, err = j.w.Write(append(out, '\n'))
	return err
}

func (j *junitReport) begin() error {
	if j.begun {
		return nil
	}
	j.begun = true
	_, err := io.WriteString(j.w, xml.Header+"<testsuites name=\"rtbwire check\">\n")
	return err
}

func (j *junitReport) End(s *Summary) error {
	if s.Pairs != nil { // a suite of its own: the numbers are about all inputs
		pairs := junitCase{Name: "pairs", Class: s.Pairs.Name, Out: &junitText{s.Pairs.String()}}
		if err := j.write(junitSuite{Name: s.Pairs.Name, Tests: 1, Cases: []junitCase{pairs}}); err != nil {
			return err
		}
	}
	if err := j.begin(); err != nil {
		return err
	}
	_, err := io.WriteString(j.w, "</testsuites>\n")
	return err
}
