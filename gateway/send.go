package gateway

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/internal/serving/upstreams"
)

// sendMax is how much of a request is written at once: the head and, of most requests, the whole
// body. That is one call of the system, and one packet that wakes the core up.
const sendMax = 32 << 10

// roundTrip sends the request of an exchange, and reads the answer. A connection that turns out to
// be closed before a byte was sent is replaced by another one.
func (u *upstream) roundTrip(x *exchange, timeout time.Duration) error {
	until := upstreams.Now() + timeout
	for {
		cc, err := u.client.AcquireConn(timeout, false)
		if err != nil {
			return err
		}
		o := cc.Conn().(*upstreams.Conn) //nolint:forcetypeassert // what DialTimeout returns
		done := false
		if err = o.Begin(until, x.req.Header.IsHead()); err == nil {
			if err = x.send(o, u); err == nil {
				done, err = x.receive(o, u)
			}
		}
		if err == nil && !done {
			u.client.ReleaseConn(cc)
			return nil
		}
		u.client.CloseConn(cc)
		if !errors.Is(err, upstreams.ErrStale) {
			return err
		}
		if timeout = until - upstreams.Now(); timeout <= 0 {
			return fasthttp.ErrTimeout
		}
	}
}

// receive reads the answer. It reports whether the connection is done: the upstream says so, or has
// sent more than the answer, which belongs to nobody.
func (x *exchange) receive(o *upstreams.Conn, u *upstream) (done bool, err error) {
	r := u.client.AcquireReader(o)
	defer u.client.ReleaseReader(r)
	x.resp.SkipBody = x.req.Header.IsHead()
	err = x.resp.ReadLimitBody(r, u.settings.responseMax)
	if errors.Is(err, io.EOF) {
		err = fasthttp.ErrConnectionClosed
	}
	return o.Extra() || r.Buffered() > 0 || x.resp.ConnectionClose(), err
}

// send writes the request.
func (x *exchange) send(o *upstreams.Conn, u *upstream) error {
	b := x.appendHead(x.outgoing[:0], u)
	n := min(len(x.document), max(sendMax-len(b), 0))
	b = append(b, x.document[:n]...)
	x.outgoing = b
	return o.Request(b, x.document[n:])
}

// appendHead appends the head of the request to an upstream: what passes of the one that came, with
// framing of our own, and what outbound has noted.
func (x *exchange) appendHead(b []byte, u *upstream) []byte {
	h := &x.req.Header
	b = append(append(b, h.Method()...), ' ')
	b = append(x.appendTarget(b, u), " HTTP/1.1\r\nHost: "...)
	b = append(append(b, u.host...), '\r', '\n')
	for name, value := range h.All() {
		if !x.stops(name) {
			b = append(append(b, name...), ':', ' ')
			b = append(append(b, value...), '\r', '\n')
		}
	}
	if len(x.document) > 0 || !h.IsGet() && !h.IsHead() {
		b = strconv.AppendInt(append(b, "Content-Length: "...), int64(len(x.document)), 10)
		b = append(b, '\r', '\n')
	}
	return append(append(b, x.ours...), '\r', '\n')
}

// appendTarget appends the target: path and query of the request, with the upstream's path in place
// of its own if it has one.
func (x *exchange) appendTarget(b []byte, u *upstream) []byte {
	switch path := x.head.path; {
	case len(u.path) > 0:
		b = append(b, u.path...)
	case len(path) > 0:
		b = append(b, path...)
	default:
		b = append(b, '/')
	}
	if x.head.queried {
		b = append(append(b, '?'), x.head.query...)
	}
	return b
}

// stops reports whether a field of the request does not go on as it is.
func (x *exchange) stops(name []byte) bool {
	switch string(name) {
	case fasthttp.HeaderHost, fasthttp.HeaderContentLength, headerRequestID:
		return true
	case fasthttp.HeaderContentEncoding:
		return x.replaced
	case fasthttp.HeaderAuthorization:
		if x.forUs {
			return true
		}
	}
	if x.head.plain {
		return false
	}
	switch kindOf(name) {
	case headerHop, headerOptions, headerOurs:
		return true
	case headerProxy:
		return !x.trusted || string(name) == fasthttp.HeaderXForwardedFor
	case headerPasses:
	}
	for _, other := range x.drop {
		if bytes.EqualFold(name, other) {
			return true
		}
	}
	return false
}

// addField notes a field of our own.
func (x *exchange) addField(name, value string) {
	x.ours = append(append(x.ours, name...), ':', ' ')
	at := len(x.ours)
	x.ours = append(x.ours, value...)
	for i, c := range x.ours[at:] {
		if c < ' ' || c == 0x7f {
			x.ours[at+i] = ' ' // names of a configuration can't end the line
		}
	}
	x.ours = append(x.ours, '\r', '\n')
}
