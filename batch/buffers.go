package batch

import (
	"errors"
	"sync"
)

// buffers lends memory for chunks and limits how much is lent.
type buffers struct {
	size  int   // of an ordinary buffer; larger ones are not kept
	limit int64 // bytes that may be lent at a time

	mu      sync.Mutex
	cond    sync.Cond
	lent    int64
	free    [][]byte
	stopped bool
}

func newBuffers(size int, limit int64) *buffers {
	b := &buffers{size: size, limit: limit}
	b.cond.L = &b.mu
	return b
}

var errStopped = errors.New("batch: stopped")

// get lends a buffer of at least size bytes. It waits while too much is lent, unless all of it is
// lent to the caller, who would then wait forever.
func (b *buffers) get(size, own int) ([]byte, error) {
	size = max(size, b.size)
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.lent+int64(size) > b.limit && b.lent > int64(own) && !b.stopped {
		b.cond.Wait()
	}
	if b.stopped {
		return nil, errStopped
	}
	b.lent += int64(size)
	if n := len(b.free); n > 0 && size == b.size {
		buf := b.free[n-1]
		b.free = b.free[:n-1]
		return buf, nil
	}
	return make([]byte, size), nil
}

// put takes a buffer back.
func (b *buffers) put(buf []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lent -= int64(len(buf))
	if len(buf) == b.size {
		b.free = append(b.free, buf)
	}
	b.cond.Signal()
}

// stop makes get fail from now on.
func (b *buffers) stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stopped = true
	b.cond.Broadcast()
}
