package upstreams

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/internal/serving/guard"
	"github.com/rtbwire/rtbwire/internal/setting"
)

// Location is where an upstream is.
type Location struct {
	Network, Address string // as package net takes them
	Host             string // for the header Host
	Path             string // in place of that of requests, if it is not empty
	Name             string // that its certificate must have; empty without TLS
}

// unixPrefix begins the name of an upstream that is a socket in the file system.
const unixPrefix = "unix:"

// The ports of upstreams that name none.
var portOf = map[string]string{"http": "80", "https": "443"}

// Parse takes the name of an upstream apart: http://host:port or https://host:port, with a path or
// without one, or unix:/path/to/socket.
func Parse(name string) (at Location, err error) {
	if socket, ok := strings.CutPrefix(name, unixPrefix); ok && socket != "" {
		return Location{Network: "unix", Address: socket, Host: "localhost"}, nil
	}
	u, err := url.Parse(name)
	if err != nil || portOf[u.Scheme] == "" || u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return Location{}, fmt.Errorf("upstream %q (want http://host:port, http://host:port/path, either with https, or unix:/path/to/socket; no user, query or fragment)", masked(name))
	}
	at = Location{Network: "tcp", Address: u.Host, Host: u.Host}
	if u.Port() == "" {
		at.Address = net.JoinHostPort(u.Hostname(), portOf[u.Scheme])
	}
	if u.Path != "/" {
		at.Path = u.EscapedPath()
	}
	if u.Scheme == "https" {
		at.Name = u.Hostname()
	}
	return at, nil
}

// masked returns the name of an upstream without what may be secret.
func masked(name string) string {
	if i := strings.LastIndexByte(name, '@'); i >= 0 && !strings.Contains(name, "://") {
		return "***" + name[i:]
	}
	return setting.MaskURLs(name)
}

// Name is the name of an upstream in a configuration, as [Parse] takes it.
func Name() setting.Type[string] {
	text := setting.Text("a URL such as http://127.0.0.1:9000", setting.AddressMax)
	read := text.Read
	text.Read = func(r *setting.Reader, n *setting.Node) (string, bool) {
		name, ok := read(r, n)
		if !ok {
			return "", false
		}
		if _, err := Parse(name); err != nil {
			p := n.Problem("", "%s", err)
			if strings.Contains(name, "@") && !strings.Contains(name, "://") {
				p.Excerpt = "" // it shows what is masked
			}
			r.Report(p)
			return "", false
		}
		return name, true
	}
	return text
}

// sessionsMax is how many sessions of TLS with an upstream are kept, to be resumed.
const sessionsMax = 32

// TLS returns what TLS is used with, nil if it is not. The authorities are certificates as PEM,
// those of the system if there are none.
func (at *Location) TLS(authorities string) (*tls.Config, error) {
	if at.Name == "" {
		return nil, nil //nolint:nilnil // there is none
	}
	c := &tls.Config{ServerName: at.Name, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}, ClientSessionCache: tls.NewLRUClientSessionCache(sessionsMax)}
	if authorities != "" {
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM([]byte(authorities)) {
			return nil, errors.New("the authorities of upstreams have no certificate as PEM")
		}
	}
	return c, nil
}

// Dial opens a connection, and shakes hands if it is one of TLS, all within the timeout. secure is
// what [Location.TLS] has returned; limits are as in [New]. The error is a [*DialError].
func (at *Location) Dial(secure *tls.Config, limits *guard.Options, timeout time.Duration) (net.Conn, error) {
	c, err := dial(at.Network, at.Address, secure, timeout)
	if err != nil {
		return nil, &DialError{err}
	}
	return New(c, limits), nil
}

func dial(network, address string, secure *tls.Config, timeout time.Duration) (net.Conn, error) {
	until := time.Now().Add(timeout)
	c, err := net.DialTimeout(network, address, timeout)
	if err != nil || secure == nil {
		return c, err
	}
	own := tls.Client(c, secure)
	if err = c.SetDeadline(until); err == nil {
		err = own.Handshake()
	}
	if err != nil {
		_ = c.Close() // nothing of a request was sent
		return nil, err
	}
	return own, nil
}
