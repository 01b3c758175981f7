package stream

import (
	"context"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"
)

// partition is the queue of an assigned partition. Its chunks are judged in any order, by any of
// the jobs; they are sent in order, by whoever has judged the one that is next; and records are
// delivered in any order. The position is the end of the delivered records without a gap.
type partition struct {
	n      *session
	topic  string
	number int32

	// ctx ends when nothing may be sent any more; what waits is given up.
	ctx    context.Context
	cancel context.CancelFunc

	mu   sync.Mutex
	idle *sync.Cond // sending or outstanding has changed
	// first is the oldest chunk with records that are not delivered, unsent the next to be sent.
	first, unsent, last *chunk
	sending             bool
	outstanding         int  // chunks that are sent and not finished
	stopped             bool // nothing more is sent

	expected  int64           // the next offset to be read; -1 if it is not known
	position  kgo.EpochOffset // all below is delivered; -1 until something is
	committed kgo.EpochOffset
	end       int64 // of the partition, as the broker said last
}

func newPartition(n *session, topic string, number int32) *partition {
	p := &partition{
		n: n, topic: topic, number: number, expected: -1, end: -1,
		position: kgo.EpochOffset{Epoch: -1, Offset: -1}, committed: kgo.EpochOffset{Epoch: -1, Offset: -1},
	}
	p.ctx, p.cancel = context.WithCancel(n.work)
	p.idle = sync.NewCond(&p.mu)
	return p
}

// add queues records that were read. It never waits. If they are from before what was read already,
// offsets that were committed are worth nothing from then on.
func (p *partition) add(records []*kgo.Record, back bool) {
	var c *chunk
	for _, r := range records {
		if c != nil && c.epoch != r.LeaderEpoch {
			p.queue(c)
			c = nil
		}
		if c == nil {
			c = newChunk(p, r.LeaderEpoch)
			c.back, back = back, false
		}
		if c.add(r) {
			p.queue(c)
			c = nil
		}
	}
	if c != nil {
		p.queue(c)
	}
}

func (p *partition) queue(c *chunk) {
	c.pending.Store(int32(len(c.records)) + 1) // 1 for the sender
	p.n.room.take(c.bytes)
	p.mu.Lock()
	if p.last == nil {
		p.first = c
	} else {
		p.last.next = c
	}
	p.last = c
	if p.unsent == nil {
		p.unsent = c
	}
	p.mu.Unlock()
	p.n.todo.push(c)
}

// isStopped reports whether the partition is on its way out.
func (p *partition) isStopped() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stopped
}

// wasJudged sends the chunk, if those before it are sent, and those after it that are judged. One
// goroutine at a time sends.
func (p *partition) wasJudged(c *chunk) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.judged = true
	if p.sending {
		return
	}
	p.sending = true
	for !p.stopped && p.unsent != nil && p.unsent.judged {
		next := p.unsent
		p.unsent = next.next
		p.outstanding++
		p.mu.Unlock()
		p.n.send(next)
		p.mu.Lock()
	}
	p.sending = false
	p.idle.Broadcast()
}

// finished is called when all records of a chunk are delivered or given up.
func (p *partition) finished(c *chunk) {
	p.n.count(c)
	p.mu.Lock()
	p.outstanding--
	c.over = true
	p.advance()
	p.idle.Broadcast()
	p.mu.Unlock()
}

// advance moves the position past the delivered records, and drops chunks that are behind it.
func (p *partition) advance() {
	for c := p.first; c != nil; c = p.first {
		n := c.prefix()
		if n > 0 {
			if c.back {
				p.committed, c.back = kgo.EpochOffset{Epoch: -1, Offset: -1}, false
			}
			p.position = kgo.EpochOffset{Epoch: c.epoch, Offset: c.offsets[n-1] + 1}
		}
		if n < len(c.records) || !c.over {
			return
		}
		if p.first = c.next; p.first == nil {
			p.last = nil
		}
		p.n.room.give(c.bytes)
		c.recycle()
	}
}

// stop ends sending: what is not sent yet never is. What is sent is a prefix of what was read, so
// that a clean end leaves no record that is delivered and not committed.
func (p *partition) stop() {
	p.mu.Lock()
	p.stopped = true
	p.mu.Unlock()
}

// silence stops the partition, and waits until nobody sends: what was sent may still be on its way.
func (p *partition) silence() {
	p.stop()
	p.cancel()
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.sending {
		p.idle.Wait()
	}
}

// wait waits until nothing is on its way, or until ctx ends. It reports whether all has arrived.
func (p *partition) wait(ctx context.Context) bool {
	defer context.AfterFunc(ctx, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.idle.Broadcast()
	})()
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.busy() && ctx.Err() == nil {
		p.idle.Wait()
	}
	return !p.busy()
}

// busy reports whether something is on its way. While the partition is not stopped, that includes
// what is not judged yet.
func (p *partition) busy() bool {
	return p.sending || p.outstanding > 0 || !p.stopped && p.unsent != nil
}

// drop gives up everything that is still queued. The partition must be stopped.
func (p *partition) drop() {
	p.cancel()
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := p.first; c != nil; c = c.next {
		p.n.room.give(c.bytes)
	}
	p.first, p.unsent, p.last = nil, nil, nil
}

// uncommitted returns the position if it is past the last commit.
func (p *partition) uncommitted() (at kgo.EpochOffset, moved bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.advance()
	return p.position, p.position.Offset > p.committed.Offset
}

// wasCommitted notes a commit.
func (p *partition) wasCommitted(at kgo.EpochOffset) {
	p.mu.Lock()
	p.committed = at
	p.mu.Unlock()
	p.n.s.suspects.forget(p.topic, p.number, at.Offset)
}

// restart forgets what was read, after a transaction was aborted: it is read again.
func (p *partition) restart() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expected, p.position = -1, p.committed
}

// places returns how many records are not delivered yet, the position, and the committed offset; -1
// for what is not known.
func (p *partition) places() (lag, position, committed int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := max(p.position.Offset, p.committed.Offset)
	if p.end < 0 || at < 0 {
		return -1, at, p.committed.Offset
	}
	return max(p.end-at, 0), at, p.committed.Offset
}
