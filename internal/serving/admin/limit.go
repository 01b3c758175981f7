package admin

import (
	"context"
	"net"
	"sync"
)

// limited is a listener with at most max connections. For one more it closes the one that has
// waited longest for a request, so that clients that only hold connections can't keep others out.
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
	busy bool   // answers a request of a client that has proved who it is
	used uint64 // when it was accepted, or was busy last, by the listener's clock
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
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.conns) >= l.max {
		oldest := l.oldest()
		if oldest == nil {
			return nil
		}
		delete(l.conns, oldest)
		_ = oldest.Conn.Close() // its server notices
	}
	l.clock++
	c := &conn{Conn: inner, from: l, used: l.clock}
	l.conns[c] = struct{}{}
	return c
}

// oldest returns the connection that is not busy for longest, nil if all are, with l.mu held.
func (l *limited) oldest() (oldest *conn) {
	for c := range l.conns {
		if !c.busy && (oldest == nil || c.used < oldest.used) {
			oldest = c
		}
	}
	return oldest
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
