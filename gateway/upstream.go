package gateway

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/internal/breaker"

	"github.com/rtbwire/rtbwire/gateway/guard"
)

// upstream is a server that accepted requests go to.
type upstream struct {
	settings upstreamSettings
	host     []byte              // for the header Host
	path     []byte              // in place of that of requests; empty: theirs
	client   fasthttp.HostClient // the pool of its connections
	breaker  breaker.Breaker
	inFlight atomic.Int64
	asked    atomic.Uint64 // requests
	failed   atomic.Uint64 // those without an answer
}

// upstreamSettings are what an upstream is made of. One whose settings are the same after a reload
// keeps its connections.
type upstreamSettings struct {
	name, authorities      string // as in the options
	connectionsMax         int
	responseMax, headMax   int
	idleTimeout, unhealthy time.Duration
}

// unixPrefix begins the name of an upstream that is a socket in the file system.
const unixPrefix = "unix:"

// upstreams are those of a plan.
type upstreams struct {
	list []*upstream
	turn atomic.Uint32 // where to begin to look, so that equals share
}

// newUpstreams returns the upstreams of options. Those that the plan before has are kept.
func newUpstreams(o *Options, before *plan) (u *upstreams, err error) {
	u = &upstreams{}
	for _, name := range o.Upstreams {
		s := upstreamSettings{name, o.UpstreamCAs, o.UpstreamConnectionsMax, o.ResponseMax, o.HeadMax, o.UpstreamIdleTimeout, o.UpstreamTimeout / 2}
		if slices.ContainsFunc(u.list, func(own *upstream) bool { return own.settings.name == name }) {
			return u, fmt.Errorf("gateway: upstream %q is given twice", name)
		}
		var own *upstream
		if before != nil {
			if i := slices.IndexFunc(before.upstreams.list, func(old *upstream) bool { return old.settings == s }); i >= 0 {
				own = before.upstreams.list[i]
			}
		}
		if own == nil {
			if own, err = newUpstream(s); err != nil {
				return u, err
			}
		}
		u.list = append(u.list, own)
	}
	return u, nil
}

// newUpstream returns an upstream. It opens no connection.
func newUpstream(s upstreamSettings) (*upstream, error) {
	at, err := parseUpstream(s.name)
	if err != nil {
		return nil, err
	}
	secure, err := at.tls(s.authorities)
	if err != nil {
		return nil, err
	}
	u := &upstream{settings: s, host: []byte(at.host), path: []byte(at.path)}
	u.breaker.Init(BreakerFailures, BreakerPause)
	limits := &guard.Options{HeadBytes: s.headMax, Fields: guard.DefaultFields, BodyBytes: int64(s.responseMax)}
	u.client = fasthttp.HostClient{
		Addr: at.host,
		DialTimeout: func(_ string, timeout time.Duration) (net.Conn, error) {
			c, err := dial(at.network, at.address, secure, timeout)
			if err != nil {
				return nil, &dialError{err}
			}
			return newOutbound(c, limits), nil
		},
		MaxConns:            s.connectionsMax,
		MaxIdleConnDuration: s.idleTimeout,
		ReadBufferSize:      s.headMax,
		ConnPoolStrategy:    fasthttp.LIFO, // the fewest connections that the load needs
	}
	return u, nil
}

// location is where an upstream is.
type location struct {
	network, address string
	host             string // for the header Host
	path             string // in place of that of requests, if it is not empty
	name             string // that its certificate must have; empty without TLS
}

// The ports of upstreams that name none.
var portOf = map[string]string{"http": "80", "https": "443"}

// parseUpstream takes the name of an upstream apart.
func parseUpstream(name string) (at location, err error) {
	if socket, ok := strings.CutPrefix(name, unixPrefix); ok && socket != "" {
		return location{network: "unix", address: socket, host: "localhost"}, nil
	}
	u, err := url.Parse(name)
	if err != nil || portOf[u.Scheme] == "" || u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return location{}, fmt.Errorf("gateway: upstream %q (want http://host:port, http://host:port/path, either with https, or unix:/path/to/socket)", name)
	}
	at = location{network: "tcp", address: u.Host, host: u.Host}
	if u.Port() == "" {
		at.address = net.JoinHostPort(u.Hostname(), portOf[u.Scheme])
	}
	if u.Path != "/" {
		at.path = u.EscapedPath()
	}
	if u.Scheme == "https" {
		at.name = u.Hostname()
	}
	return at, nil
}

// sessionsMax is how many sessions of TLS with an upstream are kept, to be resumed.
const sessionsMax = 32

// tls returns what TLS is used with, nil if it is not. The authorities are certificates as PEM,
// those of the system if there are none.
func (at *location) tls(authorities string) (*tls.Config, error) {
	if at.name == "" {
		return nil, nil //nolint:nilnil // there is none
	}
	c := &tls.Config{ServerName: at.name, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}, ClientSessionCache: tls.NewLRUClientSessionCache(sessionsMax)}
	if authorities != "" {
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM([]byte(authorities)) {
			return nil, errors.New("gateway: the authorities of upstreams have no certificate as PEM")
		}
	}
	return c, nil
}

// dial opens a connection to an upstream, and shakes hands if it is one of TLS.
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

// do sends the request of an exchange to an upstream and reads the answer. As long as no byte was
// sent, another upstream is tried.
func (u *upstreams) do(x *exchange) error {
	err, tried := ErrAbsent, 0
	for tried < len(u.list) {
		own := u.choose()
		if own == nil {
			return err
		}
		timeout := x.timeout()
		if timeout <= 0 {
			return fasthttp.ErrTimeout
		}
		if err = own.do(x, timeout); err == nil || !unsent(err) {
			return err
		}
		tried++
	}
	return err
}

// choose returns the upstream with the fewest requests in flight, or one whose breaker lets a
// request try; nil if all breakers are open.
func (u *upstreams) choose() *upstream {
	if len(u.list) == 1 {
		if own := u.list[0]; own.breaker.Closed() || own.breaker.Probe() {
			return own
		}
		return nil
	}
	var best *upstream
	least := int64(0)
	from := int(u.turn.Add(1))
	for i := range u.list {
		own := u.list[(from+i)%len(u.list)]
		if !own.breaker.Closed() {
			if own.breaker.Probe() {
				return own
			}
			continue
		}
		if n := own.inFlight.Load(); best == nil || n < least {
			best, least = own, n
		}
	}
	return best
}

// do does one exchange.
func (u *upstream) do(x *exchange, timeout time.Duration) error {
	u.inFlight.Add(1)
	err := u.roundTrip(x, timeout)
	u.inFlight.Add(-1)
	u.asked.Add(1)
	if err != nil {
		u.failed.Add(1)
	}
	switch {
	case err == nil:
		u.breaker.Success()
	case errors.Is(err, fasthttp.ErrNoFreeConns): // says nothing about the upstream
	case isTimeout(err) && timeout < u.settings.unhealthy: // the sender gave too little time
	default:
		u.breaker.Failure()
	}
	return err
}

// unsent reports whether an error means that no byte of the request was sent.
func unsent(err error) bool {
	var dial *dialError
	return errors.As(err, &dial) || errors.Is(err, errStale) || errors.Is(err, fasthttp.ErrNoFreeConns)
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}

// failureOf says what an error of an upstream means.
func failureOf(err error) failure {
	switch {
	case isTimeout(err):
		return failSlow
	case unsent(err), errors.Is(err, ErrAbsent):
		return failAbsent
	}
	return failBroken
}
