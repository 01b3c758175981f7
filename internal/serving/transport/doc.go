// Package transport accepts connections: sockets, including those that systemd passes, the PROXY
// protocol and TLS.
//
//	address, err := transport.ParseAddress("https://[::]:8443")
//	...
//	listeners, err := sockets.Listen(ctx, address)
//	...
//	t, err := transport.New(transport.Options{TLS: transport.TLS{Pairs: pairs}})
//	...
//	go g.Serve(t.Listener(listeners[0], t.Secure(address))) // a gateway
//
// A [Listener] accepts connections whose PROXY header was read and whose TLS handshake is done, so
// that no slow client is in the way of others. What was negotiated decides who gets a connection:
// Accept returns those of HTTP/1.1, and the listener that HTTP2 returns those of HTTP/2. Both are
// of type [*crypto/tls.Conn] where TLS is used.
//
//	address.go       where to listen
//	socket.go        sockets; one left in the file system by a process that was killed
//	systemd.go       sockets that systemd passes, and what it is told
//	listener.go      what is between a socket and HTTP
//	handshake.go     handshakes in progress, and how many there may be
//	proxy.go         headers of the PROXY protocol
//	tls.go           what TLS is used with
//	certificates.go  certificates, read again when their files change
//	metrics.go       what is counted
package transport
