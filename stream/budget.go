package stream

import (
	"context"
	"sync"
)

// budget bounds the bytes in flight. Taking never waits, because what was read is there already;
// reading waits until the budget is not exhausted.
type budget struct {
	max  int
	mu   sync.Mutex
	free sync.Cond
	used int
}

func newBudget(limit int) *budget {
	b := &budget{max: limit}
	b.free.L = &b.mu
	return b
}

func (b *budget) take(n int) {
	b.mu.Lock()
	b.used += n
	b.mu.Unlock()
}

func (b *budget) give(n int) {
	b.mu.Lock()
	b.used -= n
	b.mu.Unlock()
	b.free.Signal()
}

// wait waits until something is left, or until ctx ends. One goroutine waits.
func (b *budget) wait(ctx context.Context) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.used < b.max {
		return
	}
	defer context.AfterFunc(ctx, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.free.Signal()
	})()
	for b.used >= b.max && ctx.Err() == nil {
		b.free.Wait()
	}
}

func (b *budget) inUse() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}
