package main

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/rtbwire/rtbwire/lab/data"
	"github.com/rtbwire/rtbwire/lab/engine"
	"github.com/rtbwire/rtbwire/lab/figures"
	"github.com/rtbwire/rtbwire/lab/measure"
)

// level is how thorough a run is.
type level int

const (
	full  level = iota
	quick       // for a first look
	tiny        // for tests: everything runs, no number means anything
)

// effort returns the number of rounds and the length of one measurement.
func (l level) effort() (rounds int, budget time.Duration) {
	switch l {
	case full:
		return 15, 40 * time.Millisecond
	case quick:
		return 8, 3 * time.Millisecond
	default:
		return 2, 20 * time.Microsecond
	}
}

// core is the core that everything is timed on, nil for any.
var core *int

// trial is one run of an experiment.
type trial struct {
	level   level
	rounds  int
	budget  time.Duration
	say     func(what string)
	prefix  string                    // of names
	found   map[string]figures.Figure // by full name
	timings map[string]timing         // by name
}

// pick returns what the run's level calls for.
func (t *trial) pick(atFull, atQuick, atTiny int) int {
	return [...]int{atFull, atQuick, atTiny}[t.level]
}

// way is one way to do something: a function, or an engine's operation.
type way struct {
	name string
	do   func() error
	by   measure.Measurer // nil: do is timed
	task measure.Task     // for by: engine, data set and operation
}

// timing is what a way took, per operation.
type timing struct {
	rounds        []float64 // nanoseconds in each round
	bytes, allocs float64   // allocated
}

// compare times ways to do the same, in interleaved rounds, and records them.
func (t *trial) compare(ways ...way) error {
	t.say(ways[0].name)
	plan := &measure.Plan{Op: measure.Decode, Budget: t.budget}
	for _, w := range ways {
		by := w.by
		if by == nil {
			by = local([]way{w})
		}
		plan.Entries = append(plan.Entries, measure.Entry{Engine: w.name, By: turn{by, w}})
	}
	rows, err := measure.Run([]*measure.Plan{plan}, measure.Effort{Rounds: t.rounds}, func(s measure.Step) { t.say(s.Engine) })
	if err != nil {
		return err
	}
	for _, r := range rows {
		if r.Wrong != "" {
			return fmt.Errorf("%s: %s", r.Engine, r.Wrong)
		}
		t.record(r.Engine, timing{r.Rounds, r.Bytes, r.Allocs})
	}
	if len(rows) != len(ways) {
		return fmt.Errorf("%d of %d ways were measured, beginning with %s", len(rows), len(ways), ways[0].name)
	}
	return nil
}

// turn measures one way. It is not restarted between rounds, as other ways may share its process.
type turn struct {
	measure.Measurer
	way way
}

// Check compares the answers of engines with those of encoding/json.
func (u turn) Check(string, string, measure.Op) (string, error) {
	if u.way.by == nil || u.way.task.Set == "" {
		return "", nil
	}
	return u.way.by.Check(u.way.task.Engine, u.way.task.Set, u.way.task.Op)
}

func (u turn) Run(task measure.Task) (measure.Sample, error) {
	if u.way.by != nil {
		task.Engine, task.Set, task.Op = u.way.task.Engine, u.way.task.Set, u.way.task.Op
	}
	return u.Measurer.Run(task)
}

// record keeps what a way took.
func (t *trial) record(name string, m timing) {
	t.timings[name] = m
	t.set(name+"/ns", median(m.rounds, "ns"))
	t.set(name+"/bytes", figures.Exactly(math.Round(m.bytes), "B"))
	t.set(name+"/allocs", figures.Exactly(counted(m.allocs), "allocs"))
}

// counted drops what the runtime allocates meanwhile, some objects in thousands of operations.
func counted(allocs float64) float64 { return math.Round(allocs*100) / 100 }

// set records a figure.
func (t *trial) set(name string, f figures.Figure) {
	if _, there := t.found[t.prefix+name]; there {
		panic("two figures are called " + t.prefix + name)
	}
	t.found[t.prefix+name] = f
}

// over records the time of a as a multiple of that of b, round by round: what slowed a whole round
// down cancels out. Both are from the same comparison.
func (t *trial) over(a, b string) {
	t.set(a+"/over-"+b, quotients(t.timings[a].rounds, t.timings[b].rounds))
}

// bytesOver and allocsOver do the same with what was allocated.
func (t *trial) bytesOver(a, b string) {
	t.set(a+"/bytes-over-"+b, figures.Exactly(t.timings[a].bytes/max(t.timings[b].bytes, 1), ""))
}

func (t *trial) allocsOver(a, b string) {
	t.set(a+"/allocs-over-"+b, figures.Exactly(t.timings[a].allocs/max(t.timings[b].allocs, 1), ""))
}

// flag records whether something is so.
func (t *trial) flag(name string, so bool) {
	v := 0.0
	if so {
		v = 1
	}
	t.set(name, figures.Exactly(v, "flag"))
}

// local makes engines of ways, so that the lab can measure them: the operation takes the place of
// decoding, and the document is empty.
func local(ways []way) measure.Local {
	b := &measure.Bench{Sets: []data.Set{{Docs: [][]byte{nil}}}, Core: core}
	for _, w := range ways {
		decode := func([]byte) (any, error) { return nil, w.do() }
		b.Engines = append(b.Engines, engine.Engine{Name: w.name, Request: engine.Codec{Decode: decode}})
	}
	return measure.Local{Bench: b}
}

// once times n operations, after one that does not count.
func once(do func() error, n int) (measure.Sample, error) {
	return local([]way{{do: do}}).Run(measure.Task{Op: measure.Decode, N: n})
}

// median is the figure of rounds.
func median(rounds []float64, unit string) figures.Figure {
	center, lo, hi := measure.Median(rounds)
	// Few rounds have no interval: all that was seen, then.
	if math.IsInf(lo, 0) || math.IsInf(hi, 0) {
		lo, hi = slices.Min(rounds), slices.Max(rounds)
	}
	return figures.Figure{Value: center, Lo: lo, Hi: hi, Unit: unit, Rounds: len(rounds)}
}

// quotients is the figure of a/b, round by round.
func quotients(a, b []float64) figures.Figure {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] / b[i]
	}
	return median(out, "")
}
