package transport_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"

	"github.com/rtbwire/rtbwire/internal/serving/transport"
)

// A load balancer on this machine passes on a connection, and says who the client is.
func Example() {
	address, err := transport.ParseAddress("127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	t, err := transport.New(transport.Options{Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
	if err != nil {
		panic(err)
	}
	secure, err := t.Secure(address) // there is no certificate
	if err != nil {
		panic(err)
	}
	sockets, err := (&transport.Sockets{}).Listen(context.Background(), address)
	if err != nil {
		panic(err)
	}
	ln := t.Listener(sockets[0], secure) // a gateway would serve it
	defer ln.Close()

	balancer, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		panic(err)
	}
	defer balancer.Close()
	if _, err := io.WriteString(balancer, "PROXY TCP4 192.0.2.7 198.51.100.1 5000 8080\r\nGET /status HTTP/1.1\r\n"); err != nil {
		panic(err)
	}

	c, err := ln.Accept()
	if err != nil {
		panic(err)
	}
	defer c.Close()
	line := make([]byte, len("GET /status"))
	if _, err := io.ReadFull(c, line); err != nil {
		panic(err)
	}
	fmt.Println(c.RemoteAddr(), string(line))
	// Output: 192.0.2.7:5000 GET /status
}
