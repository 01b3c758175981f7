// Package timing measures one process: the processor time and the memory that an operation takes,
// alone on a core or in goroutines that work at once, and the latencies of a small service. It
// knows nothing of what it measures.
//
//	timing.go   operations, one after the other or at once
//	service.go  operations at a fixed rate of arrival
//	usage.go    what else the machine did meanwhile
//	cpu_*.go    processor time, and one core to run on
package timing

import (
	"errors"
	"runtime"
	"sync"
	"time"
)

// Sample has the result of one measurement, per operation.
type Sample struct {
	N      int     `json:"n"`
	NS     float64 `json:"ns"`     // processor time of one operation, or wall time where CPU is false
	Wall   float64 `json:"wall"`   // wall time of one operation
	CPU    bool    `json:"cpu"`    // NS is processor time, the collector's included
	Bytes  float64 `json:"bytes"`  // allocated
	Allocs float64 `json:"allocs"` // objects
}

// Calibrate finds how many operations fit into the budget: whole rounds over the documents. It
// counts processor time: by the clock, a busy machine would get too few.
func Calibrate(do func(int) error, docs int, budget time.Duration) (int, error) {
	for n := docs; ; n *= 2 {
		s, err := Once(do, docs, n)
		if err != nil {
			return 0, err
		}
		if took := s.NS * float64(n); took > float64(budget)/8 || n > 1<<30 {
			n = int(float64(n) * float64(budget) / max(took, 1))
			return max(1, (n+docs/2)/docs) * docs, nil
		}
	}
}

// loop does n operations, beginning with the document at.
func loop(do func(int) error, docs, n, at int) error {
	for range n {
		if err := do(at); err != nil {
			return err
		}
		if at++; at == docs {
			at = 0
		}
	}
	return nil
}

// Once times n operations.
func Once(do func(int) error, docs, n int) (Sample, error) {
	runtime.GC() // this engine should not have to sweep what others have left
	if err := do(0); err != nil {
		return Sample{}, err // fills pools that the collection has emptied
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	startCPU, onCPU := CPUTime()
	err := loop(do, docs, n, 0)
	endCPU, _ := CPUTime()
	wall := time.Since(start)
	runtime.ReadMemStats(&after)
	s := sample(n, wall, &before, &after)
	if onCPU {
		s.NS, s.CPU = float64((endCPU-startCPU).Nanoseconds())/float64(n), true
	}
	return s, err
}

func sample(n int, took time.Duration, before, after *runtime.MemStats) Sample {
	ns := float64(took.Nanoseconds()) / float64(n)
	return Sample{
		N: n, NS: ns, Wall: ns,
		Bytes:  float64(after.TotalAlloc-before.TotalAlloc) / float64(n),
		Allocs: float64(after.Mallocs-before.Mallocs) / float64(n),
	}
}

// Together times goroutines that share n operations and work at once, on different documents if
// there are several. Each has its own function. Wall time counts.
func Together(ops []func(int) error, docs, n int) (Sample, error) {
	errs := make([]error, len(ops))
	each := max(n/len(ops), 1)
	var wait sync.WaitGroup
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	for g := range ops {
		wait.Go(func() { errs[g] = loop(ops[g], docs, each, g*docs/len(ops)) })
	}
	wait.Wait()
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	return sample(each*len(ops), took, &before, &after), errors.Join(errs...)
}
