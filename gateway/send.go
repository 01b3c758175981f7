package gateway

import (
	"bufio"
	"errors"
	"net"
	"strconv"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/internal/serving/balance"
	"github.com/rtbwire/rtbwire/internal/serving/upstreams"
)

// send sends the request to an upstream and reads the answer. As long as no byte was sent, other
// addresses are tried, at most [balance.RetriesMax] of them. What was sent is never sent again: an
// upstream that closes the connection may have bid all the same, and a bid is not to be made twice.
func (o *outgoing) send(resp *fasthttp.Response, b *timeBudget) error {
	o.answer = resp
	var tried balance.Tried
	err := ErrAbsent
	for to := o.to.first; ; {
		e := to.Pick(&tried)
		if e == nil && o.to.otherwise != nil {
			to, o.to.otherwise = o.to.otherwise, nil
			continue
		}
		if e == nil {
			return err
		}
		timeout := b.left()
		if timeout <= 0 {
			return fasthttp.ErrTimeout
		}
		e.Begin()
		began := upstreams.Now()
		err = e.RoundTrip(o, timeout)
		e.Done(resp.StatusCode(), err, timeout, upstreams.Now()-began)
		if err == nil {
			o.asked = e
			return nil
		}
		if o.trace != nil {
			o.trace.tried(e, errorType(err))
		}
		if !upstreams.Unsent(err) || !tried.Add(e) {
			return err
		}
	}
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

// errorType says what kind of error one of an upstream is, in a word; "" for none.
func errorType(err error) string {
	switch {
	case err == nil:
		return ""
	case upstreams.IsTimeout(err):
		return "timeout"
	case errors.Is(err, ErrAbsent):
		return "absent"
	case upstreams.Unsent(err):
		return "unsent"
	}
	return failureOf(err).reason
}

// IsHead implements [balance.Exchange], as Write, Source and Read do.
func (o *outgoing) IsHead() bool { return o.from.http.Header.IsHead() }

// sendMax is how much of a request is written at once: the head and, of most requests, the whole
// body. That is one call of the system, and one packet that wakes the core up.
const sendMax = 32 << 10

// Write writes the request.
func (o *outgoing) Write(c *upstreams.Conn, to *balance.Endpoint) error {
	b := o.appendHead(o.message[:0], to, false)
	n := min(len(o.document), max(sendMax-len(b), 0))
	b = append(b, o.document[:n]...)
	o.message = b
	return c.Request(b, o.document[n:])
}

// Source makes the answer count for the memory that requests hold.
func (o *outgoing) Source(c *upstreams.Conn) net.Conn {
	o.reading = answerReader{Conn: c, memory: o.from.memory}
	return &o.reading
}

// Read reads the answer.
func (o *outgoing) Read(c *upstreams.Conn, r *bufio.Reader) (done bool, err error) {
	o.answer.SkipBody = o.IsHead()
	done, err = balance.ReadAnswer(c, r, o.answer, o.responseMax)
	if o.reading.full { // fasthttp may have made another error of it
		err = errMemory
	}
	if list := c.Codings(); list != nil { // of several fields fasthttp keeps the last
		o.answer.Header.SetContentEncodingBytes(list)
	}
	return done, err
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
// framing of our own, and the fields of our own. A copy for a mirror says that it is one.
func (o *outgoing) appendHead(b []byte, to *balance.Endpoint, mirrored bool) []byte {
	h := &o.from.http.Header
	b = append(append(b, h.Method()...), ' ')
	b = append(o.appendTarget(b, to), " HTTP/1.1\r\nHost: "...)
	b = append(append(b, to.Host...), '\r', '\n')
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
	if mirrored {
		b = append(b, headerMirror+": 1\r\n"...)
	}
	return append(append(b, o.ours...), '\r', '\n')
}

// appendTarget appends the target: path and query of the request, with the upstream's path in place
// of its own if it has one.
func (o *outgoing) appendTarget(b []byte, to *balance.Endpoint) []byte {
	switch path := o.from.head.path; {
	case len(to.Path) > 0:
		b = append(b, to.Path...)
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
