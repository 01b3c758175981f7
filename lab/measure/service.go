package measure

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rtbwire/rtbwire/internal/timing"
	"github.com/rtbwire/rtbwire/lab/data"
	"github.com/rtbwire/rtbwire/lab/engine"
)

// MedianService returns the median of each value of several runs of a service. Its histogram counts
// the requests of all of them.
func MedianService(runs []ServiceResult) ServiceResult {
	out := runs[0]
	out.Histogram = nil
	for _, r := range runs {
		for bucket, n := range r.Histogram {
			out.Histogram = timing.Add(out.Histogram, bucket, n)
		}
	}
	of := func(value func(*ServiceResult) float64) float64 {
		values := make([]float64, len(runs))
		for i := range runs {
			values[i] = value(&runs[i])
			out.Behind = out.Behind || runs[i].Behind
		}
		m, _, _ := Median(values)
		return m
	}
	out.Requests = int(of(func(r *ServiceResult) float64 { return float64(r.Requests) }))
	out.P50 = of(func(r *ServiceResult) float64 { return r.P50 })
	out.P90 = of(func(r *ServiceResult) float64 { return r.P90 })
	out.P99 = of(func(r *ServiceResult) float64 { return r.P99 })
	out.P999 = of(func(r *ServiceResult) float64 { return r.P999 })
	out.Max = of(func(r *ServiceResult) float64 { return r.Max })
	out.Busy = of(func(r *ServiceResult) float64 { return r.Busy })
	out.GCCycles = uint64(of(func(r *ServiceResult) float64 { return float64(r.GCCycles) }))
	out.GCShare = of(func(r *ServiceResult) float64 { return r.GCShare })
	out.Pauses = int(of(func(r *ServiceResult) float64 { return float64(r.Pauses) }))
	out.PauseP50 = of(func(r *ServiceResult) float64 { return r.PauseP50 })
	out.PauseP99 = of(func(r *ServiceResult) float64 { return r.PauseP99 })
	out.PauseMax = of(func(r *ServiceResult) float64 { return r.PauseMax })
	out.AllocsPerRequest = of(func(r *ServiceResult) float64 { return r.AllocsPerRequest })
	out.Mean = of(func(r *ServiceResult) float64 { return r.Mean })
	out.BytesPerRequest = of(func(r *ServiceResult) float64 { return r.BytesPerRequest })
	return out
}

// QuietServices returns of each so many runs the one with the lowest 99th percentile, like
// [Plan.LeastOf]. What remains at the end is left out.
func QuietServices(runs []ServiceResult, of int) []ServiceResult {
	if of <= 1 {
		return runs
	}
	var out []ServiceResult
	for group := range slices.Chunk(runs, of) {
		if len(group) == of || out == nil {
			out = append(out, slices.MinFunc(group, func(a, b ServiceResult) int { return cmp.Compare(a.P99, b.P99) }))
		}
	}
	return out
}

// Service runs one engine's service.
func (l Local) Service(t ServiceTask) (ServiceResult, error) {
	e, ok := engine.Find(l.Bench.Engines, t.Engine)
	if !ok {
		return ServiceResult{}, fmt.Errorf("no engine %q", t.Engine)
	}
	s, ok := data.Find(l.Bench.Sets, t.Set)
	if !ok {
		return ServiceResult{}, fmt.Errorf("no data set %q", t.Set)
	}
	ops := make([]func(int) error, t.Workers)
	for i := range ops {
		var err error
		if ops[i], err = l.Bench.Operation(&e, s, Decode); err != nil {
			return ServiceResult{}, err
		}
	}
	return timing.Serve(t, ops, len(s.Docs))
}
