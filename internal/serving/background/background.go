// Package background has what waits in a queue written by one goroutine, until it is closed.
package background

import (
	"context"
	"sync/atomic"
	"time"
)

// flushTime is how long what is written may wait in memory.
const flushTime = time.Second

// Writing is what a [Loop] does. One goroutine calls the functions.
type Writing[T any] struct {
	// Write writes an item. Flush is called every second, and End after the last item.
	Write      func(T)
	Flush, End func()
	// Discard is called with each item that Close has given up.
	Discard func(T)
}

// Loop is the goroutine that writes.
type Loop struct {
	closed               atomic.Bool
	closing, abort, done chan struct{}
}

// Start starts to write items.
func Start[T any](items <-chan T, w Writing[T]) *Loop {
	l := &Loop{closing: make(chan struct{}), abort: make(chan struct{}), done: make(chan struct{})}
	go run(l, items, w)
	return l
}

// Closed reports whether Close was called. Nothing may be queued then.
func (l *Loop) Closed() bool { return l.closed.Load() }

// Close waits until all items are written and the goroutine has ended. When the context ends first
// it returns the context's error, and what is not written yet is given up. A second call waits for
// the first one's end.
func (l *Loop) Close(ctx context.Context) error {
	if l.closed.Swap(true) {
		<-l.done
		return nil
	}
	close(l.closing)
	select {
	case <-l.done:
		return nil
	case <-ctx.Done():
		close(l.abort)
		return ctx.Err()
	}
}

// Aborted is closed when Close has given up.
func (l *Loop) Aborted() <-chan struct{} { return l.abort }

// Done is closed when the goroutine has ended.
func (l *Loop) Done() <-chan struct{} { return l.done }

func run[T any](l *Loop, items <-chan T, w Writing[T]) {
	defer close(l.done)
	defer w.End()
	tick := time.NewTicker(flushTime)
	defer tick.Stop()
	for {
		select {
		case <-l.abort:
			for len(items) > 0 {
				w.Discard(<-items)
			}
			return
		default:
		}
		select {
		case i := <-items:
			w.Write(i)
		case <-tick.C:
			w.Flush()
		case <-l.closing:
			if len(items) == 0 {
				return
			}
		}
	}
}
