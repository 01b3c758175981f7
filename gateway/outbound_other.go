//go:build !unix

package gateway

// request sends a request in two parts. Whether the connection was closed is not known here.
func (o *outbound) request(first, second []byte) error { return o.writeAll(first, second) }

// system is what outbound_unix.go needs.
type system struct{}

func (*outbound) initSystem() {}
