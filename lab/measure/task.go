// Package measure times engines. It checks the answers of each engine first, interleaves engines so
// that a disturbance hits all of them, and summarizes with the mathematics of benchstat.
//
//	task.go     what is measured, and one measurement
//	check.go    whether answers are right
//	worker.go   the same in another process
//	rounds.go   the order of measurements, when to stop, medians and intervals
//	service.go  the tail: runs of a service, summarized
//	timing.go   what it has of package timing, which measures one process
package measure

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/rtbwire/rtbwire/internal/timing"
	"github.com/rtbwire/rtbwire/lab/data"
	"github.com/rtbwire/rtbwire/lab/engine"
)

// Op is an operation on a document.
type Op string

// The operations.
const (
	Decode   Op = "decode"
	Encode   Op = "encode"
	Partial  Op = "partial"
	Validate Op = "validate"
)

// Ops lists all operations.
var Ops = []Op{Decode, Encode, Partial, Validate}

// Task is one measurement.
type Task struct {
	Engine     string        `json:"engine"`
	Set        string        `json:"set"`
	Op         Op            `json:"op"`
	Goroutines int           `json:"goroutines"` // that share N operations
	Together   bool          `json:"together"`   // a single goroutine too has all processors, and wall time counts
	N          int           `json:"n"`          // 0: as many as Budget has room for
	Budget     time.Duration `json:"budget"`
}

// alone reports whether one goroutine works on one processor.
func (t *Task) alone() bool { return t.Goroutines <= 1 && !t.Together }

// Bench measures the engines of this process.
type Bench struct {
	Engines []engine.Engine
	Sets    []data.Set
	Core    *int // that one goroutine runs on; nil for any

	warmed   map[string]time.Duration // how long engines took for what they do on first use
	values   map[string][]any         // what encoders write, by engine and set
	expected map[string][]expected    // what encoding/json reads, by set
}

// Supports reports whether the engine has the operation for the documents of the set.
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

// Operation returns a function that does op with the i-th document. Each goroutine needs its own
// one.
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

// valuesOf decodes what is to be encoded, with the engine where it can: it may have other types.
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
		v, err := valueOf(c, d, s.Response)
		if err != nil {
			return nil, err
		}
		values[i] = v
	}
	clear(b.values) // one set at a time: the garbage collector has to walk them all
	b.values[key] = values
	return values, nil
}

// valueOf decodes with the engine itself. For one that only writes, encoding/json does.
func valueOf(c *engine.Codec, text []byte, response bool) (any, error) {
	if c.Decode == nil {
		return Reference(text, response)
	}
	return c.Decode(text)
}

// warm makes an engine do what it does on first use.
func (b *Bench) warm(e *engine.Engine) error {
	if _, done := b.warmed[e.Name]; done || e.Warm == nil {
		return nil
	}
	took, err := e.Warm()
	if err != nil {
		return fmt.Errorf("%s: %w", e.Name, err)
	}
	if b.warmed == nil {
		b.warmed = map[string]time.Duration{}
	}
	b.warmed[e.Name] = took
	return nil
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
	if err := b.warm(&e); err != nil {
		return Sample{}, err
	}
	// Otherwise every collection would walk what checking and encoding have left.
	b.expected = nil
	if t.Op != Encode {
		b.values = nil
	}
	do, err := b.Operation(&e, s, t.Op)
	if err != nil {
		return Sample{}, err
	}
	if t.alone() {
		// One processor, so that the collector's work counts and no other core does it.
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		if b.Core != nil {
			undo, err := timing.OnCore(*b.Core)
			if err != nil {
				return Sample{}, err
			}
			defer undo()
		}
	}
	if t.N == 0 {
		if t.N, err = timing.Calibrate(do, len(s.Docs), t.Budget); err != nil {
			return Sample{}, err
		}
	}
	if t.alone() {
		return timing.Once(do, len(s.Docs), t.N)
	}
	return b.together(&e, s, t)
}

// together times goroutines that work at once, on different documents if there are several.
func (b *Bench) together(e *engine.Engine, s *data.Set, t Task) (Sample, error) {
	ops := make([]func(int) error, max(t.Goroutines, 1))
	for i := range ops {
		var err error
		if ops[i], err = b.Operation(e, s, t.Op); err != nil {
			return Sample{}, err
		}
	}
	return timing.Together(ops, len(s.Docs), t.N)
}
