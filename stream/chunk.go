package stream

import (
	"sync"
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/rtbwire/rtbwire/inspect"
)

// Bounds of a chunk: enough to be worth handing over, and few enough that several jobs share the
// records of one partition.
const (
	chunkRecords = 128
	chunkBytes   = 256 << 10
)

// recordOverhead is what a record in flight is counted for besides its bytes: the record itself,
// its place in batches and requests.
const recordOverhead = 256

// chunk is some records of one partition in their order, on their way.
type chunk struct {
	p       *partition
	next    *chunk // in the queue of the partition
	epoch   int32  // of the leader, for all records
	bytes   int    // that are counted as in flight
	records []*kgo.Record
	offsets []int64 // records are reused when they are written
	fates   []fate
	buf     []byte // holds values with edits, and texts of headers

	judged, over bool // under the partition's lock: may be sent; nothing more is done about it
	back         bool // its records are from before what was committed
	pending      atomic.Int32
	done         [chunkRecords]atomic.Bool // the records that are delivered
	// promises are called when records are acknowledged; made once for each chunk.
	promises [chunkRecords]func(*kgo.Record, error)
}

// fate is what becomes of a record.
type fate struct {
	// control is true for the marks that end transactions of whoever writes the topic. Nothing is
	// done about them, but they have offsets: without them, the last one would always be missing.
	control bool

	decision, shadow inspect.Decision
	score            int
	partner          string
	path             string // where the finding is that decided
	offset           int
	value            []byte // as it was read
}

// refused reports whether the record goes to the dead letters.
func (f *fate) refused() bool { return f.decision.Action == inspect.ActionRefuse }

// chunks are free.
var chunks sync.Pool

// bufKeep is the size of the largest buffer that is kept for the next chunk.
const bufKeep = 2 * chunkBytes

// newChunk returns an empty chunk.
func newChunk(p *partition, epoch int32) *chunk {
	c, free := chunks.Get().(*chunk)
	if !free {
		c = new(chunk)
		for i := range c.promises {
			c.promises[i] = func(r *kgo.Record, err error) { c.acknowledged(i, r, err) }
		}
	}
	c.p, c.epoch = p, epoch
	return c
}

// recycle keeps a chunk's memory for another one. Nobody else may know the chunk.
func (c *chunk) recycle() {
	for i := range c.records {
		c.done[i].Store(false)
	}
	clear(c.records)
	clear(c.fates)
	c.records, c.offsets, c.fates, c.buf = c.records[:0], c.offsets[:0], c.fates[:0], c.buf[:0]
	if cap(c.buf) > bufKeep {
		c.buf = nil
	}
	c.p, c.next, c.bytes, c.judged, c.over, c.back = nil, nil, 0, false, false, false
	chunks.Put(c)
}

// add appends a record. It reports whether the chunk is full.
func (c *chunk) add(r *kgo.Record) (full bool) {
	c.records, c.offsets = append(c.records, r), append(c.offsets, r.Offset)
	c.bytes += sizeOf(r)
	return len(c.records) == chunkRecords || c.bytes >= chunkBytes
}

// sizeOf returns what a record is counted for while it is in flight.
func sizeOf(r *kgo.Record) int {
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
		c.done[i].Store(true)
	}
	c.unpend()
}

func (c *chunk) unpend() {
	if c.pending.Add(-1) == 0 {
		c.p.finished(c)
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

// source returns the place of a record.
func (c *chunk) source(i int) string { return sourceOf(c.p.topic, c.p.number, c.offsets[i]) }
