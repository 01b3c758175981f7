package verdictlog

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/internal/serving/judged"
)

// item is a row that waits.
type item struct {
	maker batch.RowMaker
	row   *batch.Row
	time  time.Time
	size  int64
}

var items = sync.Pool{New: func() any { return new(item) }}

// itemKeepMax is how large the memory of an item may be that is used again, in bytes.
const itemKeepMax = 64 << 10

// queue is what waits to be written: a bounded number of rows, and of bytes.
type queue struct {
	items chan *item
	bytes atomic.Int64
}

// add makes a row of a request and queues it. It reports false if the queue is full.
func (q *queue) add(r *judged.Request) bool {
	if len(q.items) == cap(q.items) || q.bytes.Load() >= QueueBytesMax {
		return false
	}
	i := items.Get().(*item)
	i.row, i.time = i.maker.Make(r.Body, r.Request, r.Facts, r.Verdict), r.Facts.Time
	if i.time.IsZero() {
		i.time = time.Now()
	}
	i.row.File, i.row.Offset = r.Source, r.Position
	i.size = int64(i.maker.Size())
	if q.bytes.Add(i.size) <= QueueBytesMax {
		select {
		case q.items <- i:
			return true
		default:
		}
	}
	q.taken(i)
	return false
}

// taken gives back the space of an item.
func (q *queue) taken(i *item) {
	q.bytes.Add(-i.size)
	if i.size <= itemKeepMax {
		items.Put(i)
	}
}
