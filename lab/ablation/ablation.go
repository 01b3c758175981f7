// Package ablation measures what each technique of the decoder is worth, by leaving it out: builds
// without a technique take turns with the full build, on one core. So do index kernels that are
// slower than the machine's best.
//
//	ablation.go  flags, builds, the table
//	patches.go   the techniques, and how to build without them
package ablation

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/internal/simd/jsonindex"
	"github.com/rtbwire/rtbwire/lab/data"
	"github.com/rtbwire/rtbwire/lab/measure"
)

const usage = `Measures what each technique of the decoder is worth: ParseFastArena without guessed keys, without
slabs, without unsafe, and with index kernels below the machine's best, against the full build.

Usage, in the folder lab of the repository:

  go run . ablation                          all data sets, in two to ten minutes
  go run . ablation --sets banner --rounds 6 --time 10ms --limit 0
                                             a first look

Nothing in the repository is changed: the go command builds copies of some files with a few lines
changed. All builds are checked against encoding/json and take turns, as in a run of the lab. Times
are processor time, ratios are taken round by round, and every round has new processes. Data sets
get more rounds until the intervals of all ratios are narrower than 2%.

Flags:
`

// ErrUsage says that the command was called wrongly. What is wrong was printed.
var ErrUsage = errors.New("wrong usage")

// engineName is the engine that all builds run.
const engineName = "rtbwire-arena"

const full = "full"

var defaultSets = "banner,video,app,app_indented,escapes,mixed"

// Main is the command.
func Main(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("ablation", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(stderr, usage); flags.PrintDefaults() }
	sets := flags.String("sets", defaultSets, "data sets, separated by `commas`")
	rounds := flags.Int("rounds", 15, "least `number` of rounds")
	budget := flags.Duration("time", 50*time.Millisecond, "length of one measurement")
	limit := flags.Duration("limit", 10*time.Minute, "comparisons with wide intervals get more rounds until then")
	core := flags.Int("core", -1, "the core to measure on, a `number` (default the idlest)")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return ErrUsage
	}
	if flags.NArg() > 0 || *rounds < 1 || *budget <= 0 {
		fmt.Fprintln(stderr, "ablation: --rounds and --time have to be positive, and no argument follows")
		return ErrUsage
	}
	folder, err := os.MkdirTemp("", "rtbwire-ablation-")
	if err != nil {
		return err
	}
	r := &run{progress: stderr, folder: folder, core: *core}
	err = r.measure(strings.Split(*sets, ","), *budget, measure.Effort{
		Rounds: *rounds, Most: 20 * *rounds, Limit: *limit, Narrow: 0.02, Ratios: true,
	})
	err = errors.Join(err, r.close())
	if err != nil {
		return err
	}
	return r.print(stdout)
}

// run is an ablation in progress.
type run struct {
	progress io.Writer
	folder   string // of the builds
	core     int
	variants []*variant
	rows     []measure.Row
	sets     []string
}

// variant is a build, or an index kernel of the full one, with its process. Its rows have the
// variant's name; the process knows it by the name of the engine.
type variant struct {
	name string
	*measure.Process
}

// Check returns what is wrong with the variant's answers.
func (v *variant) Check(_, set string, op measure.Op) (string, error) {
	return v.Process.Check(engineName, set, op)
}

// Run measures once.
func (v *variant) Run(t measure.Task) (measure.Sample, error) {
	t.Engine = engineName
	return v.Process.Run(t)
}

func (r *run) close() error {
	var errs []error
	for _, v := range r.variants {
		errs = append(errs, v.Close())
	}
	return errors.Join(append(errs, os.RemoveAll(r.folder))...)
}

// build builds the lab without a technique, nil for all of it.
func (r *run) build(t *technique) (program string, err error) {
	name := full
	args := []string{"build"}
	if t != nil {
		name = t.name
		patches, err := os.MkdirTemp(r.folder, "patches")
		if err != nil {
			return "", err
		}
		overlay, err := t.overlay("..", patches)
		if err != nil {
			return "", err
		}
		if overlay != "" {
			args = append(args, "-overlay", overlay)
		}
		if t.tags != "" {
			args = append(args, "-tags", t.tags)
		}
	}
	fmt.Fprintf(r.progress, "building without %s\n", map[bool]string{true: "a change", false: name}[t == nil])
	program = filepath.Join(r.folder, strings.ReplaceAll(name, " ", "-"))
	out, err := exec.Command("go", append(args, "-o", program, ".")...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building without %s: %w: %s", name, err, out)
	}
	return program, nil
}

// start adds a variant: a program with an index kernel.
func (r *run) start(name, program string, level jsonindex.Level) error {
	p, err := measure.Start(program, "--core", strconv.Itoa(r.core), "--index", level.String(), "worker")
	if err != nil {
		return err
	}
	r.variants = append(r.variants, &variant{name, p})
	return nil
}

func (r *run) measure(sets []string, budget time.Duration, effort measure.Effort) error {
	all, err := data.Load("")
	if err != nil {
		return err
	}
	for _, name := range sets {
		if _, ok := data.Find(all, name); !ok {
			return fmt.Errorf("no data set %q", name)
		}
	}
	r.sets = sets
	programs := make([]string, len(techniques))
	complete, err := r.build(nil)
	if err != nil {
		return err
	}
	for i := range techniques {
		if programs[i], err = r.build(&techniques[i]); err != nil {
			return err
		}
	}
	if r.core < 0 {
		if r.core, _ = measure.IdlestCore(time.Second); r.core >= 0 {
			fmt.Fprintf(r.progress, "measuring on core %d\n", r.core)
		}
	}
	levels := jsonindex.Levels()
	best := levels[len(levels)-1]
	if err := r.start(full, complete, best); err != nil {
		return err
	}
	for i, t := range techniques {
		if err := r.start("no "+t.name, programs[i], best); err != nil {
			return err
		}
	}
	for _, level := range slices.Backward(levels[:len(levels)-1]) {
		if err := r.start("index: "+level.String(), complete, level); err != nil {
			return err
		}
	}
	var plans []*measure.Plan
	for _, name := range sets {
		p := &measure.Plan{Set: name, Op: measure.Decode, Base: full, Budget: budget}
		for _, v := range r.variants {
			p.Entries = append(p.Entries, measure.Entry{Engine: v.name, By: v})
		}
		plans = append(plans, p)
	}
	var said time.Time
	r.rows, err = measure.Run(plans, effort, func(s measure.Step) {
		if time.Since(said) > 10*time.Second {
			fmt.Fprintf(r.progress, "round %d, %d data sets: %s, %s\n", s.Round, max(s.Going, 1), s.Plan.Set, s.Engine)
			said = time.Now()
		}
	})
	return err
}

// print writes a table: a set per row, a variant per column.
func (r *run) print(w io.Writer) error {
	levels := jsonindex.Levels()
	fmt.Fprintf(w, "Times of the full build with the index kernel %s, and how many times as long the others take, with 95%% intervals.\n\n| |",
		levels[len(levels)-1])
	for _, v := range r.variants {
		fmt.Fprintf(w, " %s |", v.name)
	}
	fmt.Fprintf(w, " rounds |\n|%s\n", strings.Repeat(" --- |", len(r.variants)+2))
	for _, set := range r.sets {
		base := r.row(full, set)
		fmt.Fprintf(w, "| %s |", strings.ReplaceAll(set, "_", " "))
		for _, v := range r.variants {
			row := r.row(v.name, set)
			switch {
			case row == nil || row.Wrong != "" || base == nil || base.Wrong != "":
				fmt.Fprint(w, " wrong |")
			case row == base:
				fmt.Fprintf(w, " %.0f ns [%.0f, %.0f] |", row.NS, row.Lo, row.Hi)
			default:
				fmt.Fprintf(w, " %.2f× [%.2f, %.2f] |", 1/row.Times, 1/row.TimesHi, 1/row.TimesLo)
			}
		}
		fmt.Fprintf(w, " %d |\n", base.Count)
	}
	for i := range r.rows {
		if row := &r.rows[i]; row.Wrong != "" {
			return fmt.Errorf("%s, %s: %s", row.Engine, row.Set, row.Wrong)
		}
	}
	return nil
}

func (r *run) row(name, set string) *measure.Row {
	for i := range r.rows {
		if row := &r.rows[i]; row.Engine == name && row.Set == set {
			return row
		}
	}
	return nil
}
