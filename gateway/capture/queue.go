package capture

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/serving/kept"
)

// item is a copy of a judged request.
type item struct {
	kept.Request

	action inspect.Action
	reason string
	nbr    int
	score  int
	engine *inspect.Engine
}

var items = sync.Pool{New: func() any { return new(item) }}

// fill copies a request.
func (i *item) fill(r *Request) {
	i.Fill(r.Body, r.Facts)
	i.action, i.reason, i.nbr, i.score = r.Verdict.Action, r.Verdict.Reason, int(r.Verdict.NBR), r.Verdict.Score
	i.engine = r.Engine
}

// release gives the memory of an item back.
func (i *item) release() {
	i.Reset()
	i.reason, i.engine = "", nil
	items.Put(i)
}

// queue is what waits to be written: a bounded number of items, and of bytes.
type queue struct {
	items chan *item
	bytes atomic.Int64

	interval time.Duration // between two requests, by the rate
	next     atomic.Int64  // when the next one is due, in nanoseconds since start
	start    time.Time
}

func (q *queue) init(rate int) {
	q.items, q.interval, q.start = make(chan *item, QueueMax), time.Second/time.Duration(rate), time.Now()
}

// allow reports whether the rate allows a request now, and counts it. A tenth of a second may be
// used at once.
func (q *queue) allow(now time.Time) bool {
	at := int64(now.Sub(q.start))
	for {
		next := q.next.Load()
		from := max(next, at)
		if from-at > int64(time.Second/10) {
			return false
		}
		if q.next.CompareAndSwap(next, from+int64(q.interval)) {
			return true
		}
	}
}

// add copies a request into the queue. It reports false if the queue is full.
func (q *queue) add(r *Request) bool {
	size := int64(len(r.Body))
	if q.bytes.Add(size) > QueueBytesMax {
		q.bytes.Add(-size)
		return false
	}
	i := items.Get().(*item)
	i.fill(r)
	q.bytes.Add(i.Size() - size)
	select {
	case q.items <- i:
		return true
	default:
		q.bytes.Add(-i.Size())
		i.release()
		return false
	}
}

// taken gives back the space of an item.
func (q *queue) taken(i *item) {
	q.bytes.Add(-i.Size())
	i.release()
}
