// Package tail asks what orders engines by their slowest requests: a small service decodes at a
// fixed rate of arrival beside live memory, with one engine after the other, and the 99th
// percentile, the collector's share and the mean are set beside what each engine allocates. With
// --write, figures are kept in lab/results/claims/service.START.json:
//
//	service/ENGINE/p50, p99     time from when a request was due until it was done
//	service/ENGINE/mean         time that a worker decodes a request
//	service/ENGINE/busy         share of the workers' time spent decoding
//	service/ENGINE/collector    processor time of the collector, as a share of it and decoding
//	service/ENGINE/allocs       objects allocated for a request
//	service/ENGINE/bytes        bytes allocated for it
//	service/rate                requests a second
//	service/order/kendall/X-Y   whether X orders the engines as Y does, from -1 to 1, by round; X
//	                            is allocs, bytes or mean, Y is p99, mean or collector
//	service/order/kendall/allocs-p99-beyond-mean
//	                            by how much allocs order the p99 better than the mean
//
//	tail.go      flags, the runs
//	output.go    the table, figures, the picture
package tail

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"github.com/rtbwire/rtbwire/lab/figures"
	"github.com/rtbwire/rtbwire/lab/measure"
)

const usage = `Asks what orders engines by their slowest requests. A small service decodes simulated requests at a
fixed rate, which keeps the workers of the slowest engine busy for half of the time, beside 64 MB of
live memory that the garbage collector walks. The table has each engine's 99th percentile, mean and
collector's share beside what it allocates. Below it are rank correlations: 1 if allocations order
the engines as the percentile does, 0 if they say nothing about it.

Usage, in the folder lab of the repository:

  go run . tail                 in six minutes
  go run . tail --quick         a first look, in two minutes
  go run . tail --write         keeps the figures in results/claims/service.START.json, and puts the table and
                                a picture into lab/docs/

Every run of an engine is a new process. In each round each engine runs once, in an order that
changes; correlations are taken round by round. Close what uses the processor: percentiles suffer
more from it than medians.

Flags:
`

// ErrUsage says that the command was called wrongly. What is wrong was printed.
var ErrUsage = errors.New("wrong usage")

// Where --write keeps figures and a picture, and the page with the table, from the folder lab.
const (
	file        = "results/claims/service.json"
	pictureFile = "docs/tail.svg"
	page        = "docs/performance.md"
)

// command measures again what a page and a file have.
const command = "go -C lab run . tail --write"

const (
	set     = "traffic"
	workers = 2
	liveMB  = 64
	slowest = "encoding-json"
)

var engines = []string{
	"rtbwire-arena", "rtbwire-fast", "rtbwire", "handwritten", "handwritten-fast", "gojson", "gojson-pool", "gojson-unsafe",
	"sonic-std", "sonic-fastest", "jsoniter", "segmentio", slowest,
}

// run is a run of the command.
type run struct {
	progress io.Writer
	start    func() (*measure.Process, error)
	rate     float64
	length   time.Duration                      // of one service
	found    map[string][]measure.ServiceResult // by engine, one per round
	recorded *figures.Run
}

// Main is the command. The working directory is the folder lab.
func Main(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("tail", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(stderr, usage); flags.PrintDefaults() }
	rounds := flags.Int("rounds", 9, "`number` of rounds (intervals need 6)")
	length := flags.Duration("time", 2*time.Second, "length of one service")
	quick := flags.Bool("quick", false, "six rounds of a second: a first look")
	write := flags.Bool("write", false, "keep the figures in "+file+", and put the table and a picture into lab/docs/")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return ErrUsage
	}
	r := &run{progress: stderr, found: map[string][]measure.ServiceResult{}, recorded: figures.Begin(command)}
	if *quick {
		*rounds, *length = 6, time.Second
		r.recorded.Preliminarily("a first look, with --quick")
	}
	if flags.NArg() > 0 || *rounds < 1 || *length <= 0 {
		fmt.Fprintln(stderr, "tail: --rounds and --time have to be positive, and no argument follows")
		return ErrUsage
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	r.length = *length
	r.start = func() (*measure.Process, error) { return measure.Start(self, "--sets", set, "worker") }
	if r.rate, err = r.findRate(); err != nil {
		return err
	}
	if err := r.serve(*rounds); err != nil {
		return err
	}
	for _, e := range r.late() {
		r.recorded.Preliminarily(e + " could not keep up, so that its percentiles are those of a queue")
	}
	text := r.text()
	if !*write {
		_, err := io.WriteString(stdout, text)
		return err
	}
	r.record()
	return errors.Join(
		r.recorded.Publish(file, page, "tail", text),
		os.WriteFile(pictureFile, []byte(r.picture().File()), 0o644),
	)
}

// findRate returns the rate that keeps the workers of the slowest engine busy for half of the time.
func (r *run) findRate() (float64, error) {
	p, err := r.start()
	if err != nil {
		return 0, err
	}
	s, err := p.Run(measure.Task{Engine: slowest, Set: set, Op: measure.Decode, Budget: 300 * time.Millisecond})
	if err = errors.Join(err, p.Close()); err != nil {
		return 0, err
	}
	return 0.5 * workers * 1e9 / s.NS, nil
}

// serve runs each engine's service in each round.
func (r *run) serve(rounds int) error {
	order := rand.New(rand.NewPCG(3, uint64(rounds)))
	for round := range rounds {
		fmt.Fprintf(r.progress, "round %d of %d\n", round+1, rounds)
		for _, i := range order.Perm(len(engines)) {
			s, err := r.once(engines[i])
			if err != nil {
				return fmt.Errorf("%s: %w", engines[i], err)
			}
			r.found[engines[i]] = append(r.found[engines[i]], s)
		}
	}
	return nil
}

// once runs an engine's service in a new process.
func (r *run) once(engine string) (s measure.ServiceResult, err error) {
	p, err := r.start()
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	wrong, err := p.Check(engine, set, measure.Decode) // which warms up, too
	if err != nil {
		return s, err
	}
	if wrong != "" {
		return s, errors.New(wrong)
	}
	return p.Service(measure.ServiceTask{Engine: engine, Set: set, Rate: r.rate, Workers: workers, For: r.length, BallastMB: liveMB})
}

// late returns the engines that could not keep up in more than half of the rounds.
func (r *run) late() (late []string) {
	for _, e := range engines {
		behind := 0
		for _, s := range r.found[e] {
			if s.Behind {
				behind++
			}
		}
		if 2*behind > len(r.found[e]) {
			late = append(late, e)
		}
	}
	return late
}

// byAllocations returns the engines, those that allocate least first.
func (r *run) byAllocations() []string {
	sorted := slices.Clone(engines)
	slices.SortStableFunc(sorted, func(a, b string) int { return cmp.Compare(r.median(a, allocs), r.median(b, allocs)) })
	return sorted
}

// quantity is something about a service.
type quantity struct {
	name, unit string
	of         func(*measure.ServiceResult) float64
}

var (
	allocs    = quantity{"allocs", "allocs", func(s *measure.ServiceResult) float64 { return s.AllocsPerRequest }}
	bytes     = quantity{"bytes", "B", func(s *measure.ServiceResult) float64 { return s.BytesPerRequest }}
	mean      = quantity{"mean", "ns", func(s *measure.ServiceResult) float64 { return s.Mean }}
	p50       = quantity{"p50", "ns", func(s *measure.ServiceResult) float64 { return s.P50 }}
	p99       = quantity{"p99", "ns", func(s *measure.ServiceResult) float64 { return s.P99 }}
	busy      = quantity{"busy", "", func(s *measure.ServiceResult) float64 { return s.Busy }}
	collector = quantity{"collector", "", func(s *measure.ServiceResult) float64 { return s.GCShare }}

	quantities   = []quantity{allocs, bytes, mean, p50, p99, busy, collector}
	correlations = [][2]quantity{{allocs, p99}, {allocs, mean}, {allocs, collector}, {bytes, p99}, {bytes, mean}, {bytes, collector}, {mean, p99}}
)

// values returns a quantity of an engine in each round.
func (r *run) values(engine string, q quantity) []float64 {
	values := make([]float64, len(r.found[engine]))
	for i := range values {
		values[i] = q.of(&r.found[engine][i])
	}
	return values
}

func (r *run) median(engine string, q quantity) float64 {
	m, _, _ := measure.Median(r.values(engine, q))
	return m
}

// kendall returns the rank correlation of two quantities over the engines in each round.
func (r *run) kendall(x, y quantity) []float64 {
	taus := make([]float64, len(r.found[engines[0]]))
	for round := range taus {
		var xs, ys []float64
		for _, e := range engines {
			xs, ys = append(xs, x.of(&r.found[e][round])), append(ys, y.of(&r.found[e][round]))
		}
		taus[round] = measure.Kendall(xs, ys)
	}
	return taus
}
