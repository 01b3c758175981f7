package inspect

import "sync/atomic"

// Holder holds the engine in use, which can be replaced at any time: on reload, say. Workers made
// by it use the new engine from their next [Worker.Decode] on; a request that was decoded before
// is judged by the engine that it was decoded under. Nobody waits.
//
// All methods may be called from any goroutine. The zero value holds the default engine, that of
// the zero [Config]. A Holder must not be copied.
type Holder struct{ engine atomic.Pointer[Engine] }

// NewHolder returns a holder of e.
func NewHolder(e *Engine) *Holder {
	h := &Holder{}
	h.engine.Store(e)
	return h
}

// Engine returns the engine in use.
func (h *Holder) Engine() *Engine { return h.engine.Load().orDefault() }

// Swap puts e in use and returns the engine that was. A nil e is the default engine.
func (h *Holder) Swap(e *Engine) (old *Engine) { return h.engine.Swap(e).orDefault() }

// NewWorker returns a worker with memory of its own.
func (h *Holder) NewWorker() *Worker { return &Worker{holder: h} }
