// Package gateway measures rtbwire's gateway beside what would stand in its place: a bare fasthttp
// proxy, nginx, HAProxy, httputil.ReverseProxy, and the handler of net/http that a team would
// write. Every contestant is a process of its own on cores of its own; the upstream and the
// generator are on others.
//
//	gateway.go       flags, the parts of a run, their order
//	contestants.go   who takes part, and how each is started
//	process.go       what a contestant uses: processor time, memory, allocations
//	bodies.go        what is sent
//	load.go          one run of the generator against a contestant: a sample
//	part_*.go        the parts: cost, latency, memory, overload, shares, scaling, soak
//	results.go       the file of results, and what is computed from it
//	page.go          lab/docs/gateway-performance.md and its pictures
//	peer/            the programs that are compared, and the upstream
//	conf/            configurations
package gateway

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
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/rtbwire/rtbwire/lab/measure"
	"github.com/rtbwire/rtbwire/lab/process"
	"github.com/rtbwire/rtbwire/lab/report"
)

// ErrUsage means that a command was called with wrong flags.
var ErrUsage = errors.New("see gateway --help")

// ResultsFile is where results are kept, from the folder lab; QuickFile has those of a first look,
// which git ignores.
const (
	ResultsFile = "results/gateway.json"
	QuickFile   = "results/gateway/quick.json"
)

const help = `Measures the gateway beside proxies and handlers, each a process pinned to one core.

  go run . gateway --quick                a first look, in under three minutes
  go run . gateway                        all parts but scaling and soak, in under 40 minutes
  go run . gateway --only cost,memory     some parts; the others of the file stay as they are
  go run . gateway --only scaling --server-cores 1,2,4,8
                                          contestants on several cores, and 50,000 to 200,000
                                          requests a second; needs a machine with more cores
  go run . gateway --only soak            half load for --soak: memory and goroutines
  go run . gateway --out results/gateway-2.json
                                          the same again: the page has how far runs differ
  go run . gateway page                   writes lab/docs/gateway-performance.md and its pictures

Results are merged into --out, part by part, and shown in a page beside it. page publishes
results/gateway.json and, beside it, results/gateway-*.json, unless one is preliminary. Exit status: 0 done, 2 wrong usage, 3 something failed.

`

// options are the flags.
type options struct {
	quick                     bool
	only, bodies, contestants string
	rounds                    int
	soak, maxLag              time.Duration
	out, rtbwire              string
	serverCore, loadCore      int
	serverCoresText           string
}

// lab is a run in progress.
type lab struct {
	options
	effort
	ctx     context.Context
	log     io.Writer
	dir     string // for everything that is written
	peer    string // the program
	entries []*contestant
	sets    []*body
	sink    *running // nil, or the upstream that runs
	sinkAt  string   // its address
	results *Results
	started time.Time

	// Where programs run; sinkCores are empty where the upstream shares cores with the generator.
	serverCores, loadCores, sinkCores process.Cores
	workers, threads                  int // of the contestant, and of the generator
}

// effort says how much is measured.
type effort struct {
	warm, max, steady, windows time.Duration // of single measurements
	rounds                     int
	few                        int // rounds of parts that need fewer
}

var (
	fullEffort  = effort{warm: 400 * time.Millisecond, max: 1200 * time.Millisecond, steady: 1200 * time.Millisecond, windows: 5 * time.Second, rounds: 10, few: 3}
	quickEffort = effort{warm: 150 * time.Millisecond, max: 300 * time.Millisecond, steady: 400 * time.Millisecond, windows: 3 * time.Second, rounds: 2, few: 1}
)

// part is something that can be measured alone.
type part struct {
	name, about string
	run         func(*lab) error
	estimate    func(*lab) time.Duration
	byRequest   bool // only when it is asked for
}

var parts = []part{
	{"cost", "processor time for each request with all connections busy, throughput, allocations", (*lab).cost, (*lab).costEstimate, false},
	{"latency", "latency at the rate that a core is planned for", (*lab).latency, (*lab).latencyEstimate, false},
	{"memory", "memory with 1,000 connections and an upstream that takes 20 ms", (*lab).memory, (*lab).memoryEstimate, false},
	{"overload", "three times the capacity offered", (*lab).overload, (*lab).overloadEstimate, false},
	{"shares", "where the processor time of the Go programs goes", (*lab).shares, (*lab).sharesEstimate, false},
	{"scaling", "several cores, and the rates that plans are made for", (*lab).scaling, (*lab).scalingEstimate, true},
	{"soak", "half load for --soak: memory and goroutines", (*lab).soakPart, (*lab).soakEstimate, true},
}

// Main runs the command with its arguments.
func Main(args []string, stdout, stderr io.Writer) error {
	set := flag.NewFlagSet("gateway", flag.ContinueOnError)
	set.SetOutput(stderr)
	set.Usage = func() { fmt.Fprint(stderr, help); set.PrintDefaults() }
	l := &lab{log: stderr, started: time.Now()}
	set.BoolVar(&l.quick, "quick", false, "few and short measurements: a first look, always preliminary")
	set.StringVar(&l.only, "only", "", "parts, separated by `commas`: "+partNames())
	set.StringVar(&l.bodies, "bodies", "", "bodies, separated by `commas`: banner, app, mix, full (quick: full)")
	set.StringVar(&l.contestants, "contestants", "", "contestants, separated by `commas`")
	set.IntVar(&l.options.rounds, "rounds", 0, "`number` of rounds (default 10, quick 2)")
	set.DurationVar(&l.soak, "soak", 30*time.Minute, "soak: how long")
	set.DurationVar(&l.maxLag, "max-lag", time.Millisecond, "a run is invalid if the generator is later than that; more makes results preliminary")
	set.StringVar(&l.out, "out", "", "the `file` of results (default "+ResultsFile+", with --quick "+QuickFile+")")
	set.StringVar(&l.rtbwire, "rtbwire", "", "the `program` rtbwire (default: built)")
	set.IntVar(&l.serverCore, "server-core", runtime.NumCPU()-1, "the core of the contestant")
	set.IntVar(&l.loadCore, "load-core", 0, "the core of generator and upstream")
	set.StringVar(&l.serverCoresText, "server-cores", "1,2,4,8", "scaling: `numbers` of cores of the contestant")
	if err := set.Parse(args); err != nil {
		return ErrUsage
	}
	if l.out == "" {
		if l.out = ResultsFile; l.quick {
			l.out = QuickFile
		}
	}
	switch rest := set.Args(); {
	case len(rest) == 1 && rest[0] == "page":
		return publish(l.out)
	case len(rest) > 0:
		return fmt.Errorf("unknown argument %q: %w", rest[0], ErrUsage)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	l.ctx = ctx
	return l.run(stdout)
}

func partNames() string {
	var names []string
	for _, p := range parts {
		names = append(names, p.name)
	}
	return strings.Join(names, ", ")
}

// run measures the parts that were asked for.
func (l *lab) run(stdout io.Writer) (err error) {
	if l.effort = fullEffort; l.quick {
		l.effort = quickEffort
	}
	if l.options.rounds > 0 {
		l.effort.rounds = l.options.rounds
	}
	chosen, err := l.chosen()
	if err != nil {
		return err
	}
	if l.serverCore == l.loadCore {
		return fmt.Errorf("a contestant needs a core of its own, and this machine has %d (--server-core, --load-core): %w", runtime.NumCPU(), ErrUsage)
	}
	if slices.ContainsFunc(chosen, func(p part) bool { return p.name == "scaling" }) {
		if _, err := parseServerCores(l.serverCoresText, runtime.NumCPU()); err != nil {
			return err
		}
	}
	l.serverCores, l.loadCores = process.Core(l.serverCore), process.Core(l.loadCore)
	l.workers, l.threads = 1, 1
	if l.dir, err = os.MkdirTemp("", "rtbwire-gateway-"); err != nil {
		return err
	}
	defer func() {
		l.stopSink()
		err = errors.Join(err, os.RemoveAll(l.dir))
	}()
	if err := l.prepare(); err != nil {
		return err
	}
	for _, p := range chosen {
		before := allUsage()
		machine, _ := measure.UsageNow()
		info := Part{Taken: time.Now().UTC(), Quick: l.quick, MaxLagMs: l.maxLag.Seconds() * 1e3, Machine: report.Look()}
		l.say("%s: %s; about %v", p.name, p.about, p.estimate(l).Round(time.Second))
		l.results.drop(p.name)
		if err := l.startSink(); err != nil {
			return err
		}
		if err := p.run(l); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		l.stopSink()
		info.Others = before.others()
		if now, ok := measure.UsageNow(); ok {
			info.Stolen = now.StolenShare(machine)
		}
		info.Seconds = time.Since(info.Taken).Seconds()
		l.results.note(p.name, info)
		if err := l.results.Save(l.out); err != nil {
			return err
		}
	}
	folder := strings.TrimSuffix(l.out, filepath.Ext(l.out))
	if err := l.results.write(filepath.Join(folder, filepath.Base(pageFile)), folder); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s\n%s\n%s\n", l.results.Summary(), l.out, filepath.Join(folder, filepath.Base(pageFile)))
	return nil
}

// chosen returns the parts of --only, or all that need not be asked for.
func (l *lab) chosen() (list []part, err error) {
	names := map[string]bool{}
	for name := range strings.SplitSeq(l.only, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names[name] = true
		}
	}
	for _, p := range parts {
		if names[p.name] || len(names) == 0 && !p.byRequest {
			list = append(list, p)
		}
	}
	if len(names) > 0 && len(list) != len(names) {
		return nil, fmt.Errorf("--only %s: want some of %s: %w", l.only, partNames(), ErrUsage)
	}
	return list, nil
}

// prepare builds the programs, writes the bodies, and checks that every contestant forwards them.
func (l *lab) prepare() (err error) {
	if l.results, err = Load(l.out); err != nil {
		return err
	}
	l.peer = filepath.Join(l.dir, "peer")
	if err := process.Build(l.ctx, l.peer, ".", "./gateway/peer"); err != nil {
		return err
	}
	if l.rtbwire == "" {
		l.rtbwire = filepath.Join(l.dir, "rtbwire")
		if err := process.Build(l.ctx, l.rtbwire, "..", "./cmd/rtbwire"); err != nil {
			return err
		}
	}
	if l.entries, err = l.chooseContestants(); err != nil {
		return err
	}
	if l.sets, err = l.makeBodies(); err != nil {
		return err
	}
	l.results.describe(l)
	if err := l.startSink(); err != nil {
		return err
	}
	if err := l.keepForwarded(); err != nil {
		return err
	}
	total := time.Duration(len(l.entries)*len(l.sets)) * (startTakes + 2*loadTakes + 2*l.warm) // calibrate
	chosen, _ := l.chosen()
	for _, p := range chosen {
		total += p.estimate(l)
	}
	l.say("%d contestants, %d bodies; contestant on core %d, generator and upstream on core %d; about %v in all",
		len(l.entries), len(l.sets), l.serverCore, l.loadCore, total.Round(time.Second))
	return l.calibrate()
}

// say reports progress.
func (l *lab) say(format string, args ...any) {
	fmt.Fprintf(l.log, "%6s  %s\n", time.Since(l.started).Round(time.Second), fmt.Sprintf(format, args...))
}

// named returns the contestants with names, in their order; those that don't take part are left
// out.
func (l *lab) named(names ...string) (list []*contestant) {
	for _, c := range l.entries {
		if slices.Contains(names, c.name) {
			list = append(list, c)
		}
	}
	return list
}
