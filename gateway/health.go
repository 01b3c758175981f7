package gateway

import (
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/rtbwire/rtbwire/internal/breaker"
)

// failuresEvery is the least time between two lines of the log about an upstream whose requests
// fail, but not enough of them in a row to open its breaker.
const failuresEvery = time.Second

// healthLog writes what changes about the health of an upstream.
type healthLog struct {
	to    *slog.Logger
	last  atomic.Int64  // when the last line about single failures was written
	more  atomic.Uint64 // first failures without a line since then
	shown atomic.Bool   // the last first failure has a line
}

// breaker writes what a success, or a failure with an error, has changed.
func (l *healthLog) breaker(change breaker.Change, upstream string, err error) {
	switch change {
	case breaker.Same:
	case breaker.Failing:
		now, last := time.Since(processStart), l.last.Load()
		if last != 0 && now < time.Duration(last)+failuresEvery || !l.last.CompareAndSwap(last, int64(now)) {
			l.more.Add(1)
			return
		}
		l.shown.Store(true)
		args := []any{"upstream", upstream, "error", err}
		if n := l.more.Swap(0); n > 0 {
			args = append(args, "more", n)
		}
		l.to.Warn("a request to an upstream has failed", args...)
	case breaker.Opened:
		l.shown.Store(false)
		l.to.Error("upstream left alone: its breaker is open", "upstream", upstream, "failures", BreakerFailures, "error", err)
	case breaker.Working:
		if l.shown.Swap(false) {
			l.to.Info("the upstream answers again", "upstream", upstream)
		}
	case breaker.Closed:
		l.to.Info("the upstream answers again: its breaker is closed", "upstream", upstream)
	}
}
