package gateway

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/valyala/fasthttp"
)

// upstream is a server that accepted requests go to.
type upstream struct {
	name   string // as in the options
	host   []byte // for the header Host
	path   []byte // in place of that of requests; empty: theirs
	client fasthttp.HostClient
}

// unixPrefix begins the name of an upstream that is a socket in the file system.
const unixPrefix = "unix:"

// newUpstream returns an upstream. It opens no connection.
func newUpstream(name string, o *Options) (*upstream, error) {
	network, address, host, path, err := parseUpstream(name)
	if err != nil {
		return nil, err
	}
	u := &upstream{name: name, host: []byte(host), path: []byte(path)}
	u.client = fasthttp.HostClient{
		Addr: host,
		DialTimeout: func(_ string, timeout time.Duration) (net.Conn, error) {
			return net.DialTimeout(network, address, timeout)
		},
		MaxConns:                  o.InFlightMax,
		MaxIdleConnDuration:       o.UpstreamIdleTimeout,
		MaxIdemponentCallAttempts: 1,
		MaxResponseBodySize:       o.ResponseMax,
		ReadBufferSize:            o.HeadMax,
		NoDefaultUserAgentHeader:  true,
		DisablePathNormalizing:    true,
		SecureErrorLogMessage:     true,
		ConnPoolStrategy:          fasthttp.LIFO,
	}
	return u, nil
}

// parseUpstream takes the name of an upstream apart.
func parseUpstream(name string) (network, address, host, path string, err error) {
	if socket, ok := strings.CutPrefix(name, unixPrefix); ok {
		if socket == "" {
			return "", "", "", "", fmt.Errorf("gateway: upstream %q has no path of a socket", name)
		}
		return "unix", socket, "localhost", "", nil
	}
	u, err := url.Parse(name)
	switch {
	case err != nil || u.Scheme != "http" || u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return "", "", "", "", fmt.Errorf("gateway: upstream %q (want http://host:port, http://host:port/path or unix:/path/to/socket)", name)
	case u.Port() == "":
		address = net.JoinHostPort(u.Hostname(), "80")
	default:
		address = u.Host
	}
	if u.Path != "/" {
		path = u.EscapedPath()
	}
	return "tcp", address, u.Host, path, nil
}

// address makes a request one to the upstream.
func (u *upstream) address(req *fasthttp.Request) {
	uri := req.URI()
	uri.SetScheme("http")
	uri.SetHostBytes(u.host)
	if len(u.path) > 0 {
		uri.SetPathBytes(u.path)
	}
}

// do sends a request and reads the answer.
func (u *upstream) do(req *fasthttp.Request, resp *fasthttp.Response, timeout time.Duration) error {
	return u.client.DoTimeout(req, resp, timeout)
}

// failureOf says what an error of an upstream means.
func failureOf(err error) failure {
	switch {
	case errors.Is(err, fasthttp.ErrTimeout):
		return failTimeout
	case errors.Is(err, fasthttp.ErrNoFreeConns):
		return failAbsent
	}
	return failUpstream
}
