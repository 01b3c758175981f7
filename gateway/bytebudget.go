package gateway

import (
	"slices"
	"sync"
	"time"
)

// byteBudget is an amount of memory that is shared out in the order of asking.
type byteBudget struct {
	size int64

	mu      sync.Mutex
	free    int64
	waiting []*waiter
}

// waiter waits for its part.
type waiter struct {
	n     int64
	ready chan struct{} // closed when it is given
}

func (b *byteBudget) init(size int64) { b.size, b.free = size, size }

// acquire waits until n may be used, and reports whether that was in time. If so, release must
// follow. More than there is means all of it.
func (b *byteBudget) acquire(n int64, wait time.Duration) bool {
	if n == 0 {
		return true
	}
	n = min(n, b.size)
	b.mu.Lock()
	if len(b.waiting) == 0 && b.free >= n {
		b.free -= n
		b.mu.Unlock()
		return true
	}
	if wait <= 0 {
		b.mu.Unlock()
		return false
	}
	own := &waiter{n, make(chan struct{})}
	b.waiting = append(b.waiting, own)
	b.mu.Unlock()

	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-own.ready:
		return true
	case <-timer.C:
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.Index(b.waiting, own)
	if i < 0 {
		return true // it was given at the last moment
	}
	b.waiting = slices.Delete(b.waiting, i, i+1)
	b.give()
	return false
}

// release gives back what acquire was asked for.
func (b *byteBudget) release(n int64) {
	if n == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.free += min(n, b.size)
	b.give()
}

// give serves those who wait, the first one first, so that a large document is not overtaken
// forever.
func (b *byteBudget) give() {
	for len(b.waiting) > 0 && b.waiting[0].n <= b.free {
		b.free -= b.waiting[0].n
		close(b.waiting[0].ready)
		b.waiting = slices.Delete(b.waiting, 0, 1)
	}
}
