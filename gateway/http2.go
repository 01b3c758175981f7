package gateway

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// http2Source is a listener whose connections can choose HTTP/2, such as one of package transport.
// Those of the listener that HTTP2 returns are of type [*crypto/tls.Conn], and have chosen it; the
// others have not. HTTP2 may return nil. The end of both is the same.
type http2Source interface{ HTTP2() net.Listener }

// http2 serves HTTP/2, with net/http. The guard has no part in it: HTTP/2 says in one way only
// where a message ends, and net/http refuses fields that mean something else in HTTP/1.1.
type http2 struct {
	server http.Server
	conns  *connections
	open   sync.Map // net.Conn -> *conn
	stop   sync.Once
}

// Sizes of HTTP/2.
const (
	frameMax        = 16 << 10 // of a client's frames: the least that must be allowed
	streamBufferMax = 64 << 10 // of a body that nobody has read yet
	connBufferMax   = 1 << 20  // of all bodies of a connection
	dynamicTableMax = 4 << 10  // of each direction's header compression
)

func (g *Gateway) newHTTP2() {
	o, h := &g.options, &g.http2
	h.conns = &g.conns
	protocols := new(http.Protocols)
	protocols.SetHTTP2(true)
	h.server = http.Server{
		Handler:           resetting{g},
		Protocols:         protocols,
		ReadHeaderTimeout: o.HeadTimeout,
		ReadTimeout:       o.BodyTimeout, // of each stream, from its head on
		WriteTimeout:      o.BodyTimeout + o.UpstreamTimeout + o.WriteTimeout,
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

// Accept returns the next connection that there is room for.
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

// resetting is a gateway that cuts connections with too many resets: opening a stream and resetting
// it costs a client next to nothing, and the server a request.
type resetting struct{ g *Gateway }

// ServeHTTP serves a stream.
func (s resetting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if hosts := r.Header["Host"]; len(hosts) > 1 || len(hosts) == 1 && hosts[0] != r.Host {
		s.g.metrics.rejected(reasonHTTP2) // RFC 9113, section 8.3.1: it has to be that of :authority
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.g.ServeHTTP(w, r)
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

// cutBelow closes a connection without the last words of TLS, for which its peer may not listen.
func cutBelow(c net.Conn) {
	if secure, ok := c.(interface{ NetConn() net.Conn }); ok {
		c = secure.NetConn()
	}
	_ = c.Close() // nobody is to be told
}
