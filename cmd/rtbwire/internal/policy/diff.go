package policy

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/request"
	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/rates"
	"github.com/rtbwire/rtbwire/internal/policydiff"
	"github.com/rtbwire/rtbwire/internal/setting"
)

// jobsMax limits --jobs: each job has memory of its own, and no machine has more cores.
const jobsMax = 4096

var diffCommand = cli.Command{
	Usage:   "diff [flags] --old FILE --new FILE [LOG...]",
	Summary: "Compare what two configurations do with a log of requests",
	Help: `Judges the requests of each LOG by two configurations in one pass, and reports which requests
change from forward to refuse and back: by reason, partner, publisher and format, with the sum
of their floors, and the first ten of each with their places.

A LOG is what rtbwire check reads: requests one per line or in any other layout, plain or
compressed, records of a topic as a file, and captures of the gateway. Without LOG, or if it is
-, standard input is read. Responses in it are left out.

A capture brings its partner, addresses, time, answers of services and counts of windows. Other
requests have the partner, publisher, peer and headers of the flags. The windows of neither
configuration count anything: what a capture says counts for both, and elsewhere counts are 0.
Each configuration has its own lists and rates, as they are now.

Logs have no answers. With --answers FILE, a log of responses such as rtbwire replay --record
writes, the bids of requests that are refused now are added up too.

Floors and bids add up in US dollars where --new, or else --old, has rates for their currency.

Exit status: 0 no request changes between forward and refuse, 1 some do, 2 wrong usage, a problem
in a configuration, or a file that could not be read to its end.`,
	Examples: `  # what would the new configuration have done with yesterday's captures?
  rtbwire policy diff --old rtbwire.yaml --new next.yaml capture/*.ndjson

  # the same as a page, with the bids that would be lost
  rtbwire policy diff --old rtbwire.yaml --new next.yaml --answers answers.ndjson -f html -o diff.html bids.ndjson.gz`,
	Setup: func(set *pflag.FlagSet) cli.Run {
		f := newDiffFlags(set)
		return func(ctx context.Context, env *cli.Env, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return diff(ctx, env, f, args)
		}
	},
}

// diffFlags are the flags of diff.
type diffFlags struct {
	set         *pflag.FlagSet
	old, new    string
	answers     []string
	format      *cli.Choice
	output      string
	jobs        int
	maxDocument cli.Size
	facts       *request.Facts
}

func newDiffFlags(set *pflag.FlagSet) *diffFlags {
	f := &diffFlags{set: set, format: cli.NewChoice("text", "json", "html"), maxDocument: batch.MaxDocumentDefault}
	set.StringVar(&f.old, "old", "", "configuration `FILE` that is in use")
	set.StringVar(&f.new, "new", "", "configuration `FILE` to compare it with")
	set.VarP(f.format, "format", "f", "output format; html is one self-contained page")
	set.StringVarP(&f.output, "output", "o", "", "write the report to `FILE` instead of standard output")
	set.StringArrayVar(&f.answers, "answers", nil, "`FILE` with responses to the requests; repeatable")
	f.facts = request.NewFacts(set)
	set.Var(&f.maxDocument, "max-document", "maximum request size; larger ones are refused by both")
	set.IntVarP(&f.jobs, "jobs", "j", 0, "judge with `N` goroutines; 0: one per core")
	return f
}

func (f *diffFlags) check() error {
	switch {
	case f.old == "" || f.new == "":
		return cli.Usagef("diff takes two configurations: --old FILE and --new FILE")
	case f.jobs < 0 || f.jobs > jobsMax:
		return cli.Usagef("--jobs %d is not between 0 and %d; use 0 for one per core", f.jobs, jobsMax)
	case f.maxDocument < 1 || f.maxDocument > batch.MaxDocumentLimit:
		limit := cli.Size(batch.MaxDocumentLimit)
		return cli.Usagef("--max-document %s is not between 1 and %s", f.maxDocument.String(), limit.String())
	}
	return nil
}

// factsOf returns the facts of the flags. The partner is one of either configuration.
func (f *diffFlags) factsOf(old, next *config.Setup) (inspect.Facts, error) {
	facts, err := f.facts.Facts(next.Config)
	if err != nil {
		if before, missing := f.facts.Facts(old.Config); missing == nil {
			return before, nil
		}
	}
	return facts, err
}

// ratesOf returns the rates of the first configuration that has any; nil without.
func ratesOf(setups ...*config.Setup) (policydiff.Rates, error) {
	for _, s := range setups {
		var r setting.Reader
		if table, _ := rates.OpenConfigured(&r, &s.Config.Scope, nil); table != nil {
			return table, nil
		}
		if err := r.Problems().Err(); err != nil {
			return nil, err
		}
	}
	return nil, nil //nolint:nilnil // there are none
}

// diff compares two configurations.
func diff(ctx context.Context, env *cli.Env, f *diffFlags, names []string) error {
	old, err := open(env, f.old)
	if err != nil {
		return err
	}
	next, err := open(env, f.new)
	if err != nil {
		return err
	}
	o := policydiff.Options{Old: old.Engine, New: next.Engine, Jobs: f.jobs, MaxDocument: int(f.maxDocument), Progress: new(batch.Progress)}
	if o.Facts, err = f.factsOf(old, next); err != nil {
		return err
	}
	if o.Rates, err = ratesOf(next, old); err != nil {
		return err
	}
	inputs, err := logsOf(env, names, f.answers)
	if err != nil {
		return err
	}
	out, err := f.create(env, names)
	if err != nil {
		return err
	}
	defer out.Discard()
	stopBar := startBar(env, f, names, o.Progress)
	failed := 0
	o.InputDone = func(name string, documents int64, err error) {
		switch {
		case err != nil:
			failed++
			fmt.Fprintf(env.Stderr, "rtbwire policy diff: %v\n", err) // it names the input
		case documents == 0:
			fmt.Fprintf(env.Stderr, "rtbwire policy diff: %s: no documents found; is it the right file?\n", name)
		}
	}
	if o.Answers, err = f.loadAnswers(ctx, env, o); err != nil {
		stopBar()
		return fmt.Errorf("cannot read the answers: %w", err)
	}
	result, err := policydiff.Run(ctx, inputs, o)
	stopBar()
	interrupted := errors.Is(err, context.Canceled)
	if err != nil && !interrupted {
		return err
	}
	buffered := bufio.NewWriter(out)
	r := newDiffReport(f, result, o.Answers)
	if err = r.write(buffered, f.format.Value); err == nil {
		if err = buffered.Flush(); err == nil {
			err = out.Commit()
		}
	}
	switch {
	case err != nil:
		return fmt.Errorf("cannot write the report: %w", err)
	case interrupted:
		return fmt.Errorf("interrupted after %d requests; the report covers these", result.Requests)
	case failed > 0 || result.Requests == 0:
		return cli.ErrReported
	case result.Changed() > 0:
		return cli.ErrRefused
	}
	return nil
}

// logsOf returns the inputs with the given names.
func logsOf(env *cli.Env, names, answers []string) (list []batch.Input, err error) {
	if len(names) == 0 {
		if env.StdinTerminal {
			return nil, cli.Usagef("no log given, and standard input is a terminal; name files, or - to type requests")
		}
		names = []string{"-"}
	}
	stdin := 0
	for _, name := range answers {
		if name == "-" {
			stdin++
		}
	}
	for _, name := range names {
		in := batch.File(name)
		if name == "-" {
			stdin++
			in = batch.From("stdin", env.Stdin)
		}
		list = append(list, in)
	}
	if stdin > 1 {
		return nil, cli.Usagef("- is given %d times, but standard input can be read only once", stdin)
	}
	return list, nil
}

// loadAnswers reads the answers, nil without any.
func (f *diffFlags) loadAnswers(ctx context.Context, env *cli.Env, o policydiff.Options) (*policydiff.Answers, error) {
	if len(f.answers) == 0 {
		return nil, nil //nolint:nilnil // there are none
	}
	inputs, err := logsOf(env, f.answers, nil)
	if err != nil {
		return nil, err
	}
	a, err := policydiff.LoadAnswers(ctx, inputs, o)
	if err == nil && a.Len() == 0 {
		fmt.Fprintln(env.Stderr, "rtbwire policy diff: --answers: no responses with an id found; is it the right file?")
	}
	return a, err
}

// create opens the destination of the report. It refuses to overwrite what is read.
func (f *diffFlags) create(env *cli.Env, names []string) (cli.Output, error) {
	if f.output == "" || f.output == "-" {
		return cli.StreamOutput(env.Stdout), nil
	}
	if info, err := os.Stat(f.output); err == nil {
		for _, input := range append(append([]string{f.old, f.new}, f.answers...), names...) {
			if other, err := os.Stat(input); err == nil && os.SameFile(info, other) {
				return nil, cli.Usagef("--output %s would overwrite an input; choose another name", f.output)
			}
		}
	}
	out, err := cli.CreateOutput(f.output)
	if err != nil {
		return nil, fmt.Errorf("cannot write the report: %w", err)
	}
	return out, nil
}

// startBar draws a progress bar on standard error until stop is called, which erases it. There is
// one only on a terminal, and if the sizes of all files are known.
func startBar(env *cli.Env, f *diffFlags, names []string, p *batch.Progress) (stop func()) {
	total := cli.SizeOf(append(append([]string{}, f.answers...), names...))
	if !env.StderrTerminal || total == 0 {
		return func() {}
	}
	return cli.StartBar(env.Stderr, func(elapsed time.Duration) string { return cli.ReadLine("judging", p.Read(), total, elapsed) })
}

// write writes the report in a format.
func (r *diffReport) write(w io.Writer, format string) error {
	switch format {
	case "json":
		return writeJSON(w, r)
	case "html":
		return r.writeHTML(w)
	}
	return r.writeText(w)
}
