//go:build !unix

package upstreams

// Request sends a request in two parts. Whether the connection was closed is not known here.
func (o *Conn) Request(first, second []byte) error { return o.writeAll(first, second) }

// system is what conn_unix.go needs.
type system struct{}

func (*Conn) initSystem() {}
