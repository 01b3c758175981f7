package guard

import (
	"net"
	"sync/atomic"
	"time"
)

// Conn is a connection whose Read hands on only unambiguous messages. As usual one goroutine may
// read while another writes; Close and the deadlines may be called at any time.
//
// What comes is read into the server's own buffer where possible. If that holds a whole head, it
// stays where it is. Otherwise it moves to a stash, from which it is handed on when it is
// complete. What follows a message waits there too: a Read hands on bytes of one message only, so
// that the server has answered the message before the next one is looked at.
type Conn struct {
	net.Conn

	guard *Guard

	// Of the goroutine that reads. 0 ≤ from ≤ from+ready ≤ to ≤ len(stash.bytes).
	stash    *stash
	from, to int // bytes that wait in the stash
	ready    int // how many of them may be handed on
	inBody   bool
	head     head
	body     body
	arrived  time.Duration // when the latest bytes came, on the clock of this package
	begun    time.Duration // when the first byte of the head that is being read came, 0 before it
	count    int64         // bytes of the message that were handed on
	turn     bool          // all messages before this Read are answered
	early    bool          // the message began before the one before it was answered
	pending  *Refusal      // waits until the message before it is answered
	err      error         // of every later Read
	waiting  uint32        // the flags unread and queued

	// Of everybody.
	flags     atomic.Uint32
	bytes     atomic.Int64
	deadlines deadlines
}

// Flags of a connection.
const (
	answered = 1 << iota // a final answer to the current message has begun
	refused              // the connection is cut; the server's writes are dropped
	unread               // not all of the message that is being read has been handed on
	queued               // bytes have come that are not handed on yet
	closed
)

// clock is the zero of times in this package. Reading it is cheaper than time.Now.
var clock = time.Now()

func now() time.Duration { return time.Since(clock) }

// BytesRead returns how many bytes of the current message, head and framing included, have been
// handed on.
func (c *Conn) BytesRead() int64 { return c.bytes.Load() }

// Unread reports whether more of the current message will be handed on. A server that is about to
// answer early can say with Connection: close what will happen then.
func (c *Conn) Unread() bool { return c.flags.Load()&unread != 0 }

// Queued reports whether bytes have come that wait for the server. A server that stops can tell by
// that, when it has answered a message, whether the next one has begun.
func (c *Conn) Queued() bool { return c.flags.Load()&queued != 0 }

// Refused reports whether the guard has cut the connection, and answered if there was something to
// answer. What the server still writes is dropped.
func (c *Conn) Refused() bool { return c.flags.Load()&refused != 0 }

// NetConn returns the connection that is guarded, for its addresses or its TLS state. Reading from
// it breaks the guard.
func (c *Conn) NetConn() net.Conn { return c.Conn }

// Read hands on bytes of one message. After a refusal it returns [io.EOF] if the server has seen
// nothing of the message, and the [*Refusal] otherwise. It also returns io.EOF when the connection
// was idle for too long.
//
// All of p may be used as scratch space, but nothing that is refused is left in it.
func (c *Conn) Read(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	if len(p) == 0 {
		return 0, nil
	}
	if err := c.begin(); err != nil {
		return 0, err
	}
	for {
		if c.ready > 0 {
			return c.handOn(p), nil
		}
		if c.to == c.from {
			n, err := c.direct(p)
			if n > 0 || err != nil {
				return n, err
			}
			continue
		}
		n, r := c.accept(c.stash.bytes[c.from:c.to])
		if r != nil {
			return 0, c.refuse(r)
		}
		if c.ready = n; n == 0 {
			if err := c.gather(); err != nil {
				return 0, err
			}
		}
	}
}

// begin looks at what the server has done since the last Read.
func (c *Conn) begin() error {
	c.turn = c.flags.Load()&answered != 0
	switch {
	case c.pending != nil && c.turn:
		r := c.pending
		c.pending = nil
		return c.cut(r, true)
	case c.pending != nil:
		return c.hold()
	case !c.turn:
	case c.early:
		c.early = false
		c.current()
	case c.inBody || c.ready > 0:
		c.err = ErrUnread
		return c.err
	}
	return nil
}

// current makes the message that is being read the one that the server deals with.
func (c *Conn) current() {
	c.turn = false
	c.flags.And(^uint32(answered))
	c.bytes.Store(c.count)
}

// accept returns how many bytes of b may be handed on: they belong to the message that is being
// read. 0 means that b ends before a head does.
func (c *Conn) accept(b []byte) (n int, r *Refusal) {
	o := &c.guard.options
	if !c.inBody {
		if c.head.line == 0 && c.head.seen == 0 {
			c.begun = c.arrived
		}
		if n, r = c.head.parse(b, o); n == 0 {
			return 0, r
		}
		c.body.begin(&c.head)
		c.head = head{}
		c.deadlines.until = 0
		c.inBody, c.count = true, 0
		if c.early = !c.turn; c.turn {
			c.current()
		}
	}
	m, r := c.body.take(b[n:], o)
	if c.body.part == atEnd {
		c.inBody, c.deadlines.until = false, 0
	}
	return n + m, r
}

// direct reads into p. It returns 0 if what came must wait in the stash.
func (c *Conn) direct(p []byte) (int, error) {
	size := int64(c.guard.options.HeadBytes) // what follows the message must fit in the stash
	if c.inBody && c.body.part == counted {
		size = c.body.left
	}
	p = p[:min(int64(len(p)), size)]
	n, err := c.fill(p)
	if n == 0 {
		return 0, err
	}
	p = p[:n]
	m, r := c.accept(p)
	if r != nil {
		clear(p)
		return 0, c.refuse(r)
	}
	if m < n {
		if c.stash == nil {
			c.stash = c.guard.stash()
		}
		c.from, c.to = 0, copy(c.stash.bytes, p[m:])
		clear(p[m:])
		if m == 0 {
			return 0, c.gather()
		}
	}
	c.note(m)
	return m, nil
}

// gather reads more of a head into the stash.
func (c *Conn) gather() error {
	if c.from > 0 {
		c.from, c.to = 0, copy(c.stash.bytes, c.stash.bytes[c.from:c.to])
	}
	n, err := c.fill(c.stash.bytes[c.to:])
	c.to += n
	c.mark()
	return err
}

// handOn copies bytes that are ready from the stash.
func (c *Conn) handOn(p []byte) int {
	n := copy(p, c.stash.bytes[c.from:c.from+c.ready])
	c.from += n
	c.ready -= n
	if c.from == c.to {
		c.dropStash()
	}
	c.note(n)
	return n
}

func (c *Conn) dropStash() {
	if c.stash != nil {
		c.guard.stashes.Put(c.stash)
	}
	c.stash, c.from, c.to, c.ready = nil, 0, 0, 0
}

// note counts n bytes that are handed on, and what is left.
func (c *Conn) note(n int) {
	c.count += int64(n)
	if !c.early {
		c.bytes.Store(c.count)
	}
	c.mark()
}

// mark tells others what waits.
func (c *Conn) mark() {
	waiting := uint32(0)
	if c.inBody || c.ready > 0 {
		waiting = unread
	}
	if c.to > c.from {
		waiting |= queued
	}
	if waiting != c.waiting {
		c.waiting = waiting
		c.flags.And(^uint32(unread | queued))
		c.flags.Or(waiting)
	}
}
