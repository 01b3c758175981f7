package report

import (
	"io"
	"strconv"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/internal/visible"
)

// textReport is the format for terminals and grep: one line per finding,
//
//	FILE:LINE:COLUMN: SEVERITY: MESSAGE [RULE] at PATH (section SECTION)
//
// and a line with "note" instead of the severity if findings of a document were dropped. The
// summary follows as tables.
type textReport struct {
	w     io.Writer
	o     Options
	rules rules
	table *summaryTable
	buf   []byte
}

func newText(w io.Writer, o Options) Report {
	return &textReport{w: w, o: o, rules: newRules(o), table: &summaryTable{}}
}

// styles are the escape sequences of a terminal, by meaning.
var styles = map[string]string{"error": "\x1b[1;31m", "warn": "\x1b[1;33m", "info": "\x1b[36m", "bold": "\x1b[1m", "dim": "\x1b[2m"}

// styled appends s in a style, if there are styles.
func (t *textReport) styled(b []byte, style, s string) []byte {
	if !t.o.Color {
		return append(b, s...)
	}
	b = append(append(b, styles[style]...), s...)
	return append(b, "\x1b[0m"...)
}

func (t *textReport) Document(r *batch.Result) error {
	b := t.buf[:0]
	for i := range r.Findings {
		f := &r.Findings[i]
		b = t.place(b, r.Input, f.Line, f.Column)
		b = t.styled(b, f.Severity.Level(), f.Severity.Level())
		b = append(append(b, ": "...), f.Message...)
		b = t.styled(b, "dim", " ["+f.ID+"]")
		b = visible.Append(append(b, " at "...), orRoot(f.Path))
		if from := reference(t.rules.get(f.ID)); from != "" { // rules of a configuration have none
			b = t.styled(b, "dim", " ("+from+")")
		}
		b = append(b, '\n')
	}
	if r.Dropped > 0 {
		b = t.place(b, r.Input, r.Line, r.Column)
		b = append(b, "note: "...)
		b = strconv.AppendInt(b, int64(r.Dropped), 10)
		b = append(b, " more findings in this document; --max-findings sets how many are kept\n"...)
	}
	t.buf = b
	_, err := t.w.Write(b)
	return err
}

// place appends "file:line:column: ".
func (t *textReport) place(b []byte, file string, line, column int64) []byte {
	start := len(b)
	b = append(visible.Append(b, file), ':')
	b = append(strconv.AppendInt(b, line, 10), ':')
	b = strconv.AppendInt(b, column, 10)
	if t.o.Color {
		b = t.styled(b[:start], "bold", string(b[start:]))
	}
	return append(b, ": "...)
}

func (t *textReport) Input(s *batch.InputStats) error {
	t.table.add(s)
	return nil
}

func (t *textReport) End(s *Summary) error {
	if !t.o.Summary {
		return nil
	}
	return t.table.write(t.w, s, t.o)
}

// orRoot returns a path, or a name for the root, whose path is empty.
func orRoot(path string) string {
	if path == "" {
		return "the root"
	}
	return path
}

// severities are the levels of findings, the most severe first.
var severities = []schema.Severity{schema.Error, schema.Warn, schema.Info}
