package balance

import (
	"bufio"
	"crypto/tls"
	"errors"
	"net"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/internal/breaker"
	"github.com/rtbwire/rtbwire/internal/serving/guard"
	"github.com/rtbwire/rtbwire/internal/serving/upstreams"
)

// What makes an address unusable.
const (
	open    uint32 = 1 << iota // its breaker is open
	ejected                    // it has answered badly
	failing                    // its health checks fail
	gone                       // its name has other addresses, or its upstream is gone: it drains
)

// Endpoint is an address of an upstream, with the pool of its connections.
type Endpoint struct {
	// Host is for the header, Path in place of that of requests; empty: theirs.
	Host, Path []byte
	// Address is where it is: host:port, or the path of a socket.
	Address string
	Stats   *Stats // of its upstream

	source   *source
	client   fasthttp.HostClient
	set      atomic.Pointer[Set] // in use
	inFlight atomic.Int64
	state    atomic.Uint32
	warm     atomic.Int64 // when its slow start began, by now; 0: it has had none

	breaker breaker.Breaker
	log     healthLog

	lost           atomic.Int32 // requests in a row
	took, answered atomic.Int64 // latencies of an interval, and how many

	// With the lock of the set.
	ejections int
	back      time.Duration // from the last ejection, by now
	until     time.Time     // end of the ejection that began last
	checks    checks
}

// newEndpoint returns an address of a source. It opens no connection.
func newEndpoint(s *source, address string) *Endpoint {
	e := &Endpoint{Host: []byte(s.at.Host), Path: []byte(s.at.Path), Address: address, Stats: s.stats, source: s}
	e.breaker.Init(BreakerFailures, BreakerPause)
	at, c := s.at, s.connections
	at.Address = address
	limits := &guard.Options{HeadBytes: c.HeadMax, Fields: guard.DefaultFields, BodyBytes: int64(c.ResponseMax)}
	secure := s.secure
	e.client = fasthttp.HostClient{
		Addr:                address,
		DialTimeout:         func(_ string, timeout time.Duration) (net.Conn, error) { return dial(at, secure, limits, timeout) },
		MaxConns:            c.Max,
		MaxIdleConnDuration: c.IdleTimeout,
		ReadBufferSize:      c.HeadMax,
		ConnPoolStrategy:    fasthttp.LIFO, // the fewest connections that the load needs
	}
	return e
}

func dial(at upstreams.Location, secure *tls.Config, limits *guard.Options, timeout time.Duration) (net.Conn, error) {
	return at.Dial(secure, limits, timeout)
}

// SetDial replaces how connections are made, for tests. They are as [upstreams.New] returns them.
func (e *Endpoint) SetDial(dial func(timeout time.Duration) (net.Conn, error)) {
	e.client.DialTimeout = func(_ string, timeout time.Duration) (net.Conn, error) { return dial(timeout) }
}

// Healthy reports whether the address gets requests.
func (e *Endpoint) Healthy() bool { return e.state.Load() == 0 }

// reachable reports whether it gets requests when too few addresses are healthy.
func (e *Endpoint) reachable() bool { return e.state.Load()&(open|gone) == 0 }

// tried reports whether single requests find out if an address is back whose breaker is open.
func (e *Endpoint) tried(panic bool) bool {
	s := e.state.Load()
	return s&open != 0 && s&gone == 0 && (panic || s&(ejected|failing) == 0)
}

// mark sets or clears a part of the state, and reports whether it was different.
func (e *Endpoint) mark(bit uint32, on bool) (changed bool) {
	if on {
		return e.state.Or(bit)&bit == 0
	}
	return e.state.And(^bit)&bit != 0
}

// Begin notes that a request goes to the address. [Endpoint.Done] ends it.
func (e *Endpoint) Begin() { e.inFlight.Add(1) }

// ResponseMax is how long the body of an answer may be.
func (e *Endpoint) ResponseMax() int { return e.source.connections.ResponseMax }

// Exchange is a request that is sent, and its answer.
type Exchange interface {
	// IsHead reports whether the method is HEAD.
	IsHead() bool
	// Write sends the request.
	Write(c *upstreams.Conn, to *Endpoint) error
	// Source returns what the answer is read from: the connection, or what stands for it.
	Source(c *upstreams.Conn) net.Conn
	// Read reads the answer. It reports whether the connection must close.
	Read(c *upstreams.Conn, r *bufio.Reader) (done bool, err error)
}

// RoundTrip sends a request and reads the answer. A connection that turns out to be closed before a
// byte was sent is replaced by another one.
func (e *Endpoint) RoundTrip(x Exchange, timeout time.Duration) error {
	until := upstreams.Now() + timeout
	for {
		cc, err := e.client.AcquireConn(timeout, false)
		if err != nil {
			return err
		}
		c := cc.Conn().(*upstreams.Conn) //nolint:forcetypeassert // what DialTimeout returns
		done := false
		if err = c.Begin(until, x.IsHead()); err == nil {
			if err = x.Write(c, e); err == nil {
				r := e.client.AcquireReader(x.Source(c))
				done, err = x.Read(c, r)
				e.client.ReleaseReader(r)
			}
		}
		if err == nil && !done {
			e.client.ReleaseConn(cc)
			return nil
		}
		e.client.CloseConn(cc)
		if !errors.Is(err, upstreams.ErrStale) {
			return err
		}
		if timeout = until - upstreams.Now(); timeout <= 0 {
			return fasthttp.ErrTimeout
		}
	}
}
