package gateway

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/internal/serving/guard"
	"github.com/rtbwire/rtbwire/internal/serving/upstreams"
)

// newStd makes the server of net/http for ServeStd. It has no limits of its own: those of the guard
// and of our connections are the same for both servers.
func (g *Gateway) newStd() {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	g.std = http.Server{
		Handler:                      g,
		Protocols:                    protocols,
		MaxHeaderBytes:               2 * g.options.HeadMax, // the guard has counted
		DisableGeneralOptionsHandler: true,
		ConnState: func(nc net.Conn, state http.ConnState) {
			if state == http.StateIdle {
				connOf(nc).idle(queued(nc))
			}
		},
		ConnContext: func(ctx context.Context, nc net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, nc)
		},
		ErrorLog: slog.NewLogLogger(g.options.Logger.Handler(), slog.LevelDebug),
	}
}

// connKey is the key of the connection in the context of a request.
type connKey struct{}

// ServeStd is Serve with Go's own server: the guard, the limits and Shutdown are the same. It takes
// about three times the processor time.
func (g *Gateway) ServeStd(ln net.Listener) error {
	return g.serveWith(func(ln net.Listener) error {
		if err := g.std.Serve(stdListener{ln}); !errors.Is(err, io.EOF) {
			return err
		}
		return nil // of Accept, after Shutdown
	}, ln)
}

// stdListener makes its connections ones for net/http.
type stdListener struct{ net.Listener }

// Accept returns the next connection.
func (l stdListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	guarded := c.(*guard.Conn) //nolint:forcetypeassert // the guard's listener
	return &stdConn{Conn: guarded, wake: make(chan struct{})}, nil
}

// stdConn keeps net/http from reading while it answers. It asks for one byte then, to notice
// clients that leave, and ends that with a deadline in the past. The guard would look at the next
// message, and could refuse it in the middle of the answer.
type stdConn struct {
	*guard.Conn
	mu    sync.Mutex
	wake  chan struct{}
	awake bool // wake is closed
}

// Read reads, and waits only if one byte is asked for.
func (c *stdConn) Read(p []byte) (int, error) {
	if len(p) != 1 {
		return c.Conn.Read(p)
	}
	c.mu.Lock()
	wake := c.wake
	c.mu.Unlock()
	<-wake
	return 0, os.ErrDeadlineExceeded
}

// SetReadDeadline sets the deadline for reading. One that has passed ends a wait.
func (c *stdConn) SetReadDeadline(t time.Time) error {
	c.rouse(!t.IsZero() && time.Until(t) <= 0)
	return c.Conn.SetReadDeadline(t)
}

// Close closes the connection.
func (c *stdConn) Close() error {
	c.rouse(true)
	return c.Conn.Close()
}

// rouse ends all waits, or lets new ones begin.
func (c *stdConn) rouse(awake bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case awake && !c.awake:
		close(c.wake)
	case !awake && c.awake:
		c.wake = make(chan struct{})
	}
	c.awake = awake
}

// ServeHTTP takes requests from a server of net/http: the same stages, with a copy of each request
// and answer between the two libraries. [Gateway.ServeStd] is such a server. Another server applies
// its own limits on headers, connections and time, and Shutdown does not know its connections: shut
// that server down first.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.background()
	began, s := time.Now(), &sender{}
	var memory holder
	nc, _ := r.Context().Value(connKey{}).(net.Conn)
	if nc != nil {
		c := connOf(nc)
		began, s, memory = c.busy(), c.identity(), c
	} else {
		s.fill(r)
		body, ok := r.Body.(*heldBody) // of HTTP/2
		if !ok {
			body = &heldBody{conns: &g.conns}
			defer body.release()
		}
		memory = body
	}
	m := messages.Get().(*message)
	defer m.release()
	if status, reason, text := m.read(g, r, s); status != 0 {
		if c, ok := nc.(*stdConn); !ok || !c.Refused() { // the guard has counted, and answered
			g.metrics.rejected(reason)
		}
		if r.ProtoMajor == 1 { // a stream of HTTP/2 is not the connection
			w.Header().Set("Connection", "close")
		}
		if status == http.StatusServiceUnavailable {
			w.Header().Set("Retry-After", retryAfter)
		}
		if text != "" {
			w.Header().Set("Content-Type", mimeText)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text) // whoever asked is gone
		return
	}
	x := g.exchanges.Get().(*exchange)
	x.begin(g.plan.Load(), &m.req, &m.resp, s, memory, began)
	x.serve()
	m.write(w, r, g.stopping.Load() && !queued(nc))
	x.end()
	g.exchanges.Put(x)
}

// message is a request and an answer in the types of fasthttp.
type message struct {
	req  fasthttp.Request
	resp fasthttp.Response
	body bytes.Buffer
}

var messages = sync.Pool{New: func() any { return new(message) }}

func (m *message) release() {
	m.req.Reset()
	m.resp.Reset()
	if m.body.Cap() > keepMax {
		m.body = bytes.Buffer{}
	}
	m.body.Reset()
	messages.Put(m)
}

// read copies a request. A status other than 0 says why it can't be read, or why a client that asks
// whether it may send the body may not, and text is what the sender is told.
func (m *message) read(g *Gateway, r *http.Request, s *sender) (status int, reason, text string) {
	bodyMax := g.options.BodyMax
	if r.ContentLength > int64(bodyMax) {
		return http.StatusRequestEntityTooLarge, reasonSize, g.plan.Load().explainUnread()
	}
	h := &m.req.Header
	h.SetMethod(r.Method)
	h.SetRequestURI(r.URL.RequestURI())
	h.SetHost(r.Host)
	for name, values := range r.Header {
		for _, value := range values {
			h.Add(name, value)
		}
	}
	m.resp.Header.SetNoDefaultContentType(true)
	if r.Header.Get("Expect") != "" {
		if status, reason, text = g.headStatus(&m.req, s); status != 0 {
			return status, reason, text
		}
	}
	if _, err := m.body.ReadFrom(io.LimitReader(r.Body, int64(bodyMax)+1)); err != nil {
		var tooLong *http.MaxBytesError
		switch {
		case errors.Is(err, errMemory):
			return http.StatusServiceUnavailable, failCapacity.reason, ""
		case errors.As(err, &tooLong):
			return http.StatusRequestEntityTooLarge, reasonSize, g.plan.Load().explainUnread()
		case upstreams.IsTimeout(err):
			return http.StatusRequestTimeout, reasonHTTP, ""
		}
		return http.StatusBadRequest, reasonHTTP, ""
	}
	if m.body.Len() > bodyMax {
		return http.StatusRequestEntityTooLarge, reasonSize, g.plan.Load().explainUnread()
	}
	m.req.SetBodyRaw(m.body.Bytes())
	return 0, "", ""
}

// write copies the answer.
func (m *message) write(w http.ResponseWriter, r *http.Request, last bool) {
	for name, value := range m.resp.Header.All() {
		if string(name) != fasthttp.HeaderContentLength {
			w.Header().Add(string(name), string(value))
		}
	}
	if last || m.resp.ConnectionClose() && r.ProtoMajor == 1 {
		w.Header().Set("Connection", "close")
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header()["Content-Type"] = nil // no guess
	}
	w.WriteHeader(m.resp.StatusCode())
	if r.Method != http.MethodHead {
		_, _ = w.Write(m.resp.Body()) // whoever asked is gone
	}
}
