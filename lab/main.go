// Command lab measures JSON libraries on OpenRTB documents and writes tables and a report. See
// --help.
//
//	main.go      flags, help, exit status
//	presets.go   what a run measures
//	run.go       a run: workers, comparisons, services, results
//	cpp.go       what the C++ part adds to a run
//	readme.go    the section of the README
//	progress.go  what goes on, and for how long
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/lab/ablation"
	"github.com/rtbwire/rtbwire/lab/check"
	"github.com/rtbwire/rtbwire/lab/data"
	"github.com/rtbwire/rtbwire/lab/gateway"
	"github.com/rtbwire/rtbwire/lab/measure"
	"github.com/rtbwire/rtbwire/lab/parallel"
	"github.com/rtbwire/rtbwire/lab/report"
	"github.com/rtbwire/rtbwire/lab/rerun"
	"github.com/rtbwire/rtbwire/lab/scale"
	"github.com/rtbwire/rtbwire/lab/stream"
	"github.com/rtbwire/rtbwire/lab/tail"
)

const usage = `Measures every JSON library that a Go team would consider on the same types and the same
bytes, side by side, and writes tables and a report.

Usage, in the folder lab of the repository:

  go run . --preset quick       everything, in about three minutes: a first look
  go run .                      everything, with longer measurements: for publishing
  go run . --preset readme      what the README shows, in five to fifteen minutes
  go run . --engines 'rtbwire|sonic' --sets banner,app --ops decode --preset quick
                                a part of it, in seconds; engines that were not asked for are
                                neither built nor started, but encoding/json always takes part
  go run . --list               engines, data sets and presets
  go run . report FILE          draws the report of an earlier run again
  go run . targets FILE         holds a run against the targets of rtbwire's design
  go run . readme FILE...       shows earlier runs in the README of the repository, unless one is
                                preliminary; "readme none" shows no run
  go run . ablation             what each technique of two decoders is worth; see ablation --help
  go run . parallel             what several goroutines gain; see parallel --help
  go run . tail                 whether allocations decide the slowest requests; see tail --help
  go run . published            articles measured again, as their authors did; see published --help
  go run . check                what the rules of each preset cost; see check --help
  go run . gateway              the gateway beside proxies and handlers; see gateway --help
  go run . stream               a stream beside a bare copy loop, on a real broker; see stream --help
  go run . scale                what 1,000,000 requests a second and 10 TB of logs take; see scale --help

An engine is checked first: each document has to decode to what encoding/json reads. An engine
that fails gets a reason instead of a number. Then all engines are measured in rounds, in an order
that changes each round, each on one processor, the same for all. Comparisons with wide intervals
get more rounds until the time limit is reached. The report has medians and 95% confidence
intervals, with the mathematics of benchstat. Afterwards a small service decodes at a fixed rate of
arrival while the garbage collector works. Its percentiles are counted from when a request was due.

Before measuring, close what uses the processor. On a laptop, plug it in. A run that was disturbed
calls itself preliminary, and says why. Engines that may not share a binary with others (easyjson,
encoding/json/v2) are built and run as separate programs, which needs the go command.

A run writes FILE, results/<date>-<processor>.md by default, with all tables: it is meant to be
committed. Beside it, in the folder of the same name, are report.html (one file, open it in a
browser) and results.json with every round. Git ignores that folder. Exit status: 0 done, 2 wrong
usage, 3 something failed, 130 interrupted.

Flags:
`

type options struct {
	preset        // what flags have not changed
	match         *regexp.Regexp
	core          int // for measurements of one goroutine
	leastOf       int // see measure.Plan
	list          bool
	out, testdata string
	typed         string

	presetText, engineText, setText, opText, coreText, index string
	withService                                              bool
}

const (
	anyCore  = -1
	autoCore = -2 // the idlest one
)

func main() {
	var o options
	flag.StringVar(&o.presetText, "preset", "full", "what to measure: `full, quick or readme`; --list describes them")
	flag.BoolVar(&o.list, "list", false, "list engines, data sets and presets, measure nothing")
	flag.BoolVar(&o.withService, "service", true, "measure the service's tail too, where the preset does")
	flag.StringVar(&o.out, "out", "", "write the tables to `file` (default results/<date>-<processor>.md)")
	flag.StringVar(&o.engineText, "engines", "", "only engines whose name matches the regular `expression`")
	flag.StringVar(&o.setText, "sets", "", "only these data sets, separated by `commas`")
	flag.StringVar(&o.opText, "ops", "", "only these operations, separated by `commas`: decode, encode, partial, validate")
	rounds := flag.Int("rounds", 0, "least `number` of rounds (default: the preset's; intervals need 6)")
	budget := flag.Duration("time", 0, "length of one measurement (default: the preset's)")
	limit := flag.Duration("limit", 0, "comparisons with wide intervals get more rounds until then (default: the preset's)")
	flag.IntVar(&o.leastOf, "least-of", 0, "on a machine that is never quiet: so many rounds count as one, with the least time of each engine; a `number`")
	flag.StringVar(&o.coreText, "core", "", "the core for measurements of one goroutine: a `number`, or any (default: the idlest)")
	flag.StringVar(&o.index, "index", "", "the index `kernel` of rtbwire's decoder (default: the machine's best)")
	flag.StringVar(&o.testdata, "testdata", "", "the `folder` testdata (default: the one here or above)")
	flag.StringVar(&o.typed, "typed", "", "the C++ `program` that fills structs (default "+typedProgram+", if built)")
	flag.Usage = func() { fmt.Fprint(flag.CommandLine.Output(), usage); flag.PrintDefaults() }
	flag.Parse()
	err := o.complete(*rounds, *budget, *limit)
	if err == nil {
		err = run(&o, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "lab:", err)
		if errors.Is(err, errUsage) {
			os.Exit(2)
		}
		os.Exit(3)
	}
}

var errUsage = errors.New("see --help")

// complete turns flags into options.
func (o *options) complete(rounds int, budget, limit time.Duration) (err error) {
	if o.preset, err = findPreset(o.presetText); err != nil {
		return err
	}
	if rounds < 0 || budget < 0 || limit < 0 || o.leastOf < 0 {
		return fmt.Errorf("--rounds, --time, --limit and --least-of have to be positive: %w", errUsage)
	}
	if rounds > 0 {
		o.rounds = rounds
	}
	if budget > 0 {
		o.budget = budget
	}
	if limit > 0 {
		o.limit = limit
	}
	if !o.withService {
		o.service = 0
	}
	if o.match, err = regexp.Compile(o.engineText); err != nil {
		return fmt.Errorf("--engines: %w: %w", err, errUsage)
	}
	switch o.coreText {
	case "":
		o.core = autoCore
	case "any":
		o.core = anyCore
	default:
		if o.core, err = strconv.Atoi(o.coreText); err != nil || o.core < anyCore {
			return fmt.Errorf("--core %s: want a number, or any: %w", o.coreText, errUsage)
		}
	}
	if o.setText != "" {
		o.sets = nil
		for name := range strings.SplitSeq(o.setText, ",") {
			o.sets = append(o.sets, strings.TrimSpace(name))
		}
	}
	if o.opText == "" {
		return nil
	}
	o.ops = nil
	for name := range strings.SplitSeq(o.opText, ",") {
		op := measure.Op(strings.TrimSpace(name))
		if !slices.Contains(measure.Ops, op) {
			return fmt.Errorf("unknown operation %q: %w", op, errUsage)
		}
		o.ops = append(o.ops, op)
	}
	return nil
}

func run(o *options, args []string) error {
	if err := o.enterLab(args); err != nil {
		return err
	}
	switch {
	case len(args) == 2 && args[0] == "report":
		return redraw(args[1])
	case len(args) == 2 && args[0] == "targets":
		return printTargets(args[1])
	case len(args) >= 2 && args[0] == "readme":
		return updateREADME(args[1:])
	case len(args) > 0 && args[0] == "ablation":
		return runAblation(args[1:])
	case len(args) > 0 && args[0] == "parallel":
		return runParallel(args[1:])
	case len(args) > 0 && args[0] == "tail":
		return runTail(args[1:])
	case len(args) > 0 && args[0] == "published":
		return runPublished(args[1:])
	case len(args) > 0 && args[0] == "check":
		return runCheck(args[1:])
	case len(args) > 0 && args[0] == "gateway":
		return runGateway(args[1:])
	case len(args) > 0 && args[0] == "stream":
		return runStream(args[1:])
	case len(args) > 0 && args[0] == "scale":
		return runScale(args[1:])
	case len(args) == 1 && args[0] == "worker": // started by the lab itself
		return serve(o)
	case len(args) > 0:
		return fmt.Errorf("unknown argument %q: %w", args[0], errUsage)
	}
	return experiment(o)
}

func runAblation(args []string) error {
	err := ablation.Main(args, os.Stdout, os.Stderr)
	if errors.Is(err, ablation.ErrUsage) {
		return fmt.Errorf("ablation: %w", errUsage)
	}
	return err
}

func runParallel(args []string) error {
	err := parallel.Main(args, os.Stdout, os.Stderr)
	if errors.Is(err, parallel.ErrUsage) {
		return fmt.Errorf("parallel: %w", errUsage)
	}
	return err
}

func runPublished(args []string) error {
	err := rerun.Main(args, os.Stdout, os.Stderr)
	if errors.Is(err, rerun.ErrUsage) {
		return fmt.Errorf("published: %w", errUsage)
	}
	return err
}

func runTail(args []string) error {
	err := tail.Main(args, os.Stdout, os.Stderr)
	if errors.Is(err, tail.ErrUsage) {
		return fmt.Errorf("tail: %w", errUsage)
	}
	return err
}

func runCheck(args []string) error {
	err := check.Main(args, os.Stdout, os.Stderr)
	if errors.Is(err, check.ErrUsage) {
		return fmt.Errorf("check: %w", errUsage)
	}
	return err
}

func runGateway(args []string) error {
	err := gateway.Main(args, os.Stdout, os.Stderr)
	if errors.Is(err, gateway.ErrUsage) {
		return fmt.Errorf("gateway: %w", errUsage)
	}
	return err
}

func runStream(args []string) error {
	err := stream.Main(args, os.Stdout, os.Stderr)
	if errors.Is(err, stream.ErrUsage) {
		return fmt.Errorf("stream: %w", errUsage)
	}
	return err
}

func runScale(args []string) error {
	err := scale.Main(args, os.Stdout, os.Stderr)
	if errors.Is(err, scale.ErrUsage) {
		return fmt.Errorf("scale: %w", errUsage)
	}
	return err
}

// enterLab makes lab/ the working directory, where the programs that are built have their source,
// wherever the command was called from. Paths that were given keep their meaning.
func (o *options) enterLab(args []string) error {
	root, err := o.testdataFolder()
	if err != nil {
		return err
	}
	for _, path := range []*string{&root, &o.testdata, &o.out, &o.typed} {
		if *path == "" {
			continue
		}
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
	}
	if len(args) == 2 && (args[0] == "report" || args[0] == "targets") {
		if args[1], err = filepath.Abs(args[1]); err != nil {
			return err
		}
	}
	if o.testdata != "" { // with other documents, the caller chooses the working directory
		return nil
	}
	return os.Chdir(filepath.Join(filepath.Dir(root), "lab"))
}

// testdataFolder is the folder of documents.
func (o *options) testdataFolder() (string, error) {
	if o.testdata != "" {
		return o.testdata, nil
	}
	return data.Root()
}

// redraw draws the report of an earlier run, and computes anew what its file says of its tables.
func redraw(file string) error {
	r, err := report.Read(file)
	if err != nil {
		return err
	}
	return write(r, file)
}

// write writes the file of a run, and its report into the folder beside it.
func write(r *report.Results, file string) error {
	text, err := r.Text()
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		return err
	}
	// The report has the numbers of the file, as when it is drawn again.
	kept, err := report.Read(file)
	if err != nil {
		return err
	}
	folder := besideOf(file)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	page := filepath.Join(folder, "report.html")
	f, err := os.Create(page)
	if err != nil {
		return err
	}
	if err := errors.Join(kept.HTML(f), f.Close()); err != nil {
		return err
	}
	if err := kept.Print(os.Stdout); err != nil {
		return err
	}
	fmt.Printf("\n%s\n%s\n", file, page)
	return nil
}

// printTargets prints the targets of the design with what a run measured.
func printTargets(file string) error {
	r, err := report.Read(file)
	if err != nil {
		return err
	}
	return r.PrintTargets(os.Stdout)
}

// besideOf returns the folder for the files of a run that are not committed.
func besideOf(file string) string { return strings.TrimSuffix(file, ".md") }
