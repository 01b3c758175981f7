package upstream

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// gate tells a server that is down from a record that always fails. It is open while the server
// works: every record passes. It closes when several different records have failed in a row, or
// when no connection can be made. Then all records wait, and one of them tries in each pause: the
// one that has tried least often, so that records that always fail do not keep the gate closed. The
// first that is delivered opens it.
//
// What a record fails with says nothing about the server if another record was delivered since it
// failed first: such a record is a suspect, and does not close the gate.
type gate struct {
	limit int
	pause time.Duration
	log   *slog.Logger

	closed atomic.Bool // to be read without mu

	mu        sync.Mutex
	row       map[*record]struct{} // the records that have failed since the last success
	successes uint64
	waiting   []*record
	trying    bool // a record was let through, and is not back
	due       bool // the pause is over, and nobody waits
	timer     *time.Timer
	since     time.Time
	ended     bool
}

// record is what the gate knows about one delivery.
type record struct {
	tries  int           // while the gate was closed
	turn   chan struct{} // is closed when the record may try
	probe  bool          // it tries while the gate is closed
	failed bool
	before uint64 // successes, when it failed first
}

func (g *gate) init(limit int, pause time.Duration, log *slog.Logger) {
	g.limit, g.pause, g.log, g.row = limit, pause, log, map[*record]struct{}{}
}

func (g *gate) isClosed() bool { return g.closed.Load() }

// count returns how many records wait.
func (g *gate) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.waiting)
}

// close ends timers.
func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ended = true
	if g.timer != nil {
		g.timer.Stop()
	}
}

// enter waits until a record may try. The error is that of the context.
func (g *gate) enter(ctx context.Context, r *record) error {
	if !g.closed.Load() {
		return ctx.Err()
	}
	g.mu.Lock()
	switch {
	case !g.closed.Load():
		g.mu.Unlock()
		return ctx.Err()
	case g.due && ctx.Err() == nil:
		g.due = false
		g.let(r)
		g.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	r.turn = turn
	g.waiting = append(g.waiting, r)
	g.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	if i := slices.Index(g.waiting, r); i >= 0 {
		g.waiting = slices.Delete(g.waiting, i, i+1)
	}
	g.mu.Unlock()
	g.leave(r)
	return ctx.Err()
}

// let lets a record try while the gate is closed, with g.mu held.
func (g *gate) let(r *record) {
	g.trying, r.probe = true, true
	r.tries++
}

// leave notes that a record has given up without a result.
func (g *gate) leave(r *record) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.row, r)
	if r.probe {
		r.probe, g.trying = false, false
		g.next()
	}
}

// next lets the record try that has tried least often, with g.mu held.
func (g *gate) next() {
	if !g.closed.Load() || g.trying || g.ended {
		return
	}
	if len(g.waiting) == 0 {
		g.due = true
		return
	}
	best := 0
	for i, r := range g.waiting {
		if r.tries < g.waiting[best].tries {
			best = i
		}
	}
	r := g.waiting[best]
	g.waiting = slices.Delete(g.waiting, best, best+1)
	g.let(r)
	close(r.turn)
}

// later calls next after a pause, with g.mu held.
func (g *gate) later() {
	if g.timer != nil {
		g.timer.Stop()
	}
	g.timer = time.AfterFunc(g.pause, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.next()
	})
}

// success notes that a record was delivered.
func (g *gate) success(r *record) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.successes++
	g.works(r)
}

// works notes that the server has worked, with g.mu held.
func (g *gate) works(r *record) {
	clear(g.row)
	if r.probe {
		r.probe, g.trying = false, false
	}
	if !g.closed.Load() {
		return
	}
	g.closed.Store(false)
	g.due = false
	if g.timer != nil {
		g.timer.Stop()
	}
	for _, w := range g.waiting {
		close(w.turn)
	}
	g.waiting = nil
	g.log.Info("the upstream is back", "after", time.Since(g.since).Round(time.Millisecond))
}

// failure notes that an attempt has failed. It reports whether the attempt counts against the
// record. last says that it would be the last one.
func (g *gate) failure(r *record, result *result, last bool) (counts bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if result.kind == refused { // it is there, and says whose fault it is
		g.works(r)
		return true
	}
	if r.probe {
		r.probe, g.trying = false, false
		g.later()
		return false
	}
	if g.closed.Load() {
		return false // it began before
	}
	if !r.failed {
		r.failed, r.before = true, g.successes
	}
	suspect := g.successes != r.before
	if errors.Is(result.err, errUnreachable) {
		g.shut(result.err)
		return false
	}
	if suspect {
		return true
	}
	g.row[r] = struct{}{}
	if len(g.row) >= g.limit || last && len(g.row) > 1 { // nothing was delivered since it failed first
		g.shut(result.err)
		return false
	}
	return true // it stays in the row: the next record that fails is another one
}

// shut closes the gate, with g.mu held.
func (g *gate) shut(err error) {
	g.closed.Store(true)
	g.since, g.due = time.Now(), false
	clear(g.row)
	g.log.Warn("the upstream is down: records wait until it is back", "error", err)
	g.later()
}
