package report

import (
	"io"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/inspect/schema"
)

// jsonReport is one JSON object for the whole check. Its issues are written while the check
// runs, one per line; the totals follow them. docs/check.md describes the members.
type jsonReport struct {
	w      io.Writer
	o      Options
	issues issues
	files  []batch.InputStats
	begun  bool
	buf    []byte
}

func newJSON(w io.Writer, o Options) Report { return &jsonReport{w: w, o: o, issues: issues{}} }

// head appends what precedes the first issue.
func (j *jsonReport) head(b []byte) []byte {
	j.begun = true
	o := object{b: append(b, '{')}
	o.string("version", j.o.Spec)
	o.open("tool", '{')
	o.string("name", "rtbwire")
	o.string("version", j.o.Version)
	o.close('}')
	o.open("issues", '[')
	return o.b
}

func (j *jsonReport) Document(r *batch.Result) error {
	b := j.buf[:0]
	for i := range r.Findings {
		if !j.begun {
			b = append(j.head(b), '\n')
		} else {
			b = append(b, ",\n"...)
		}
		f := &r.Findings[i]
		o := object{b: append(b, '{')}
		j.issues.add(&o, f)
		place(&o, r)
		o.close('}')
		b = o.b
	}
	j.buf = b
	_, err := j.w.Write(b)
	return err
}

// issues writes findings. It keeps the members that are the same for all findings of a rule.
type issues map[tallyKey]*constants

// constants are members that do not change, as JSON.
type constants struct {
	head    []byte // up to the message
	message string // which few rules have more than one of
	escaped []byte // "message" with this one
	tail    []byte // from the section on
}

// get returns what the findings of a rule have in common.
func (m issues) get(f *batch.Located) *constants {
	key := tallyKey{f.ID, f.Severity}
	c := m[key]
	if c == nil {
		rule, _ := schema.RuleByID(f.ID)
		head, escaped, tail := object{}, object{comma: true}, object{comma: true}
		head.string("id", f.ID)
		head.string("severity", f.Severity.Level())
		escaped.string("message", f.Message)
		tail.string("section", rule.Section)
		tail.string("source", rule.Source)
		c = &constants{head.b, f.Message, escaped.b, tail.b}
		m[key] = c
	}
	return c
}

// add appends the members that describe a finding, the first ones of an object.
func (m issues) add(o *object, f *batch.Located) {
	c := m.get(f)
	o.b, o.comma = append(o.b, c.head...), true
	if f.Message == c.message {
		o.b = append(o.b, c.escaped...)
	} else {
		o.string("message", f.Message)
	}
	o.string("path", f.Path)
	if f.Offset >= 0 {
		o.int("offset", int64(f.Offset))
	}
	o.int("line", f.Line)
	o.int("column", f.Column)
	o.b = append(o.b, c.tail...)
}

// place appends the members that say which document a finding is in.
func place(o *object, r *batch.Result) {
	o.string("file", r.Input)
	o.int("document", r.Number)
	o.int("document_offset", r.Offset)
	o.string("type", r.Type.String())
}

func (j *jsonReport) Input(s *batch.InputStats) error {
	j.files = append(j.files, *s)
	return nil
}

func (j *jsonReport) End(s *Summary) error {
	b := j.buf[:0]
	if !j.begun {
		b = j.head(b)
	}
	o := object{b: append(b, '\n'), comma: false}
	o.close(']')
	o.bool("valid", s.Passed())
	documents(&o, &s.Counts)
	o.int("blank_lines", s.BlankLines)
	pairs(&o, s.Pairs)
	o.int("issues_dropped", s.Dropped)
	o.open("files", '[')
	for i := range j.files {
		o.b = append(o.b, "\n"...)
		file(&o, &j.files[i])
	}
	o.close(']')
	if j.o.Summary {
		summary(&o, s)
	}
	o.close('}')
	_, err := j.w.Write(append(o.b, '\n'))
	return err
}

// documents appends the numbers of documents.
func documents(o *object, c *batch.Counts) {
	o.open("documents", '{')
	o.int("total", c.Documents)
	o.int("valid", c.Documents-c.Invalid)
	o.int("invalid", c.Invalid)
	o.int("requests", c.Requests)
	o.int("responses", c.Responses)
	o.close('}')
}

// file appends an input.
func file(o *object, f *batch.InputStats) {
	o.open("", '{')
	o.string("file", f.Name)
	o.string("encoding", f.Encoding.String())
	o.string("layout", f.Layout.String())
	documents(o, &f.Counts)
	o.int("blank_lines", f.BlankLines)
	o.int("bytes", f.Bytes)
	if f.Err != nil {
		o.string("error", f.Err.Error())
	}
	o.close('}')
}

// summary appends the totals by severity and rule, and the times unless they are unwanted.
func summary(o *object, s *Summary) {
	o.open("summary", '{')
	o.open("findings", '{')
	for _, severity := range severities {
		o.int(severity.Level(), s.Findings[severity])
	}
	o.close('}')
	o.open("rules", '[')
	for _, r := range s.Rules {
		o.open("", '{')
		o.string("id", r.ID)
		o.string("severity", r.Severity.Level())
		o.string("section", r.Section)
		o.int("findings", r.Findings)
		o.int("documents", r.Documents)
		o.close('}')
	}
	o.close(']')
	verdicts(o, s.Verdicts)
	o.int("bytes", s.Bytes)
	if s.Elapsed > 0 {
		o.float("seconds", seconds(s.Elapsed))
		o.float("megabytes_per_second", s.MegabytesPerSecond())
		o.float("documents_per_second", s.DocumentsPerSecond())
	}
	o.close('}')
}
