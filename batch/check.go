package batch

import (
	"context"
	"errors"
	"fmt"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/schema"
)

// Document is one document of an input.
type Document struct {
	// Data is the text. It is valid until the function it was passed to returns, or until the
	// next call of [Reader.Next]. If TooLarge, it is only the beginning.
	Data []byte
	// Number counts the documents of the input, from 1.
	Number int64
	// Offset is the place of Data in the input, in bytes after decompression.
	Offset int64
	// Line and Column are the same place, both from 1; columns count characters.
	Line, Column int64
	// Type tells whether the document is a request or a response.
	Type schema.Doc
	// TooLarge tells that the document exceeds [Options.MaxDocument].
	TooLarge bool
}

// Located is a finding with its place in the input. Its ID is the id of the rule, as
// [schema.RuleByID] has it, or of another reason.
type Located struct {
	schema.Finding
	// Line and Column are the place in the input, both from 1; columns count characters. They point
	// to the document if Offset is -1.
	Line, Column int64
}

// Result is a document that has findings.
type Result struct {
	Input string // the input's name
	Document
	// Findings are valid as long as Data is; the strings in them may be kept.
	Findings []Located
	// Dropped and Counts come from the [schema.Report].
	Dropped int
	Counts  [schema.Error + 1]int
}

// Valid reports whether no finding has severity [schema.Error].
func (r *Result) Valid() bool { return r.Counts[schema.Error] == 0 }

// Counts are the totals of a check.
type Counts struct {
	Documents int64
	Requests  int64 // documents taken for bid requests
	Responses int64 // documents taken for bid responses
	Invalid   int64 // documents with a finding of severity [schema.Error]
	Flagged   int64 // documents with any finding
	Findings  [schema.Error + 1]int64
	Dropped   int64 // findings that are counted above but not reported
	Bytes     int64 // text, after decompression
	Read      int64 // before decompression
	// BlankLines are lines that hold no document, in [LayoutLines]; documents of another layout may
	// have any number of lines.
	BlankLines int64
	// Pairs counts responses, with [Options.Pairs].
	Pairs PairCounts
}

func (c *Counts) add(o *Counts) {
	c.Documents += o.Documents
	c.Requests += o.Requests
	c.Responses += o.Responses
	c.Invalid += o.Invalid
	c.Flagged += o.Flagged
	for i := range c.Findings {
		c.Findings[i] += o.Findings[i]
	}
	c.Dropped += o.Dropped
	c.Bytes += o.Bytes
	c.Read += o.Read
	c.BlankLines += o.BlankLines
	c.Pairs.add(&o.Pairs)
}

// InputStats are the totals of one input.
type InputStats struct {
	Name     string
	Encoding Encoding
	Layout   Layout // as detected, if the option is [LayoutAuto]
	Counts
	// Err is nil if the input was read to its end, and an [*InputError] otherwise.
	Err error
}

// Handler receives the results of a check. Nil functions are not called. All calls come from the
// goroutine that called [Check], in the order of the inputs; an error ends the check.
type Handler struct {
	// Result is called for every document with findings. Without it findings are not placed, which
	// takes time; [schema.WithoutPlaces] saves more.
	Result func(*Result) error
	// Tally, if not nil, counts the findings of the documents that the returned [Counts] cover.
	Tally *Tally
	// Rows is called with the rows of successive documents, of all of them. It needs
	// [Options.Judging]. The rows, and the strings in them, are valid until it returns.
	Rows func([]Row) error
	// Verdicts, if not nil, counts the verdicts of [Options.Judging].
	Verdicts *Verdicts
	// InputDone is called once for every input, after its results.
	InputDone func(*InputStats) error
	// Idle is called before waiting for results: a good time to flush output.
	Idle func() error
}

// inputErrorsMax is how many errors of inputs Check returns. InputDone receives them all.
const inputErrorsMax = 10

// Check checks every document of every input with engine and reports to h. It continues after
// an input that can't be read, and after a document that is not JSON.
//
// If the handler or ctx ended the check early, Check returns its error; otherwise the error joins
// the [*InputError] of every input that was not read to its end, the first few if there are many.
// In either case the counts cover what has been handled. When ctx ends the check, a call of an
// input's Read may still be running.
func Check(ctx context.Context, engine *schema.Engine, inputs []Input, opts Options, h Handler) (Counts, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return Counts{}, err
	}
	if h.Rows != nil && opts.Judging.Engine == nil {
		return Counts{}, errors.New("batch: Handler.Rows needs Options.Judging, which has the engine that judges")
	}
	if opts.Progress == nil {
		opts.Progress = new(Progress)
	}
	c := &collector{h: h, progress: opts.Progress}
	tooLarge := engine.Finding(RuleDocumentSize, sizeMessage(opts.MaxDocument))
	newWorker := func() worker {
		w := &checker{Checker: engine.NewChecker(), opts: opts, tooLarge: []schema.Finding{tooLarge}}
		w.counting, w.placing, w.rowing = h.Tally != nil, h.Result != nil, h.Rows != nil
		if opts.Judging.Engine != nil {
			w.judging, w.counted = opts.Judging.Engine.NewWorker(), h.Verdicts != nil
		}
		return w.check
	}
	idle := h.Idle
	if idle == nil {
		idle = func() error { return nil }
	}
	if err := newPipeline(opts).run(ctx, inputs, newWorker, c.handle, idle); err != nil {
		c.total.add(&c.input)
		return c.total, err
	}
	return c.total, c.inputsError()
}

// findingsMax is how many findings a worker keeps before it hands them over. It bounds the
// memory of findings, which on hostile input can take hundreds of times that of the text.
const findingsMax = 4096

// checked holds a worker's results for a chunk. Places are relative to the chunk's start.
type checked struct {
	counts   Counts
	tally    *Tally    // made when needed
	verdicts *Verdicts // made when needed
	results  []Result
	ends     []int // results[i] has the findings up to ends[i]
	findings []Located
	rows     rows
	measure  position // of the whole chunk
}

// reset forgets what has been handled.
func (c *checked) reset() {
	c.results, c.ends, c.findings = c.results[:0], c.ends[:0], c.findings[:0]
	c.rows.reset()
}

// full reports whether the results are to be handed over.
func (c *checked) full() bool { return len(c.findings) >= findingsMax || c.rows.full() }

// checker is a worker of [Check].
type checker struct {
	*schema.Checker
	opts     Options
	tooLarge []schema.Finding // the one finding of documents beyond the limit
	counting bool             // the handler has a tally
	placing  bool             // it has a function for results
	rowing   bool             // it has a function for rows

	judging *inspect.Worker // nil unless a configuration judges requests
	judged  []schema.Finding
	verdict inspect.Verdict // on the last request
	counted bool            // the handler counts verdicts
}

// check checks the documents of a chunk.
func (w *checker) check(c *chunk, handOver func() bool) {
	out := &c.checked
	out.counts = Counts{Bytes: int64(len(c.data))}
	out.reset()
	if w.counting && out.tally == nil {
		out.tally = new(Tally)
	}
	if out.tally != nil {
		out.tally.reset()
	}
	if w.counted && out.verdicts == nil {
		out.verdicts = newVerdicts()
	}
	if out.verdicts != nil {
		out.verdicts.reset()
	}
	places := tracker{text: c.data}
	stopped := false
	out.counts.BlankLines = c.each(w.opts.MaxDocument, func(start, end int, large bool) {
		if stopped {
			return
		}
		out.counts.Documents++
		d := Document{Data: c.data[start:end], Number: out.counts.Documents, Offset: c.offset + int64(start), TooLarge: large}
		var report schema.Report
		d.Type, report = w.report(d.Data, large, &out.counts, out.verdicts)
		if w.rowing {
			d.Line = places.at(start).lines
			w.row(&out.rows, &d, &report)
		}
		if len(report.Findings) > 0 || report.Dropped > 0 {
			out.counts.count(&report)
			switch {
			case !w.counting:
			case w.judging != nil && d.Type == schema.Request:
				out.tally.addVerdict(report.Findings)
			default:
				out.tally.rules.Add(report.Findings)
			}
			if w.placing {
				out.result(d, &report, places.at(start))
			}
		}
		if out.full() {
			stopped = !handOver()
			out.reset()
		}
	})
	out.measure = places.at(len(c.data))
}

// result adds the findings of a document that begins at a place.
func (c *checked) result(d Document, report *schema.Report, at position) {
	d.Line, d.Column = at.lines, at.columns
	inside := tracker{text: d.Data}
	for i := range report.Findings {
		f := &report.Findings[i]
		at := at.plus(inside.at(max(f.Offset, 0)))
		c.findings = append(c.findings, Located{*f, at.lines, at.columns})
	}
	c.results = append(c.results, Result{Document: d, Dropped: report.Dropped, Counts: report.Counts})
	c.ends = append(c.ends, len(c.findings))
}

// report checks one document.
func (w *checker) report(doc []byte, large bool, counts *Counts, verdicts *Verdicts) (schema.Doc, schema.Report) {
	kind := w.opts.Type.typeOf(doc)
	if kind == schema.Response {
		counts.Responses++
	} else {
		counts.Requests++
	}
	switch {
	case large && w.judging != nil && kind == schema.Request:
		return kind, w.judgeTooLarge(verdicts)
	case large && w.tooLarge[0].Severity == schema.Off:
		return kind, schema.Report{}
	case large:
		report := schema.Report{Findings: w.tooLarge}
		report.Counts[w.tooLarge[0].Severity] = 1
		return kind, report
	case kind == schema.Response:
		return kind, w.response(doc, &counts.Pairs)
	case w.judging != nil:
		return kind, w.judge(doc, verdicts)
	}
	return kind, w.Request(doc)
}

// count adds the findings of a document.
func (c *Counts) count(r *schema.Report) {
	c.Flagged++
	c.Invalid += int64(btoi(!r.Valid()))
	for i, n := range r.Counts {
		c.Findings[i] += int64(n)
	}
	c.Dropped += int64(r.Dropped)
}

// collector passes results on. It knows where a chunk begins, which workers don't.
type collector struct {
	h        Handler
	progress *Progress
	total    Counts   // of the inputs before this one
	input    Counts   // of the input so far
	at       position // where the next chunk begins
	errs     []error
	failed   int
}

// handle passes on the results of a chunk, or of a part of it.
func (k *collector) handle(c *chunk, last bool) error {
	if c.ended != nil {
		return k.endInput(c.ended)
	}
	first := 0
	for i := range c.checked.results {
		r := &c.checked.results[i]
		r.Findings = c.checked.findings[first:c.checked.ends[i]]
		first = c.checked.ends[i]
		if k.h.Result == nil {
			continue
		}
		k.place(r)
		r.Input = c.name
		if err := k.h.Result(r); err != nil {
			return err
		}
	}
	if len(c.checked.rows.list) > 0 {
		for i := range c.checked.rows.list {
			r := &c.checked.rows.list[i]
			r.File, r.Document, r.Line = c.name, r.Document+k.input.Documents, r.Line+k.at.lines+1
		}
		if err := k.h.Rows(c.checked.rows.list); err != nil {
			return err
		}
	}
	if !last {
		return nil
	}
	k.at = k.at.plus(c.checked.measure)
	k.input.add(&c.checked.counts)
	if k.h.Tally != nil {
		k.h.Tally.merge(c.checked.tally)
	}
	if c.checked.verdicts != nil && k.h.Verdicts != nil {
		k.h.Verdicts.merge(c.checked.verdicts)
	}
	k.progress.documents.Add(c.checked.counts.Documents)
	return nil
}

// place converts the places in a result from relative to the chunk to relative to the input.
func (k *collector) place(r *Result) {
	r.Number += k.input.Documents
	r.Line, r.Column = k.at.plus(position{r.Line, r.Column}).human()
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Line, f.Column = k.at.plus(position{f.Line, f.Column}).human()
	}
}

// human returns a position counted from 1.
func (p position) human() (line, column int64) { return p.lines + 1, p.columns + 1 }

// endInput completes the totals of an input and passes them on.
func (k *collector) endInput(s *InputStats) error {
	k.input.Read, k.input.Bytes = s.Read, s.Bytes
	s.Counts = k.input
	if s.Err != nil {
		s.Err = &InputError{Input: s.Name, Bytes: s.Bytes, Documents: s.Documents, Line: k.at.lines + 1, Err: s.Err}
		if k.failed++; k.failed <= inputErrorsMax {
			k.errs = append(k.errs, s.Err)
		}
	}
	k.total.add(&k.input)
	k.input, k.at = Counts{}, position{}
	if k.h.InputDone == nil {
		return nil
	}
	return k.h.InputDone(s)
}

// inputsError joins the errors of the inputs.
func (k *collector) inputsError() error {
	if more := k.failed - len(k.errs); more > 0 {
		return errors.Join(append(k.errs, fmt.Errorf("%d more inputs could not be read", more))...)
	}
	return errors.Join(k.errs...)
}
