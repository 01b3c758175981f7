package admin

import (
	"context"
	"net"
	"net/netip"
	"sync"
)

// limited is a listener with at most max connections. For one more it closes one of the client
// that has the most: the one that has waited longest for a request. So clients that only hold
// connections can't keep others out, and one that opens many closes its own, not a probe that is
// being answered.
type limited struct {
	net.Listener
	max int

	mu    sync.Mutex
	conns map[*conn]struct{}
	clock uint64 // counts uses of connections
}

// conn is a connection of a limited listener. Its fields are guarded by the listener's mutex.
type conn struct {
	net.Conn
	from *limited
	peer netip.Prefix // that tells clients apart
	busy bool         // answers a request of a client that has proved who it is
	used uint64       // when it was accepted, or was busy last, by the listener's clock
}

// limit returns a listener with at most n connections.
func limit(ln net.Listener, n int) net.Listener {
	return &limited{Listener: ln, max: n, conns: make(map[*conn]struct{}, n)}
}

// Accept waits for the next connection. If all others are busy it closes that one.
func (l *limited) Accept() (net.Conn, error) {
	for {
		inner, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if c := l.add(inner); c != nil {
			return c, nil
		}
		_ = inner.Close() // nothing was read
	}
}

// add returns a connection that was accepted, nil if there is no room for it.
func (l *limited) add(inner net.Conn) *conn {
	peer := peerOf(inner.RemoteAddr())
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.conns) >= l.max {
		oldest := l.oldest(peer)
		if oldest == nil {
			return nil
		}
		delete(l.conns, oldest)
		_ = oldest.Conn.Close() // its server notices
	}
	l.clock++
	c := &conn{Conn: inner, from: l, peer: peer, used: l.clock}
	l.conns[c] = struct{}{}
	return c
}

// oldest returns the connection that is not busy for longest, of the clients that would have the
// most connections if the next one has one more; nil if all are busy. l.mu is held.
func (l *limited) oldest(next netip.Prefix) (oldest *conn) {
	counts := map[netip.Prefix]int{next: 1}
	for c := range l.conns {
		counts[c.peer]++
	}
	for c := range l.conns {
		if c.busy {
			continue
		}
		if oldest == nil || counts[c.peer] > counts[oldest.peer] || counts[c.peer] == counts[oldest.peer] && c.used < oldest.used {
			oldest = c
		}
	}
	return oldest
}

// clientBits is how much of an IPv6 address tells clients apart: whoever has one has a network of
// this size.
const clientBits = 64

// peerOf returns what tells the client at an address apart; the zero value for all without an IP
// address.
func peerOf(a net.Addr) netip.Prefix {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.Prefix{}
	}
	ip := tcp.AddrPort().Addr().Unmap().WithZone("")
	p, _ := ip.Prefix(min(ip.BitLen(), clientBits)) // the bits fit
	return p
}

// setBusy notes that a request begins or ends.
func (c *conn) setBusy(busy bool) {
	c.from.mu.Lock()
	defer c.from.mu.Unlock()
	c.from.clock++
	c.busy, c.used = busy, c.from.clock
}

// Close closes the connection, which makes room for another one.
func (c *conn) Close() error {
	c.from.mu.Lock()
	delete(c.from.conns, c)
	c.from.mu.Unlock()
	return c.Conn.Close()
}

// connKey is the key of the connection in the context of a request.
type connKey struct{}

// withConn puts the connection into the context of its requests.
func withConn(ctx context.Context, nc net.Conn) context.Context {
	if secure, ok := nc.(interface{ NetConn() net.Conn }); ok {
		nc = secure.NetConn()
	}
	return context.WithValue(ctx, connKey{}, nc)
}

// hold keeps the connection of a request open until the function that it returns is called.
func hold(ctx context.Context) (release func()) {
	c, ok := ctx.Value(connKey{}).(*conn)
	if !ok { // of another server
		return func() {}
	}
	c.setBusy(true)
	return func() { c.setBusy(false) }
}
