package gateway

import (
	"errors"
	"net"
	"syscall"
	"time"
)

// dialError means that an upstream could not be reached.
type dialError struct{ err error }

func (e *dialError) Error() string { return e.err.Error() }
func (e *dialError) Unwrap() error { return e.err }

// Timeout reports whether the time was over.
func (e *dialError) Timeout() bool { return isTimeout(e.err) }

// errStale means that a connection was closed before a byte of the request was sent.
var errStale = errors.New("the connection was closed while it was idle")

// outbound is a connection to an upstream. It knows whether a part of the request was sent.
type outbound struct {
	net.Conn
	raw  syscall.RawConn // nil if there is none
	peek func(fd uintptr)
	open bool // what peek found

	deadline time.Time // of both directions

	used bool // by an exchange before
	sent bool // a byte, in this exchange
}

func newOutbound(c net.Conn) *outbound {
	o := &outbound{Conn: c}
	if s, ok := c.(syscall.Conn); ok {
		o.raw, _ = s.SyscallConn()
	}
	o.peek = func(fd uintptr) { o.open = stillOpen(fd) } // made once, since it is memory
	return o
}

// SetWriteDeadline is what fasthttp calls first in an exchange. Here a connection that was idle is
// checked: one that the upstream has closed would lose the request. The time is that of the whole
// exchange, so it is set for reading as well.
func (o *outbound) SetWriteDeadline(t time.Time) error {
	o.sent = false
	if o.used && o.raw != nil {
		if err := o.raw.Control(o.peek); err != nil || !o.open {
			return errStale
		}
	}
	o.deadline = t
	return o.Conn.SetDeadline(t)
}

// SetReadDeadline has nothing to do if the time is the one that was set with that of writing: one
// timer is cheaper than two.
func (o *outbound) SetReadDeadline(t time.Time) error {
	if !t.IsZero() && t.Equal(o.deadline) {
		return nil
	}
	o.deadline = time.Time{}
	return o.Conn.SetReadDeadline(t)
}

// Write sends. A connection that turns out to be closed before the first byte is stale too.
func (o *outbound) Write(b []byte) (int, error) {
	n, err := o.Conn.Write(b)
	if n > 0 {
		o.sent = true
	}
	if err != nil && !o.sent && o.used && !isTimeout(err) {
		return n, errStale
	}
	return n, err
}

// Read reads the answer: from then on the connection is one that was used.
func (o *outbound) Read(b []byte) (int, error) {
	o.used = true
	return o.Conn.Read(b)
}
