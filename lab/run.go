package main

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rtbwire/rtbwire/internal/simd/jsonindex"
	"github.com/rtbwire/rtbwire/lab/data"
	"github.com/rtbwire/rtbwire/lab/easygen"
	"github.com/rtbwire/rtbwire/lab/engine"
	"github.com/rtbwire/rtbwire/lab/measure"
	"github.com/rtbwire/rtbwire/lab/report"
)

// lab is a run in progress.
type lab struct {
	*options
	bench   *measure.Bench
	results report.Results
	entries []measure.Entry
	infos   map[string]measure.Info
	start   map[string]func() (*measure.Process, error) // starts another worker with that engine
	progress
}

// ownPrograms lists engines that may not share a binary with the others.
var ownPrograms = []struct {
	engines    []string
	module     string
	experiment string // GOEXPERIMENT
	pkg        string
}{
	{engines: []string{"encoding-json-v2", "encoding-json-v2-unchecked", "encoding-json-on-v2"}, experiment: "jsonv2", pkg: "."},
	{engines: []string{"easyjson", "easyjson-pool", "easyjson-nocopy", "encoding-json-contaminated", "jsoniter-contaminated"}, module: "github.com/mailru/easyjson", pkg: easygen.Worker},
}

// notMeasured lists libraries that readers may expect.
var notMeasured = []report.Missing{{
	Name: "ffjson", Module: "github.com/pquerna/ffjson",
	Reason: "last changed in September 2019; it reads raw values differently from encoding/json in 25 of the 2,010 requests of the corpus",
}, {
	Name: "gojay", Module: "github.com/francoispqt/gojay",
	Reason: "last released in June 2019; it needs methods for each type, which other libraries would not call, and jx is measured in that style",
}, {
	Name: "aperturerobotics-fastjson", Module: "github.com/aperturerobotics/fastjson",
	Reason: "last released in December 2024; a copy of valyala/fastjson, which is measured, without its code for unusual needs",
}}

// load loads what the run measures: the engines of this binary, and the data sets.
func load(o *options) (*measure.Bench, error) {
	names := o.sets
	if o.list {
		names = nil
	}
	sets, err := data.Load(o.testdata, names...)
	return &measure.Bench{Engines: engine.All(), Sets: sets}, err
}

// serve is the worker of the engines in this binary.
func serve(o *options) error {
	b, err := load(o)
	if err != nil {
		return err
	}
	if engine.JSONv2 {
		b.Engines = inJSONv2(b.Engines)
	}
	b.Engines = slices.DeleteFunc(b.Engines, func(e engine.Engine) bool { return !o.wanted(e.Name) })
	if err := setIndex(o.index); err != nil {
		return err
	}
	if o.core >= 0 {
		b.Core = &o.core
	}
	return measure.Serve(b, os.Stdin, os.Stdout)
}

// setIndex chooses the index kernel of rtbwire's decoder, "" for the best.
func setIndex(name string) error {
	if name == "" {
		return nil
	}
	for _, level := range jsonindex.Levels() {
		if level.String() == name {
			jsonindex.SetLevel(level)
			return nil
		}
	}
	return fmt.Errorf("no index kernel %q on this machine (it has %v): %w", name, jsonindex.Levels(), errUsage)
}

// inJSONv2 keeps the engines that need the build with encoding/json/v2. In such a build
// encoding/json is implemented by version 2.
func inJSONv2(all []engine.Engine) []engine.Engine {
	var out []engine.Engine
	for _, e := range all {
		switch e.Name {
		case "encoding-json":
			e.Name, e.Note = "encoding-json-on-v2", "the same functions in a build with GOEXPERIMENT=jsonv2, where version 2 implements them"
			out = append(out, e)
		case "encoding-json-v2", "encoding-json-v2-unchecked":
			out = append(out, e)
		}
	}
	return out
}

func experiment(o *options) (err error) {
	l := &lab{options: o, infos: map[string]measure.Info{}, start: map[string]func() (*measure.Process, error){}}
	if l.bench, err = load(o); err != nil {
		return err
	}
	if err := l.chooseSets(); err != nil {
		return err
	}
	l.results = report.Results{
		Taken: time.Now().UTC(), Preset: o.name, Machine: report.Look(), Rounds: o.rounds, Budget: o.budget, LeastOf: o.leastOf,
	}
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
	if err := l.startWorkers(); err != nil {
		return err
	}
	if o.list {
		return l.print(os.Stdout)
	}
	l.announceMissing(os.Stderr)
	if len(l.entries) == 0 {
		return fmt.Errorf("no engine matches %q (--list names them): %w", o.engineText, errUsage)
	}
	file := o.out
	if file == "" {
		file = unused(filepath.Join("results", l.results.Taken.Format("2006-01-02")+"-"+l.results.Machine.Slug()))
	}
	file = besideOf(file) + ".md"
	if err := os.MkdirAll(besideOf(file), 0o755); err != nil {
		return err
	}

	before, known := measure.UsageNow()
	failed := l.measure() // what was measured until then is kept
	l.results.Machine.LoadAfter = report.Load()
	l.done()
	l.stop() // the time of workers is known once they have ended
	if after, ok := measure.UsageNow(); ok && known {
		l.results.Machine.Others = strconv.FormatFloat(after.Others(before), 'f', 2, 64)
		l.results.Machine.SetStolen(after.StolenShare(before))
	}
	if len(l.results.Rows) == 0 {
		return failed
	}
	return errors.Join(failed, l.results.WriteJSON(filepath.Join(besideOf(file), "results.json")), write(&l.results, file))
}

// announceMissing says at the top of a run which engines it lacks, so that nobody takes one for
// measured that is not.
func (l *lab) announceMissing(w io.Writer) {
	l.done()
	for _, m := range l.results.Missing {
		fmt.Fprintf(w, "not measured: %s: %s\n", m.Name, m.Reason)
	}
}

// unused returns the name, with a number if there is such a run.
func unused(name string) string {
	free := name
	for n := 2; ; n++ {
		if _, err := os.Stat(free + ".md"); err != nil {
			return free
		}
		free = fmt.Sprintf("%s-%d", name, n)
	}
}

// chooseSets drops the sets that were not asked for.
func (l *lab) chooseSets() error {
	if l.sets == nil {
		return nil
	}
	var sets []data.Set
	for _, name := range l.sets {
		s, ok := data.Find(l.bench.Sets, name)
		if !ok {
			return fmt.Errorf("no data set %q (--list names them): %w", name, errUsage)
		}
		sets = append(sets, *s)
	}
	l.bench.Sets = sets
	return nil
}

// wanted reports whether the run measures an engine of that name. It always measures the one that
// others are compared with.
func (o *options) wanted(name string) bool {
	return name == report.Base || o.match.MatchString(name) && (o.engines == nil || slices.Contains(o.engines, name))
}

// program is a worker's, with its flags.
type program struct {
	file string
	args []string
}

// startWorkers starts a process per binary and asks what it can do.
func (l *lab) startWorkers() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if l.temporary, err = os.MkdirTemp("", "rtbwire-lab-"); err != nil {
		return err
	}
	// Each worker loads what it measures and nothing else: in every round there are new ones.
	common := []string{}
	if l.sets != nil && !l.list {
		common = append(common, "--sets", strings.Join(l.sets, ","))
	}
	programs := []program{{file: self, args: []string{"--preset", l.presetText, "--engines", l.engineText}}}
	for _, own := range ownPrograms {
		if !slices.ContainsFunc(own.engines, l.wanted) {
			continue
		}
		l.say("building " + own.engines[0] + " as a separate program")
		p := program{file: filepath.Join(l.temporary, own.engines[0])}
		if own.pkg == "." {
			p.args = programs[0].args
		}
		if err := buildProgram(p.file, own.pkg, own.experiment); err != nil {
			l.results.Missing = append(l.results.Missing, report.Missing{Name: own.engines[0], Module: own.module, Reason: err.Error()})
			continue
		}
		programs = append(programs, p)
	}
	if l.core == autoCore {
		l.say("looking for the idlest core")
		var ok bool
		if l.core, ok = measure.IdlestCore(time.Second); !ok {
			l.core = anyCore
		}
	}
	if l.core >= 0 {
		undo, err := measure.OnCore(l.core)
		if err != nil {
			return fmt.Errorf("--core: %w: %w", err, errUsage)
		}
		undo()
		l.results.Machine.Core = strconv.Itoa(l.core)
		common = append(common, "--core", l.results.Machine.Core)
	}
	if l.testdata != "" {
		common = append(common, "--testdata", l.testdata)
	}
	for _, p := range programs {
		l.say("starting " + filepath.Base(p.file))
		if err := l.add(p.file, slices.Concat(p.args, common, []string{"worker"})...); err != nil {
			return err
		}
	}
	for _, m := range notMeasured {
		if l.wanted(m.Name) {
			l.results.Missing = append(l.results.Missing, m)
		}
	}
	return l.addTyped()
}

// buildProgram builds an engine's own program.
func buildProgram(program, pkg, experiment string) error {
	if pkg == easygen.Worker {
		if err := easygen.Write("."); err != nil {
			return err
		}
	}
	build := exec.Command("go", "build", "-o", program, pkg)
	build.Env = os.Environ()
	if experiment != "" {
		build.Env = append(build.Env, "GOEXPERIMENT="+experiment)
	}
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, lastLine(string(out)))
	}
	return nil
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}

// add starts a worker and takes its engines.
func (l *lab) add(program string, args ...string) error {
	start := func() (*measure.Process, error) { return measure.Start(program, args...) }
	p, err := start()
	if err != nil {
		return err
	}
	l.processes = append(l.processes, p)
	infos, err := p.List()
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(program), err)
	}
	for _, info := range infos {
		if l.wanted(info.Name) {
			l.addEngine(info, p)
			l.start[info.Name] = start
		}
	}
	return nil
}

func (l *lab) addEngine(info measure.Info, by measure.Measurer) {
	l.results.Engines = append(l.results.Engines, info)
	l.infos[info.Name] = info
	l.entries = append(l.entries, measure.Entry{Engine: info.Name, By: by})
}

// measure fills the results.
func (l *lab) measure() error {
	plans := l.plans()
	for _, p := range plans {
		l.allUnits += float64(len(p.Entries) * (2 + l.effort().Rounds)) // two to check and calibrate
	}
	var services []measure.ServiceTask
	if l.service > 0 && slices.Contains(l.ops, measure.Decode) && (l.sets == nil || slices.Contains(l.sets, serviceSet)) {
		for _, e := range l.entries {
			if slices.Contains(serviceEngines, e.Engine) {
				services = append(services, measure.ServiceTask{Engine: e.Engine, Set: serviceSet, Workers: 2, For: l.service, BallastMB: 64})
			}
		}
	}
	l.began = time.Now()
	rows, err := measure.Run(plans, l.effort(), l.step)
	l.results.Rows = rows
	for _, r := range rows {
		l.results.CPUTime = l.results.CPUTime || r.CPU
	}
	if err != nil {
		return err
	}
	return l.runServices(services)
}

// step says what is measured next.
func (l *lab) step(s measure.Step) {
	what := fmt.Sprintf("%s %s: %s", s.Plan.Op, s.Plan.Set, s.Engine)
	switch {
	case s.Round == 0:
		what = "checking " + what
	case s.Round > l.effort().Rounds:
		l.allUnits = 0
		what = fmt.Sprintf("round %d, %d comparisons have wide intervals, %v left: %s",
			s.Round, s.Going, s.Left.Round(time.Second), what)
	}
	l.doneUnits++
	l.say(what)
}

// runServices runs the services, each in a new process, at the rate that keeps the workers of the
// slowest engine busy for half of the time.
func (l *lab) runServices(tasks []measure.ServiceTask) error {
	rate := 0.0
	for _, t := range tasks {
		if r := l.results.Row(t.Engine, t.Set, measure.Decode, 1); r != nil {
			if most := 0.5 * float64(t.Workers) * 1e9 / r.NS; rate == 0 || most < rate {
				rate = most
			}
		}
	}
	if rate == 0 {
		return nil
	}
	found := make([][]measure.ServiceResult, len(tasks))
	order := rand.New(rand.NewPCG(2, uint64(len(tasks))))
	runs := l.preset.services * max(l.leastOf, 1)
	l.began, l.doneUnits, l.allUnits = time.Now(), 0, float64(runs*len(tasks))
	for range runs {
		for _, i := range order.Perm(len(tasks)) {
			t := tasks[i]
			if l.results.Row(t.Engine, t.Set, measure.Decode, 1) == nil {
				continue // its answers are wrong
			}
			l.say("service: " + t.Engine)
			t.Rate = rate
			r, err := l.runService(t)
			if err != nil {
				return fmt.Errorf("service with %s: %w", t.Engine, err)
			}
			found[i] = append(found[i], r)
			l.doneUnits++
		}
	}
	for _, runs := range found {
		if len(runs) > 0 {
			l.results.Services = append(l.results.Services, measure.MedianService(measure.QuietServices(runs, l.leastOf)))
		}
	}
	return nil
}

// runService runs one engine once, in a new process.
func (l *lab) runService(t measure.ServiceTask) (measure.ServiceResult, error) {
	p, err := l.start[t.Engine]()
	if err != nil {
		return measure.ServiceResult{}, err
	}
	if _, err := p.List(); err != nil { // warm
		return measure.ServiceResult{}, errors.Join(err, p.Close())
	}
	r, err := p.Service(t)
	return r, errors.Join(err, p.Close())
}

// print lists what there is.
func (l *lab) print(w io.Writer) error {
	l.done()
	fmt.Fprintln(w, "Engines:")
	for _, e := range l.results.Engines {
		fmt.Fprintf(w, "  %-26s %-34s %s\n      %s\n      recommended by %s\n", e.Name, e.Module, e.Version, e.Config, e.Source)
		if e.Note != "" {
			fmt.Fprintf(w, "      %s\n", e.Note)
		}
	}
	for _, m := range l.results.Missing {
		fmt.Fprintf(w, "  %-26s not measured: %s\n", m.Name, m.Reason)
	}
	fmt.Fprintln(w, "Data sets:")
	for _, s := range l.results.Sets {
		fmt.Fprintf(w, "  %-16s %5d x %7.0f bytes  %s\n", s.Name, s.Docs, s.Bytes, s.About)
	}
	fmt.Fprintln(w, "Presets:")
	for _, p := range presets {
		fmt.Fprintf(w, "  %-16s %s\n", p.name, p.about)
	}
	return nil
}
