package measure

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/metrics"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rtbwire/rtbwire/lab/data"
	"github.com/rtbwire/rtbwire/lab/engine"
)

// ServiceTask describes a small service: requests arrive at a fixed rate, whether or not earlier
// ones are done, and workers decode them beside live memory that the garbage collector has to walk.
// The time of a request begins when it is due, not when a worker has time for it.
type ServiceTask struct {
	Engine, Set string
	Rate        float64 // arrivals a second
	Workers     int
	For         time.Duration
	BallastMB   int // memory of small objects with pointers that the collector has to walk
}

// ServiceResult has the times of the requests and the work of the collector.
type ServiceResult struct {
	Engine, Set        string
	Rate               float64
	Requests           int
	P50, P90, P99      float64 // nanoseconds from due to done
	P999, Max          float64
	Busy               float64 // share of the workers' time spent decoding
	GCCycles           uint64
	GCShare            float64 // processor time of the collector, as a share of it and decoding
	Pauses             int     // times that the collector stopped all goroutines
	PauseP50, PauseP99 float64 // seconds
	PauseMax           float64
	BytesPerRequest    float64
	AllocsPerRequest   float64
	Mean               float64 // nanoseconds that a worker decodes a request
	Behind             bool    // the engine could not keep up: the percentiles measure the queue

	// Histogram counts the requests of all runs by their time; see [Bound].
	Histogram []int `json:",omitempty"`
}

// Bound returns the time in nanoseconds that ends a bucket of a histogram, exclusive. Eight buckets
// span a factor of ten, so that each is a third wider than the one before it.
func Bound(bucket int) float64 { return 100 * math.Pow(10, float64(bucket)/8) }

// BucketOf returns the bucket of a time.
func BucketOf(ns float64) int {
	bucket := max(0, int(math.Floor(8*math.Log10(max(ns, 1)/100)))+1)
	for bucket > 0 && ns < Bound(bucket-1) { // a logarithm is rounded
		bucket--
	}
	for ns >= Bound(bucket) {
		bucket++
	}
	return bucket
}

// histogram counts times.
func histogram(times []float64) (counts []int) {
	for _, ns := range times {
		counts = addTo(counts, BucketOf(ns), 1)
	}
	return counts
}

func addTo(counts []int, bucket, n int) []int {
	for len(counts) <= bucket {
		counts = append(counts, 0)
	}
	counts[bucket] += n
	return counts
}

// MedianService returns the median of each value of several runs of a service. Its histogram counts
// the requests of all of them.
func MedianService(runs []ServiceResult) ServiceResult {
	out := runs[0]
	out.Histogram = nil
	for _, r := range runs {
		for bucket, n := range r.Histogram {
			out.Histogram = addTo(out.Histogram, bucket, n)
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

// cell is an object of the ballast.
type cell struct {
	next *cell
	_    [6]uint64
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
	var ballast *cell
	for range t.BallastMB << 20 / 56 {
		ballast = &cell{next: ballast}
	}
	defer runtime.KeepAlive(ballast)

	ops := make([]func(int) error, t.Workers)
	for i := range ops {
		var err error
		if ops[i], err = l.Bench.Operation(&e, s, Decode); err != nil {
			return ServiceResult{}, err
		}
		if err := loop(ops[i], len(s.Docs), 2*len(s.Docs), 0); err != nil { // warm
			return ServiceResult{}, err
		}
	}
	n := int(t.Rate * t.For.Seconds())
	latencies := make([]float64, n)
	busy := make([]time.Duration, t.Workers)
	errs := make([]error, t.Workers)
	runtime.GC() // the counters of processor time are updated at the end of a collection
	before := readRuntime()
	var next atomic.Int64
	var wait sync.WaitGroup
	interval := float64(time.Second) / t.Rate
	start := time.Now().Add(10 * time.Millisecond)
	for w := range t.Workers {
		wait.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				due := time.Duration(float64(i) * interval)
				until(start, due)
				begin := time.Since(start)
				if err := ops[w](i % len(s.Docs)); err != nil {
					errs[w] = err
				}
				done := time.Since(start)
				busy[w] += done - begin
				latencies[i] = float64(done - due)
			}
		})
	}
	wait.Wait()
	took := time.Since(start)
	after := readRuntime()
	return serviceResult(t, latencies, busy, took, before, after), errors.Join(errs...)
}

// until waits until start+due. It sleeps first and then polls the clock: a sleep may end a
// millisecond late.
func until(start time.Time, due time.Duration) {
	for {
		left := due - time.Since(start)
		switch {
		case left <= 0:
			return
		case left > 2*time.Millisecond:
			time.Sleep(left - time.Millisecond)
		default:
			runtime.Gosched()
		}
	}
}

// runtimeState has the counters of the collector.
type runtimeState struct {
	gcSeconds float64
	cycles    uint64
	bytes     uint64
	allocs    uint64
	pauses    *metrics.Float64Histogram
}

// readRuntime reads counters. The processor time is that until the last collection ended. A
// collection is not started for it: it would count, and for an engine that allocates nothing it
// would be the only one.
func readRuntime() runtimeState {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	s := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/gc/cycles/total:gc-cycles"}, {Name: "/sched/pauses/total/gc:seconds"}}
	metrics.Read(s)
	h := s[2].Value.Float64Histogram()
	return runtimeState{
		s[0].Value.Float64(), s[1].Value.Uint64(), m.TotalAlloc, m.Mallocs,
		&metrics.Float64Histogram{Counts: slices.Clone(h.Counts), Buckets: slices.Clone(h.Buckets)},
	}
}

func serviceResult(t ServiceTask, latencies []float64, busy []time.Duration, took time.Duration, before, after runtimeState) ServiceResult {
	slices.Sort(latencies)
	n := len(latencies)
	r := ServiceResult{
		Engine: t.Engine, Set: t.Set, Rate: t.Rate, Requests: n,
		P50: Percentile(latencies, 0.5), P90: Percentile(latencies, 0.9), P99: Percentile(latencies, 0.99),
		P999: Percentile(latencies, 0.999), Max: latencies[n-1],
		GCCycles:         after.cycles - before.cycles,
		BytesPerRequest:  float64(after.bytes-before.bytes) / float64(n),
		AllocsPerRequest: float64(after.allocs-before.allocs) / float64(n),
		Behind:           float64(took) > 1.02*float64(t.For)+float64(50*time.Millisecond),
		Histogram:        histogram(latencies),
	}
	var decoding time.Duration
	for _, b := range busy {
		decoding += b
	}
	r.Mean = float64(decoding) / float64(n)
	r.Busy = decoding.Seconds() / took.Seconds() / float64(t.Workers)
	gc := after.gcSeconds - before.gcSeconds
	r.GCShare = gc / (gc + decoding.Seconds())
	var pauses []float64
	for i, c := range after.pauses.Counts {
		for range c - before.pauses.Counts[i] {
			pauses = append(pauses, after.pauses.Buckets[i+1])
		}
	}
	if r.Pauses = len(pauses); r.Pauses > 0 {
		r.PauseP50, r.PauseP99, r.PauseMax = Percentile(pauses, 0.5), Percentile(pauses, 0.99), pauses[len(pauses)-1]
	}
	return r
}

// Percentile returns the smallest value that the share q of the sorted values does not exceed.
func Percentile(sorted []float64, q float64) float64 {
	i := int(q*float64(len(sorted))+0.999999999) - 1
	return sorted[min(max(i, 0), len(sorted)-1)]
}

// PauseP99ns returns PauseP99 in nanoseconds.
func (r ServiceResult) PauseP99ns() float64 { return r.PauseP99 * 1e9 }
