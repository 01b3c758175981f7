package gateway

import (
	"slices"
	"sync"
	"time"

	"github.com/rtbwire/rtbwire/wire"
)

// The memory of decoded documents. A document of small objects needs 64 times its length, so large
// ones wait for each other: decoding is work of the processor, and more of them at once would not
// be done earlier.
const (
	// decodeFree is the length of the longest document that never waits: the most that the requests
	// of all processors need is little then.
	decodeFree = 16 << 10
	// decodeShare is the part of [Options.MemoryMax] that decoded documents may need: one in so
	// many.
	decodeShare = 2
	// decodeWait is how long a document waits for memory.
	decodeWait = time.Second
)

// decodedMax is the most memory that a document of some length can need when it is decoded; 0 if
// that is not worth counting.
func decodedMax(length int) int64 {
	if length <= decodeFree {
		return 0
	}
	return int64(length)*wire.MemoryPerByteDefault + wire.MemoryBaseDefault
}

// allowance is an amount that is shared out in the order of asking.
type allowance struct {
	size int64

	mu      sync.Mutex
	free    int64
	waiting []*share
}

// share is what somebody waits for.
type share struct {
	n     int64
	ready chan struct{} // closed when it is given
}

func (a *allowance) init(size int64) { a.size, a.free = size, size }

// acquire waits until n may be used, and reports whether that was in time. If so, release must
// follow. More than there is means all of it.
func (a *allowance) acquire(n int64, wait time.Duration) bool {
	if n == 0 {
		return true
	}
	n = min(n, a.size)
	a.mu.Lock()
	if len(a.waiting) == 0 && a.free >= n {
		a.free -= n
		a.mu.Unlock()
		return true
	}
	if wait <= 0 {
		a.mu.Unlock()
		return false
	}
	own := &share{n, make(chan struct{})}
	a.waiting = append(a.waiting, own)
	a.mu.Unlock()

	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-own.ready:
		return true
	case <-timer.C:
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	i := slices.Index(a.waiting, own)
	if i < 0 {
		return true // it was given at the last moment
	}
	a.waiting = slices.Delete(a.waiting, i, i+1)
	a.give()
	return false
}

// release gives back what acquire was asked for.
func (a *allowance) release(n int64) {
	if n == 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.free += min(n, a.size)
	a.give()
}

// give serves those who wait, the first one first, so that a large document is not overtaken
// forever.
func (a *allowance) give() {
	for len(a.waiting) > 0 && a.waiting[0].n <= a.free {
		a.free -= a.waiting[0].n
		close(a.waiting[0].ready)
		a.waiting = slices.Delete(a.waiting, 0, 1)
	}
}

// borrowWorker takes a worker for the document, with the memory that it may need. It reports false
// if it has answered the request, because there was none in time.
func (x *exchange) borrowWorker() bool {
	n := decodedMax(len(x.body))
	if !x.g.decoding.acquire(n, decodeWait) {
		x.shed(failCapacity)
		return false
	}
	x.worker, x.reserved = x.plan.worker(), n
	return true
}

// returnWorker ends the use of what borrowWorker has taken.
func (x *exchange) returnWorker() {
	if x.worker != nil {
		x.plan.release(x.worker)
		x.worker = nil
	}
	x.g.decoding.release(x.reserved)
	x.reserved = 0
}
