package upstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/serving/guard"
	"github.com/rtbwire/rtbwire/internal/serving/upstreams"
	"github.com/rtbwire/rtbwire/stream"
)

// client posts records.
type client struct {
	head        []byte // method, target, host
	timeout     time.Duration
	responseMax int
	pool        fasthttp.HostClient // of connections
	exchanges   sync.Pool
}

// exchange is the memory of one attempt.
type exchange struct {
	out  []byte
	resp fasthttp.Response
}

func newClient(at *upstreams.Location, o *Options) (*client, error) {
	secure, err := at.TLS(o.Authorities)
	if err != nil {
		return nil, err
	}
	path := at.Path
	if path == "" {
		path = PathDefault
	}
	limits := &guard.Options{HeadBytes: headMax, Fields: guard.DefaultFields, BodyBytes: int64(o.ResponseMax)}
	c := &client{
		head:    fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n", path, at.Host),
		timeout: o.Timeout, responseMax: o.ResponseMax,
	}
	c.exchanges.New = func() any { return new(exchange) }
	c.pool = fasthttp.HostClient{
		Addr:                at.Host,
		DialTimeout:         func(_ string, timeout time.Duration) (net.Conn, error) { return at.Dial(secure, limits, timeout) },
		MaxConns:            o.Connections,
		MaxConnWaitTimeout:  o.Timeout,
		MaxIdleConnDuration: idleTimeout,
		ReadBufferSize:      headMax,
		ConnPoolStrategy:    fasthttp.LIFO,
	}
	return c, nil
}

// kind is what came of an attempt.
type kind int

const (
	delivered   kind = iota
	refused          // by a status that blames the record
	failed           // by any other status, or an answer that is none
	late             // not in time
	unreachable      // no connection could be made
	kinds
)

var kindNames = [kinds]string{"delivered", "refused", "failed", "late", "unreachable"}

// result is what came of an attempt.
type result struct {
	kind       kind
	body       []byte // nil if it is empty
	err        error
	retryAfter time.Duration // that the server asks for
	took       time.Duration
}

// attempt posts a record once.
func (c *client) attempt(ctx context.Context, d *stream.Delivery) result {
	began := upstreams.Now()
	x, _ := c.exchanges.Get().(*exchange)
	x.out = c.appendHead(x.out[:0], d)
	r := c.judge(x, c.roundTrip(ctx, x, d.Value))
	r.took = upstreams.Now() - began
	x.resp.Reset()
	if cap(x.out) > exchangeMax {
		x.out = nil
	}
	c.exchanges.Put(x)
	return r
}

// exchangeMax is how many bytes the memory of an exchange keeps.
const exchangeMax = 64 << 10

// blaming are the statuses that are about what was sent. All others can be about the server: where
// it is, what it allows, how busy it is.
var blaming = []int{
	http.StatusBadRequest, http.StatusNotAcceptable, http.StatusConflict, http.StatusGone, http.StatusLengthRequired, http.StatusPreconditionFailed,
	http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity, http.StatusRequestHeaderFieldsTooLarge,
	http.StatusUnavailableForLegalReasons,
}

// judge says what an exchange means.
func (c *client) judge(x *exchange, err error) result {
	var dial *upstreams.DialError
	switch {
	case err == nil:
	case errors.As(err, &dial):
		return result{kind: unreachable, err: fmt.Errorf("%w: %w", errUnreachable, err)}
	case upstreams.IsTimeout(err):
		return result{kind: late, err: fmt.Errorf("the upstream has not answered within %v", c.timeout)}
	default:
		return result{kind: failed, err: fmt.Errorf("the upstream's answer can't be read: %w", err)}
	}
	status := x.resp.StatusCode()
	switch {
	case status >= 200 && status < 300:
		r := result{}
		if body := x.resp.Body(); len(body) > 0 {
			r.body = bytes.Clone(body)
		}
		return r
	case slices.Contains(blaming, status):
		return result{kind: refused, err: &StatusError{status}}
	}
	r := result{kind: failed, err: &StatusError{status}}
	if seconds, err := strconv.Atoi(strings.TrimSpace(string(x.resp.Header.Peek(fasthttp.HeaderRetryAfter)))); err == nil && seconds > 0 {
		r.retryAfter = RetryAfterMax
		if seconds < int(RetryAfterMax/time.Second) {
			r.retryAfter = time.Duration(seconds) * time.Second
		}
	}
	return r
}

// roundTrip posts, and reads the answer. A connection that turns out to be closed before a byte was
// sent is replaced by another one. The end of the context ends it.
func (c *client) roundTrip(ctx context.Context, x *exchange, value []byte) error {
	until := upstreams.Now() + c.timeout
	for {
		left := until - upstreams.Now()
		if left <= 0 {
			return fasthttp.ErrTimeout
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		cc, err := c.pool.AcquireConn(left, false)
		if err != nil {
			return err
		}
		o := cc.Conn().(*upstreams.Conn) //nolint:forcetypeassert // what DialTimeout returns
		stop := context.AfterFunc(ctx, func() { _ = o.Conn.Close() })
		done, err := c.exchange(x, o, until, value)
		if stop() && err == nil && !done {
			c.pool.ReleaseConn(cc)
			return nil
		}
		c.pool.CloseConn(cc)
		if !errors.Is(err, upstreams.ErrStale) {
			return err
		}
	}
}

// exchange sends and receives on one connection. It reports whether the connection is done.
func (c *client) exchange(x *exchange, o *upstreams.Conn, until time.Duration, value []byte) (done bool, err error) {
	if err := o.Begin(until, false); err != nil {
		return true, err
	}
	if err := o.Request(x.out, value); err != nil {
		return true, err
	}
	r := c.pool.AcquireReader(o)
	defer c.pool.ReleaseReader(r)
	if err = x.resp.ReadLimitBody(r, c.responseMax); errors.Is(err, io.EOF) {
		err = fasthttp.ErrConnectionClosed
	}
	return o.Done(r, &x.resp.Header), err
}

// passed are the headers of records that go on: they tie the traces of an application together.
var passed = map[string]string{"traceparent": "Traceparent", "tracestate": "Tracestate", "x-openrtb-version": headerVersion}

// passedMax is the length of the longest value of such a header.
const passedMax = 512

// appendHead appends the head of a request.
func (c *client) appendHead(b []byte, d *stream.Delivery) []byte {
	b = append(b, c.head...)
	source := d.Source()
	b = field(b, headerPrefix+"Source", source)
	b = field(b, headerRequestID, strings.ReplaceAll(source, "/", "-"))
	b = field(b, headerPrefix+"Action", d.Decision.Action.String())
	b = number(b, headerPrefix+"Score", d.Score)
	if d.Partner != "" {
		b = field(b, headerPrefix+"Partner", d.Partner)
	}
	decided := d.Decision
	if decided.Action != inspect.ActionRefuse {
		decided = d.Shadow
	}
	if decided.Action == inspect.ActionRefuse {
		b = field(b, headerPrefix+"Reason", decided.Reason)
		b = number(b, headerPrefix+"Nbr", int(decided.NBR))
	}
	b = own(b, d.Headers)
	b = number(b, fasthttp.HeaderContentLength, len(d.Value))
	return append(b, '\r', '\n')
}

// own appends the headers of a record that go on, the first of each name.
func own(b []byte, headers []stream.Header) []byte {
	version := false
	var seen [3]string
	n := 0
	for _, h := range headers {
		name := passed[strings.ToLower(h.Key)]
		if name == "" || n == len(seen) || len(h.Value) == 0 || len(h.Value) > passedMax || name == seen[0] || name == seen[1] {
			continue
		}
		seen[n] = name
		n++
		version = version || name == headerVersion
		b = field(b, name, string(h.Value))
	}
	if !version {
		b = field(b, headerVersion, versionDefault)
	}
	return b
}

// field appends a field. What can't be in one becomes a space.
func field(b []byte, name, value string) []byte {
	b = append(append(b, name...), ':', ' ')
	for _, c := range []byte(value) {
		if c < ' ' || c == 0x7f {
			c = ' '
		}
		b = append(b, c)
	}
	return append(b, '\r', '\n')
}

// number is field for a number.
func number(b []byte, name string, n int) []byte {
	b = append(append(b, name...), ':', ' ')
	b = strconv.AppendInt(b, int64(n), 10)
	return append(b, '\r', '\n')
}
