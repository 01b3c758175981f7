// Package measure times engines: it checks each for right answers first, interleaves them so
// that what disturbs the machine disturbs all alike, and summarizes with benchstat's mathematics.
//
//	task.go     what is measured, and one measurement
//	check.go    right before fast
//	worker.go   the same in another process, for engines that must not share one
//	rounds.go   the order of measurements, medians and intervals
//	service.go  the tail: decoding at a fixed rate of arrival
package measure

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/rtbwire/rtbwire/lab/data"
	"github.com/rtbwire/rtbwire/lab/engine"
)

// Op is what is done with a document.
type Op string

// The operations.
const (
	Decode   Op = "decode"
	Encode   Op = "encode"
	Partial  Op = "partial"
	Validate Op = "validate"
)

// Ops are all operations.
var Ops = []Op{Decode, Encode, Partial, Validate}

// Task is one measurement.
type Task struct {
	Engine     string        `json:"engine"`
	Set        string        `json:"set"`
	Op         Op            `json:"op"`
	Goroutines int           `json:"goroutines"` // that share N operations
	N          int           `json:"n"`          // 0: as many as Budget has room for
	Budget     time.Duration `json:"budget"`
}

// Sample is what one measurement found, for one operation of one goroutine.
type Sample struct {
	N      int     `json:"n"`
	NS     float64 `json:"ns"`     // processor time of one operation, or wall time where CPU is false
	Wall   float64 `json:"wall"`   // wall time of one operation
	CPU    bool    `json:"cpu"`    // NS is processor time, the collector's included
	Bytes  float64 `json:"bytes"`  // allocated
	Allocs float64 `json:"allocs"` // objects
}

// Bench has engines and data sets at hand.
type Bench struct {
	Engines []engine.Engine
	Sets    []data.Set

	values   map[string][]any      // what encoders write, per set
	expected map[string][]expected // what encoding/json makes of the sets
}

// Supports reports whether the engine can do it at all.
func Supports(e *engine.Engine, s *data.Set, op Op) bool {
	switch op {
	case Decode:
		return codec(e, s).Decode != nil
	case Encode:
		return codec(e, s).Encode != nil
	case Partial:
		return e.Fields != nil && !s.Response
	case Validate:
		return e.Validate != nil
	}
	return false
}

func codec(e *engine.Engine, s *data.Set) *engine.Codec {
	if s.Response {
		return &e.Response
	}
	return &e.Request
}

var errRefused = errors.New("refused")

// Operation returns a function that does op with the i-th document. Each goroutine needs its own.
func (b *Bench) Operation(e *engine.Engine, s *data.Set, op Op) (func(i int) error, error) {
	docs := s.Docs
	switch op {
	case Decode:
		c := codec(e, s)
		if c.Release != nil {
			return func(i int) error {
				v, err := c.Decode(docs[i])
				if err == nil {
					c.Release(v)
				}
				return err
			}, nil
		}
		return func(i int) error {
			_, err := c.Decode(docs[i])
			return err
		}, nil
	case Encode:
		c := codec(e, s)
		values, err := b.valuesOf(e, s)
		if err != nil {
			return nil, err
		}
		buf := make([]byte, 0, 2<<20)
		return func(i int) error {
			_, err := c.Encode(buf[:0], values[i])
			return err
		}, nil
	case Partial:
		f := new(engine.Fields)
		return func(i int) error { return e.Fields(docs[i], f) }, nil
	default:
		return func(i int) error {
			if !e.Validate(docs[i]) {
				return errRefused
			}
			return nil
		}, nil
	}
}

// valuesOf decodes what is to be encoded, with the engine itself: its types may be its own.
func (b *Bench) valuesOf(e *engine.Engine, s *data.Set) ([]any, error) {
	key := e.Name + "/" + s.Name
	if b.values == nil {
		b.values = map[string][]any{}
	}
	if v, ok := b.values[key]; ok {
		return v, nil
	}
	c := codec(e, s)
	values := make([]any, len(s.Docs))
	for i, d := range s.Docs {
		v, err := c.Decode(d)
		if err != nil {
			return nil, err
		}
		values[i] = v
	}
	clear(b.values) // one set at a time: the garbage collector has to walk them all
	b.values[key] = values
	return values, nil
}

// Run does one measurement.
func (b *Bench) Run(t Task) (Sample, error) {
	e, ok := engine.Find(b.Engines, t.Engine)
	if !ok {
		return Sample{}, fmt.Errorf("no engine %q", t.Engine)
	}
	s, ok := data.Find(b.Sets, t.Set)
	if !ok {
		return Sample{}, fmt.Errorf("no data set %q", t.Set)
	}
	// What checking and encoding left would be walked by every collection while this is timed.
	b.expected = nil
	if t.Op != Encode {
		b.values = nil
	}
	do, err := b.Operation(&e, s, t.Op)
	if err != nil {
		return Sample{}, err
	}
	if t.Goroutines <= 1 {
		// One processor: what the collector does is paid for, not done by another core.
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	}
	if t.N == 0 {
		if t.N, err = calibrate(do, len(s.Docs), t.Budget); err != nil {
			return Sample{}, err
		}
	}
	if t.Goroutines <= 1 {
		return once(do, len(s.Docs), t.N)
	}
	return b.together(&e, s, t)
}

// calibrate finds how many operations fit into the budget: whole rounds over the documents.
func calibrate(do func(int) error, docs int, budget time.Duration) (int, error) {
	for n := docs; ; n *= 2 {
		start := time.Now()
		if err := loop(do, docs, n, 0); err != nil {
			return 0, err
		}
		if took := time.Since(start); took > budget/8 || n > 1<<30 {
			n = int(float64(n) * float64(budget) / float64(max(took, 1)))
			return max(1, (n+docs/2)/docs) * docs, nil
		}
	}
}

// loop does n operations, starting with the document at.
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

// once times n operations.
func once(do func(int) error, docs, n int) (Sample, error) {
	runtime.GC() // what others left is not this engine's to sweep
	if err := do(0); err != nil {
		return Sample{}, err // and pools that GC has emptied are filled again
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	startCPU, onCPU := cpuTime()
	err := loop(do, docs, n, 0)
	endCPU, _ := cpuTime()
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

// together times goroutines that do the same at once, on different documents where there are.
func (b *Bench) together(e *engine.Engine, s *data.Set, t Task) (Sample, error) {
	ops := make([]func(int) error, t.Goroutines)
	for i := range ops {
		var err error
		if ops[i], err = b.Operation(e, s, t.Op); err != nil {
			return Sample{}, err
		}
	}
	errs := make([]error, t.Goroutines)
	n := max(t.N/t.Goroutines, 1)
	var wait sync.WaitGroup
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	for g := range t.Goroutines {
		wait.Go(func() { errs[g] = loop(ops[g], len(s.Docs), n, g*len(s.Docs)/t.Goroutines) })
	}
	wait.Wait()
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	return sample(n*t.Goroutines, took, &before, &after), errors.Join(errs...)
}
