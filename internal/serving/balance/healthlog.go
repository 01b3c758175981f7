package balance

import (
	"log/slog"
	"sync/atomic"
	"time"
)

// failuresEvery is the least time between two lines of the log about an address whose requests
// fail, but not enough of them in a row to open its breaker.
const failuresEvery = time.Second

// healthLog writes what changes about the health of an address.
type healthLog struct {
	to    *slog.Logger
	bad   atomic.Bool   // the last request has failed
	last  atomic.Int64  // when the last line about single failures was written, by now
	more  atomic.Uint64 // first failures without a line since then
	shown atomic.Bool   // the last first failure has a line
}

// names are the arguments that say which address a line is about.
func (e *Endpoint) names(more ...any) []any {
	args := []any{"upstream", e.source.name}
	if e.Address != "" {
		args = append(args, "address", e.Address)
	}
	return append(args, more...)
}

// failing writes a line for the first failure after a success.
func (l *healthLog) failing(e *Endpoint, err error) {
	if l.bad.Load() || l.bad.Swap(true) {
		return
	}
	at, last := now(), l.last.Load()
	if last != 0 && at < time.Duration(last)+failuresEvery || !l.last.CompareAndSwap(last, int64(at)) {
		l.more.Add(1)
		return
	}
	l.shown.Store(true)
	args := e.names("error", err)
	if n := l.more.Swap(0); n > 0 {
		args = append(args, "more", n)
	}
	l.to.Warn("a request to an upstream has failed", args...)
}

// working writes a line for the first success after failures that have one.
func (l *healthLog) working(e *Endpoint) {
	if l.bad.Load() && l.bad.Swap(false) && l.shown.Swap(false) {
		l.to.Info("the upstream answers again", e.names()...)
	}
}

// opened and closed write about the breaker.
func (l *healthLog) opened(e *Endpoint, err error) {
	l.bad.Store(true)
	l.shown.Store(false)
	l.to.Error("upstream left alone: its breaker is open", e.names("failures", BreakerFailures, "error", err)...)
}

func (l *healthLog) closed(e *Endpoint) {
	l.to.Info("the upstream answers again: its breaker is closed", e.names()...)
}
