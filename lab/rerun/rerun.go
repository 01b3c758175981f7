// Package rerun measures again what articles have published, as their authors did: on their
// types, with their versions of libraries, one engine in a process. The worker is the module
// lab/published. With --write, the figures of a run are kept in
// lab/results/claims/published.START.json:
//
//	published/banner/ENGINE/ns, bytes, allocs      of decoding the request of 804 bytes
//	published/banner/ENGINE/half-core              requests a second of a core that is busy for half of the time
//	published/banner/A/over-B                      the time of A over that of B, round by round
//	published/banner/A/allocs-over-B, bytes-over-B the same of what they allocate
//	published/banner/A/allocs-beyond-B             objects of A less objects of B
//	published/indented/over-VARIANT                fast-vectors on an indented request, over a variant on a minified one
//	published/keys/N/switch-over-gojson            objects of N integers: the switch by hand over go-json
//	published/parallel/N/A/over-B                  wall time with N goroutines; N is 10, or all for one a core
//	published/parallel/N/saved/A                   the share of one goroutine's time that N goroutines save
//	published/cores                                how many cores there are
//	published/profile/ENGINE/FUNCTION/flat         the share of the processor time in a function itself
//	published/profile/ENGINE/FUNCTION/cumulative   with what it calls
//	published/profile/ENGINE/A/over-B              the cumulative share of A over that of B
//	published/service/ENGINE/WHAT                  a service in which a worker is busy for half of the time
//	published/service/order/kendall/X-Y            whether X orders the engines as Y does, from -1 to 1
//	published/half-core/NNNNns                     what NNNN nanoseconds a request make of half a core
//
//	rerun.go    flags, and the measurements
//	worker.go   a worker for each measurement
//	record.go   figures
package rerun

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/lab/figures"
	"github.com/rtbwire/rtbwire/lab/measure"
	"github.com/rtbwire/rtbwire/lab/published/job"
)

const usage = `Measures again what articles have published, as their authors did: on their types, with their versions
of libraries, one engine in a process. "make bench-published" shows what they said beside it.

Usage, in the folder lab of the repository:

  go run . published             in ten minutes
  go run . published --quick     a first look, in a minute
  go run . published --write     keeps the figures in results/claims/published.START.json
  go run . published --out FILE  keeps them elsewhere

Every measurement is a process of its own, on one core where one goroutine decodes. Engines take turns
in every round, and ratios are taken round by round.

Flags:
`

// ErrUsage says that the command was called wrongly. What is wrong was printed.
var ErrUsage = errors.New("wrong usage")

const (
	file    = "results/claims/published.json" // in the folder lab, with the start of the run in its name
	command = "make bench-published"
)

// The engines of lab/published, and builds of it in which "fast" is another one. As published, it
// has vectors on arm64 alone.
var (
	engines  = []string{"encoding-json", "jsoniter", "gojson", "gojson-pool", "segmentio", "fast", "arena", "rtbwire", "rtbwire-arena"}
	variants = []string{"vectors", "byteloop", "atoi"}
)

const (
	base    = "encoding-json"
	vectors = "fast-vectors"
)

// hand are the variants of the decoder by hand.
var hand = []string{vectors, "fast-byteloop", "fast-atoi"}

// effort says how long to measure.
type effort struct {
	measure.Effort
	budget   time.Duration // of one measurement
	profiles int           // of each engine
	profile  time.Duration
	services int // of each engine
	service  time.Duration
}

// run is a run of the command.
type run struct {
	effort
	progress io.Writer
	folder   string // of programs and profiles
	core     *int
	rows     []measure.Row
	shares   map[string][]float64 // of profiles, by figure
	services map[string][]measure.ServiceResult
	recorded *figures.Run
}

// Main is the command. The working directory is the folder lab.
func Main(args []string, stdout, stderr io.Writer) (err error) {
	flags := flag.NewFlagSet("published", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(stderr, usage); flags.PrintDefaults() }
	quick := flags.Bool("quick", false, "six short rounds: a first look, which calls itself preliminary")
	write := flags.Bool("write", false, "keep the figures in results/claims")
	out := flags.String("out", "", "keep the figures in a `file`")
	limit := flags.Duration("limit", 4*time.Minute, "comparisons with wide intervals get more rounds until then")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return ErrUsage
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(stderr, "published: unexpected argument %q\n", flags.Arg(0))
		return ErrUsage
	}
	r := newRun(effort{
		Effort: measure.Effort{Rounds: 15, Max: 150, Limit: *limit, Narrow: 0.05, Ratios: true},
		budget: 50 * time.Millisecond, profiles: 7, profile: 4 * time.Second, services: 9, service: 2 * time.Second,
	})
	r.progress = stderr
	if *quick {
		r.effort = effort{
			Effort: measure.Effort{Rounds: 6, Max: 6, Ratios: true},
			budget: 10 * time.Millisecond, profiles: 3, profile: 500 * time.Millisecond, services: 6, service: 100 * time.Millisecond,
		}
		r.recorded.Preliminarily("a first look, with --quick")
	}
	if r.folder, err = os.MkdirTemp("", "rtbwire-published-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(r.folder)) }()
	if err := r.measure(); err != nil {
		return err
	}
	if *write {
		*out = figures.PathOf(file, r.recorded.Taken)
	}
	if err := r.end(*out); err != nil {
		return err
	}
	r.print(stdout)
	return nil
}

func newRun(e effort) *run {
	return &run{effort: e, shares: map[string][]float64{}, services: map[string][]measure.ServiceResult{}, recorded: figures.Begin(command)}
}

// measure takes all measurements.
func (r *run) measure() error {
	fmt.Fprintln(r.progress, "building workers")
	if err := r.build(); err != nil {
		return err
	}
	if core, ok := measure.IdlestCore(time.Second); ok {
		r.core, r.recorded.Machine.Core = &core, strconv.Itoa(core)
	}
	about, err := r.worker("").ask(job.Job{Kind: job.About})
	if err != nil {
		return err
	}
	r.recorded.Notes = about.Versions
	var said time.Time
	r.rows, err = measure.Run(r.plans(), r.Effort, func(s measure.Step) {
		if time.Since(said) > 10*time.Second {
			fmt.Fprintf(r.progress, "round %d: %s, %s\n", s.Round, s.Plan.Set, s.Engine)
			said = time.Now()
		}
	})
	if err != nil {
		return err
	}
	for _, row := range r.rows {
		if row.Wrong != "" {
			return fmt.Errorf("%s, %s: %s", row.Engine, row.Set, row.Wrong)
		}
	}
	if err := cmp.Or(r.takeProfiles(), r.serve()); err != nil {
		return err
	}
	for _, e := range r.late() {
		r.recorded.Preliminarily(e + " could not keep up at half load, so that its percentiles are those of a queue")
	}
	return nil
}

// late returns the engines whose services could not keep up in more than half of the rounds.
func (r *run) late() (late []string) {
	for _, e := range engines {
		behind := 0
		for _, s := range r.services[e] {
			if s.Behind {
				behind++
			}
		}
		if 2*behind > len(r.services[e]) {
			late = append(late, e)
		}
	}
	return late
}

// build builds the worker, and its variants.
func (r *run) build() error {
	for _, tag := range append([]string{""}, variants...) {
		if err := r.worker(tag).build(context.Background()); err != nil {
			return err
		}
	}
	return nil
}

// plans returns the comparisons.
func (r *run) plans() []*measure.Plan {
	plain := r.worker("")
	plan := func(document, base string, engines ...string) *measure.Plan {
		p := &measure.Plan{Set: document, Op: measure.Decode, Base: base, Budget: r.budget}
		for _, e := range engines {
			p.Entries = append(p.Entries, measure.Entry{Engine: e, By: plain})
		}
		return p
	}
	banner := plan("banner", base, engines...)
	for _, tag := range variants {
		banner.Entries = append(banner.Entries, measure.Entry{Engine: "fast-" + tag, By: r.worker(tag)})
	}
	indented := &measure.Plan{
		Set: "indented", Op: measure.Decode, Base: vectors, Budget: r.budget,
		Entries: []measure.Entry{{Engine: vectors, By: r.worker("vectors")}},
	}
	plans := []*measure.Plan{banner, indented}
	for _, n := range sizes {
		plans = append(plans, plan(keys(n), "gojson", "gojson", "fast"))
	}
	for _, c := range counts() {
		p := plan(shared, "gojson-pool", together...)
		p.Goroutines, p.Together = c.n, true
		if !slices.ContainsFunc(plans, func(o *measure.Plan) bool { return o.Together && o.Goroutines == c.n }) {
			plans = append(plans, p)
		}
	}
	return plans
}

// sizes are the numbers of fields of objects that are all integers.
var sizes = []int{8, 16, 64}

func keys(n int) string { return "keys" + strconv.Itoa(n) }

// shared is the set of the banner for goroutines that decode it at once: one of them too has all
// processors, and wall time counts.
const shared = "banner/together"

// together are the engines that goroutines share.
var together = []string{"gojson-pool", "arena", "rtbwire-arena"}

// count is a number of goroutines, with its name in figures.
type count struct {
	name string
	n    int
}

func counts() []count { return []count{{"1", 1}, {"10", 10}, {"all", runtime.NumCPU()}} }

// takeProfiles profiles engines, and adds up what functions take.
func (r *run) takeProfiles() error {
	out := filepath.Join(r.folder, "profile")
	for i := range r.profiles {
		fmt.Fprintf(r.progress, "profiles: round %d of %d\n", i+1, r.profiles)
		for _, p := range profiled {
			_, err := r.worker(p.tag).ask(job.Job{Kind: job.Profile, Engine: p.engine, Document: "banner", Budget: r.profile, File: out})
			if err != nil {
				return fmt.Errorf("profile of %s: %w", p.engine, err)
			}
			if err := r.addProfile(out, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// A service keeps its worker busy for this share of the time.
const (
	utilisation = 0.5
	workers     = 1
)

// serve runs each engine's service in each round, at the rate at which its worker is busy for half
// of the time. There is no other live memory.
func (r *run) serve() error {
	order := rand.New(rand.NewPCG(5, uint64(r.effort.services)))
	for i := range r.effort.services {
		fmt.Fprintf(r.progress, "services: round %d of %d\n", i+1, r.effort.services)
		for _, at := range order.Perm(len(engines)) {
			e := engines[at]
			rate := utilisation * workers * 1e9 / r.row("banner", e, 1).NS
			a, err := r.worker("").ask(job.Job{
				Kind: job.Serve, Engine: e, Document: "banner", Service: measure.ServiceTask{Engine: e, Rate: rate, Workers: workers, For: r.service},
			})
			if err != nil {
				return fmt.Errorf("service of %s: %w", e, err)
			}
			r.services[e] = append(r.services[e], a.Service)
		}
	}
	return nil
}

// row returns what was measured of an engine.
func (r *run) row(set, engine string, goroutines int) *measure.Row {
	for i := range r.rows {
		if row := &r.rows[i]; row.Set == set && row.Engine == engine && row.Goroutines == goroutines {
			return row
		}
	}
	return new(measure.Row)
}

// end records the figures, and writes them to a file, "" for none.
func (r *run) end(out string) error {
	r.record()
	if out == "" {
		out = filepath.Join(r.folder, "published.json")
	}
	return r.recorded.End(out)
}

// print writes the times.
func (r *run) print(w io.Writer) {
	fmt.Fprintf(w, "%s\n\n", r.recorded.About())
	fmt.Fprintf(w, "| engine | ns | bytes | allocations | times encoding/json |\n|%s\n", strings.Repeat(" --- |", 5))
	for _, e := range slices.Concat(engines, hand) {
		row := r.row("banner", e, 1)
		fmt.Fprintf(w, "| %s | %.0f [%.0f, %.0f] | %.0f | %.0f | %.2f [%.2f, %.2f] |\n",
			e, row.NS, row.Lo, row.Hi, row.Bytes, row.Allocs, row.Times, row.TimesLo, row.TimesHi)
	}
}
