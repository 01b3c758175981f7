package gateway

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/internal/breaker"

	"github.com/rtbwire/rtbwire/internal/serving/guard"
	"github.com/rtbwire/rtbwire/internal/serving/upstreams"
)

// upstream is a server that accepted requests go to.
type upstream struct {
	settings upstreamSettings
	host     []byte              // for the header Host
	path     []byte              // in place of that of requests; empty: theirs
	client   fasthttp.HostClient // the pool of its connections
	breaker  breaker.Breaker
	drained  atomic.Bool // by an operator
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

// pool is the upstreams of a plan.
type pool struct {
	list []*upstream
	turn atomic.Uint32 // where to begin to look, so that equals share
}

// newPool returns the upstreams of options. Those that the plan before has are kept.
func newPool(o *Options, before *plan) (u *pool, err error) {
	u = &pool{}
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
	at, err := upstreams.Parse(s.name)
	if err != nil {
		return nil, fmt.Errorf("gateway: %w", err)
	}
	secure, err := at.TLS(s.authorities)
	if err != nil {
		return nil, fmt.Errorf("gateway: %w", err)
	}
	u := &upstream{settings: s, host: []byte(at.Host), path: []byte(at.Path)}
	u.breaker.Init(BreakerFailures, BreakerPause)
	limits := &guard.Options{HeadBytes: s.headMax, Fields: guard.DefaultFields, BodyBytes: int64(s.responseMax)}
	u.client = fasthttp.HostClient{
		Addr: at.Host,
		DialTimeout: func(_ string, timeout time.Duration) (net.Conn, error) {
			return at.Dial(secure, limits, timeout)
		},
		MaxConns:            s.connectionsMax,
		MaxIdleConnDuration: s.idleTimeout,
		ReadBufferSize:      s.headMax,
		ConnPoolStrategy:    fasthttp.LIFO, // the fewest connections that the load needs
	}
	return u, nil
}

// Drain implements [drainer].
func (u *pool) Drain(name string) error { return u.setDrained(name, true) }

// Restore implements [drainer].
func (u *pool) Restore(name string) error { return u.setDrained(name, false) }

func (u *pool) setDrained(name string, drained bool) error {
	for _, own := range u.list {
		if own.settings.name == name {
			own.drained.Store(drained)
			return nil
		}
	}
	return fmt.Errorf("gateway: no upstream %q", name)
}

// choose returns the upstream with the fewest requests in flight, or one whose breaker lets a
// request try; nil if all breakers are open. Drained ones are left out.
func (u *pool) choose() *upstream {
	if len(u.list) == 1 {
		if own := u.list[0]; !own.drained.Load() && (own.breaker.Closed() || own.breaker.Probe()) {
			return own
		}
		return nil
	}
	var best *upstream
	fewest := int64(0)
	from := int(u.turn.Add(1))
	for i := range u.list {
		own := u.list[(from+i)%len(u.list)]
		if own.drained.Load() {
			continue
		}
		if !own.breaker.Closed() {
			if own.breaker.Probe() {
				return own
			}
			continue
		}
		if n := own.inFlight.Load(); best == nil || n < fewest {
			best, fewest = own, n
		}
	}
	return best
}

// done notes the end of an exchange.
func (u *upstream) done(err error, timeout time.Duration) {
	u.inFlight.Add(-1)
	u.asked.Add(1)
	if err != nil {
		u.failed.Add(1)
	}
	switch {
	case err == nil:
		u.breaker.Success()
	case errors.Is(err, fasthttp.ErrNoFreeConns), errors.Is(err, errMemory): // says nothing about the upstream
	case upstreams.IsTimeout(err) && timeout < u.settings.unhealthy: // the sender gave too little time
	default:
		u.breaker.Failure()
	}
}
