// Command playbook puts common advice about encoding/json to the test, on this machine and with
// this version of Go. See --help.
//
//	main.go        flags, help, exit status
//	experiment.go  what an experiment is, and the list of them
//	trial.go       the tools that experiments measure with
//	heap.go        memory over time
//	verdict.go     from measured values to a sentence
//	progress.go    what is measured, and how long it takes
//	print.go       results as text, JSON and Markdown
//	plot.go        memory over time as a picture
//	records.go     the records that experiments read and write
//
// Each other file is an experiment.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/rtbwire/rtbwire/lab/report"
)

const usage = `Puts common advice about encoding/json to the test, on this machine and with this Go.

Usage, in the folder lab of the repository:

  go run ./playbook                        all experiments
  go run ./playbook --quick                all, smaller and shorter: in less than a minute
  go run ./playbook pooled-buffers streaming
                                           some of them
  go run ./playbook --list                 the experiments and the advice they examine
  go run ./playbook --out results/playbook writes playbook.md there, and plots of memory

How to read a result:

  Advice    what people say
  Measured  times are medians of at least 10 rounds, with the bounds of their 95% confidence
            interval. In each round every way has one turn, in an order that changes, so that
            a disturbance hits all of them. A time is processor time, including that of
            the garbage collector, on one processor. Memory is the most that
            HeapAlloc (objects in use, and dead ones not yet swept) was above its start,
            sampled every millisecond, or every 10 while the processor is never idle.
  Asked     the condition for the advice to hold: a limit, stated before the
            measurement. A ratio of times is taken round by round. "close" is one whose
            interval contains the limit: this run can't tell.
  Verdict   one sentence computed from the answers: holds (all yes), does not hold (all no),
            or depends on what the cases differ in.

Before measuring, close what uses the processor. Close answers become clear with a longer run
on a quiet machine; a verdict that changes from run to run is itself an answer: the advice
makes little difference there.

Results go to standard output, progress to standard error. Exit status: 0 done, 2 wrong
usage, 3 something failed.

Experiments:
`

type options struct {
	list, quick, json bool
	out               string
	chosen            []experiment
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

var errUsage = errors.New("see --help")

func run(args []string, stdout, stderr io.Writer) (status int) {
	o, err := parse(args, stdout, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err == nil && o.list:
		err = printList(stdout)
	case err == nil:
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
func parse(args []string, stdout, stderr io.Writer) (options, error) {
	var o options
	chosen := map[string]bool{}
	f := flag.NewFlagSet("playbook", flag.ContinueOnError)
	f.SetOutput(io.Discard) // errors are reported by run, help goes to stdout
	f.BoolVar(&o.list, "list", false, "list the experiments, measure nothing")
	f.BoolVar(&o.quick, "quick", false, "smaller documents and shorter measurements")
	f.BoolVar(&o.json, "json", false, "print one JSON object instead of text")
	f.StringVar(&o.out, "out", "", "write playbook.md and plots to `folder` too")
	for {
		if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
			help(f, stdout)
			return o, err
		} else if err != nil {
			return o, fmt.Errorf("%w: %w", err, errUsage)
		}
		if f.NArg() == 0 {
			break
		}
		name := f.Arg(0)
		if !slices.ContainsFunc(experiments, func(e experiment) bool { return e.name == name }) {
			return o, fmt.Errorf("no experiment %q (--list names them): %w", name, errUsage)
		}
		chosen[name] = true
		args = f.Args()[1:]
	}
	for _, e := range experiments { // in this order, whatever that of the names
		if len(chosen) == 0 || chosen[e.name] {
			o.chosen = append(o.chosen, e)
		}
	}
	return o, nil
}

func help(f *flag.FlagSet, w io.Writer) {
	fmt.Fprint(w, usage)
	for _, e := range experiments {
		fmt.Fprintf(w, "  %-18s %s\n", e.name, wrapAt(21, e.advice, 75))
	}
	fmt.Fprint(w, "\nFlags:\n")
	f.SetOutput(w)
	f.PrintDefaults()
}

// examine runs the experiments. One that fails does not keep the others from running.
func examine(o options, stdout, stderr io.Writer) error {
	book := playbook{Machine: report.Look(), Quick: o.quick}
	level := full
	if o.quick {
		level = quick
	}
	if o.out != "" {
		if err := os.MkdirAll(o.out, 0o755); err != nil { // before minutes of measuring
			return err
		}
	}
	p := newProgress(stderr, o.chosen, level)
	var errs []error
	if !o.json {
		errs = append(errs, book.printHead(stdout))
	}
	for i := range o.chosen {
		e := &o.chosen[i]
		p.start(i)
		r, err := e.try(level, p.say)
		p.clear()
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", e.name, err))
			continue
		}
		book.Results = append(book.Results, r)
		if !o.json {
			errs = append(errs, r.print(stdout))
		}
	}
	book.Machine.LoadAfter = report.Load()
	if o.json {
		errs = append(errs, book.printJSON(stdout))
	} else if len(book.Results) > 1 {
		errs = append(errs, book.printSummary(stdout))
	}
	if o.out != "" {
		errs = append(errs, book.write(o.out))
		fmt.Fprintln(stderr, filepath.Join(o.out, "playbook.md"))
	}
	return errors.Join(errs...)
}
