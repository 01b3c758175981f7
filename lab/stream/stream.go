// Package stream measures "rtbwire stream" beside a bare copy loop with franz-go, on a real broker.
// Every contestant is a process of its own on a core of its own; the broker is on another one.
//
//	stream.go       flags, a run
//	contestants.go  who takes part, and how each is started
//	broker.go       the broker; topics, offsets
//	fill.go         what is in the topic that is read
//	sample.go       one measurement
//	profile.go      profiles of the processor
//	page.go         lab/docs/stream-performance.md
//	copy/           the bare copy loop
package stream

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/rtbwire/rtbwire/lab/figures"
	"github.com/rtbwire/rtbwire/lab/measure"
	"github.com/rtbwire/rtbwire/lab/process"
)

// ErrUsage means that the command was called with wrong flags.
var ErrUsage = errors.New("see stream --help")

// ResultsFile is where results are kept, from the folder lab; QuickFile has those of a first look,
// which git ignores.
const (
	ResultsFile = "results/stream.json"
	QuickFile   = "results/stream/quick.json"
)

const help = `Measures rtbwire stream beside a bare copy loop with franz-go, on a real broker, each process
pinned to a core: records a second, and processor time for a record.

  go run . stream --quick     a first look, in about two minutes
  go run . stream             ten rounds, in about ten minutes
  go run . stream page        writes lab/docs/stream-performance.md from results/stream.json

The broker is started by scripts/kafka.sh, which needs Java 17 and, once, Maven. All contestants read
the same topic, each in a group of its own, and take turns. Exit status: 0 done, 2 wrong usage,
3 something failed.

`

// options are the flags.
type options struct {
	quick               bool
	rounds, records     int
	profiles            string
	only, out, rtbwire  string
	ownCore, brokerCore int
	partitions          int
}

// lab is a run in progress.
type lab struct {
	options
	ctx     context.Context
	log     io.Writer
	dir     string // for everything that is written
	copy    string // the program
	entries []*contestant
	broker  *broker
	input   input
	started time.Time
	number  int // of measurements, for names of topics and groups
}

// What is measured.
const (
	fullRecords, quickRecords = 400_000, 60_000
	fullRounds, quickRounds   = 10, 2
)

// Main runs the command with its arguments.
func Main(args []string, stdout, stderr io.Writer) error {
	set := flag.NewFlagSet("stream", flag.ContinueOnError)
	set.SetOutput(stderr)
	set.Usage = func() { fmt.Fprint(stderr, help); set.PrintDefaults() }
	l := &lab{log: stderr, started: time.Now()}
	set.BoolVar(&l.quick, "quick", false, "few and short measurements: a first look, always preliminary")
	set.IntVar(&l.rounds, "rounds", 0, fmt.Sprintf("`number` of rounds (default %d, quick %d)", fullRounds, quickRounds))
	set.IntVar(&l.records, "records", 0, fmt.Sprintf("`number` of records in the topic (default %d, quick %d)", fullRecords, quickRecords))
	set.IntVar(&l.partitions, "partitions", 4, "`number` of partitions of each topic")
	set.StringVar(&l.only, "only", "", "contestants, separated by `commas`: "+names())
	set.StringVar(&l.out, "out", "", "the `file` of results (default "+ResultsFile+", with --quick "+QuickFile+")")
	set.StringVar(&l.rtbwire, "rtbwire", "", "the `program` rtbwire (default: built)")
	set.StringVar(&l.profiles, "profiles", "", "write a profile of the processor for each contestant of rtbwire into a `folder`; the run is preliminary")
	set.IntVar(&l.ownCore, "own-core", runtime.NumCPU()-1, "the core of the contestant")
	set.IntVar(&l.brokerCore, "broker-core", 0, "the core of the broker")
	if err := set.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return ErrUsage
	}
	l.complete()
	switch rest := set.Args(); {
	case len(rest) == 1 && rest[0] == "page":
		return publish(l.out)
	case len(rest) > 0:
		return fmt.Errorf("unknown argument %q: %w", rest[0], ErrUsage)
	case l.rounds < 1 || l.records < 1000 || l.partitions < 1:
		return fmt.Errorf("want at least a round, 1,000 records and a partition: %w", ErrUsage)
	case l.ownCore == l.brokerCore:
		return fmt.Errorf("a contestant needs a core of its own, and this machine has %d (--own-core, --broker-core): %w", runtime.NumCPU(), ErrUsage)
	}
	var err error
	if l.entries, err = choose(l.only); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	l.ctx = ctx
	return l.run(stdout)
}

// complete fills in what flags have left open.
func (l *lab) complete() {
	records, rounds, out := fullRecords, fullRounds, ResultsFile
	if l.quick {
		records, rounds, out = quickRecords, quickRounds, QuickFile
	}
	if l.records == 0 {
		l.records = records
	}
	if l.rounds == 0 {
		l.rounds = rounds
	}
	if l.out == "" {
		l.out = out
	}
}

// run measures, and writes the file and its page.
func (l *lab) run(stdout io.Writer) error {
	r := figures.Begin("cd lab && go run . stream")
	samples, err := l.measure()
	if err != nil {
		return err
	}
	summarize(r, samples)
	l.describe(r)
	if err := r.End(l.out); err != nil {
		return err
	}
	page := strings.TrimSuffix(l.out, filepath.Ext(l.out)) + ".md"
	if err := os.WriteFile(page, []byte(Page(&r.File)), 0o644); err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "%s\n%s\n%s\n", summary(&r.File), l.out, page)
	return err
}

// measure runs everything that has to be at its end before the run is.
func (l *lab) measure() (all map[string][]sample, err error) {
	if l.dir, err = os.MkdirTemp("", "rtbwire-stream-"); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(l.dir)) }()
	if err := l.prepare(); err != nil {
		return nil, err
	}
	undo, err := measure.OnCore(l.brokerCore) // the lab itself, and what it starts
	if err != nil {
		return nil, err
	}
	defer undo()
	if l.broker, err = startBroker(l.ctx, filepath.Join(l.dir, "kafka")); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.broker.stop()) }()
	if l.input, err = l.broker.fill(l.ctx, l.records, l.partitions); err != nil {
		return nil, err
	}
	l.say("%d records of %.0f bytes, %.0f with compression, in %d partitions", l.records, l.input.bytes, l.input.stored, l.partitions)
	all = map[string][]sample{}
	for round := -1; round < l.rounds; round++ { // the first one warms up the broker
		for i := range l.entries {
			c := l.entries[(i+max(round, 0))%len(l.entries)]
			s, err := l.sample(c)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
			if round < 0 {
				continue
			}
			all[c.name] = append(all[c.name], s)
			l.say("round %d of %d: %-21s %7.0f records/s, %5.2f µs a record, core %3.0f%%, broker %3.0f%%",
				round+1, l.rounds, c.name, s.rate, s.cpu, 100*s.core, 100*s.broker)
		}
	}
	return all, nil
}

// prepare builds the programs and writes the configurations.
func (l *lab) prepare() error {
	l.copy = filepath.Join(l.dir, "copy")
	if err := process.Build(l.ctx, l.copy, ".", "./stream/copy"); err != nil {
		return err
	}
	if l.rtbwire == "" {
		l.rtbwire = filepath.Join(l.dir, "rtbwire")
		if err := process.Build(l.ctx, l.rtbwire, "..", "./cmd/rtbwire"); err != nil {
			return err
		}
	}
	return Configure(l.dir)
}

// describe adds what was measured to a run.
func (l *lab) describe(r *figures.Run) {
	r.Figures[figureRecords] = figures.Exactly(float64(l.records), "")
	r.Figures[figurePartitions] = figures.Exactly(float64(l.partitions), "")
	r.Figures[figureBytes] = figures.Exactly(l.input.bytes, "B")
	r.Figures[figureStored] = figures.Exactly(l.input.stored, "B")
	r.Notes = map[string]string{"kafka": l.broker.version, "franz-go": franzVersion()}
	if l.quick {
		r.Preliminarily("it was measured with --quick")
	}
	if l.profiles != "" {
		r.Preliminarily("profiles were taken")
	}
	if l.rounds < fullRounds {
		r.Preliminarily(fmt.Sprintf("there were %d rounds, not %d", l.rounds, fullRounds))
	}
}

// say reports progress.
func (l *lab) say(format string, args ...any) {
	fmt.Fprintf(l.log, "%6s  %s\n", time.Since(l.started).Round(time.Second), fmt.Sprintf(format, args...))
}
