package gateway

import (
	"sync/atomic"
	"time"
)

// The breaker of an upstream.
const (
	// BreakerFailures is how many failures in a row open it.
	BreakerFailures = 5
	// BreakerPause is how long an open breaker waits between two requests that try again: however
	// broken an upstream is, one request in each pause finds out whether it is back.
	BreakerPause = time.Second
)

// breaker counts failures in a row. It is closed as long as until is 0.
type breaker struct {
	failures atomic.Int32
	until    atomic.Int64 // when the next probe may be, in nanoseconds since processStart
}

func sinceStart() int64 { return int64(time.Since(processStart)) + 1 } // never 0

// closed reports whether requests may be sent without further ado.
func (b *breaker) closed() bool { return b.until.Load() == 0 }

// probe reports whether the caller may try an open breaker now. One caller in each pause may.
func (b *breaker) probe() bool {
	until := b.until.Load()
	if until == 0 {
		return false
	}
	at := sinceStart()
	return at >= until && b.until.CompareAndSwap(until, at+int64(BreakerPause))
}

func (b *breaker) success() {
	if b.failures.Load() != 0 {
		b.failures.Store(0)
	}
	if b.until.Load() != 0 {
		b.until.Store(0)
	}
}

func (b *breaker) failure() {
	if b.failures.Add(1) >= BreakerFailures && b.closed() {
		b.until.Store(sinceStart() + int64(BreakerPause))
	}
}
