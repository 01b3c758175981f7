package stream

import (
	"sync"
	"sync/atomic"
)

// Bounds of a chunk: enough to be worth handing over, and few enough that several jobs share the
// records of one lane.
const (
	chunkRecords = 128
	chunkBytes   = 256 << 10
)

// recordOverhead is what a record in flight is counted for besides its bytes: the record itself,
// its place in batches and requests.
const recordOverhead = 256

// chunk is some records of one lane in their order, on their way.
type chunk struct {
	lane     *Lane
	next     *chunk // in the list of the lane
	bytes    int    // that count as in flight
	records  []Record
	outcomes []outcome
	buf      []byte // holds values with edits

	judged, over bool // under the lane's lock: may be sent; nothing more is done about it
	back         bool // its records are from before what was committed
	pending      atomic.Int32
	done         [chunkRecords]atomic.Bool // the records that are delivered
	// promises are called when records are written; made once for each chunk.
	promises [chunkRecords]func(error)
}

// chunks are free.
var chunks sync.Pool

// bufKeep is the size of the largest buffer that is kept for the next chunk.
const bufKeep = 2 * chunkBytes

// newChunk returns an empty chunk.
func newChunk(l *Lane) *chunk {
	c, free := chunks.Get().(*chunk)
	if !free {
		c = new(chunk)
		for i := range c.promises {
			c.promises[i] = func(err error) { c.written(i, err) }
		}
	}
	c.lane = l
	return c
}

// recycle keeps a chunk's memory for another one. Nobody else may know the chunk.
func (c *chunk) recycle() {
	for i := range c.records {
		c.done[i].Store(false)
	}
	clear(c.records)
	clear(c.outcomes)
	c.records, c.outcomes, c.buf = c.records[:0], c.outcomes[:0], c.buf[:0]
	if cap(c.buf) > bufKeep {
		c.buf = nil
	}
	c.lane, c.next, c.bytes, c.judged, c.over, c.back = nil, nil, 0, false, false, false
	chunks.Put(c)
}

// add appends a record. It reports whether the chunk is full.
func (c *chunk) add(r *Record) (full bool) {
	c.records = append(c.records, *r)
	c.records[len(c.records)-1].Lane = c.lane
	c.bytes += sizeOf(r)
	return len(c.records) == chunkRecords || c.bytes >= chunkBytes
}

// sizeOf returns what a record is counted for while it is in flight.
func sizeOf(r *Record) int {
	n := recordOverhead + len(r.Key) + len(r.Value)
	for i := range r.Headers {
		n += len(r.Headers[i].Key) + len(r.Headers[i].Value)
	}
	return n
}

// finish notes that nothing more is done about a record; delivered is whether it has arrived. The
// last one of a chunk finishes the chunk.
func (c *chunk) finish(i int, delivered bool) {
	if delivered {
		if o := &c.outcomes[i]; o.trace != nil {
			c.lane.f.endTrace(&c.records[i], o)
		}
		c.done[i].Store(true)
	}
	c.unpend()
}

func (c *chunk) unpend() {
	if c.pending.Add(-1) == 0 {
		c.lane.finished(c)
	}
}

// prefix returns how many of the first records are delivered.
func (c *chunk) prefix() int {
	for i := range c.records {
		if !c.done[i].Load() {
			return i
		}
	}
	return len(c.records)
}
