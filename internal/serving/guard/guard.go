package guard

import (
	"net"
	"sync"
)

// Guard makes guarded connections. All of them share its options.
type Guard struct {
	options Options
	stashes sync.Pool // of *stash
}

// New returns a Guard, or an error that names the option which is out of range.
func New(o Options) (*Guard, error) {
	g := &Guard{options: o.withDefaults()}
	if err := g.options.validate(); err != nil {
		return nil, err
	}
	g.stashes.New = func() any { return &stash{make([]byte, g.options.HeadBytes)} }
	return g, nil
}

// Conn returns a connection that guards c. Only the first bytes of HTTP/1.1 may come next on c: a
// PROXY protocol header has been read, TLS is established or c is a TLS connection.
func (g *Guard) Conn(c net.Conn) *Conn {
	guarded := &Conn{Conn: c, guard: g}
	guarded.flags.Store(answered) // the first request waits for no answer to an earlier one
	return guarded
}

// Listener returns a listener whose connections are of type [*Conn]. It is used as l would be.
func (g *Guard) Listener(l net.Listener) *Listener { return &Listener{l, g} }

// Listener guards the connections of another listener.
type Listener struct {
	net.Listener
	guard *Guard
}

// Accept returns the other listener's next connection, guarded.
func (l *Listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return l.guard.Conn(c), nil
}

// stash is the memory of bytes that have come and can't be handed on yet. Connections have one
// only while they need it.
type stash struct{ bytes []byte }

func (g *Guard) stash() *stash { return g.stashes.Get().(*stash) }
