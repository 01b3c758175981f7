// Package upstreams is an HTTP/1.1 client for upstreams: addresses, connection pools, and whether a
// byte of a request was sent. A request of which nothing was sent can be sent again. What an
// upstream answers is checked by package guard before it is parsed.
//
//	location.go   names of upstreams, TLS, dialing
//	conn.go       a connection: deadlines, what was sent, what belongs to no answer
//	conn_unix.go  one system call to check, send and wait
package upstreams

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"net"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/internal/serving/guard"
)

// DialError means that an upstream could not be reached.
type DialError struct{ Err error }

// Error returns the cause's text.
func (e *DialError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *DialError) Unwrap() error { return e.Err }

// Timeout reports whether the time was over.
func (e *DialError) Timeout() bool { return IsTimeout(e.Err) }

// ErrStale means that a connection was closed before a byte of the request was sent.
var ErrStale = errors.New("the connection was closed while it was idle")

// Unsent reports whether an error means that no byte of the request was sent.
func Unsent(err error) bool {
	var dial *DialError
	return errors.As(err, &dial) || errors.Is(err, ErrStale) || errors.Is(err, fasthttp.ErrNoFreeConns)
}

// IsTimeout reports whether an error means that the time was over.
func IsTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}

// start is the time that [Now] counts from.
var start = time.Now()

// Now returns the time of the monotonic clock, for [Conn.Begin].
func Now() time.Duration { return time.Since(start) }

// Conn is a connection to an upstream. It knows whether a part of the request was sent. Make it
// with [New]; one goroutine at a time may use it.
type Conn struct {
	net.Conn
	system
	tls bool

	until time.Duration // the end of the exchange, as Now
	armed time.Duration // the deadline that is set: until, or earlier

	used bool // by an exchange before
	sent bool // a byte, in this exchange

	limits *guard.Options
	answer guard.Answer
	taken  int64 // bytes of the answer
	extra  bool  // bytes came that belong to no answer
}

// New returns a connection whose answers are checked within limits, of which HeadBytes, Fields and
// BodyBytes count.
func New(c net.Conn, limits *guard.Options) *Conn {
	o := &Conn{Conn: c, limits: limits}
	_, o.tls = c.(*tls.Conn)
	o.initSystem()
	return o
}

// Begin starts an exchange, which ends at a time by [Now]. isHead says that the method is HEAD.
//
// To set a deadline costs more than all else here. One of an exchange before stays if it is early
// enough: when it passes too early, it is set again.
func (o *Conn) Begin(until time.Duration, isHead bool) error {
	o.sent, o.until, o.taken = false, until, 0
	o.answer.Begin(isHead)
	// A connection of TLS can't be used any more after a write was late.
	if now := Now(); o.tls || o.armed <= now || o.armed > until {
		return o.arm()
	}
	return nil
}

func (o *Conn) arm() error {
	o.armed = o.until
	return o.SetDeadline(start.Add(o.until))
}

// early reports whether an error comes from a deadline that passed before the end of the exchange,
// and has set another one then.
func (o *Conn) early(err error) bool {
	return err != nil && IsTimeout(err) && Now() < o.until && o.arm() == nil
}

// Write sends. A connection that turns out to be closed before the first byte is stale too.
func (o *Conn) Write(b []byte) (n int, err error) {
	for {
		m, err := o.Conn.Write(b[n:])
		if n += m; n > 0 {
			o.sent = true
		}
		switch {
		case o.early(err):
		case err != nil && !o.sent && o.used && !IsTimeout(err):
			return n, ErrStale
		default:
			return n, err
		}
	}
}

// writeAll writes two parts.
func (o *Conn) writeAll(first, second []byte) error {
	for _, part := range [...][]byte{first, second} {
		if len(part) > 0 {
			if _, err := o.Write(part); err != nil {
				return err
			}
		}
	}
	return nil
}

// Done reports whether the connection must not be used again after an answer that r has read:
// bytes are left, or the upstream closes it. A close can be one of several options, in any letter
// case; fasthttp knows it only alone and in lower case.
func (o *Conn) Done(r *bufio.Reader, answer *fasthttp.ResponseHeader) bool {
	if o.extra || r.Buffered() > 0 || answer.ConnectionClose() {
		return true
	}
	for _, options := range answer.PeekAll(fasthttp.HeaderConnection) {
		for option := range bytes.SplitSeq(options, comma) {
			if bytes.EqualFold(bytes.Trim(option, " \t"), closing) {
				return true
			}
		}
	}
	return false
}

var comma, closing = []byte(","), []byte("close")

// Read reads the answer: from then on the connection is one that was used. An invalid answer, or
// one that could be read as more than one, is an error. Bytes beyond the answer belong to no
// request, and neither would what comes after them, so the connection is not used again.
func (o *Conn) Read(b []byte) (int, error) {
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
		o.taken += int64(taken)
		o.extra = taken < n
		return taken, err
	}
}

// Codings is [guard.Answer.Codings].
func (o *Conn) Codings() []byte { return o.answer.Codings() }

// Size returns how long the answer is, as far as it is known: what was read, and what is declared
// to come. A body that is declared to be longer than the limit is not read, and does not count.
func (o *Conn) Size() int64 {
	if left := o.answer.Left(); left <= o.limits.BodyBytes {
		return o.taken + left
	}
	return o.taken
}
