package gateway

import (
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
)

// The states of a connection.
const (
	fresh = iota // no byte was read yet
	idle         // between two requests
	busy         // the first byte of a request was read
)

// conn is a connection that knows whether it has begun to read a request.
type conn struct {
	net.Conn
	conns *connections
	sender

	named bool // the certificate was looked at

	writeUntil atomic.Int64 // the deadline for writing, in nanoseconds since processStart
	limited    atomic.Bool  // by somebody else, in any goroutine

	mu      sync.Mutex
	held    int64 // bytes of the request and of its answer
	state   int
	first   time.Time // when the first byte of the request was read
	hurried bool      // the gateway is drained: the wait for a request ends soon
	ended   bool
}

// heldMin is how much of a request may always be read, and how much of its answer.
const heldMin = 16 << 10

// holder counts the memory of an exchange besides what was read of the request. Whoever serves the
// exchange gives it back at its end, with an answer or without.
type holder interface {
	// hold counts bytes, and reports whether all exchanges together hold too many.
	hold(n int64) (tooMany bool)
}

// Read reads, and notes when a request begins.
func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n > 0 && c.took(int64(n)) {
		return 0, errMemory
	}
	return n, err
}

// took notes that bytes were read, and reports whether they are too many.
func (c *conn) took(n int64) (tooMany bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begin()
	c.held += n
	return c.conns.held.Add(n) > c.conns.heldMax && c.held > heldMin
}

// hold implements [holder]. What belongs to a connection that was closed is gone soon.
func (c *conn) hold(n int64) (tooMany bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return false
	}
	c.held += n
	return c.conns.held.Add(n) > c.conns.heldMax
}

// begin notes that a request has begun, with c.mu held.
func (c *conn) begin() {
	if c.state != busy {
		c.state, c.first, c.hurried = busy, time.Now(), false
	}
}

// Write writes, within the time for an answer. To set a deadline is expensive, so the one of an
// answer before stays if at most an eighth of its time is over.
func (c *conn) Write(b []byte) (int, error) {
	if limit := c.conns.writeTimeout; !c.limited.Load() {
		if now := time.Since(processStart); time.Duration(c.writeUntil.Load())-now < limit-limit/8 {
			c.writeUntil.Store(int64(now + limit))
			if err := c.Conn.SetWriteDeadline(processStart.Add(now + limit)); err != nil {
				return 0, err
			}
		}
	}
	return c.Conn.Write(b)
}

// SetWriteDeadline sets a deadline for writing in place of the one for answers.
func (c *conn) SetWriteDeadline(t time.Time) error {
	c.limited.Store(true)
	return c.Conn.SetWriteDeadline(t)
}

// SetDeadline sets both deadlines.
func (c *conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// busy notes that a request has begun, and returns when its first byte was read. A pipelined
// request was read with the one before; it begins when that one is answered.
func (c *conn) busy() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begin()
	return c.first
}

// idle notes that a request is answered. If a part of the next one was read with it, that one has
// begun.
func (c *conn) idle(more bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.conns.held.Add(-c.held)
	c.state, c.held = idle, 0
	if more {
		c.state, c.first = busy, time.Now()
	}
}

// SetReadDeadline sets the deadline for reading. While the gateway is drained a connection without
// a request does not wait for long.
func (c *conn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state != busy && c.conns.draining.Load() {
		return c.soon()
	}
	return c.Conn.SetReadDeadline(t)
}

// hurry ends the wait of a connection without a request soon. A request whose first byte was read
// goes on.
func (c *conn) hurry() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state != busy {
		_ = c.soon()
	}
}

// idleGrace is how long a connection between two requests waits for one that is on its way.
const idleGrace = 100 * time.Millisecond

// soon sets the deadline of a connection that waits for a request while the gateway is drained: one
// that was idle may have a request on its way, and a new one has surely.
func (c *conn) soon() error {
	if c.hurried {
		return nil
	}
	c.hurried = true
	wait := idleGrace
	if c.state == fresh {
		wait = c.conns.headTimeout
	}
	return c.Conn.SetReadDeadline(time.Now().Add(wait))
}

// Close closes the connection.
func (c *conn) Close() error {
	c.mu.Lock()
	first := !c.ended
	c.ended = true
	c.conns.held.Add(-c.held)
	c.held = 0
	c.mu.Unlock()
	if first {
		c.conns.mu.Lock()
		delete(c.conns.open, c)
		c.conns.mu.Unlock()
	}
	return c.Conn.Close()
}

// CloseWrite tells the peer that nothing more comes, where the connection can.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// NetConn returns the connection below.
func (c *conn) NetConn() net.Conn { return c.Conn }

// identity returns what is known of the peer. The certificate is known after the first Read.
func (c *conn) identity() *sender {
	if !c.named {
		c.named = true
		_, c.sender.tls = c.Conn.(*tls.Conn)
		c.sender.names = namesOf(c.Conn)
	}
	return &c.sender
}

// connState is told by fasthttp when a request is answered.
func connState(nc net.Conn, state fasthttp.ConnState) {
	if state == fasthttp.StateIdle {
		connOf(nc).idle(queued(nc))
	}
}

// queued reports whether a part of the next request was read with this one.
func queued(nc net.Conn) bool {
	c, ok := nc.(interface{ Queued() bool })
	return ok && c.Queued()
}

// connOf returns our connection, which can be inside others.
func connOf(nc net.Conn) *conn {
	for {
		switch c := nc.(type) {
		case *conn:
			return c
		case interface{ NetConn() net.Conn }:
			nc = c.NetConn()
		default:
			panic("gateway: a connection that does not come from Serve") // not reached
		}
	}
}

// cutBelow closes a connection without the last words of TLS, for which its peer may not listen.
func cutBelow(c net.Conn) {
	if secure, ok := c.(interface{ NetConn() net.Conn }); ok {
		c = secure.NetConn()
	}
	_ = c.Close() // the error has no receiver
}
