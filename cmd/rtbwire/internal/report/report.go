// Package report writes the results of a check, in formats for people and for programs.
//
// Every format is one file with one type that implements [Report]; [New] chooses one. Reports
// are written while the check runs, except for what a format keeps until the end, within a
// documented limit. Only HTML shows parts of documents; the others show no more of them than the
// names in JSON Pointers.
package report

import (
	"fmt"
	"io"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/schema"
)

// Report receives what a check finds, from one goroutine.
type Report interface {
	// Document takes the findings of a document. They are valid during the call only.
	Document(r *batch.Result) error
	// Input takes the outcome of an input, after its documents.
	Input(s *batch.InputStats) error
	// End completes the report. Nothing is called after it.
	End(s *Summary) error
}

// Rows is a [Report] that takes a row of each document, with or without findings.
type Rows interface {
	Report
	// Rows takes the rows of successive documents. They are valid during the call only.
	Rows(rows []batch.Row) error
}

// Options configure a report.
type Options struct {
	Version string          // of rtbwire
	Spec    string          // the version of OpenRTB
	Config  string          // how the rules are configured, for people
	Judge   *inspect.Engine // that judges requests, or nil
	Color   bool            // for a terminal; text only
	Summary bool            // add the summary; formats that always have one ignore it
	Tables  io.Writer       // takes the summary of formats that can't hold it: parquet
}

// Formats are the names that [New] knows, the default first.
var Formats = []string{"text", "json", "ndjson", "sarif", "junit", "html", Parquet}

// Parquet is the format of a table with a row for each document. It is written to a file.
const Parquet = "parquet"

// New returns a report in the given format.
func New(format string, w io.Writer, o Options) (Report, error) {
	switch format {
	case "text":
		return newText(w, o), nil
	case "json":
		return newJSON(w, o), nil
	case "ndjson":
		return newNDJSON(w, o), nil
	case "sarif":
		return newSARIF(w, o), nil
	case "junit":
		return newJUnit(w, o), nil
	case "html":
		return newHTML(w, o), nil
	case Parquet:
		return newParquet(w, o), nil
	}
	return nil, fmt.Errorf("unknown format %q", format)
}

// rules are the rules of findings. They are cached, because looking one up takes a search.
type rules struct {
	known map[string]schema.Rule
	judge *inspect.Engine // nil unless it has judged requests
}

func newRules(o Options) rules { return rules{map[string]schema.Rule{}, o.Judge} }

// get returns the rule with the given id. A reason that is not about the specification counts as a
// rule without a section.
func (m rules) get(id string) schema.Rule {
	r, known := m.known[id]
	if !known {
		if r, known = schema.RuleByID(id); !known && m.judge != nil {
			if reason, found := m.judge.ReasonByID(id); found {
				r = schema.Rule{ID: id, Summary: reason.Text, Kind: reason.Inspector.String(), Severity: reason.Severity}
			}
		}
		m.known[id] = r
	}
	return r
}

// withReference returns a text with where its rule is from, if there is something to name.
func withReference(text string, r schema.Rule) string {
	if from := reference(r); from != "" {
		return text + " (" + from + ")"
	}
	return text
}

// reference returns where a rule is from: "section 3.2.6", or another source.
func reference(r schema.Rule) string {
	switch {
	case r.Section == "":
		return r.Source
	case r.Source == "spec", r.Source == "":
		return "section " + r.Section
	case r.Source == "impl-notes":
		return "implementation notes, section " + r.Section
	case r.Source == "schain":
		return "SupplyChain, section " + r.Section
	}
	return r.Source + ", section " + r.Section
}
