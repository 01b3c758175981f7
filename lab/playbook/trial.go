package main

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/rtbwire/rtbwire/lab/data"
	"github.com/rtbwire/rtbwire/lab/engine"
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
		return 10, 4 * time.Millisecond
	default:
		return 3, 20 * time.Microsecond
	}
}

// trial is one run of an experiment.
type trial struct {
	level  level
	rounds int
	budget time.Duration
	say    func(what string)
	result
}

// pick returns what the run's level calls for.
func (t *trial) pick(atFull, atQuick, atTiny int) int {
	return [...]int{atFull, atQuick, atTiny}[t.level]
}

// way is one way to do the thing that an experiment is about.
type way struct {
	name string
	do   func() error
}

// timing is what a way took, per operation.
type timing struct {
	rounds []float64 // nanoseconds in each round
	bytes  float64   // allocated
	allocs float64
}

// compare times ways to do the same, in interleaved rounds, and records a row for each.
func (t *trial) compare(what string, ways ...way) ([]timing, error) {
	t.say(what)
	by, plan := measurer{local(ways)}, &measure.Plan{Op: measure.Decode, Budget: t.budget}
	for _, w := range ways {
		plan.Entries = append(plan.Entries, measure.Entry{Engine: w.name, By: by})
	}
	rows, err := measure.Run([]*measure.Plan{plan}, measure.Effort{Rounds: t.rounds}, func(measure.Step) {})
	if err != nil {
		return nil, err
	}
	timings := make([]timing, len(rows))
	for i, r := range rows {
		if r.Wrong != "" {
			return nil, fmt.Errorf("%s, %s: %s", what, r.Engine, r.Wrong)
		}
		timings[i] = timing{r.Rounds, r.Bytes, r.Allocs}
		t.addTiming(what+": "+r.Engine, timings[i])
	}
	return timings, nil
}

func (t *trial) addTiming(label string, m timing) {
	t.add(label, estimate(m.rounds, "ns"), exactly(m.bytes, "B"), exactly(m.allocs, "allocs"))
}

// add records a row.
func (t *trial) add(label string, values ...quantity) { t.Rows = append(t.Rows, row{label, values}) }

// local makes engines of ways, so that the lab can measure them: the operation takes the place of
// decoding, and the document is empty.
func local(ways []way) measure.Local {
	b := &measure.Bench{Sets: []data.Set{{Docs: [][]byte{nil}}}}
	for _, w := range ways {
		decode := func([]byte) (any, error) { return nil, w.do() }
		b.Engines = append(b.Engines, engine.Engine{Name: w.name, Request: engine.Codec{Decode: decode}})
	}
	return measure.Local{Bench: b}
}

// measurer skips the check of answers, which is about documents.
type measurer struct{ measure.Local }

func (measurer) Check(string, string, measure.Op) (string, error) { return "", nil }

// once times n operations, after one that does not count.
func once(do func() error, n int) (measure.Sample, error) {
	return local([]way{{"", do}}).Run(measure.Task{Op: measure.Decode, N: n})
}

// quantity is a measured value with the bounds of its confidence interval.
type quantity struct {
	Value float64 `json:"value"`
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
	Unit  string  `json:"unit,omitempty"` // ns, B, allocs, ...; none for ratios
}

// exactly is a value without a spread: a count.
func exactly(v float64, unit string) quantity { return quantity{v, v, v, unit} }

func count(n int, unit string) quantity { return exactly(float64(n), unit) }

// estimate is the median of rounds.
func estimate(rounds []float64, unit string) quantity {
	center, lo, hi := measure.Median(rounds)
	// Few rounds have no interval: all that was seen, then.
	if math.IsInf(lo, 0) || math.IsInf(hi, 0) {
		lo, hi = slices.Min(rounds), slices.Max(rounds)
	}
	return quantity{center, lo, hi, unit}
}

// ratio divides round by round: what slowed a whole round down cancels out.
func ratio(a, b timing) quantity { return ratioOf(a.rounds, b.rounds) }

func ratioOf(a, b []float64) quantity {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] / b[i]
	}
	return estimate(out, "")
}
