package stream

import "sync"

// queue is a queue whose length is bounded by what is put in: by the bytes in flight.
type queue[T any] struct {
	mu     sync.Mutex
	filled sync.Cond
	items  []T
	taking func(*T) // if not nil, called for each item in the order of the queue, while it is locked
	first  int      // of items that is not taken
	closed bool
}

func newQueue[T any]() *queue[T] {
	q := new(queue[T])
	q.filled.L = &q.mu
	return q
}

// push never waits.
func (q *queue[T]) push(v T) {
	q.mu.Lock()
	q.items = append(q.items, v)
	q.mu.Unlock()
	q.filled.Signal()
}

// pop waits for an item. It reports false after close.
func (q *queue[T]) pop() (v T, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.first == len(q.items) && !q.closed {
		q.filled.Wait()
	}
	if q.closed {
		return v, false
	}
	if q.taking != nil {
		q.taking(&q.items[q.first])
	}
	var none T
	v, q.items[q.first] = q.items[q.first], none
	if q.first++; q.first == len(q.items) {
		q.items, q.first = q.items[:0], 0
	} else if q.first >= queueShift && q.first >= len(q.items)/2 {
		n := copy(q.items, q.items[q.first:])
		clear(q.items[n:])
		q.items, q.first = q.items[:n], 0
	}
	return v, true
}

// queueShift is how many taken items are worth moving the others.
const queueShift = 1024

// close ends all pops. Items are forgotten.
func (q *queue[T]) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.filled.Broadcast()
}
