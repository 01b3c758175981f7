// Package junit writes JUnit XML, which CI systems read as a test report.
package junit

import (
	"encoding/xml"
	"io"
)

// Suite is a group of test cases.
type Suite struct {
	Name  string
	Cases []Case
}

// Case is a test. It has passed if it has neither a failure nor an error.
type Case struct {
	XMLName xml.Name `xml:"testcase"`
	Name    string   `xml:"name,attr"`
	Class   string   `xml:"classname,attr"`
	File    string   `xml:"file,attr,omitempty"` // where the case stands
	Line    int      `xml:"line,attr,omitempty"`
	Failure *Problem `xml:"failure"`
	Error   *Problem `xml:"error"` // the case could not be run
	Out     *Text    `xml:"system-out"`
}

// Problem says why a case has not passed.
type Problem struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",cdata"`
}

// Text is what a case has to say.
type Text struct {
	Text string `xml:",cdata"`
}

// Writer writes a report suite by suite, so that none has to be kept.
type Writer struct {
	w     io.Writer
	name  string
	begun bool
}

// NewWriter returns a writer of a report with a name.
func NewWriter(w io.Writer, name string) *Writer { return &Writer{w: w, name: name} }

// Write writes a suite, with the counts that its cases make.
func (w *Writer) Write(s *Suite) error {
	if err := w.begin(); err != nil {
		return err
	}
	counted := struct {
		XMLName  xml.Name `xml:"testsuite"`
		Name     string   `xml:"name,attr"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Errors   int      `xml:"errors,attr"`
		Skipped  int      `xml:"skipped,attr"`
		Cases    []Case
	}{Name: s.Name, Tests: len(s.Cases), Cases: s.Cases}
	for i := range s.Cases {
		switch c := &s.Cases[i]; {
		case c.Failure != nil:
			counted.Failures++
		case c.Error != nil:
			counted.Errors++
		}
	}
	out, err := xml.MarshalIndent(counted, " ", " ")
	if err != nil {
		return err
	}
	_, err = w.w.Write(append(out, '\n'))
	return err
}

// Close completes the report, which may have no suite. It does not close what is written to.
func (w *Writer) Close() error {
	if err := w.begin(); err != nil {
		return err
	}
	_, err := io.WriteString(w.w, "</testsuites>\n")
	return err
}

// begin writes the root's start tag, once.
func (w *Writer) begin() error {
	if w.begun {
		return nil
	}
	w.begun = true
	if _, err := io.WriteString(w.w, xml.Header+`<testsuites name="`); err != nil {
		return err
	}
	if err := xml.EscapeText(w.w, []byte(w.name)); err != nil {
		return err
	}
	_, err := io.WriteString(w.w, "\">\n")
	return err
}
