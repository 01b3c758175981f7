package gateway

import (
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/internal/serving/backlog"
)

// connections are all open connections to the gateway.
type connections struct {
	draining                  atomic.Bool
	max                       int    // of connections
	full                      func() // counts one that there was no room for
	headTimeout, writeTimeout time.Duration
	heldMax                   int64
	held                      atomic.Int64 // bytes of requests that are being read
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

// turnAway answers a connection that there is no room for, if that can be done at once. What it has
// sent is not read, so the answer may be lost.
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

// addressOf returns the IP address of a peer, the zero Addr if it has none.
func addressOf(a net.Addr) netip.Addr {
	if tcp, ok := a.(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr().Unmap()
	}
	return netip.Addr{}
}

// sender is what is known of the peer of a connection.
type sender struct {
	peer  netip.Addr
	names []string // that its certificate proves

	// The partners that it may be, by the plan that they are from.
	plan     *plan
	partners []*partner
}

// The states of a connection.
const (
	fresh = iota // no byte was read yet
	idle         // between two requests
	busy         // the first byte of a request was read
)

// conn is a connection that knows whether it has begun to read a request.
type conn struct {
	net.Conn
	conns *connections
	sender

	named bool // the certificate was looked at

	writeUntil atomic.Int64 // the deadline for writing, in nanoseconds since processStart
	limited    atomic.Bool  // by somebody else, in any goroutine

	mu      sync.Mutex
	held    int64 // bytes that were read of the request
	state   int
	first   time.Time // when the first byte of the request was read
	hurried bool      // the gateway is drained: the wait for a request ends soon
	ended   bool
}

// errMemory ends a request that there is no memory for.
var errMemory = errors.New("gateway: too many bytes of requests are being read")

// heldMin is how much of a request may always be read.
const heldMin = 16 << 10

// Read reads, and notes when a request begins.
func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n > 0 && c.took(int64(n)) {
		return 0, errMemory
	}
	return n, err
}

// took notes that bytes were read, and reports whether they are too many.
func (c *conn) took(n int64) (tooMany bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begin()
	c.held += n
	return c.conns.held.Add(n) > c.conns.heldMax && c.held > heldMin
}

// begin notes that a request has begun, with c.mu held.
func (c *conn) begin() {
	if c.state != busy {
		c.state, c.first, c.hurried = busy, time.Now(), false
	}
}

// Write writes, within the time for an answer. To set a deadline is expensive, so the one of an
// answer before stays if at most an eighth of its time is over.
func (c *conn) Write(b []byte) (int, error) {
	if limit := c.conns.writeTimeout; !c.limited.Load() {
		if now := time.Since(processStart); time.Duration(c.writeUntil.Load())-now < limit-limit/8 {
			c.writeUntil.Store(int64(now + limit))
			if err := c.Conn.SetWriteDeadline(processStart.Add(now + limit)); err != nil {
				return 0, err
			}
		}
	}
	return c.Conn.Write(b)
}

// SetWriteDeadline sets a deadline for writing in place of the one for answers.
func (c *conn) SetWriteDeadline(t time.Time) error {
	c.limited.Store(true)
	return c.Conn.SetWriteDeadline(t)
}

// SetDeadline sets both deadlines.
func (c *conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// busy notes that a request has begun, and returns when its first byte was read. A pipelined
// request was read with the one before; it begins when that one is answered.
func (c *conn) busy() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begin()
	return c.first
}

// idle notes that a request is answered. If a part of the next one was read with it, that one has
// begun.
func (c *conn) idle(more bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.conns.held.Add(-c.held)
	c.state, c.held = idle, 0
	if more {
		c.state, c.first = busy, time.Now()
	}
}

// SetReadDeadline sets the deadline for reading. While the gateway is drained a connection without
// a request does not wait for long.
func (c *conn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state != busy && c.conns.draining.Load() {
		return c.soon()
	}
	return c.Conn.SetReadDeadline(t)
}

// hurry ends the wait of a connection without a request soon. A request whose first byte was read
// goes on.
func (c *conn) hurry() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state != busy {
		_ = c.soon()
	}
}

// soon sets the deadline of a connection that waits for a request while the gateway is drained: one
// that was idle may have a request on its way, and a new one has surely.
func (c *conn) soon() error {
	if c.hurried {
		return nil
	}
	c.hurried = true
	wait := idleGrace
	if c.state == fresh {
		wait = c.conns.headTimeout
	}
	return c.Conn.SetReadDeadline(time.Now().Add(wait))
}

// Close closes the connection.
func (c *conn) Close() error {
	c.mu.Lock()
	first := !c.ended
	c.ended = true
	c.conns.held.Add(-c.held)
	c.held = 0
	c.mu.Unlock()
	if first {
		c.conns.mu.Lock()
		delete(c.conns.open, c)
		c.conns.mu.Unlock()
	}
	return c.Conn.Close()
}

// CloseWrite tells the peer that nothing more comes, where the connection can.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// NetConn returns the connection below.
func (c *conn) NetConn() net.Conn { return c.Conn }

// identity returns what is known of the peer. The certificate is known after the first Read.
func (c *conn) identity() *sender {
	if !c.named {
		c.named = true
		c.sender.names = namesOf(c.Conn)
	}
	return &c.sender
}

// namesOf returns the names that the client of a TLS connection has proved.
func namesOf(c net.Conn) []string {
	secure, ok := c.(*tls.Conn)
	if !ok {
		return nil
	}
	state := secure.ConnectionState()
	if len(state.VerifiedChains) == 0 {
		return nil
	}
	return certificateNames(state.PeerCertificates[0])
}

// connState is told by fasthttp when a request is answered.
func connState(nc net.Conn, state fasthttp.ConnState) {
	if state == fasthttp.StateIdle {
		connOf(nc).idle(queued(nc))
	}
}

// queued reports whether a part of the next request was read with this one.
func queued(nc net.Conn) bool {
	c, ok := nc.(interface{ Queued() bool })
	return ok && c.Queued()
}

// connOf returns our connection, which can be inside others.
func connOf(nc net.Conn) *conn {
	for {
		switch c := nc.(type) {
		case *conn:
			return c
		case interface{ NetConn() net.Conn }:
			nc = c.NetConn()
		default:
			panic("gateway: a connection that does not come from Serve") // not reached
		}
	}
}
