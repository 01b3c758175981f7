package measure

import (
	"math/rand/v2"
	"slices"
	"time"

	"golang.org/x/perf/benchmath"
)

// Confidence is that of all intervals.
const Confidence = 0.95

// Row is one engine with one data set and one operation: medians over the rounds.
type Row struct {
	Engine, Set string
	Op          Op
	Goroutines  int
	Wrong       string    `json:",omitempty"` // why it was not measured
	NS, Lo, Hi  float64   // median and its confidence interval
	CPU         bool      // NS is processor time, not wall time
	Wall        float64   // median of the wall time
	Bytes       float64   // allocated per operation
	Allocs      float64   // objects per operation
	DocBytes    float64   // mean length of a document
	Rounds      []float64 `json:",omitempty"` // nanoseconds per operation in each round
}

// MBPerSecond is the throughput in text.
func (r *Row) MBPerSecond() float64 { return r.DocBytes / r.NS * 1e3 }

// PerCoreAtHalf is how many documents a second a core takes that may spend half of its time.
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
	Entries    []Entry
	Rounds     int
	Budget     time.Duration // of one measurement
}

// Run checks, calibrates and measures in rounds. In every round each engine has one turn, in
// an order that changes from round to round. step is called before each measurement.
func (p *Plan) Run(step func(engine string)) ([]Row, error) {
	rows := make([]Row, 0, len(p.Entries))
	var by []Measurer
	var n []int
	for _, entry := range p.Entries {
		wrong, err := entry.By.Check(entry.Engine, p.Set, p.Op)
		if err != nil {
			return nil, err
		}
		if wrong == Unsupported {
			continue
		}
		row := Row{Engine: entry.Engine, Set: p.Set, Op: p.Op, Goroutines: max(p.Goroutines, 1), DocBytes: p.DocBytes, Wrong: wrong}
		count := 0
		if wrong == "" {
			step(entry.Engine)
			s, err := entry.By.Run(Task{Engine: entry.Engine, Set: p.Set, Op: p.Op, Budget: p.Budget})
			if err != nil {
				row.Wrong = err.Error()
			}
			count = s.N
		}
		rows, by, n = append(rows, row), append(by, entry.By), append(n, count)
	}
	order := rand.New(rand.NewPCG(1, uint64(len(rows))))
	bytes, allocs, wall := make([][]float64, len(rows)), make([][]float64, len(rows)), make([][]float64, len(rows))
	for range p.Rounds {
		for _, i := range order.Perm(len(rows)) {
			r := &rows[i]
			if r.Wrong != "" {
				continue
			}
			step(r.Engine)
			s, err := by[i].Run(Task{Engine: r.Engine, Set: p.Set, Op: p.Op, Goroutines: p.Goroutines, N: n[i], Budget: p.Budget})
			if err != nil {
				r.Wrong = err.Error()
				continue
			}
			r.Rounds, r.CPU = append(r.Rounds, s.NS), s.CPU
			bytes[i], allocs[i], wall[i] = append(bytes[i], s.Bytes), append(allocs[i], s.Allocs), append(wall[i], s.Wall)
		}
	}
	for i := range rows {
		if r := &rows[i]; r.Wrong == "" {
			r.NS, r.Lo, r.Hi = Median(r.Rounds)
			r.Bytes, _, _ = Median(bytes[i])
			r.Allocs, _, _ = Median(allocs[i])
			r.Wall, _, _ = Median(wall[i])
		}
	}
	return rows, nil
}

// Median is benchstat's summary: the median and the bounds of its confidence interval, with no
// assumption about the distribution. With fewer than 6 values the interval is all of them.
func Median(values []float64) (center, lo, hi float64) {
	s := benchmath.AssumeNothing.Summary(benchmath.NewSample(values, &benchmath.DefaultThresholds), Confidence)
	if len(values) < 6 {
		return s.Center, slices.Min(values), slices.Max(values)
	}
	return s.Center, s.Lo, s.Hi
}

// Differ says how probable it is that two rows differ as much by chance: the U-test of
// benchstat.
func Differ(a, b []float64) (p float64) {
	t := &benchmath.DefaultThresholds
	return benchmath.AssumeNothing.Compare(benchmath.NewSample(a, t), benchmath.NewSample(b, t)).P
}
