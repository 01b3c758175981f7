// Package parallel measures decoding by several goroutines at once: how much each engine gains from
// them, and how the engines compare then. With --write, figures are kept in
// lab/results/claims/parallel.START.json. N is 1, 2, 10 or all, which is a goroutine for each core:
//
//	parallel/SET/N/ENGINE/ns       wall time of a request, all goroutines together
//	parallel/SET/N/ENGINE/over-OF  the same over that of another engine
//	parallel/SET/N/gain/ENGINE     time of one goroutine over that of N: 2 is twice as fast
//	parallel/SET/N/saved/ENGINE    the share of one goroutine's time that N goroutines save
//	parallel/cores                 how many cores there are
//
// One goroutine has all processors, too: other cores collect its garbage.
package parallel

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/lab/figures"
	"github.com/rtbwire/rtbwire/lab/measure"
)

const usage = `Measures decoding by several goroutines at once: one, two, ten, and one for each core. The table has
the wall time of a request, and how many times as fast that is as one goroutine.

Usage, in the folder lab of the repository:

  go run . parallel                 the banner request, in a minute or two
  go run . parallel --quick         a first look, in seconds
  go run . parallel --sets app,mixed_shuffled
                                    other data sets
  go run . parallel --write         keeps the figures in results/claims/parallel.START.json, and puts the table
                                    into lab/docs/performance.md

Engines take turns in every round, each round has new processes, and ratios are taken round by round.
More goroutines than cores gain nothing but what the garbage collector does not take from them.

Flags:
`

// ErrUsage says that the command was called wrongly. What is wrong was printed.
var ErrUsage = errors.New("wrong usage")

// Where --write keeps figures, and the page with the table, from the folder lab.
const (
	file = "results/claims/parallel.json"
	page = "docs/performance.md"
)

// command measures again what a page and a file have.
const command = "go -C lab run . parallel --write"

// compared are the engines that others are compared with.
var compared = []string{"encoding-json", "gojson", base}

var engines = append(slices.Clone(compared), "handwritten-fast", "rtbwire-fast", "handwritten", "rtbwire-arena")

// base is the engine whose ratios say whether there are rounds enough.
const base = "gojson-pool"

// Main is the command. The working directory is the folder lab.
func Main(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("parallel", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(stderr, usage); flags.PrintDefaults() }
	sets := flags.String("sets", "banner", "data sets, separated by `commas`")
	rounds := flags.Int("rounds", 15, "least `number` of rounds")
	budget := flags.Duration("time", 50*time.Millisecond, "length of one measurement, by one goroutine")
	limit := flags.Duration("limit", 2*time.Minute, "comparisons with wide intervals get more rounds until then")
	quick := flags.Bool("quick", false, "six rounds of 20ms: a first look")
	write := flags.Bool("write", false, "keep the figures in "+file+", and put the table into lab/docs/performance.md")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return ErrUsage
	}
	r := &run{counts: counts(runtime.NumCPU()), sets: strings.Split(*sets, ","), recorded: figures.Begin(command)}
	if *quick {
		*rounds, *budget, *limit = 6, 20*time.Millisecond, 0
		r.recorded.Preliminarily("a first look, with --quick")
	}
	if flags.NArg() > 0 || *rounds < 1 || *budget <= 0 {
		fmt.Fprintln(stderr, "parallel: --rounds and --time have to be positive, and no argument follows")
		return ErrUsage
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	process, err := measure.Start(self, "--sets", *sets, "worker")
	if err != nil {
		return err
	}
	effort := measure.Effort{Rounds: *rounds, Max: 20 * *rounds, Limit: *limit, Narrow: 0.05, Ratios: true}
	r.rows, err = measure.Run(plans(r.sets, r.counts, *budget, process), effort, func(measure.Step) {})
	if err = errors.Join(err, process.Close(), wrong(r.rows)); err != nil {
		return err
	}
	var text strings.Builder
	r.print(&text)
	if !*write {
		_, err := io.WriteString(stdout, text.String())
		return err
	}
	r.record()
	return r.recorded.Publish(file, page, "parallel", text.String())
}

// count is a number of goroutines with its name in figures.
type count struct {
	name string
	n    int
}

// counts lists the numbers of goroutines; two may be equal.
func counts(cores int) []count {
	return []count{{"1", 1}, {"2", 2}, {"10", 10}, {"all", cores}}
}

// plans returns a comparison for each set and different number of goroutines.
func plans(sets []string, counts []count, budget time.Duration, by measure.Measurer) []*measure.Plan {
	var plans []*measure.Plan
	seen := map[int]bool{}
	for _, c := range counts {
		if seen[c.n] {
			continue
		}
		seen[c.n] = true
		for _, set := range sets {
			p := &measure.Plan{Set: set, Op: measure.Decode, Goroutines: c.n, Together: true, Base: base, Budget: budget}
			for _, e := range engines {
				p.Entries = append(p.Entries, measure.Entry{Engine: e, By: by})
			}
			plans = append(plans, p)
		}
	}
	return plans
}

// wrong returns an error if an engine was not measured.
func wrong(rows []measure.Row) error {
	for _, row := range rows {
		if row.Wrong != "" {
			return fmt.Errorf("%s, %s: %s", row.Engine, row.Set, row.Wrong)
		}
	}
	return nil
}

// run is a run that was measured.
type run struct {
	sets     []string
	counts   []count
	rows     []measure.Row
	recorded *figures.Run
}

// rounds returns what was measured in each round.
func (r *run) rounds(engine, set string, goroutines int) []float64 {
	for _, row := range r.rows {
		if row.Engine == engine && row.Set == set && row.Goroutines == goroutines {
			return row.Rounds
		}
	}
	return nil
}

// record adds the figures; the package's comment lists them.
func (r *run) record() {
	r.recorded.Figures["parallel/cores"] = figures.Exactly(float64(runtime.NumCPU()), "")
	for _, set := range r.sets {
		for _, c := range r.counts {
			part := figures.Name("parallel", set, c.name)
			for _, e := range engines {
				took, alone := r.rounds(e, set, c.n), r.rounds(e, set, 1)
				r.recorded.Median(part+"/"+e+"/ns", took, "ns")
				if c.n > 1 {
					r.recorded.Over(part+"/gain/"+e, alone, took)
					r.recorded.Median(part+"/saved/"+e, saved(alone, took), "")
				}
				for _, other := range engines {
					if slices.Contains(compared, e) && other != e {
						r.recorded.Over(part+"/"+e+"/over-"+other, took, r.rounds(other, set, c.n))
					}
				}
			}
		}
	}
}

// saved returns the share of the time that is saved, by round.
func saved(alone, together []float64) []float64 {
	shares := make([]float64, min(len(alone), len(together)))
	for i := range shares {
		shares[i] = 1 - together[i]/alone[i]
	}
	return shares
}

// print writes a table for each set.
func (r *run) print(w io.Writer) {
	for _, set := range r.sets {
		fmt.Fprintf(w, "Wall time of a request of the set %s by so many goroutines on %d cores, and how many times as fast as one:\n\n| engine |", set, runtime.NumCPU())
		var columns []count
		for _, c := range r.counts {
			if !slices.ContainsFunc(columns, func(o count) bool { return o.n == c.n }) {
				columns = append(columns, c)
				fmt.Fprintf(w, " %d |", c.n)
			}
		}
		fmt.Fprintf(w, "\n|%s\n", strings.Repeat(" --- |", len(columns)+1))
		for _, e := range engines {
			fmt.Fprintf(w, "| %s |", e)
			for _, c := range columns {
				ns, _, _ := measure.Median(r.rounds(e, set, c.n))
				fmt.Fprintf(w, " %.0f ns", ns)
				if c.n > 1 {
					f := figures.Quotient(r.rounds(e, set, 1), r.rounds(e, set, c.n))
					fmt.Fprintf(w, ", %.2f× [%.2f, %.2f]", f.Value, f.Lo, f.Hi)
				}
				fmt.Fprint(w, " |")
			}
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w)
	}
}
