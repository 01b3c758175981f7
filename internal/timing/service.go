package timing

import (
	"errors"
	"math"
	"runtime"
	"runtime/metrics"
	"slices"
	"sync"
	"sync/atomic"
	"time"
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
		counts = Add(counts, BucketOf(ns), 1)
	}
	return counts
}

// Add counts n in a bucket of a histogram.
func Add(counts []int, bucket, n int) []int {
	for len(counts) <= bucket {
		counts = append(counts, 0)
	}
	counts[bucket] += n
	return counts
}

// cell is an object of the ballast.
type cell struct {
	next *cell
	_    [6]uint64
}

// Serve runs a service: a function for each worker does an operation with one of so many documents.
func Serve(t ServiceTask, ops []func(int) error, docs int) (ServiceResult, error) {
	var ballast *cell
	for range t.BallastMB << 20 / 56 {
		ballast = &cell{next: ballast}
	}
	defer runtime.KeepAlive(ballast)
	for _, do := range ops {
		if err := loop(do, docs, 2*docs, 0); err != nil { // warm
			return ServiceResult{}, err
		}
	}
	n := int(t.Rate * t.For.Seconds())
	latencies := make([]float64, n)
	busy := make([]time.Duration, len(ops))
	errs := make([]error, len(ops))
	runtime.GC() // the counters of processor time are updated at the end of a collection
	before := readRuntime()
	var next atomic.Int64
	var wait sync.WaitGroup
	interval := float64(time.Second) / t.Rate
	start := time.Now().Add(10 * time.Millisecond)
	for w := range ops {
		wait.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				due := time.Duration(float64(i) * interval)
				until(start, due)
				begin := time.Since(start)
				if err := ops[w](i % docs); err != nil {
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
