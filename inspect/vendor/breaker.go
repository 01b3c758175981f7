package vendor

import (
	"sync/atomic"
	"time"
)

// breaker counts failures in a row. It is closed as long as until is 0.
type breaker struct {
	limit    int32 // failures; negative: no limit
	pause    time.Duration
	failures atomic.Int32
	until    atomic.Int64 // when the next probe may be, in nanoseconds since start
}

// start is the time that breakers count from, so that times fit into a number and are monotonic.
var start = time.Now()

func now() int64 { return int64(time.Since(start)) + 1 } // never 0

// allow reports whether the service may be asked now. After a pause one caller may.
func (b *breaker) allow() bool {
	until := b.until.Load()
	if until == 0 {
		return true
	}
	at := now()
	return at >= until && b.until.CompareAndSwap(until, at+int64(b.pause))
}

// open reports whether the service is not asked, but for probes.
func (b *breaker) open() bool { return b.until.Load() != 0 }

func (b *breaker) success() {
	b.failures.Store(0)
	b.until.Store(0)
}

func (b *breaker) failure() {
	if b.limit >= 0 && b.failures.Add(1) >= b.limit {
		b.until.Store(now() + int64(b.pause))
	}
}
