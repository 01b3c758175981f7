package main

import (
	"runtime"
	"runtime/metrics"
	"time"
)

// curve is memory over time.
type curve struct {
	Name   string  `json:"name"`
	Points []point `json:"points"`
}

type point struct {
	Seconds float64 `json:"seconds"`
	Bytes   float64 `json:"bytes"` // above the start
}

func (c *curve) peak() float64 {
	peak := 0.0
	for _, p := range c.Points {
		peak = max(peak, p.Bytes)
	}
	return peak
}

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

// watchHeap runs do and samples the heap meanwhile. It has one processor: with more, on a machine
// that is busy, garbage piles up while the collector's thread waits for its turn.
func watchHeap(name string, do func() error) (curve, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	base := settledHeap()
	s := sampler{every: time.Millisecond}
	stop, stopped := make(chan struct{}), make(chan struct{})
	start := time.Now()
	go func() {
		defer close(stopped)
		tick := time.NewTicker(s.every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				s.see(time.Since(start), heapAlloc()-base)
			case <-stop:
				return
			}
		}
	}()
	err := do()
	last, took := heapAlloc()-base, time.Since(start)
	close(stop)
	<-stopped
	s.see(took, max(last, 1)) // so that there is one at least
	return curve{name, s.points()}, err
}

// sampler keeps the maximum of each interval of time. It has a fixed number of slots, so that it
// adds nothing to the memory that it watches: when all are used, it merges pairs.
type sampler struct {
	slots [512]float64 // 0: nothing seen
	every time.Duration
}

func (s *sampler) see(at time.Duration, bytes float64) {
	for int(at/s.every) >= len(s.slots) {
		half := len(s.slots) / 2
		for i := range half {
			s.slots[i] = max(s.slots[2*i], s.slots[2*i+1])
		}
		clear(s.slots[half:])
		s.every *= 2
	}
	i := int(at / s.every)
	s.slots[i] = max(s.slots[i], bytes)
}

func (s *sampler) points() []point {
	var out []point
	for i, bytes := range s.slots {
		if bytes > 0 {
			out = append(out, point{float64(i) * s.every.Seconds(), bytes})
		}
	}
	return out
}

// comparePeaks watches the heap of ways to do the same, in turn, some rounds of it. It records a
// row for each, keeps the curves of the last round, and returns the peaks of each way's rounds.
func (t *trial) comparePeaks(what string, rounds int, ways ...way) ([][]float64, error) {
	t.say(what + ": memory")
	peaks := make([][]float64, len(ways))
	for round := range rounds {
		for i, w := range ways {
			c, err := watchHeap(w.name, w.do)
			if err != nil {
				return nil, err
			}
			peaks[i] = append(peaks[i], max(c.peak(), heapResolution))
			if round == rounds-1 {
				t.Curves = append(t.Curves, c)
			}
		}
	}
	for i, w := range ways {
		t.add(what+", peak of HeapAlloc: "+w.name, estimate(peaks[i], "B"))
	}
	return peaks, nil
}
