// Package ablation measures what each technique of a decoder is worth, by leaving it out: builds
// with a change take turns with the build without one, on one core. So do index kernels that are
// slower than the machine's best.
//
// There are two decoders: rtbwire's, and the classic one by hand. With --write, figures are kept in
// lab/results/claims/ablation.START.json:
//
//	ablation/rtbwire/SET/VARIANT/over-full     time of a variant over that of the full build
//	ablation/classic/SET/VARIANT/over-fast     the same of the classic decoder, over the one without an arena
//	ablation/classic/SET/atoi/over-byte-loop   one variant over another
//	ablation/DESIGN/SET/VARIANT/ns             processor time of a request
//	ablation/DESIGN/SET/VARIANT/allocs         objects that are allocated for it
//	ablation/classic/banner/indented/over-fast           an indented banner over a minified one
//	ablation/classic/banner/indented/over-byte-loop      the same over a minified one, byte by byte
//
//	ablation.go  flags, builds, measurements
//	patches.go   the techniques, and how to build with changes
//	output.go    tables and figures
package ablation

import (
	"cmp"
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
	"github.com/rtbwire/rtbwire/lab/figures"
	"github.com/rtbwire/rtbwire/lab/measure"
)

const usage = `Measures what each technique of two decoders is worth, by changing it. Of rtbwire's decoder,
ParseFastArena: without guessed keys, without slabs, without unsafe, and with index kernels below the
machine's best. Of the classic decoder by hand, which has no arena: integers by strconv.Atoi, a byte
loop instead of SIMD, a pooled root, and three arenas.

Usage, in the folder lab of the repository:

  go run . ablation                          both decoders, in five to twenty minutes
  go run . ablation --designs classic        one of them
  go run . ablation --quick                  a first look, in two minutes
  go run . ablation --sets banner --rounds 20
                                             one data set, with more rounds
  go run . ablation --write                  keeps the figures in results/claims/ablation.START.json, and puts
                                             the tables into lab/docs/performance.md

Nothing in the repository is changed: the go command builds copies of some files with a few lines
changed. All builds are checked against encoding/json and take turns, as in a run of the lab. Times
are processor time, ratios are taken round by round, and every round has new processes. Data sets
get more rounds until the intervals of all ratios are narrower than 2%. SIMD is what this processor
has: on arm64 the classic decoder has NEON.

Flags:
`

// ErrUsage says that the command was called wrongly. What is wrong was printed.
var ErrUsage = errors.New("wrong usage")

// Main is the command. The working directory is the folder lab.
func Main(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("ablation", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(stderr, usage); flags.PrintDefaults() }
	var names []string
	for _, d := range designs {
		names = append(names, d.name)
	}
	chosen := flags.String("designs", strings.Join(names, ","), "decoders, separated by `commas`")
	sets := flags.String("sets", "", "data sets, separated by `commas` (default some for each decoder)")
	rounds := flags.Int("rounds", 15, "least `number` of rounds")
	budget := flags.Duration("time", 50*time.Millisecond, "length of one measurement")
	limit := flags.Duration("limit", 10*time.Minute, "comparisons with wide intervals get more rounds until then")
	core := flags.Int("core", -1, "the core to measure on, a `number` (default the idlest)")
	quick := flags.Bool("quick", false, "six rounds of 20ms: a first look")
	write := flags.Bool("write", false, "keep the figures in "+file+", and put the tables into lab/docs/performance.md")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return ErrUsage
	}
	if *quick {
		*rounds, *budget, *limit = 6, 20*time.Millisecond, 0
	}
	if flags.NArg() > 0 || *rounds < 1 || *budget <= 0 {
		fmt.Fprintln(stderr, "ablation: --rounds and --time have to be positive, and no argument follows")
		return ErrUsage
	}
	r := &run{progress: stderr, core: *core, recorded: figures.Begin("make bench ARGS='ablation --write'")}
	for name := range strings.SplitSeq(*chosen, ",") {
		i := slices.IndexFunc(designs, func(d design) bool { return d.name == name })
		if i < 0 {
			fmt.Fprintf(stderr, "ablation: no decoder %q: there are %s\n", name, strings.Join(names, ", "))
			return ErrUsage
		}
		d := designs[i]
		if *sets != "" {
			d.sets = strings.Split(*sets, ",")
		}
		r.designs = append(r.designs, d)
	}
	if *quick {
		r.recorded.Preliminarily("a first look, with --quick")
	}
	var err error
	if r.folder, err = os.MkdirTemp("", "rtbwire-ablation-"); err != nil {
		return err
	}
	err = r.measure(*budget, measure.Effort{Rounds: *rounds, Max: 20 * *rounds, Limit: *limit, Narrow: 0.02, Ratios: true})
	if err = errors.Join(err, r.close()); err != nil {
		return err
	}
	var text strings.Builder
	if err := r.print(&text); err != nil {
		return err
	}
	if !*write {
		_, err := io.WriteString(stdout, text.String())
		return err
	}
	r.record()
	return r.recorded.Publish(file, page, "ablation", text.String())
}

// run is an ablation in progress.
type run struct {
	progress io.Writer
	folder   string // of the builds
	core     int
	designs  []design
	variants []*variant
	rows     []measure.Row
	recorded *figures.Run
}

// variant is a build, or an index kernel of one, with its process. Its rows have the variant's full
// name; the process knows it by the name of the engine.
type variant struct {
	design, name, engine string
	*measure.Process
}

// fullName tells the variants of several designs apart.
func (v *variant) fullName() string { return v.design + "/" + v.name }

// Check returns what is wrong with the variant's answers.
func (v *variant) Check(_, set string, op measure.Op) (string, error) {
	return v.Process.Check(v.engine, set, op)
}

// Run measures once.
func (v *variant) Run(t measure.Task) (measure.Sample, error) {
	t.Engine = v.engine
	return v.Process.Run(t)
}

func (r *run) close() error {
	var errs []error
	for _, v := range r.variants {
		errs = append(errs, v.Close())
	}
	return errors.Join(append(errs, os.RemoveAll(r.folder))...)
}

// build builds the lab with a change, nil for none.
func (r *run) build(d *design, t *technique) (program string, err error) {
	name := "without a change"
	args := []string{"build"}
	if t != nil {
		name = d.name + " " + t.name
		patches, err := os.MkdirTemp(r.folder, "patches")
		if err != nil {
			return "", err
		}
		overlay, err := t.overlay(filepath.Join("..", d.folder), patches)
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
	fmt.Fprintf(r.progress, "building: %s\n", name)
	program = filepath.Join(r.folder, strings.ReplaceAll(name, " ", "-"))
	out, err := exec.Command("go", append(args, "-o", program, ".")...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building %s: %w: %s", name, err, out)
	}
	return program, nil
}

// start adds a variant: a program with an index kernel.
func (r *run) start(v *variant, program string, level jsonindex.Level) (err error) {
	v.Process, err = measure.Start(program, "--core", strconv.Itoa(r.core), "--index", level.String(), "worker")
	if err == nil {
		r.variants = append(r.variants, v)
	}
	return err
}

// startAll builds and starts all variants.
func (r *run) startAll() error {
	plain, err := r.build(nil, nil)
	if err != nil {
		return err
	}
	levels := jsonindex.Levels()
	best := levels[len(levels)-1]
	for i := range r.designs {
		d := &r.designs[i]
		if err := r.start(&variant{design: d.name, name: d.base, engine: d.engine}, plain, best); err != nil {
			return err
		}
		for j := range d.techniques {
			t, program := &d.techniques[j], plain
			if t.edits != nil || t.tags != "" {
				if program, err = r.build(d, t); err != nil {
					return err
				}
			}
			if err := r.start(&variant{design: d.name, name: t.name, engine: cmp.Or(t.engine, d.engine)}, program, best); err != nil {
				return err
			}
		}
		if d.folder != indexed {
			continue
		}
		for _, level := range slices.Backward(levels[:len(levels)-1]) {
			if err := r.start(&variant{design: d.name, name: "index " + level.String(), engine: d.engine}, plain, level); err != nil {
				return err
			}
		}
	}
	return nil
}

// indexed is the folder of the decoder that uses an index kernel.
const indexed = "wire"

func (r *run) measure(budget time.Duration, effort measure.Effort) error {
	all, err := data.Load("")
	if err != nil {
		return err
	}
	for _, d := range r.designs {
		for _, name := range d.sets {
			if _, ok := data.Find(all, name); !ok {
				return fmt.Errorf("no data set %q", name)
			}
		}
	}
	if r.core < 0 {
		if r.core, _ = measure.IdlestCore(time.Second); r.core >= 0 {
			fmt.Fprintf(r.progress, "measuring on core %d\n", r.core)
			r.recorded.Machine.Core = strconv.Itoa(r.core)
		}
	}
	if err := r.startAll(); err != nil {
		return err
	}
	var plans []*measure.Plan
	for _, d := range r.designs {
		for _, name := range d.sets {
			p := &measure.Plan{Set: name, Op: measure.Decode, Base: d.name + "/" + d.base, Budget: budget}
			for _, v := range r.variants {
				if v.design == d.name {
					p.Entries = append(p.Entries, measure.Entry{Engine: v.fullName(), By: v})
				}
			}
			plans = append(plans, p)
		}
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
