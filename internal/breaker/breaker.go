// Package breaker is a circuit breaker for an upstream of the gateway, or for a service that is
// asked about requests.
package breaker

import (
	"sync/atomic"
	"time"
)

// Breaker counts failures in a row. After a number of them it is open: the caller should not use
// the thing for a pause. After each pause one caller may try; if that succeeds, the breaker is
// closed again. Failures of uses that began earlier do not make a pause longer, so that one caller
// in each pause finds out whether the thing is back, however much was under way when it broke.
//
// Init makes it ready. Its methods may be called from any goroutine.
type Breaker struct {
	limit    int32 // failures; negative: never open
	pause    time.Duration
	failures atomic.Int32
	until    atomic.Int64 // when the next try may be, in nanoseconds since start; 0: closed
}

// Change is what a success or a failure has changed. Of several goroutines at once, one is told.
type Change uint8

// The changes.
const (
	Same Change = iota
	Opened
	Closed
)

// start is the time that breakers count from, so that times fit into a number and are monotonic.
var start = time.Now()

func now() int64 { return int64(time.Since(start)) + 1 } // never 0

// Init sets how many failures in a row open the breaker, and how long pauses are. With a negative
// number it never opens.
func (b *Breaker) Init(failures int, pause time.Duration) {
	b.limit, b.pause = int32(min(failures, 1<<30)), pause //nolint:gosec // fits
}

// Closed reports whether the thing may be used without further ado.
func (b *Breaker) Closed() bool { return b.until.Load() == 0 }

// Probe reports whether the caller may try although the breaker is open. One caller in each pause
// may.
func (b *Breaker) Probe() bool {
	until := b.until.Load()
	if until == 0 {
		return false
	}
	at := now()
	return at >= until && b.until.CompareAndSwap(until, at+int64(b.pause))
}

// Allow reports whether the thing may be used now: the breaker is closed, or the caller may try.
func (b *Breaker) Allow() bool { return b.Closed() || b.Probe() }

// Success notes that the thing has worked.
func (b *Breaker) Success() Change {
	if b.failures.Load() != 0 {
		b.failures.Store(0)
	}
	if b.until.Load() != 0 && b.until.Swap(0) != 0 {
		return Closed
	}
	return Same
}

// Failure notes that it has not.
func (b *Breaker) Failure() Change {
	if b.limit >= 0 && b.failures.Add(1) >= b.limit && b.until.CompareAndSwap(0, now()+int64(b.pause)) {
		return Opened
	}
	return Same
}
