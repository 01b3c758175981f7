package gateway

import (
	"errors"
	"io"
	"log/slog"
	"maps"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/rtbwire/rtbwire/internal/serving/backlog"
)

// connections are all open connections to the gateway.
type connections struct {
	draining                  atomic.Bool
	max                       int    // of connections
	full                      func() // counts one above the limit
	headTimeout, writeTimeout time.Duration
	heldMax                   int64
	held                      atomic.Int64 // bytes of requests and answers, from reading to writing
	log                       *slog.Logger

	mu     sync.Mutex
	open   map[*conn]struct{}
	list   map[*listener]struct{} // whose Serve has not returned
	closed bool                   // nothing is served any more
}

func (s *connections) init(o *Options, full func()) {
	s.open, s.list = map[*conn]struct{}{}, map[*listener]struct{}{}
	s.max, s.full = o.ConnectionsMax, full
	s.headTimeout, s.writeTimeout, s.heldMax = o.HeadTimeout, o.WriteTimeout, int64(o.MemoryMax)
	s.log = o.Logger
}

// track returns a listener whose connections are known to s; nil after Shutdown.
func (s *connections) track(ln net.Listener) *listener {
	l := &listener{Listener: backlog.Listener(ln), conns: s}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.list[l] = struct{}{}
	return l
}

// untrack ends what track has begun: the listener accepts nothing more.
func (s *connections) untrack(l *listener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.list, l)
}

// end notes that nothing is served any more, and reports whether that is so.
func (s *connections) end() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = len(s.open) == 0 && len(s.list) == 0
	return s.closed
}

// abort closes everything that end waits for.
func (s *connections) abort() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	for _, l := range s.listeners() {
		_ = l.Close()
	}
	for _, c := range s.all() {
		cutBelow(c.Conn)
		_ = c.Close()
	}
}

// listeners returns those whose Serve has not returned.
func (s *connections) listeners() []*listener {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.list))
}

// all returns the open connections.
func (s *connections) all() []*conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.open))
}

func (s *connections) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}

// listener notes the connections that it accepts.
type listener struct {
	net.Listener
	conns   *connections
	stopped bool // of Shutdown
}

// deadliner is a listener that can stop waiting.
type deadliner interface{ SetDeadline(time.Time) error }

// Accept waits for the next connection. While the gateway is drained it returns those that are
// queued, and then [io.EOF]. Errors that pass, such as one of too many open files, are waited out:
// to a server they would be the end.
func (l *listener) Accept() (net.Conn, error) {
	for pause := acceptPauseFirst; ; {
		inner, err := l.Listener.Accept()
		switch {
		case err == nil:
			if c := l.conns.add(inner); c != nil {
				return c, nil
			}
			pause = acceptPauseFirst
		case passes(err): // before the next case: what is queued is accepted later
			time.Sleep(pause)
			pause = min(2*pause, acceptPauseMax)
		case l.conns.draining.Load():
			_ = l.Listener.Close()
			return nil, io.EOF
		default:
			return nil, err
		}
	}
}

// How long Accept waits after an error: longer each time.
const (
	acceptPauseFirst = time.Millisecond
	acceptPauseMax   = 100 * time.Millisecond
)

// passes reports whether an error of Accept is one that passes: about the connection, or because
// the process or the system has no more file descriptors or memory.
func passes(err error) bool {
	return slices.ContainsFunc([]error{
		syscall.ECONNABORTED, syscall.ECONNRESET, syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM,
	}, func(target error) bool { return errors.Is(err, target) })
}

// add returns a connection that was accepted. If there are too many, it closes it and returns nil.
func (s *connections) add(inner net.Conn) *conn {
	c := &conn{Conn: inner, conns: s, sender: sender{peer: addressOf(inner.RemoteAddr())}}
	s.mu.Lock()
	full := len(s.open) >= s.max
	if !full {
		s.open[c] = struct{}{}
	}
	s.mu.Unlock()
	if full {
		s.full()
		turnAway(inner)
		return nil
	}
	return c
}

// turnAway answers a connection above the limit, if that can be done at once. What it has sent is
// not read, so the answer may be lost.
func turnAway(c net.Conn) {
	switch own := c.(type) {
	case *net.TCPConn:
		_, _ = io.WriteString(c, tooManyConnections) // the buffers of a new connection have room
		_ = own.CloseWrite()
	case *net.UnixConn:
		_, _ = io.WriteString(c, tooManyConnections)
		_ = own.CloseWrite()
	}
	_ = c.Close()
}

const tooManyConnections = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: " + retryAfter + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

// backlogTime is how long connections are still accepted that are queued when the gateway stops.
const backlogTime = 20 * time.Millisecond

// stop makes Accept return what is queued and then an error. A listener without deadlines is
// closed, which loses what is queued.
func (l *listener) stop() {
	if l.stopped {
		return
	}
	l.stopped = true
	if d, ok := l.Listener.(deadliner); ok {
		err := d.SetDeadline(time.Now().Add(backlogTime))
		if errors.Is(err, backlog.ErrOpen) {
			l.conns.log.Warn("connections that are made at the end can be lost", "address", l.Addr().String(), "error", err)
			return
		}
		if err == nil {
			return
		}
	}
	_ = l.Listener.Close()
}
