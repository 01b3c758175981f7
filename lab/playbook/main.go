// Command playbook puts the 18 sections of a public playbook about encoding/json to the test, on
// this machine and with this version of Go. See --help.
//
//	main.go        flags, help, exit status
//	experiment.go  what an experiment is, and the list of them
//	trial.go       the tools that experiments measure with
//	heap.go        memory
//	profile.go     profiles
//	workers.go     programs of their own
//	verdict.go     from measured values to a verdict
//	values.go      values as text
//	print.go       a section for a terminal
//	page.go        lab/docs/playbook.md
//	progress.go    what is measured, and how long it takes
//	sNN_*.go       the sections
//	user.go, records.go, subjects.go, pool.go  what they read, write and keep
//
// Figures go to lab/results/claims, a file playbook.START.json for each run. Their names are
// "playbook/SECTION/..." with
//
//	CASE/ns, CASE/bytes, CASE/allocs     one operation of a case
//	A/over-B                             time of A / time of B, round by round
//	A/bytes-over-B, A/allocs-over-B      the same with what is allocated
//	CASE/peak, CASE/peak-of-WHAT         the most that the heap was above its start
//
// and others, which the fields cases and values of each section list. Flags are 1 or 0.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/rtbwire/rtbwire/lab/data"
	"github.com/rtbwire/rtbwire/lab/figures"
	"github.com/rtbwire/rtbwire/lab/measure"
)

const usage = `Puts the 18 sections of the playbook "8.4 encoding/json - Optimize" to the test, on this machine and with
this Go.

Usage, in the folder lab of the repository:

  go run ./playbook                  all sections, in less than ten minutes
  go run ./playbook --quick          all, smaller and shorter: in less than a minute
  go run ./playbook 4 unknown-fields some of them, by number or name
  go run ./playbook --list           the sections and what they say
  go run ./playbook --write          measures all, and writes results/claims/playbook.START.json and lab/docs/playbook.md
  go run ./playbook --draw           writes lab/docs/playbook.md again, from all runs in results/claims

How to read a result:

  It says   what the section says
  Measured  times are medians of rounds, with the bounds of their 95% confidence interval. In each
            round every case has one turn, in an order that changes, so that a disturbance hits
            all of them. A time is processor time, including that of the garbage collector, on one
            processor. Memory is the most that HeapAlloc (objects in use, and dead ones not yet
            swept) was above its start, sampled every millisecond, or every 10 while the processor
            is never idle.
  Asked     the range in which the section is right, stated before the measurement. A ratio of
            times is taken round by round. "close" is a value whose interval reaches over a limit:
            another run may answer otherwise.
  Verdict   holds (all yes), false (all no), or holds if: the conditions of those cases in which
            all was yes, and of the others.

Each section runs in a process of its own. Sections 11 and 17 build programs of their own first, which needs the go command. Before measuring,
close what uses the processor. Results go to standard output, progress to standard error. Exit
status: 0 done, 2 wrong usage, 3 something failed.

Flags:
`

// again measures what is committed again.
const again = "cd lab && go run ./playbook --write"

type options struct {
	list, quick, json, write, draw, worker bool
	core                                   int
	chosen                                 []*experiment
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

var errUsage = errors.New("see --help")

func run(args []string, stdout, stderr io.Writer) (status int) {
	o, err := parse(args, stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
	case o.worker:
		err = serveVersions(o.core)
	case o.list:
		err = printList(stdout)
	case o.draw:
		err = draw()
	default:
		err = examine(o, stdout, stderr)
	}
	if err == nil {
		return 0
	}
	fmt.Fprintln(stderr, "playbook:", err)
	if errors.Is(err, errUsage) {
		return 2
	}
	return 3
}

// parse takes flags and names in any order.
func parse(args []string, stdout io.Writer) (options, error) {
	var o options
	chosen := map[string]bool{}
	f := flag.NewFlagSet("playbook", flag.ContinueOnError)
	f.SetOutput(io.Discard) // errors are reported by run, help goes to stdout
	f.BoolVar(&o.list, "list", false, "list the sections, measure nothing")
	f.BoolVar(&o.quick, "quick", false, "smaller documents and shorter measurements")
	f.BoolVar(&o.json, "json", false, "print the figures as one JSON object instead of text")
	f.BoolVar(&o.write, "write", false, "write the file of figures and the page")
	f.BoolVar(&o.draw, "draw", false, "write the page from the file of figures, measure nothing")
	f.IntVar(&o.core, "core", -1, "the core to measure on, a `number` (default the idlest)")
	for {
		if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
			fmt.Fprint(stdout, usage)
			f.SetOutput(stdout)
			f.PrintDefaults()
			return o, err
		} else if err != nil {
			return o, fmt.Errorf("%w: %w", err, errUsage)
		}
		if f.NArg() == 0 {
			break
		}
		name := f.Arg(0)
		args = f.Args()[1:]
		if name == "worker" { // of section 17
			o.worker = true
			continue
		}
		e, ok := find(name)
		if !ok {
			return o, fmt.Errorf("no section %q (--list names them): %w", name, errUsage)
		}
		chosen[e.name] = true
	}
	if o.write && len(chosen) > 0 {
		return o, fmt.Errorf("--write is for all sections: %w", errUsage)
	}
	for i := range experiments { // in this order, whatever that of the names
		if len(chosen) == 0 || chosen[experiments[i].name] {
			o.chosen = append(o.chosen, &experiments[i])
		}
	}
	return o, nil
}

// examine runs the experiments. One that fails does not keep the others from running.
func examine(o options, stdout, stderr io.Writer) error {
	f := figures.Begin(again)
	level := full
	if o.quick {
		level = quick
		f.Preliminarily("a quick run, with short measurements and small documents")
	}
	if core = nil; o.core >= 0 {
		core = &o.core
	} else if c, ok := measure.IdlestCore(time.Second); ok {
		core = &c
	}
	if core != nil {
		undo, err := measure.OnCore(*core)
		if err != nil {
			return fmt.Errorf("--core: %w: %w", err, errUsage)
		}
		undo()
		f.Machine.Core = strconv.Itoa(*core)
	}
	p := newProgress(stderr, o.chosen, level)
	var errs []error
	for i, e := range o.chosen {
		p.start(i)
		var found map[string]figures.Figure
		var err error
		if len(o.chosen) == 1 {
			found, err = e.try(level, p.say)
		} else {
			found, err = e.tryApart(level)
		}
		p.clear()
		if err != nil {
			errs = append(errs, fmt.Errorf("section %d: %w", e.section, err))
			continue
		}
		maps.Copy(f.Figures, found)
		if !o.json {
			errs = append(errs, e.print(stdout, found))
		}
	}
	f.Finish()
	switch {
	case o.json:
		errs = append(errs, json.NewEncoder(stdout).Encode(&f.File))
	case len(o.chosen) > 1:
		for _, e := range o.chosen {
			fmt.Fprintf(stdout, "%2d %-18s %s\n", e.section, e.name, wrapAt(22, e.verdictWords(f.Figures), 90))
		}
	}
	if err := errors.Join(errs...); err != nil || !o.write {
		return err
	}
	return write(&f.File)
}

// tryApart measures in a process of its own, so that memory, types and pools of one section do not
// change what another one measures.
func (e *experiment) tryApart(l level) (map[string]figures.Figure, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	child := exec.Command(self, "--json", "--quick="+strconv.FormatBool(l == quick), strconv.Itoa(e.section))
	if core != nil {
		child.Args = append(child.Args, "--core", strconv.Itoa(*core))
	}
	var problem bytes.Buffer
	child.Stderr = &problem
	out, err := child.Output()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, problem.Bytes())
	}
	var f figures.File
	err = json.Unmarshal(out, &f)
	return f.Figures, err
}

// program names the files of figures.
const program = "playbook"

// paths returns the folder of figures, and the page.
func paths() (folder, pageFile string, err error) {
	root, err := data.Root()
	if err != nil {
		return "", "", err
	}
	root = filepath.Dir(root)
	return filepath.Join(root, "lab", "results", "claims"), filepath.Join(root, "lab", "docs", "playbook.md"), nil
}

func write(f *figures.File) error {
	folder, _, err := paths()
	if err == nil {
		err = f.Write(figures.PathOf(filepath.Join(folder, program+".json"), f.Taken))
	}
	if err != nil {
		return err
	}
	return draw()
}

// draw writes the page.
func draw() error {
	folder, pageFile, err := paths()
	if err != nil {
		return err
	}
	f, err := figures.ReadProgram(folder, program)
	if err != nil {
		return err
	}
	return os.WriteFile(pageFile, []byte(page(f)), 0o644)
}

// names returns the names of figures that the section declares, without its prefix.
func (e *experiment) names() []string {
	var list []string
	for _, c := range e.cases {
		list = append(list, c.name+"/ns", c.name+"/bytes", c.name+"/allocs")
	}
	for _, v := range e.values {
		list = append(list, v.name)
	}
	slices.Sort(list)
	return list
}
