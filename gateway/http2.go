package gateway

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rtbwire/rtbwire/internal/serving/guard"
)

// http2Source is a listener whose connections can choose HTTP/2, such as one of package transport.
// Those of the listener that HTTP2 returns are of type [*crypto/tls.Conn], and have chosen it; the
// others have not. HTTP2 may return nil. The end of both is the same.
type http2Source interface{ HTTP2() net.Listener }

// http2 serves HTTP/2, with net/http. The guard does not read it: HTTP/2 says in one way only where
// a message ends, and net/http refuses fields that mean something else in HTTP/1.1. The guard's
// limits on headers apply, see bounded.
type http2 struct {
	server  http.Server
	conns   *connections
	open    sync.Map // net.Conn -> *conn
	streams atomic.Int64
	stop    sync.Once
}

// Sizes of HTTP/2.
const (
	frameMax        = 16 << 10 // of a client's frames: the least that must be allowed
	streamBufferMax = 64 << 10 // of an unread body
	connBufferMax   = 1 << 20  // of all bodies of a connection
	dynamicTableMax = 4 << 10  // of each direction's header compression
	fieldOverhead   = 32       // of each field in memory, as RFC 9113, section 6.5.2, estimates it
)

// Reasons of the guard, for limits of the guard that are checked here.
const (
	reasonFields = reasonGuard + "head.fields"
	reasonTarget = reasonGuard + "target.size"
)

func (g *Gateway) newHTTP2() {
	o, h := &g.options, &g.http2
	h.conns = &g.conns
	protocols := new(http.Protocols)
	protocols.SetHTTP2(true)
	h.server = http.Server{
		Handler:           bounded{g},
		Protocols:         protocols,
		ReadHeaderTimeout: o.HeadTimeout,
		ReadTimeout:       o.BodyTimeout, // of each stream, from its head on; that for writing is timedAnswer's
		IdleTimeout:       o.IdleTimeout,
		MaxHeaderBytes:    o.HeadMax,
		ErrorLog:          slog.NewLogLogger(o.Logger.Handler(), slog.LevelDebug),
		ConnState:         h.changed,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, resetsKey{}, &resets{conn: c, max: int64(o.ResetsMax)})
		},
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams:          o.StreamsMax,
			MaxDecoderHeaderTableSize:     dynamicTableMax,
			MaxEncoderHeaderTableSize:     dynamicTableMax,
			MaxReadFrameSize:              frameMax,
			MaxReceiveBufferPerConnection: connBufferMax,
			MaxReceiveBufferPerStream:     streamBufferMax,
			WriteByteTimeout:              o.WriteTimeout,
			CountError:                    func(string) { g.metrics.rejected(reasonHTTP2) },
		},
	}
}

// ServeHTTP2 serves the connections of a listener, which are of type [*crypto/tls.Conn] and have
// chosen HTTP/2, until the listener ends. Serve does that by itself; this is for listeners whose
// other connections a server of net/http has.
func (g *Gateway) ServeHTTP2(ln net.Listener) error {
	return g.http2.server.Serve(&http2Listener{ln, &g.http2})
}

// http2Listener notes the connections that it accepts. The server gets them as they are: it needs
// to see that they are of TLS.
type http2Listener struct {
	net.Listener
	h *http2
}

// Accept returns the next connection within the limit.
func (l *http2Listener) Accept() (net.Conn, error) {
	for {
		inner, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if c := l.h.conns.add(inner); c != nil {
			c.busy() // always: the server knows when a stream waits
			l.h.open.Store(inner, c)
			return inner, nil
		}
	}
}

// changed is told what becomes of connections.
func (h *http2) changed(inner net.Conn, state http.ConnState) {
	if state == http.StateClosed {
		if c, ok := h.open.LoadAndDelete(inner); ok {
			_ = c.(*conn).Close() // it is closed
		}
	}
}

// drain tells clients that no more streams are taken, and closes connections without any. It is
// called when nothing is accepted any more.
func (h *http2) drain(ctx context.Context) {
	h.stop.Do(func() {
		go func() {
			select {
			case <-time.After(idleGrace): // for requests that are on their way
			case <-ctx.Done():
			}
			_ = h.server.Shutdown(ctx) // what is left open is the gateway's to wait for
		}()
	})
}

// resets counts the streams of a connection whose client did not wait for the answer. Each one that
// is answered makes up for one.
type resets struct {
	conn net.Conn
	max  int64
	n    atomic.Int64
}

type resetsKey struct{}

// bounded is a gateway with limits of HTTP/2 that net/http does not have.
type bounded struct{ g *Gateway }

// ServeHTTP serves a stream. All streams together are bounded as connections are, since each can
// wait for its body as one of HTTP/1.1 can, and the bytes of headers and bodies count with those of
// others.
func (s bounded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := &s.g.http2
	w = timedAnswer{w, h.conns.writeTimeout}
	defer h.streams.Add(-1)
	if h.streams.Add(1) > int64(h.conns.max) {
		s.refuse(w, http.StatusServiceUnavailable, reasonConnections)
		return
	}
	if hosts := r.Header["Host"]; len(hosts) > 1 || len(hosts) == 1 && hosts[0] != r.Host {
		s.refuse(w, http.StatusBadRequest, reasonHTTP2) // RFC 9113, section 8.3.1: it has to be that of :authority
		return
	}
	fields, size := measure(r)
	switch {
	case fields > guard.DefaultFields:
		s.refuse(w, http.StatusRequestHeaderFieldsTooLarge, reasonFields)
		return
	case len(r.RequestURI) > min(guard.DefaultTargetBytes, s.g.options.HeadMax):
		s.refuse(w, http.StatusRequestURITooLong, reasonTarget)
		return
	}
	body := &heldBody{ReadCloser: r.Body, conns: h.conns}
	defer body.release()
	if body.took(2 * size) { // net/http has the head, and message.read copies it
		s.refuse(w, http.StatusServiceUnavailable, failCapacity.reason)
		return
	}
	r.Body = body
	s.g.ServeHTTP(w, r)
	s.countReset(r)
}

func (s bounded) refuse(w http.ResponseWriter, status int, reason string) {
	s.g.metrics.rejected(reason)
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", retryAfter)
	}
	w.WriteHeader(status)
}

// countReset cuts a connection with too many resets: to open a stream and reset it costs a client
// next to nothing, and the server a request.
func (s bounded) countReset(r *http.Request) {
	own, ok := r.Context().Value(resetsKey{}).(*resets)
	switch {
	case !ok:
	case r.Context().Err() == nil:
		if own.n.Load() > 0 {
			own.n.Add(-1)
		}
	case own.n.Add(1) == own.max+1:
		s.g.metrics.rejected(reasonResets)
		cutBelow(own.conn)
	}
}

// measure returns how many fields a head has, and how much memory they need. HTTP/2 compresses
// fields: a head of a few bytes can be as long as HeadMax allows.
func measure(r *http.Request) (fields int, size int64) {
	fields = 1 // Host in HTTP/1.1
	size = int64(len(r.Method) + len(r.RequestURI) + len(r.Host) + 3*fieldOverhead)
	for name, values := range r.Header {
		fields += len(values)
		for _, value := range values {
			size += int64(len(name) + len(value) + fieldOverhead)
		}
	}
	return fields, size
}

// timedAnswer is an answer with a time for writing that begins with its status. How long the
// upstream may take is known only while the request is served.
type timedAnswer struct {
	http.ResponseWriter
	limit time.Duration
}

// WriteHeader begins the answer.
func (a timedAnswer) WriteHeader(status int) {
	_ = http.NewResponseController(a.ResponseWriter).SetWriteDeadline(time.Now().Add(a.limit)) // net/http's has one
	a.ResponseWriter.WriteHeader(status)
}

// heldBody counts what is held of a request, its head and what is read of its body, and of its
// answer.
type heldBody struct {
	io.ReadCloser
	conns *connections
	held  int64
}

// Read reads, as long as there is memory.
func (b *heldBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.took(int64(n)) {
		return 0, errMemory
	}
	return n, err
}

// took notes that bytes are held, and reports whether they are too many.
func (b *heldBody) took(n int64) (tooMany bool) { return b.hold(n) && b.held > heldMin }

// hold implements [holder].
func (b *heldBody) hold(n int64) (tooMany bool) {
	b.held += n
	return b.conns.held.Add(n) > b.conns.heldMax
}

func (b *heldBody) release() { b.conns.held.Add(-b.held) }
