package check

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/report"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/internal/explanation"
	"github.com/rtbwire/rtbwire/internal/wholefile"
	"github.com/rtbwire/rtbwire/openrtb"
)

// stdinName is the name of standard input in reports.
const stdinName = "stdin"

// run is one check.
type run struct {
	flags  *flags
	env    *cli.Env
	engine *schema.Engine
	judge  *inspect.Engine // of requests; nil if the rules of engine are all there is

	out      *bufio.Writer
	report   report.Report
	tally    batch.Tally
	verdicts batch.Verdicts
	pairs    *batch.Pairs // requests to compare responses with; nil without --pair
	inputs   int
	failed   int
}

// check reads the named files and writes the report.
func (r *run) check(ctx context.Context, names []string) error {
	inputs, err := r.open(names)
	if err != nil {
		return err
	}
	out, err := r.create(names)
	if err != nil {
		return err
	}
	defer out.Discard()
	r.out = bufio.NewWriterSize(out, 64<<10)
	f := r.flags
	r.report, err = report.New(f.format.Value, r.out, report.Options{
		Version: cli.Version(), Spec: openrtb.SpecVersion, Config: f.describe(), Judge: r.judge, Color: r.color(), Summary: f.summary,
		Tables: r.env.Stdout,
	})
	if err != nil {
		return err
	}
	progress := new(batch.Progress)
	stopBar := r.startBar(names, progress)
	start := time.Now()
	options := f.options(progress)
	if options.Pairs, err = r.readPairs(ctx, options); err != nil {
		stopBar()
		return err
	}
	handler := batch.Handler{Result: r.result, Tally: &r.tally, InputDone: r.inputDone, Idle: r.out.Flush}
	if f.bare() {
		handler.Result = nil
	}
	if _, takes := r.report.(report.Rows); takes {
		handler.Result, handler.Rows = nil, r.rows
	}
	if r.judge != nil {
		options.Judging, handler.Verdicts = batch.Judging{
			Engine: r.judge, Facts: inspect.Facts{Partner: f.partner, Publisher: f.publisher},
		}, &r.verdicts
	}
	counts, err := batch.Check(ctx, r.engine, inputs, options, handler)
	elapsed := time.Since(start)
	stopBar()
	// inputDone has reported the errors of inputs. Otherwise a check ends early after an
	// interrupt, in which case the report is completed, or if the report can't be written.
	interrupted := errors.Is(err, context.Canceled)
	if unreadable := (*batch.InputError)(nil); err != nil && !interrupted && !errors.As(err, &unreadable) {
		return fmt.Errorf("cannot write the report: %w", err)
	}
	if f.parquet() && (interrupted || r.failed > 0 || counts.Documents == 0) {
		return r.incomplete(interrupted, &counts)
	}
	if err = r.end(counts, elapsed); err == nil { // a table without its end must not get its name
		err = out.Commit()
	}
	switch {
	case err != nil:
		return fmt.Errorf("cannot write the report: %w", err)
	case interrupted:
		return fmt.Errorf("interrupted after %d documents; the report covers these", counts.Documents)
	case r.failed > 0:
		return cli.ErrReported
	case counts.Documents == 0: // inputDone has reported it for each input
		return cli.ErrReported
	case r.refused(&counts):
		return cli.ErrRefused
	}
	return nil
}

// incomplete tells why there is no table: one that lacks documents would be taken for whole.
func (r *run) incomplete(interrupted bool, counts *batch.Counts) error {
	if interrupted {
		return fmt.Errorf("interrupted after %d documents; %s was not written", counts.Documents, r.flags.output)
	}
	if r.failed > 0 {
		fmt.Fprintf(r.env.Stderr, "rtbwire check: %s was not written: %d of %d files were not read to their end\n", r.flags.output, r.failed, r.inputs)
	}
	return cli.ErrReported // inputDone has reported the rest
}

// open returns the inputs with the given names.
func (r *run) open(names []string) ([]batch.Input, error) {
	if len(names) == 0 {
		if r.env.StdinTerminal {
			return nil, cli.Usagef("no files given, and standard input is a terminal; name files, or - to type documents")
		}
		names = []string{"-"}
	}
	inputs := make([]batch.Input, len(names))
	stdin := 0
	if r.flags.pair == "-" {
		stdin++
	}
	for i, name := range names {
		if inputs[i] = batch.File(name); name == "-" {
			stdin++
			inputs[i] = batch.From(stdinName, r.env.Stdin)
			inputs[i].Live = true
		}
	}
	if stdin > 1 {
		return nil, cli.Usagef("- is given %d times, but standard input can be read only once", stdin)
	}
	return inputs, nil
}

// readPairs reads the requests of --pair.
func (r *run) readPairs(ctx context.Context, options batch.Options) (*batch.Pairs, error) {
	name := r.flags.pair
	if name == "" {
		return nil, nil
	}
	in := batch.File(name)
	if name == "-" {
		in = batch.From(stdinName, r.env.Stdin)
	}
	pairs, err := batch.ReadPairs(ctx, in, options, batch.PairLimits{Bytes: int64(r.flags.pairMemory)})
	limit := (*batch.PairLimitError)(nil)
	switch {
	case errors.Is(err, context.Canceled):
		return nil, errors.New("interrupted while the requests of --pair were read")
	case errors.As(err, &limit):
		return nil, fmt.Errorf("%s: %w; raise --pair-memory, or split the files", in.Name, err)
	case err != nil:
		return nil, fmt.Errorf("cannot read the requests of --pair: %w", err)
	case pairs.Stats().Requests == 0:
		return nil, fmt.Errorf("%s: no requests with an id found; is it the right file for --pair?", in.Name)
	}
	r.pairs = pairs
	return pairs, nil
}

// create opens the report's destination. It refuses to overwrite an input.
func (r *run) create(names []string) (cli.Output, error) {
	name := r.flags.output
	if !r.flags.toFile() {
		return cli.StreamOutput(r.env.Stdout), nil
	}
	if info, err := os.Stat(name); err == nil {
		for _, input := range append(names, r.flags.config, r.flags.pair) {
			if other, err := os.Stat(input); err == nil && os.SameFile(info, other) {
				return nil, cli.Usagef("--output %s would overwrite an input; choose another name", name)
			}
		}
	}
	create := cli.CreateOutput
	if r.flags.parquet() {
		create = func(name string) (cli.Output, error) { return wholefile.Create(name) }
	}
	f, err := create(name)
	switch {
	case errors.Is(err, wholefile.ErrNotFile):
		return nil, cli.Usagef("--output %s is not a file; a table is written beside its place and then renamed, so it can't go to a pipe, a device or a folder", name)
	case err != nil:
		return nil, fmt.Errorf("cannot write the report: %w", err)
	}
	return f, nil
}

// color reports whether the text report has colors.
func (r *run) color() bool {
	switch r.flags.color.Value {
	case "always":
		return true
	case "never":
		return false
	}
	return r.toTerminal() && r.env.Getenv("NO_COLOR") == "" && r.env.Getenv("TERM") != "dumb"
}

// toTerminal reports whether the report goes to a terminal.
func (r *run) toTerminal() bool {
	return r.env.StdoutTerminal && !r.flags.toFile()
}

// result reports the findings of a document that --show asks for.
func (r *run) result(doc *batch.Result) error {
	least := threshold(r.flags.show)
	doc.Findings = slices.DeleteFunc(doc.Findings, func(f batch.Located) bool { return f.Severity < least })
	doc.Dropped = -len(doc.Findings)
	for _, n := range doc.Counts[least:] {
		doc.Dropped += n
	}
	if len(doc.Findings) == 0 && doc.Dropped == 0 {
		return nil
	}
	if doc.Type == schema.Request && !doc.TooLarge {
		placeSignals(doc)
	}
	return r.report.Document(doc)
}

// rows reports rows, with the findings that --show asks for.
func (r *run) rows(rows []batch.Row) error {
	if least := threshold(r.flags.show); least > inspect.Observe {
		for i := range rows {
			rows[i].Findings = slices.DeleteFunc(rows[i].Findings, func(f batch.RowFinding) bool {
				s, _ := inspect.ParseSeverity(f.Severity)
				return s < least
			})
		}
	}
	return r.report.(report.Rows).Rows(rows)
}

// placeSignals finds the places of signals of fraud, which have a path alone.
func placeSignals(doc *batch.Result) {
	for i := range doc.Findings {
		f := &doc.Findings[i]
		if f.Offset >= 0 || f.Path == "" || !strings.HasPrefix(f.ID, fraudPrefix) {
			continue
		}
		f.Offset = explanation.Offset(doc.Data, f.Path)
		before := doc.Data[:f.Offset]
		f.Line, f.Column = doc.Line, doc.Column
		if lines := bytes.Count(before, []byte("\n")); lines > 0 {
			f.Line, f.Column, before = f.Line+int64(lines), 1, before[bytes.LastIndexByte(before, '\n')+1:]
		}
		f.Column += int64(utf8.RuneCount(before))
	}
}

// inputDone reports an input, and its error on standard error.
func (r *run) inputDone(s *batch.InputStats) error {
	r.inputs++
	if err := r.report.Input(s); err != nil {
		return err
	}
	switch {
	case s.Err != nil:
		r.failed++
		if err := r.out.Flush(); err != nil { // so that the results so far come first
			return err
		}
		fmt.Fprintf(r.env.Stderr, "rtbwire check: %v\n%s", s.Err, nextStep(s.Err))
	case s.Documents == 0:
		fmt.Fprintf(r.env.Stderr, "rtbwire check: %s: no documents found; is it the right file?\n", s.Name)
	}
	return nil
}

// nextStep returns advice about an input that could not be read.
func nextStep(err error) string {
	switch {
	case errors.Is(err, batch.ErrFormat): // the error says so itself
		return ""
	case errors.Is(err, batch.ErrCorrupt):
		return "  Everything before that place was checked. Copy, download or compress the file again.\n"
	case errors.Is(err, os.ErrNotExist):
		return "  Check the name; shells pass on patterns that match nothing.\n"
	case errors.Is(err, os.ErrPermission):
		return "  Change its permissions, or run as a user who may read it.\n"
	}
	return "  Everything before that place was checked. Try again when it can be read.\n"
}

// end completes the report.
func (r *run) end(counts batch.Counts, elapsed time.Duration) error {
	s := &report.Summary{
		Counts: counts, Inputs: r.inputs, Failed: r.failed, Rules: report.RuleTotals(r.tally.Rules(), r.judge), Elapsed: elapsed,
	}
	if r.judge != nil {
		s.AddVerdicts(r.judge, &r.verdicts)
	}
	if r.pairs != nil {
		s.Pairs = &report.Pairs{Name: r.flags.pair, PairCounts: counts.Pairs, PairStats: r.pairs.Stats()}
		if counts.Responses > 0 && counts.Pairs.Compared == 0 {
			fmt.Fprintf(r.env.Stderr, "rtbwire check: %s: no response answers one of its requests; is it the right file for --pair?\n", r.flags.pair)
		}
	}
	if r.flags.noTimes {
		s.Elapsed = 0
	}
	if err := r.report.End(s); err != nil {
		return err
	}
	if err := r.out.Flush(); err != nil {
		return err
	}
	if r.flags.format.Value == "text" && !r.flags.summary && !r.flags.quiet && counts.Documents > 0 {
		fmt.Fprintf(r.env.Stderr, "documents: %d checked, %d valid, %d invalid; findings: %d errors, %d warnings, %d infos\n", s.Documents, s.Valid(), s.Invalid,
			s.Findings[schema.Error], s.Findings[schema.Warn], s.Findings[schema.Info])
		if s.BlankLines > 0 {
			fmt.Fprintf(r.env.Stderr, "blank lines, which are not documents: %d\n", s.BlankLines)
		}
		if s.Pairs != nil {
			fmt.Fprintf(r.env.Stderr, "pairs: %v\n", s.Pairs)
		}
	}
	return nil
}

// refused reports whether there are findings at least as severe as --fail-on.
func (r *run) refused(counts *batch.Counts) bool {
	for s := threshold(r.flags.failOn); int(s) < len(counts.Findings); s++ {
		if counts.Findings[s] > 0 {
			return true
		}
	}
	return false
}
