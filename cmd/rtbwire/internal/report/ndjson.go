package report

import (
	"io"

	"github.com/rtbwire/rtbwire/batch"
)

// ndjsonReport is one JSON object a line for every document with findings, and one for every
// input that could not be read to its end. With a summary, the last line is an object with the
// member "summary" and the totals of the json format.
type ndjsonReport struct {
	w      io.Writer
	o      Options
	issues issues
	buf    []byte
}

func newNDJSON(w io.Writer, o Options) Report { return &ndjsonReport{w: w, o: o, issues: issues{}} }

func (n *ndjsonReport) Document(r *batch.Result) error {
	o := object{b: append(n.buf[:0], '{')}
	o.string("version", n.o.Spec)
	place(&o, r)
	o.int("line", r.Line)
	o.int("column", r.Column)
	o.bool("valid", r.Valid())
	o.open("issues", '[')
	for i := range r.Findings {
		o.open("", '{')
		n.issues.add(&o, &r.Findings[i])
		o.close('}')
	}
	o.close(']')
	o.int("issues_dropped", int64(r.Dropped))
	return n.line(&o)
}

// line ends the object and writes it.
func (n *ndjsonReport) line(o *object) error {
	o.close('}')
	n.buf = append(o.b, '\n')
	_, err := n.w.Write(n.buf)
	return err
}

func (n *ndjsonReport) Input(s *batch.InputStats) error {
	if s.Err == nil {
		return nil
	}
	o := object{b: append(n.buf[:0], '{')}
	o.string("file", s.Name)
	o.string("error", s.Err.Error())
	return n.line(&o)
}

func (n *ndjsonReport) End(s *Summary) error {
	if !n.o.Summary {
		return nil
	}
	o := object{b: append(n.buf[:0], '{')}
	o.bool("valid", s.Passed())
	documents(&o, &s.Counts)
	o.int("blank_lines", s.BlankLines)
	pairs(&o, s.Pairs)
	o.int("issues_dropped", s.Dropped)
	summary(&o, s)
	return n.line(&o)
}
