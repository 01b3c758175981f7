package transport

import (
	"bufio"
	"errors"
	"net"

	"github.com/pires/go-proxyproto"
)

// proxied is a connection that a proxy has passed on, with the addresses of its header.
type proxied struct {
	net.Conn
	rest          *bufio.Reader // what was read after the header; nil when it is used up
	remote, local net.Addr
}

// headerBuffer is how many bytes are read at once while there may be a header. It has room for one
// of version 1, which must come in one piece.
const headerBuffer = 512

// errNoTCP means that a header is about something other than a connection of TCP.
var errNoTCP = errors.New("PROXY header: want a TCP connection")

// headerError means that a PROXY header is missing or wrong.
type headerError struct{ err error }

func (e *headerError) Error() string { return "PROXY header: " + e.err.Error() }
func (e *headerError) Unwrap() error { return e.err }

// readHeader reads the PROXY header that a connection must begin with: at most 107 bytes of
// version 1, and 4 KiB of version 2. Connections that the proxy has opened for itself (LOCAL,
// UNKNOWN), to see whether somebody answers, keep the proxy's address.
func readHeader(c net.Conn) (net.Conn, error) {
	r := bufio.NewReaderSize(c, headerBuffer)
	h, err := proxyproto.Read(r)
	if err != nil {
		return nil, err
	}
	p := &proxied{Conn: c, rest: r, remote: c.RemoteAddr(), local: c.LocalAddr()}
	if h.Command.IsLocal() || h.TransportProtocol.IsUnspec() {
		return p, nil
	}
	source, destination, ok := h.TCPAddrs()
	if !ok {
		return nil, errNoTCP
	}
	p.remote, p.local = source, destination
	return p, nil
}

// Read reads what comes after the header.
func (p *proxied) Read(b []byte) (int, error) {
	if p.rest == nil {
		return p.Conn.Read(b)
	}
	if p.rest.Buffered() == 0 {
		p.rest = nil
		return p.Conn.Read(b)
	}
	return p.rest.Read(b)
}

// RemoteAddr returns the address of the client.
func (p *proxied) RemoteAddr() net.Addr { return p.remote }

// LocalAddr returns the address that the client has connected to.
func (p *proxied) LocalAddr() net.Addr { return p.local }

// NetConn returns the connection of the proxy.
func (p *proxied) NetConn() net.Conn { return p.Conn }

// CloseWrite ends the direction to the client.
func (p *proxied) CloseWrite() error {
	if half, ok := p.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}
