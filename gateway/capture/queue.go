package capture

import (
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rtbwire/rtbwire/inspect"
)

// keepMax is how large the buffer of an item may be that is used again.
const keepMax = 64 << 10

// item is a copy of a request. All of its text is in one buffer.
type item struct {
	text      []byte // body, then user agent, then names and values of headers
	body      int    // the length of the body
	agent     int    // the length of the user agent
	headers   []int  // the lengths of names and values, in turn
	forwarded []netip.Addr
	vendors   []inspect.VendorAnswer
	facts     inspect.Facts // without what is in the buffer

	action inspect.Action
	reason string
	nbr    int
	score  int
	engine *inspect.Engine
}

var items = sync.Pool{New: func() any { return new(item) }}

// fill copies a request.
func (i *item) fill(r *Request) {
	f := r.Facts
	i.text = append(append(i.text[:0], r.Body...), f.UserAgent...)
	i.body, i.agent = len(r.Body), len(f.UserAgent)
	i.headers = i.headers[:0]
	for n := range f.Headers {
		h := &f.Headers[n]
		i.text = append(append(i.text, h.Name...), h.Value...)
		i.headers = append(i.headers, len(h.Name), len(h.Value))
	}
	i.forwarded = append(i.forwarded[:0], f.Forwarded...)
	i.vendors = append(i.vendors[:0], f.Vendor...)
	// Names of partners and vendors are the configuration's; a publisher is the request's.
	i.facts = inspect.Facts{Partner: f.Partner, Peer: f.Peer, Time: f.Time, Seen: f.Seen, Counts: f.Counts}
	i.action, i.reason, i.nbr, i.score = r.Verdict.Action, r.Verdict.Reason, int(r.Verdict.NBR), r.Verdict.Score
	i.engine = r.Engine
}

// known returns the facts. Their strings are copies.
func (i *item) known() inspect.Facts {
	f := i.facts
	rest := i.text[i.body:]
	take := func(n int) (s string) {
		s, rest = string(rest[:n]), rest[n:]
		return s
	}
	f.UserAgent = take(i.agent)
	for n := 0; n < len(i.headers); n += 2 {
		f.Headers = append(f.Headers, inspect.Header{Name: take(i.headers[n]), Value: take(i.headers[n+1])})
	}
	f.Forwarded, f.Vendor = i.forwarded, i.vendors
	return f
}

// size is what an item counts in the queue, in bytes.
func (i *item) size() int64 { return int64(len(i.text)) }

// release gives the memory of an item back.
func (i *item) release() {
	if cap(i.text) > keepMax {
		i.text = nil
	}
	clear(i.vendors)
	i.facts, i.reason, i.engine = inspect.Facts{}, "", nil
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
	q.bytes.Add(i.size() - size)
	select {
	case q.items <- i:
		return true
	default:
		q.bytes.Add(-i.size())
		i.release()
		return false
	}
}

// taken gives back the space of an item.
func (q *queue) taken(i *item) {
	q.bytes.Add(-i.size())
	i.release()
}
