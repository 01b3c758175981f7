package report

import (
	"errors"
	"fmt"
	"slices"

	"github.com/rtbwire/rtbwire/lab/measure"
)

// Combine returns several runs as one. A row has the medians of the runs that all have it, and its
// intervals reach over those of all runs: two runs of one lab differ by more than the rounds of
// either. Preliminary runs are refused.
func Combine(runs []*Results) (*Results, error) {
	if len(runs) == 0 {
		return nil, errors.New("no run to show")
	}
	for _, r := range runs {
		if w := r.Warning(); w != "" {
			return nil, fmt.Errorf("the README shows no preliminary run. %s", w)
		}
	}
	runs = slices.Clone(runs)
	slices.SortStableFunc(runs, func(a, b *Results) int { return a.Taken.Compare(b.Taken) })
	all := *runs[len(runs)-1]
	all.Runs = runs
	all.Rows = nil
	for _, w := range runs[len(runs)-1].Rows {
		rows := []*measure.Row{&w}
		for _, r := range runs[:len(runs)-1] {
			if other := r.Row(w.Engine, w.Set, w.Op, w.Goroutines); other != nil {
				rows = append(rows, other)
			}
		}
		if len(rows) == len(runs) {
			all.Rows = append(all.Rows, together(rows))
		}
	}
	return &all, nil
}

// together is one row of the same row of several runs.
func together(rows []*measure.Row) measure.Row {
	out := *rows[0]
	out.Rounds = nil
	middle := func(of func(*measure.Row) float64) float64 {
		values := make([]float64, len(rows))
		for i, w := range rows {
			values[i] = of(w)
		}
		center, _, _ := measure.Median(values)
		return center
	}
	out.NS, out.Wall = middle(func(w *measure.Row) float64 { return w.NS }), middle(func(w *measure.Row) float64 { return w.Wall })
	out.Times = middle(func(w *measure.Row) float64 { return w.Times })
	for _, w := range rows[1:] {
		out.Lo, out.Hi = min(out.Lo, w.Lo), max(out.Hi, w.Hi)
		out.TimesLo, out.TimesHi = min(out.TimesLo, w.TimesLo), max(out.TimesHi, w.TimesHi)
		out.Count += w.Count
	}
	return out
}
