package measure

import (
	"math/rand/v2"
	"slices"
	"time"

	"golang.org/x/perf/benchmath"
)

// Confidence is the confidence of all intervals.
const Confidence = 0.95

// Row is one engine with one data set and one operation: medians over the rounds.
type Row struct {
	Engine, Set string
	Op          Op
	Goroutines  int
	Wrong       string    `json:",omitempty"` // why the engine was not measured
	NS, Lo, Hi  float64   // median and its confidence interval
	CPU         bool      // NS is processor time, not wall time
	Wall        float64   // median of the wall time
	Bytes       float64   // allocated per operation
	Allocs      float64   // objects per operation
	DocBytes    float64   // mean length of a document
	Count       int       // rounds measured
	Rounds      []float64 `json:",omitempty"` // nanoseconds per operation in each round; see [Plan.LeastOf]

	// How many times as fast as the base of the comparison, with the interval. The ratio is taken
	// round by round: what slows a whole round down cancels out. 0 without a base.
	Times, TimesLo, TimesHi float64
}

// Width returns the width of the interval as a share of the median.
func (r *Row) Width() float64 { return (r.Hi - r.Lo) / r.NS }

// MBPerSecond returns the throughput in text.
func (r *Row) MBPerSecond() float64 { return r.DocBytes / r.NS * 1e3 }

// PerCoreAtHalf returns the documents per second of a core that spends half of its time on them.
func (r *Row) PerCoreAtHalf() float64 { return 500e6 / r.NS }

// Entry is one engine of a comparison and who measures it.
type Entry struct {
	Engine string
	By     Measurer
}

// Plan is a comparison: engines that do the same with the same documents.
type Plan struct {
	Set        string
	DocBytes   float64
	Op         Op
	Goroutines int
	Together   bool // as in a Task
	Entries    []Entry
	Base       string        // the engine that the others are compared with, if it takes part
	Budget     time.Duration // of one measurement
	// LeastOf, if above 1, is for a machine that is never quiet: so many rounds count as one, with
	// the least time of each engine among them. They are the same rounds for all engines.
	LeastOf int

	turns []turn
}

// turn is one engine of a comparison while it is measured.
type turn struct {
	row                 Row
	by                  Measurer
	n                   int // operations per measurement
	bytes, allocs, wall []float64
	times               []float64
}

// Effort says how often to measure.
type Effort struct {
	Rounds int           // every comparison has at least this many rounds
	Max    int           // and at most this many
	Limit  time.Duration // no round beyond Rounds begins later than this after the first
	Narrow float64       // a comparison needs no more rounds when its intervals are this share of their medians
	Ratios bool          // Narrow is about ratios to the base, not about times
}

// Step says what is measured next.
type Step struct {
	Plan   *Plan
	Engine string
	Round  int           // 0 while engines are checked and calibrated
	Going  int           // comparisons that take part in the round
	Left   time.Duration // until no more rounds begin, in rounds beyond the first ones
}

// restarter is a measurer that can begin anew.
type restarter interface{ Restart() error }

// Run measures comparisons. Every engine is checked first. Then come rounds over all comparisons:
// in every round each engine of each comparison has one turn, in an order that changes. A
// disturbance of some seconds thus hits one round of everything and not every round of something.
// After effort.Rounds rounds the comparisons go on that have an interval wider than effort.Narrow.
//
// Every round has new processes. Two processes of one program can differ by 10% for as long as they
// run. The rounds of one process would agree with each other, but not with the next run.
//
// No round is ever discarded. The number of rounds depends on the intervals, so that their
// confidence is a little less than Confidence; Row.Count says how many rounds there were. When
// something fails the rows have what was measured until then.
func Run(plans []*Plan, effort Effort, step func(Step)) (rows []Row, err error) {
	defer func() {
		for _, p := range plans {
			rows = append(rows, p.rows()...)
		}
	}()
	for _, p := range plans {
		if err := p.prepare(step); err != nil {
			return nil, err
		}
	}
	order := rand.New(rand.NewPCG(1, uint64(len(plans))))
	began := time.Now()
	for round := 1; ; round++ {
		extra := round > effort.Rounds
		if extra && round > effort.Max {
			break
		}
		var going []*Plan
		for _, p := range plans {
			if !extra || p.wide(effort) {
				going = append(going, p)
			}
		}
		if len(going) == 0 {
			break
		}
		if err := restart(going); err != nil {
			return nil, err
		}
		for _, i := range order.Perm(len(going)) {
			if extra && time.Since(began) >= effort.Limit {
				break
			}
			going[i].round(order, Step{Plan: going[i], Round: round, Going: len(going), Left: effort.Limit - time.Since(began)}, step)
		}
		if extra && time.Since(began) >= effort.Limit {
			break
		}
	}
	return nil, nil
}

// restart gives the comparisons new processes.
func restart(plans []*Plan) error {
	done := map[restarter]bool{}
	for _, p := range plans {
		for _, entry := range p.Entries {
			r, ok := entry.By.(restarter)
			if !ok || done[r] {
				continue
			}
			if err := r.Restart(); err != nil {
				return err
			}
			done[r] = true
		}
	}
	return nil
}

// prepare checks the engines and then finds how many operations a measurement has room for.
func (p *Plan) prepare(step func(Step)) error {
	p.turns = nil
	for _, entry := range p.Entries {
		step(Step{Plan: p, Engine: entry.Engine})
		wrong, err := entry.By.Check(entry.Engine, p.Set, p.Op)
		if err != nil {
			return err
		}
		if wrong == Unsupported {
			continue
		}
		p.turns = append(p.turns, turn{by: entry.By, row: Row{
			Engine: entry.Engine, Set: p.Set, Op: p.Op, Goroutines: max(p.Goroutines, 1), DocBytes: p.DocBytes, Wrong: wrong,
		}})
	}
	for i := range p.turns {
		t := &p.turns[i]
		if t.row.Wrong != "" {
			continue
		}
		step(Step{Plan: p, Engine: t.row.Engine})
		s, err := t.by.Run(Task{Engine: t.row.Engine, Set: p.Set, Op: p.Op, Budget: p.Budget})
		if err != nil {
			t.row.Wrong = err.Error()
		}
		t.n = s.N
	}
	return nil
}

// round gives each engine one turn.
func (p *Plan) round(order *rand.Rand, s Step, step func(Step)) {
	for _, i := range order.Perm(len(p.turns)) {
		t := &p.turns[i]
		if t.row.Wrong != "" {
			continue
		}
		s.Engine = t.row.Engine
		step(s)
		found, err := t.by.Run(Task{Engine: t.row.Engine, Set: p.Set, Op: p.Op, Goroutines: p.Goroutines, Together: p.Together, N: t.n, Budget: p.Budget})
		if err != nil {
			t.row.Wrong = err.Error()
			continue
		}
		t.times, t.row.CPU = append(t.times, found.NS), found.CPU
		t.bytes, t.allocs, t.wall = append(t.bytes, found.Bytes), append(t.allocs, found.Allocs), append(t.wall, found.Wall)
	}
}

// wide reports whether an interval of the comparison is too wide.
func (p *Plan) wide(effort Effort) bool {
	return slices.ContainsFunc(p.rows(), func(r Row) bool {
		if effort.Ratios {
			return r.Times > 0 && r.TimesHi-r.TimesLo > effort.Narrow*r.Times
		}
		return r.NS > 0 && r.Width() > effort.Narrow
	})
}

// rows summarizes the rounds so far.
func (p *Plan) rows() []Row {
	rows := make([]Row, len(p.turns))
	var base []float64
	for i := range p.turns {
		t := &p.turns[i]
		rows[i] = t.row
		if r := &rows[i]; r.Wrong == "" && len(t.times) > 0 {
			r.Rounds = least(t.times, p.LeastOf)
			r.Count = len(r.Rounds)
			r.NS, r.Lo, r.Hi = Median(r.Rounds)
			r.Bytes, _, _ = Median(t.bytes)
			r.Allocs, _, _ = Median(t.allocs)
			r.Wall, _, _ = Median(least(t.wall, p.LeastOf))
			if r.Engine == p.Base {
				base = r.Rounds
			}
		}
	}
	for i := range rows {
		if r := &rows[i]; r.NS > 0 && len(base) == len(r.Rounds) {
			times := make([]float64, len(base))
			for i := range times {
				times[i] = base[i] / r.Rounds[i]
			}
			r.Times, r.TimesLo, r.TimesHi = Median(times)
		}
	}
	return rows
}

// least returns the least of each group of so many values; a shorter group at the end is omitted.
// Fewer than that are one group.
func least(values []float64, of int) []float64 {
	if of <= 1 {
		return slices.Clone(values)
	}
	var out []float64
	for group := range slices.Chunk(values, of) {
		if len(group) == of || out == nil {
			out = append(out, slices.Min(group))
		}
	}
	return out
}

// Median returns benchstat's summary: the median and the bounds of its confidence interval, with no
// assumption about the distribution. With fewer than 6 values the interval is all of them.
func Median(values []float64) (center, lo, hi float64) {
	s := benchmath.AssumeNothing.Summary(benchmath.NewSample(values, &benchmath.DefaultThresholds), Confidence)
	if len(values) < 6 {
		return s.Center, slices.Min(values), slices.Max(values)
	}
	return s.Center, s.Lo, s.Hi
}
