package gateway

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestByteBudget shares an amount among many: never more than its size, in order of arrival, and
// who has waited too long leaves nothing behind.
func TestByteBudget(t *testing.T) {
	var a byteBudget
	a.init(100)
	if !a.acquire(1000, time.Minute) { // all of it
		t.Fatal("more than there is was not given")
	}
	large := make(chan bool)
	go func() { large <- a.acquire(90, time.Minute) }()
	waitFor(t, "the large one", func() bool { a.mu.Lock(); defer a.mu.Unlock(); return len(a.waiting) == 1 })
	small := make(chan bool)
	go func() { small <- a.acquire(20, time.Minute) }()
	waitFor(t, "the small one", func() bool { a.mu.Lock(); defer a.mu.Unlock(); return len(a.waiting) == 2 })
	if a.acquire(1, time.Millisecond) {
		t.Error("what is in use was given again")
	}
	a.release(1000)
	if !<-large {
		t.Error("the large one got nothing")
	}
	select {
	case <-small:
		t.Error("more than there is was given")
	default:
	}
	a.release(90)
	if !<-small {
		t.Error("the small one got nothing")
	}
	a.release(20)

	// The first of those who wait leaves: the next one does not wait for it.
	a.acquire(50, time.Minute)
	gone := make(chan bool)
	go func() { gone <- a.acquire(60, 50*time.Millisecond) }()
	waitFor(t, "the one that leaves", func() bool { a.mu.Lock(); defer a.mu.Unlock(); return len(a.waiting) == 1 })
	if !a.acquire(50, time.Minute) || <-gone {
		t.Error("one that has left is waited for")
	}
	a.release(50)
	a.release(50)

	var used, peak atomic.Int64
	var all sync.WaitGroup
	for n := range 16 {
		all.Go(func() {
			for i := range 200 {
				size := int64((n*7+i)%40 + 1)
				if !a.acquire(size, time.Minute) {
					t.Error("nothing was given")
				}
				if now := used.Add(size); now > peak.Load() {
					peak.Store(now)
				}
				used.Add(-size)
				a.release(size)
			}
		})
	}
	all.Wait()
	if peak.Load() > 100 || a.free != 100 || len(a.waiting) != 0 {
		t.Errorf("peak %d, free %d, waiting %d", peak.Load(), a.free, len(a.waiting))
	}
}

// TestDecodingWaits checks that a large document waits for memory, that a small one does not, and
// that none is kept after a request of any kind.
func TestDecodingWaits(t *testing.T) {
	up := newCore(t, nil)
	g := start(t, Options{Upstreams: At(up.URL)})
	large := append(good(t), noise(30_000)...) // text after the end
	all := g.decoding.size
	g.decoding.acquire(all, time.Minute)
	if r := g.post(t, PathDefault, good(t)); r.status != 200 {
		t.Errorf("a small one: %+v", r)
	}
	if r := g.post(t, PathDefault, large); r.status != 503 {
		t.Errorf("a large one: %+v", r)
	}
	g.decoding.release(all)
	for range 10 {
		if r := g.post(t, PathDefault, large); r.status != 400 {
			t.Errorf("a large one afterwards: %+v", r)
		}
	}
	waitFor(t, "all memory", func() bool { g.decoding.mu.Lock(); defer g.decoding.mu.Unlock(); return g.decoding.free == all })
}
