package balance

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/internal/serving/upstreams"
)

// userAgent is the User-Agent of health checks.
const userAgent = "rtbwire-health-check"

// checks are the results of health checks of an address.
type checks struct {
	any bool // there was one
	row int  // results in a row that are not what the address is held for
}

// check begins checks of addresses that have none, and ends those of addresses that are gone, with
// the lock held.
func (s *Set) check() {
	if s.running == nil {
		return
	}
	want := map[*Endpoint]bool{}
	for _, u := range s.upstreams {
		path := s.checkPath(u)
		for _, e := range u.Endpoints() {
			want[e] = path != ""
			if path != "" && s.checking[e] == nil {
				ctx, cancel := context.WithCancel(s.running)
				s.checking[e] = cancel
				go s.checkAll(ctx, e, path)
			}
		}
	}
	for e, cancel := range s.checking {
		if !want[e] {
			cancel()
			delete(s.checking, e)
		}
	}
}

// checkPath is the path that health checks of an upstream ask for; "" if there are none.
func (s *Set) checkPath(u *Upstream) string {
	if s.options.Check.Path == "" {
		return ""
	}
	return cmp.Or(u.CheckPath, s.options.Check.Path)
}

// checkAll checks an address, again and again.
func (s *Set) checkAll(ctx context.Context, e *Endpoint, path string) {
	s.mu.Lock()
	first := !e.checks.any
	s.mu.Unlock()
	for first || wait(ctx, jittered(s.options.Check.Interval, s.options.Check.Jitter)) {
		first = false
		err := e.ask(path, s.options.Check.Timeout)
		if ctx.Err() != nil {
			return
		}
		if says(err, s.options.Check.Timeout, 0) {
			s.checked(e, err)
		}
	}
}

// checked notes the result of a check.
func (s *Set) checked(e *Endpoint, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended() {
		return
	}
	e.Stats.Checks.Add(1)
	if err != nil {
		e.Stats.CheckFailures.Add(1)
	}
	c, o := &e.checks, &s.options.Check
	first := !c.any
	c.any = true
	if bad := e.state.Load()&failing != 0; bad == (err != nil) {
		c.row = 0
		return
	}
	c.row++
	limit := o.Unhealthy
	if err == nil {
		limit = o.Healthy
	}
	if c.row < limit && !first {
		return
	}
	if c.row = 0; err != nil {
		s.options.Log.Error("the health checks of an upstream fail", e.names("error", err)...)
	} else {
		s.options.Log.Info("the health checks of an upstream succeed again", e.names()...)
		e.warm.Store(int64(now()))
	}
	e.mark(failing, err != nil)
	s.rebuild()
}

// ask sends a health check. A status of 2xx or 3xx is good, as for HAProxy.
func (e *Endpoint) ask(path string, timeout time.Duration) error {
	x := &checkExchange{path: path}
	if err := e.RoundTrip(x, timeout); err != nil {
		return err
	}
	if status := x.answer.StatusCode(); status < 200 || status > 399 {
		return answerStatus(status)
	}
	return nil
}

// checkExchange is a health check.
type checkExchange struct {
	path   string
	answer fasthttp.Response
}

// IsHead implements [Exchange], as the next methods do.
func (*checkExchange) IsHead() bool { return false }

func (x *checkExchange) Write(c *upstreams.Conn, to *Endpoint) error {
	return c.Request(fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: %s\r\n\r\n", x.path, to.Host, userAgent), nil)
}

func (*checkExchange) Source(c *upstreams.Conn) net.Conn { return c }

func (x *checkExchange) Read(c *upstreams.Conn, r *bufio.Reader) (done bool, err error) {
	return ReadAnswer(c, r, &x.answer, checkMax)
}

// checkMax is how long the answer to a health check may be.
const checkMax = 64 << 10

// ReadAnswer reads an answer with a body that is not longer than a limit. It reports whether the
// connection must close: the upstream says so, or has sent bytes after the answer.
func ReadAnswer(c *upstreams.Conn, r *bufio.Reader, to *fasthttp.Response, bodyMax int) (done bool, err error) {
	if err = to.ReadLimitBody(r, bodyMax); errors.Is(err, io.EOF) {
		err = fasthttp.ErrConnectionClosed
	}
	return c.Done(r, &to.Header), err
}
