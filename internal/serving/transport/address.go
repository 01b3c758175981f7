package transport

import (
	"fmt"
	"net"
	"strconv"
	"strings"
)

// Address is where a listener listens.
type Address struct {
	text    string
	scheme  scheme
	network string // tcp, unix or systemd
	at      string // host:port, a path, or the name of a passed socket
}

// scheme says whether TLS is used.
type scheme int

const (
	schemeNone scheme = iota // if there are certificates
	schemePlain
	schemeTLS
)

// The beginnings of addresses.
const (
	prefixPlain   = "http://"
	prefixTLS     = "https://"
	prefixUnix    = "unix:"
	prefixSystemd = "systemd:"
)

// unixPathMax is the longest path of a socket that Linux and the BSDs have room for.
const unixPathMax = 103

const addressWanted = "want host:port, [address]:port, unix:/path or systemd:name, with http:// or https:// before it or not"

// ParseAddress reads an address:
//
//	127.0.0.1:8080      an address and a port
//	[::1]:8080          of IPv6
//	:8080               all addresses of both families
//	unix:/run/rtb.sock  a socket in the file system
//	systemd:http        the sockets that systemd passes with FileDescriptorName=http
//
// With http:// before it a connection is never one of TLS, with https:// always; otherwise TLS is
// used if there are certificates.
func ParseAddress(text string) (Address, error) {
	a := Address{text: text, network: "tcp"}
	rest := text
	switch {
	case strings.HasPrefix(rest, prefixPlain):
		rest, a.scheme = rest[len(prefixPlain):], schemePlain
	case strings.HasPrefix(rest, prefixTLS):
		rest, a.scheme = rest[len(prefixTLS):], schemeTLS
	}
	switch {
	case strings.HasPrefix(rest, prefixUnix):
		a.network, a.at = "unix", rest[len(prefixUnix):]
		if a.at == "" || strings.ContainsRune(a.at, 0) {
			return Address{}, fmt.Errorf("the address %q has no path of a socket (%s)", text, addressWanted)
		}
		if len(a.at) > unixPathMax {
			return Address{}, fmt.Errorf("the path of the socket %q is longer than %d bytes", text, unixPathMax)
		}
	case strings.HasPrefix(rest, prefixSystemd):
		a.network, a.at = "systemd", rest[len(prefixSystemd):]
		if a.at == "" {
			return Address{}, fmt.Errorf("the address %q has no name of a socket (FileDescriptorName= of the unit)", text)
		}
	default:
		a.at = rest
		_, port, err := net.SplitHostPort(rest)
		if err != nil || strings.ContainsAny(rest, "/?#@ ") {
			return Address{}, fmt.Errorf("the address %q (%s)", text, addressWanted)
		}
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return Address{}, fmt.Errorf("the address %q has no port of 0 to 65535", text)
		}
	}
	return a, nil
}

// String returns the address as it was given.
func (a Address) String() string { return a.text }

// HostPort returns host and port of an address of IP.
func (a Address) HostPort() string { return a.at }

// TLS reports whether the address is one of TLS whatever certificates there are.
func (a Address) TLS() bool { return a.scheme == schemeTLS }

// IP reports whether the address is one of IP, which other machines may reach.
func (a Address) IP() bool { return a.network == "tcp" }
