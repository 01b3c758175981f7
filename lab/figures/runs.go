package figures

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/rtbwire/rtbwire/lab/measure"
)

// Two runs of the same program may differ by 15% where their own intervals are disjoint: a process,
// its memory and the neighbours of its machine are the same for a whole run. So the interval of a
// figure is that of runs, if there are enough.
const (
	enoughRuns = 3
	betweenRun = time.Hour // runs that start closer together may share what disturbs them
)

// Combine returns runs of one program as one file. A figure is the median of the runs that have it.
// With three runs or more that started at least an hour apart, its interval reaches from the least
// run to the largest; with fewer it reaches over the intervals of all runs.
func Combine(runs []*File) (*File, error) {
	runs = slices.Clone(runs)
	slices.SortStableFunc(runs, func(a, b *File) int { return cmp.Or(a.Taken.Compare(b.Taken)) })
	last := runs[len(runs)-1]
	if len(runs) == 1 {
		return last, nil
	}
	all := &File{
		Taken: last.Taken, Command: last.Command, Machine: last.Machine, Notes: last.Notes,
		Figures: map[string]Figure{}, Program: last.Program, Runs: runs,
	}
	for _, r := range runs {
		for _, why := range r.Preliminary {
			if !slices.Contains(all.Preliminary, why) {
				all.Preliminary = append(all.Preliminary, why)
			}
		}
		for name := range r.Figures {
			if _, done := all.Figures[name]; done {
				continue
			}
			f, err := combine(name, runs)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", all.Program, err)
			}
			all.Figures[name] = f
		}
	}
	return all, nil
}

// combine returns the figure of all runs that have it.
func combine(name string, runs []*File) (Figure, error) {
	var all Figure
	var values []float64
	count := 0
	var last time.Time
	for _, r := range runs {
		f, ok := r.Figures[name]
		if !ok {
			continue
		}
		if values == nil {
			all = Figure{Lo: f.Lo, Hi: f.Hi, Unit: f.Unit}
		}
		if f.Unit != all.Unit {
			return Figure{}, fmt.Errorf("figure %s is in %q in one run and in %q in another", name, all.Unit, f.Unit)
		}
		values = append(values, f.Value)
		all.Lo, all.Hi, all.Rounds = min(all.Lo, f.Lo), max(all.Hi, f.Hi), all.Rounds+f.Rounds
		if count == 0 || r.Taken.Sub(last) >= betweenRun {
			count, last = count+1, r.Taken
		}
	}
	all.Value, _, _ = measure.Median(values)
	if count >= enoughRuns {
		all.Lo, all.Hi = slices.Min(values), slices.Max(values)
	}
	return all, nil
}

// All returns the runs of a file, which may be one.
func (f *File) All() []*File {
	if f.Runs == nil {
		return []*File{f}
	}
	return f.Runs
}

// Having returns the runs that have a figure.
func (f *File) Having(name string) (runs []*File) {
	for _, r := range f.All() {
		if _, ok := r.Figures[name]; ok {
			runs = append(runs, r)
		}
	}
	return runs
}

// OnCores returns the runs on machines with so many cores or more, combined, or nil if there is
// none.
func (f *File) OnCores(cores int) (*File, error) {
	var runs []*File
	for _, r := range f.All() {
		if r.Machine.Cores >= cores {
			runs = append(runs, r)
		}
	}
	if runs == nil {
		return nil, nil
	}
	return Combine(runs)
}

// Quotient returns one figure over another, run by run. Its interval reaches as far as those of
// both allow, so a quotient that the program took round by round is narrower.
func (f *File) Quotient(name, over string) (Figure, bool) {
	var runs []*File
	for _, r := range f.All() {
		a, ok := r.Figures[name]
		b, there := r.Figures[over]
		if !ok || !there || b.Lo <= 0 {
			continue
		}
		q := Figure{Value: a.Value / b.Value, Lo: a.Lo / b.Hi, Hi: a.Hi / b.Lo, Rounds: min(a.Rounds, b.Rounds)}
		runs = append(runs, &File{Taken: r.Taken, Figures: map[string]Figure{name: q}})
	}
	if runs == nil {
		return Figure{}, false
	}
	all, err := Combine(runs)
	return all.Figures[name], err == nil
}
