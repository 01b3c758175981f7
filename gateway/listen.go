package gateway

import (
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
	limits   *Options
}

func (s *connections) init(o *Options) { s.open, s.limits = map[*conn]struct{}{}, o }

// track returns a listener whose connections are known to s.
func (s *connections) track(ln net.Listener) net.Listener { return &listener{ln, s} }

type listener struct {
	net.Listener
	conns *connections
}

// Accept waits for the next connection.
func (l *listener) Accept() (net.Conn, error) {
	inner, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: inner, conns: l.conns, sender: sender{peer: addressOf(inner.RemoteAddr())}}
	l.conns.mu.Lock()
	l.conns.open[c] = struct{}{}
	l.conns.mu.Unlock()
	return c, nil
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
	peer netip.Addr
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

	mu    sync.Mutex
	state int
	first time.Time // when the first byte of the request was read
}

// Read reads, and notes when a request begins.
func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n > 0 {
		c.busy()
	}
	return n, err
}

// busy notes that a request has begun, and returns when its first byte was read. A pipelined
// request was read with the one before; it begins when that one is answered.
func (c *conn) busy() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state != busy {
		c.state, c.first = busy, time.Now()
	}
	return c.first
}

// Close closes the connection.
func (c *conn) Close() error {
	c.conns.mu.Lock()
	delete(c.conns.open, c)
	c.conns.mu.Unlock()
	return c.Conn.Close()
}

// NetConn returns the connection below.
func (c *conn) NetConn() net.Conn { return c.Conn }

// connState is told by fasthttp when a request is answered.
func connState(nc net.Conn, state fasthttp.ConnState) {
	if state == fasthttp.StateIdle {
		c := connOf(nc)
		c.mu.Lock()
		c.state = idle
		c.mu.Unlock()
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
