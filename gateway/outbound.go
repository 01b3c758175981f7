package gateway

import (
	"crypto/tls"
	"errors"
	"net"
	"time"

	"github.com/rtbwire/rtbwire/gateway/guard"
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
	system
	tls bool

	until time.Duration // the end of the exchange, since processStart
	armed time.Duration // the deadline that is set: until, or earlier

	used bool // by an exchange before
	sent bool // a byte, in this exchange

	limits *guard.Options
	answer guard.Answer
	extra  bool // bytes came that belong to no answer
}

func newOutbound(c net.Conn, limits *guard.Options) *outbound {
	o := &outbound{Conn: c, limits: limits}
	_, o.tls = c.(*tls.Conn)
	o.initSystem()
	return o
}

// begin starts an exchange, which ends in time.
//
// To set a deadline costs more than all else here. One of an exchange before stays if it is early
// enough: when it passes too early, it is set again.
func (o *outbound) begin(until time.Duration, isHead bool) error {
	o.sent, o.until = false, until
	o.answer.Begin(isHead)
	// A connection of TLS can't be used any more after a write was late.
	if now := time.Since(processStart); o.tls || o.armed <= now || o.armed > until {
		return o.arm()
	}
	return nil
}

func (o *outbound) arm() error {
	o.armed = o.until
	return o.SetDeadline(processStart.Add(o.until))
}

// early reports whether an error is that of a deadline that passed before the end of the exchange,
// and has set another one then.
func (o *outbound) early(err error) bool {
	return err != nil && isTimeout(err) && time.Since(processStart) < o.until && o.arm() == nil
}

// Write sends. A connection that turns out to be closed before the first byte is stale too.
func (o *outbound) Write(b []byte) (n int, err error) {
	for {
		m, err := o.Conn.Write(b[n:])
		if n += m; n > 0 {
			o.sent = true
		}
		switch {
		case o.early(err):
		case err != nil && !o.sent && o.used && !isTimeout(err):
			return n, errStale
		default:
			return n, err
		}
	}
}

// writeAll writes two parts.
func (o *outbound) writeAll(first, second []byte) error {
	for _, part := range [...][]byte{first, second} {
		if len(part) > 0 {
			if _, err := o.Write(part); err != nil {
				return err
			}
		}
	}
	return nil
}

// Read reads the answer: from then on the connection is one that was used. What is no answer, or
// could be read as more than one, is an error. Bytes beyond the answer belong to nobody, and
// neither would what comes after them, so the connection is not used again.
func (o *outbound) Read(b []byte) (int, error) {
	o.used = true
	for {
		n, err := o.Conn.Read(b)
		if n == 0 && o.early(err) {
			continue
		}
		taken, bad := o.answer.Take(b[:n], o.limits)
		if bad != nil {
			return 0, bad
		}
		o.extra = taken < n
		return taken, err
	}
}
