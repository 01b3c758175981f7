package gateway

import (
	"errors"
	"io"
	"strconv"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/internal/serving/upstreams"
)

// send sends the request to an upstream and reads the answer. As long as no byte was sent, another
// upstream is tried.
func (o *outgoing) send(to *pool, resp *fasthttp.Response, b *timeBudget) error {
	err, tried := ErrAbsent, 0
	for tried < len(to.list) {
		u := to.choose()
		if u == nil {
			return err
		}
		timeout := b.left()
		if timeout <= 0 {
			return fasthttp.ErrTimeout
		}
		u.inFlight.Add(1)
		err = o.roundTrip(u, resp, timeout)
		if u.done(err, timeout); err == nil {
			o.asked = u
			u.answered(resp.StatusCode())
		}
		if err == nil || !upstreams.Unsent(err) {
			return err
		}
		tried++
	}
	return err
}

// failureOf says what an error of an upstream means.
func failureOf(err error) failure {
	switch {
	case errors.Is(err, errMemory):
		return failCapacity
	case upstreams.IsTimeout(err):
		return failSlow
	case upstreams.Unsent(err), errors.Is(err, ErrAbsent):
		return failAbsent
	}
	return failBroken
}

// roundTrip writes the request and reads the answer. A connection that turns out to be closed
// before a byte was sent is replaced by another one.
func (o *outgoing) roundTrip(u *upstream, resp *fasthttp.Response, timeout time.Duration) error {
	until := upstreams.Now() + timeout
	for {
		cc, err := u.client.AcquireConn(timeout, false)
		if err != nil {
			return err
		}
		c := cc.Conn().(*upstreams.Conn) //nolint:forcetypeassert // what DialTimeout returns
		done := false
		if err = c.Begin(until, o.from.http.Header.IsHead()); err == nil {
			if err = o.write(c, u); err == nil {
				done, err = o.readAnswer(c, u, resp)
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

// sendMax is how much of a request is written at once: the head and, of most requests, the whole
// body. That is one call of the system, and one packet that wakes the core up.
const sendMax = 32 << 10

// write writes the request.
func (o *outgoing) write(c *upstreams.Conn, u *upstream) error {
	b := o.appendHead(o.message[:0], u)
	n := min(len(o.document), max(sendMax-len(b), 0))
	b = append(b, o.document[:n]...)
	o.message = b
	return c.Request(b, o.document[n:])
}

// readAnswer reads the answer. It reports whether the connection must close: the upstream says so,
// or has sent bytes after the answer.
func (o *outgoing) readAnswer(c *upstreams.Conn, u *upstream, resp *fasthttp.Response) (done bool, err error) {
	o.reading = answerReader{Conn: c, memory: o.from.memory}
	r := u.client.AcquireReader(&o.reading)
	defer u.client.ReleaseReader(r)
	resp.SkipBody = o.from.http.Header.IsHead()
	err = resp.ReadLimitBody(r, u.settings.responseMax)
	switch {
	case o.reading.full: // fasthttp may have made another error of it
		err = errMemory
	case errors.Is(err, io.EOF):
		err = fasthttp.ErrConnectionClosed
	}
	if list := c.Codings(); list != nil { // of several fields fasthttp keeps the last
		resp.Header.SetContentEncodingBytes(list)
	}
	return c.Done(r, &resp.Header), err
}

// answerReader is a connection that an answer is read from, as long as there is memory for it.
type answerReader struct {
	*upstreams.Conn
	memory holder
	held   int64 // bytes that count
	full   bool  // memory has run out
}

// heldStep is how many bytes of an answer of unknown length count at a time.
const heldStep = 4 << 10

// Read reads. A body of a declared length counts as a whole before memory is taken for it: the
// count of most answers changes once.
func (a *answerReader) Read(p []byte) (int, error) {
	n, err := a.Conn.Read(p)
	if more := a.Size() - a.held; more > 0 {
		if a.held > 0 {
			more = max(more, heldStep)
		}
		a.held += more
		if a.memory.hold(more) && a.held > heldMin {
			a.full = true
			return 0, errMemory
		}
	}
	return n, err
}

// appendHead appends the head of the request to an upstream: what passes of the one that came, with
// framing of our own, and the fields of our own.
func (o *outgoing) appendHead(b []byte, u *upstream) []byte {
	h := &o.from.http.Header
	b = append(append(b, h.Method()...), ' ')
	b = append(o.appendTarget(b, u), " HTTP/1.1\r\nHost: "...)
	b = append(append(b, u.host...), '\r', '\n')
	for name, value := range h.All() {
		if !o.stops(name) {
			b = append(append(b, name...), ':', ' ')
			b = append(append(b, value...), '\r', '\n')
		}
	}
	if len(o.document) > 0 || !h.IsGet() && !h.IsHead() {
		b = strconv.AppendInt(append(b, "Content-Length: "...), int64(len(o.document)), 10)
		b = append(b, '\r', '\n')
	}
	return append(append(b, o.ours...), '\r', '\n')
}

// appendTarget appends the target: path and query of the request, with the upstream's path in place
// of its own if it has one.
func (o *outgoing) appendTarget(b []byte, u *upstream) []byte {
	switch path := o.from.head.path; {
	case len(u.path) > 0:
		b = append(b, u.path...)
	case len(path) > 0:
		b = append(b, path...)
	default:
		b = append(b, '/')
	}
	if o.from.head.queried {
		b = append(append(b, '?'), o.from.head.query...)
	}
	return b
}
