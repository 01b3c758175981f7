// Command lab measures JSON libraries on OpenRTB documents and writes a report. See --help.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/rtbwire/rtbwire/lab/data"
	"github.com/rtbwire/rtbwire/lab/engine"
	"github.com/rtbwire/rtbwire/lab/measure"
	"github.com/rtbwire/rtbwire/lab/report"
)

const usage = `Measures every JSON library that a Go team would consider on the same types and the same
bytes, side by side, and writes a report with tables and plots.

Usage, in the folder lab of the repository:

  go run . --quick              everything, in about three minutes: a first look
  go run .                      everything, with longer measurements: for publishing
  go run . --engines 'rtbwire|sonic' --sets banner,app --ops decode
                                a part of it, in seconds
  go run . --list               engines, data sets and what they are
  go run . report FOLDER        draws the report of an earlier run again
  go run . readme FOLDER        shows an earlier run in the README of the repository
  go run . simulate -n 1000     writes bid requests as exchanges would send them; see simulate --help

What happens: an engine is checked first: each document has to decode to what encoding/json
reads. One that fails gets a footnote instead of a number. Then all engines are measured in
rounds, in an order that changes each round, each on one processor; the report has medians
and 95% confidence intervals (benchstat's mathematics). Afterwards a small service decodes
at a fixed rate of arrival while the garbage collector works; its percentiles are counted
from when a request was due.

Before measuring, close what uses the processor; on a laptop, plug it in. The report warns
when the machine was busy. Engines that may not share a binary with others (easyjson,
ffjson, encoding/json/v2) are built and run as programs of their own, which needs the go command.

The results are in FOLDER/results.json, results.md and report.html (one file, open it in a
browser). Exit status: 0 done, 2 wrong usage, 3 something failed,
130 interrupted.

Flags:
`

type options struct {
	quick, list, service bool
	out, engines         string
	sets, ops            string
	rounds               int
	budget               time.Duration
	testdata             string
	typed, scanner       string
}

func main() {
	var o options
	flag.BoolVar(&o.quick, "quick", false, "shorter and fewer measurements")
	flag.BoolVar(&o.list, "list", false, "list engines and data sets, measure nothing")
	flag.BoolVar(&o.service, "service", true, "measure the service's tail too")
	flag.StringVar(&o.out, "out", "", "write the report to `folder` (default results/<date>-<cpu>)")
	flag.StringVar(&o.engines, "engines", "", "only engines whose name matches the regular `expression`")
	flag.StringVar(&o.sets, "sets", "", "only these data sets, separated by `commas`")
	flag.StringVar(&o.ops, "ops", "", "only these operations: decode, encode, partial, validate")
	flag.IntVar(&o.rounds, "rounds", 0, "rounds of measurements (default 15, quick 7; intervals need 6)")
	flag.DurationVar(&o.budget, "time", 0, "length of one measurement (default 100ms, quick 6ms)")
	flag.StringVar(&o.testdata, "testdata", "", "the `folder` testdata (default: the one here or above)")
	flag.StringVar(&o.typed, "typed", "", "the C++ `program` that fills structs (default "+typedProgram+", if built)")
	flag.StringVar(&o.scanner, "scanner", "", "results of the C++ packet scanner's benchmark (default "+scannerResult+", if there)")
	flag.Usage = func() { fmt.Fprint(flag.CommandLine.Output(), usage); flag.PrintDefaults() }
	flag.Parse()
	if err := run(&o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "lab:", err)
		if errors.Is(err, errUsage) {
			os.Exit(2)
		}
		os.Exit(3)
	}
}

var errUsage = errors.New("see --help")

func run(o *options, args []string) error {
	if err := o.enterLab(args); err != nil {
		return err
	}
	switch {
	case len(args) == 2 && args[0] == "report":
		return redraw(args[1])
	case len(args) == 2 && args[0] == "readme":
		return updateREADME(args[1])
	case len(args) > 0 && args[0] == "simulate":
		return simulate(args[1:], os.Stdout, os.Stderr)
	case len(args) == 1 && args[0] == "worker": // started by the lab itself
		b, err := load(o)
		if err != nil {
			return err
		}
		if engine.JSONv2 {
			b.Engines = inJSONv2(b.Engines)
		}
		return measure.Serve(b, os.Stdin, os.Stdout)
	case len(args) > 0:
		return fmt.Errorf("unknown argument %q: %w", args[0], errUsage)
	}
	return experiment(o)
}

func redraw(folder string) error {
	r, err := report.Read(filepath.Join(folder, "results.json"))
	if err != nil {
		return err
	}
	return write(r, folder)
}

// enterLab makes lab/ the working directory, where the programs that are built have their source,
// wherever the command was called from. Paths that were given keep their meaning.
func (o *options) enterLab(args []string) error {
	root, err := testdata(o)
	if err != nil {
		return err
	}
	for _, path := range []*string{&root, &o.testdata, &o.out, &o.typed, &o.scanner} {
		if *path == "" {
			continue
		}
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
	}
	if len(args) == 2 && args[0] == "report" {
		if args[1], err = filepath.Abs(args[1]); err != nil {
			return err
		}
	}
	lab := filepath.Join(filepath.Dir(root), "lab")
	if o.testdata != "" { // documents of one's own: the caller says where the rest is
		return nil
	}
	return os.Chdir(lab)
}

// testdata is the folder of documents.
func testdata(o *options) (string, error) {
	if o.testdata != "" {
		return o.testdata, nil
	}
	return data.Root()
}

func load(o *options) (*measure.Bench, error) {
	sets, err := data.Load(o.testdata)
	return &measure.Bench{Engines: engine.All(), Sets: sets}, err
}

// inJSONv2 keeps the engines that the build with encoding/json/v2 is there for. Its
// encoding/json stands on version 2.
func inJSONv2(all []engine.Engine) []engine.Engine {
	var out []engine.Engine
	for _, e := range all {
		switch e.Name {
		case "encoding-json":
			e.Name, e.Note = "encoding-json-on-v2", "the same functions in a build with GOEXPERIMENT=jsonv2, where they stand on version 2"
			out = append(out, e)
		case "encoding-json-v2":
			out = append(out, e)
		}
	}
	return out
}

// lab is a run in progress.
type lab struct {
	o       *options
	match   *regexp.Regexp
	bench   *measure.Bench
	results report.Results
	entries []measure.Entry
	infos   map[string]measure.Info
	start   map[string]func() (*measure.Process, error) // starts another worker with that engine
	progress
}

func experiment(o *options) (err error) {
	l := &lab{o: o, infos: map[string]measure.Info{}, start: map[string]func() (*measure.Process, error){}}
	if l.match, err = regexp.Compile(o.engines); err != nil {
		return fmt.Errorf("--engines: %w: %w", err, errUsage)
	}
	if o.rounds == 0 {
		o.rounds = 15
		if o.quick {
			o.rounds = 7
		}
	}
	if o.budget == 0 {
		o.budget = 100 * time.Millisecond
		if o.quick {
			o.budget = 6 * time.Millisecond
		}
	}
	if o.rounds < 1 || o.budget <= 0 {
		return fmt.Errorf("--rounds and --time have to be positive: %w", errUsage)
	}
	if l.bench, err = load(o); err != nil {
		return err
	}
	if err := l.wanted(); err != nil {
		return err
	}
	l.results = report.Results{Taken: time.Now().UTC(), Quick: o.quick, Machine: report.Look(), Rounds: o.rounds, Budget: o.budget}
	for i := range l.bench.Sets {
		s := &l.bench.Sets[i]
		l.results.Sets = append(l.results.Sets, report.Set{
			Name: s.Name, About: s.About, Response: s.Response, Docs: len(s.Docs), LeftOut: s.LeftOut, Bytes: s.Bytes(),
		})
	}
	defer l.stop()
	go func() {
		interrupted := make(chan os.Signal, 1)
		signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
		<-interrupted
		l.stop()
		os.Exit(130)
	}()
	if err := l.workers(); err != nil {
		return err
	}
	if o.list {
		return l.print(os.Stdout)
	}
	if len(l.entries) == 0 {
		return fmt.Errorf("no engine matches %q (--list names them): %w", o.engines, errUsage)
	}
	if o.out == "" {
		o.out = unused(filepath.Join("results", l.results.Taken.Format("2006-01-02")+"-"+l.results.Machine.Slug()))
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return err
	}
	failed := l.measure() // what was measured before is kept
	l.results.Machine.LoadAfter = report.Load()
	l.done()
	if len(l.results.Rows) == 0 {
		return failed
	}
	if err := l.results.Write(filepath.Join(o.out, "results.json")); err != nil {
		return errors.Join(failed, err)
	}
	return errors.Join(failed, write(&l.results, o.out))
}

// unused returns the folder's name, with a number if there are results in it.
func unused(folder string) string {
	name := folder
	for n := 2; ; n++ {
		if _, err := os.Stat(filepath.Join(name, "results.json")); err != nil {
			return name
		}
		name = fmt.Sprintf("%s-%d", folder, n)
	}
}

func write(r *report.Results, folder string) error {
	for name, render := range map[string]func(*os.File) error{
		"results.md":  func(f *os.File) error { return r.Markdown(f) },
		"report.html": func(f *os.File) error { return r.HTML(f) },
	} {
		f, err := os.Create(filepath.Join(folder, name))
		if err != nil {
			return err
		}
		if err := errors.Join(render(f), f.Close()); err != nil {
			return err
		}
	}
	if err := r.PrintTargets(os.Stdout); err != nil {
		return err
	}
	fmt.Printf("\n%s\n", filepath.Join(folder, "report.html"))
	return nil
}

// wanted drops the sets that were not asked for.
func (l *lab) wanted() error {
	if l.o.sets != "" {
		var sets []data.Set
		for name := range strings.SplitSeq(l.o.sets, ",") {
			name = strings.TrimSpace(name)
			s, ok := data.Find(l.bench.Sets, name)
			if !ok {
				return fmt.Errorf("no data set %q (--list names them): %w", name, errUsage)
			}
			sets = append(sets, *s)
		}
		l.bench.Sets = sets
	}
	l.o.ops = strings.ReplaceAll(l.o.ops, " ", "")
	for name := range strings.SplitSeq(l.o.ops, ",") {
		known := name == ""
		for _, op := range measure.Ops {
			known = known || string(op) == name
		}
		if !known {
			return fmt.Errorf("no operation %q: %w", name, errUsage)
		}
	}
	return nil
}

// workers starts a process per binary and asks what it can do.
func (l *lab) workers() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	l.say("starting the engines that share a binary")
	args := []string{}
	if l.o.testdata != "" {
		args = append(args, "--testdata", l.o.testdata)
	}
	if err := l.add(self, append(args, "worker")...); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "rtbwire-lab-")
	if err != nil {
		return err
	}
	l.temporary = folder
	for _, own := range []struct{ name, module, experiment, pkg string }{
		{"encoding-json-v2", "", "jsonv2", "."},
		{"easyjson", "github.com/mailru/easyjson", "", "./easy"},
		{"ffjson", "github.com/pquerna/ffjson", "", "./ff"},
	} {
		l.say("building " + own.name + " as a program of its own")
		program := filepath.Join(folder, own.name)
		build := exec.Command("go", "build", "-o", program, own.pkg)
		build.Env = os.Environ()
		if own.experiment != "" {
			build.Env = append(build.Env, "GOEXPERIMENT="+own.experiment)
		}
		out, err := build.CombinedOutput()
		if err == nil {
			err = l.add(program, append(args, "worker")...)
		}
		if err != nil {
			l.results.Missing = append(l.results.Missing, report.Missing{
				Name: own.name, Module: own.module, Reason: strings.TrimSpace(err.Error() + " " + lastLine(string(out))),
			})
		}
	}
	if err := l.addTyped(); err != nil {
		return err
	}
	if err := l.addScanner(); err != nil {
		return err
	}
	return nil
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}

func (l *lab) add(program string, args ...string) error {
	start := func() (*measure.Process, error) { return measure.Start(program, args...) }
	p, err := start()
	if err != nil {
		return err
	}
	infos, err := p.List()
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(program), err)
	}
	l.processes = append(l.processes, p)
	for _, info := range infos {
		if !l.match.MatchString(info.Name) {
			continue
		}
		l.results.Engines = append(l.results.Engines, info)
		l.infos[info.Name] = info
		l.entries = append(l.entries, measure.Entry{Engine: info.Name, By: p})
		l.start[info.Name] = start
	}
	return nil
}
