package main

import (
	"runtime"
	"runtime/metrics"
	"time"

	"github.com/rtbwire/rtbwire/lab/figures"
)

// heapAlloc is MemStats.HeapAlloc, objects in use and dead ones that are not swept yet. Unlike
// ReadMemStats it stops nothing.
func heapAlloc() float64 {
	s := [1]metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s[:])
	return float64(s[0].Value.Uint64())
}

// heapResolution is the least that a difference of heapAlloc means: allocations are counted when
// a processor's cache of spans is given back.
const heapResolution = 64 << 10

// settledHeap returns heapAlloc after all garbage was collected.
func settledHeap() float64 {
	for range 3 { // a sync.Pool drops its objects in the second cycle, and the third sweeps them
		runtime.GC()
	}
	return heapAlloc()
}

// heapPeak runs do, samples the heap meanwhile, and returns the most that it was above its start.
// It has one processor: with more, on a machine that is busy, garbage piles up while the
// collector's thread waits for its turn.
func heapPeak(do func() error) (float64, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	base, peak := settledHeap(), 0.0
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				peak = max(peak, heapAlloc()-base)
			case <-stop:
				return
			}
		}
	}()
	err := do()
	last := heapAlloc() - base
	close(stop)
	<-stopped
	return max(peak, last, heapResolution), err
}

// peaks records the heap's peak of each way, name/peak, some rounds of it in turn, and returns
// the rounds by name.
func (t *trial) peaks(rounds int, ways ...way) (map[string][]float64, error) {
	out := map[string][]float64{}
	for range rounds {
		for _, w := range ways {
			t.say(w.name + ": memory")
			peak, err := heapPeak(w.do)
			if err != nil {
				return nil, err
			}
			out[w.name] = append(out[w.name], peak)
		}
	}
	for _, w := range ways {
		t.set(w.name+"/peak", median(out[w.name], "B"))
	}
	return out, nil
}

// share is a quotient of sizes.
func share(part, of float64) figures.Figure { return figures.Exactly(part/of, "") }
