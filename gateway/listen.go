package gateway

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
)

// connections are all open connections to the gateway.
type connections struct {
	draining atomic.Bool
	mu       sync.Mutex
	open     map[*conn]struct{}
	list     []*listener

	held    atomic.Int64 // bytes of requests that are being read
	heldMax int64
}

func (s *connections) init(memoryMax int) { s.open, s.heldMax = map[*conn]struct{}{}, int64(memoryMax) }

// track returns a listener whose connections are known to s.
func (s *connections) track(ln net.Listener) net.Listener {
	l := &listener{Listener: ln, conns: s}
	s.mu.Lock()
	s.list = append(s.list, l)
	s.mu.Unlock()
	return l
}

// listener notes the connections that it accepts.
type listener struct {
	net.Listener
	conns *connections
}

// deadliner is a listener that can stop waiting.
type deadliner interface{ SetDeadline(time.Time) error }

// Accept waits for the next connection. While the gateway is drained it returns those that are
// queued, and then [io.EOF].
func (l *listener) Accept() (net.Conn, error) {
	inner, err := l.Listener.Accept()
	switch {
	case err == nil:
	case l.conns.draining.Load():
		_ = l.Listener.Close()
		return nil, io.EOF
	default:
		return nil, err
	}
	c := &conn{Conn: inner, conns: l.conns, sender: sender{peer: addressOf(inner.RemoteAddr())}}
	l.conns.mu.Lock()
	l.conns.open[c] = struct{}{}
	l.conns.mu.Unlock()
	return c, nil
}

// stop makes Accept return what is queued and then an error. A listener without deadlines is
// closed, which loses what is queued.
func (l *listener) stop() {
	if d, ok := l.Listener.(deadliner); ok && d.SetDeadline(time.Now().Add(backlogTime)) == nil {
		return
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
	fresh = iota // no byte was read
	idle         // between two requests
	busy         // the first byte of a request was read
)

// conn is a connection that knows whether it has begun to read a request.
type conn struct {
	net.Conn
	conns *connections
	sender

	named bool // the certificate was looked at

	mu      sync.Mutex
	held    int64 // bytes that were read of the request
	state   int
	first   time.Time // when the first byte of the request was read
	hurried bool      // an idle connection waits for idleGrace only
	ended   bool
}

// errMemory ends a request that there is no memory for.
var errMemory = errors.New("gateway: too many bytes of requests are being read")

// heldMin is how much of a request may always be read.
const heldMin = 16 << 10

// Read reads, and notes when a request begins.
func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n > 0 {
		c.busy()
		if c.hold(int64(n)) {
			return 0, errMemory
		}
	}
	return n, err
}

// hold counts bytes that were read, and reports whether they are too many.
func (c *conn) hold(n int64) (tooMany bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held += n
	return c.conns.held.Add(n) > c.conns.heldMax && c.held > heldMin
}

// busy notes that a request has begun, and returns when its first byte was read. A pipelined
// request was read with the one before; it begins when that one is answered.
func (c *conn) busy() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state != busy {
		c.state, c.first, c.hurried = busy, time.Now(), false
	}
	return c.first
}

// idle notes that a request is answered.
func (c *conn) idle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.conns.held.Add(-c.held)
	c.state, c.held = idle, 0
}

// SetReadDeadline sets the deadline for reading. While the gateway is drained an idle connection
// does not wait for long.
func (c *conn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == idle && c.conns.draining.Load() {
		if c.hurried {
			return nil
		}
		t, c.hurried = time.Now().Add(idleGrace), true
	}
	return c.Conn.SetReadDeadline(t)
}

// hurry ends the wait of an idle connection soon. A request whose first byte was read goes on.
func (c *conn) hurry() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == idle && !c.hurried {
		c.hurried = true
		_ = c.Conn.SetReadDeadline(time.Now().Add(idleGrace))
	}
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
		connOf(nc).idle()
	}
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
