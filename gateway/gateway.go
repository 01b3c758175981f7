// Package gateway is the HTTP tier in front of an auction: it takes bid requests, asks the verdict
// of package inspect, forwards what is accepted byte for byte, and answers the rest itself.
//
//	g, err := gateway.New(gateway.Options{Upstreams: []string{"http://127.0.0.1:9000"}})
//	...
//	go g.Serve(listener)
//	...
//	err = g.Shutdown(ctx) // answers what was read
//
// The path of a request, with the file of each stage:
//
//	listen.go    the connection: who the peer is, when the first byte came, limits
//	transport/   before that: the PROXY protocol and TLS
//	guard/       framing: what two parsers could read in two ways ends here
//	http2.go     HTTP/2, where a client of TLS chooses it
//	admit.go     method, path, version, type and encoding, before anything is decoded
//	partner.go   who sends it, proved by certificate, address or token
//	limit.go     rates and requests in flight: what is shed
//	overload.go  how many requests the core can serve at once, by their latency
//	body.go      gzip, within limits
//	decoding.go  the memory of decoded documents
//	inspect.go   decode, budget, answers of state, verdict
//	budget.go    what is left of the time that the sender gives
//	capture.go   a sample is kept
//	edits.go     what is changed on the way
//	forward.go   headers on the way
//	upstream.go  upstreams: the choice, connections, what errors mean
//	breaker.go   an upstream that fails is left alone
//	send.go      one exchange with an upstream
//	upstreams/   a connection to an upstream: was it closed, was anything sent
//	relay.go     the answer on its way back
//	custom.go    inspections and an auction of your own
//	nobid.go     answers to what is refused
//
// Around it:
//
//	options.go   Options and their defaults
//	plan.go      what the options are compiled to, replaced as a whole by Reload
//	exchange.go  the memory of one request
//	std.go       net/http in place of fasthttp
//	drain.go     Shutdown: nothing that was read is lost
//	reload.go    Reload: other options for the next requests
//	metrics.go   what is counted
//	gauges.go    what is measured when somebody asks
//	publisher.go counts of single publishers
//	rejects.go   the last refused requests
package gateway

import (
	"errors"
	"net"
	"net/http"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/internal/serving/guard"
	"github.com/rtbwire/rtbwire/internal/serving/rejects"
)

// Gateway takes bid requests. Make it with [New].
type Gateway struct {
	options Options // of New: what Reload can't change
	plan    atomic.Pointer[plan]
	server  fasthttp.Server
	guard   *guard.Guard // in front of it
	conns   connections
	http2   http2
	std     http.Server

	metrics  metrics
	rejects  rejects.Ring
	overload overload
	decoding allowance // bytes that decoded documents may need
	inFlight atomic.Int64

	exchanges sync.Pool // of *exchange
	reloading sync.Mutex
	reloads   reloads
	stopping  atomic.Bool
	stopped   chan struct{}
}

// New returns a gateway. It opens no connection.
func New(o Options) (*Gateway, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	g := &Gateway{options: o, stopped: make(chan struct{})}
	g.newMetrics()
	p, err := newPlan(&o, nil)
	if err != nil {
		return nil, err
	}
	p.prepare()
	g.use(p)
	g.exchanges.New = func() any { return &exchange{g: g} }
	if g.guard, err = g.newGuard(); err != nil {
		return nil, err
	}
	g.conns.init(&o, func() { g.metrics.rejected(reasonConnections) })
	g.newHTTP2()
	g.newStd()
	g.decoding.init(int64(o.MemoryMax / decodeShare))
	g.overload.init(o.InFlightMax, o.OverloadTolerance)
	g.server = fasthttp.Server{
		Handler:       g.handle,
		ErrorHandler:  g.unreadable,
		ExpectHandler: g.expected,
		ConnState:     connState,
		Concurrency:   2 * o.ConnectionsMax, // for each listener; our own limit is for all
		// The deadlines are the guard's for reading, and those of our connections for writing.
		ReadBufferSize:               o.HeadMax, // what the guard lets in has room
		MaxRequestBodySize:           o.BodyMax,
		NoDefaultServerHeader:        true,
		NoDefaultContentType:         true,
		DisablePreParseMultipartForm: true,
		SecureErrorLogMessage:        true,
		Logger:                       serverLog{o.Logger},
	}
	return g, nil
}

// use puts a plan in use.
func (g *Gateway) use(p *plan) {
	for _, own := range p.partners {
		own.requests = g.metrics.partnerOutcomes(own.Name)
	}
	g.plan.Store(p)
	g.reloads.done()
}

// newGuard returns the guard in front of the server: what it refuses is answered and counted, and
// no library sees it.
func (g *Gateway) newGuard() (*guard.Guard, error) {
	o := &g.options
	return guard.New(guard.Options{
		HeadBytes: o.HeadMax, BodyBytes: int64(o.BodyMax),
		HeadTimeout: o.HeadTimeout, BodyTimeout: o.BodyTimeout, IdleTimeout: o.IdleTimeout,
		OnRefuse: func(code string, _ int) { g.metrics.rejected(reasonGuard + code) },
	})
}

// ErrClosed is the error of a Serve that begins after Shutdown.
var ErrClosed = errors.New("gateway: Serve after Shutdown")

// Serve takes connections of a listener until Shutdown, after which it returns nil. It may be
// called for several listeners. One with a method HTTP2, as those of package transport have, also
// has connections of HTTP/2. After Shutdown has returned it closes the listener, and returns
// [ErrClosed].
//
// Open the listener as package transport does, or with a [net.ListenConfig] after
// SetMultipathTCP(false): on Linux Shutdown can lose connections of a socket of Multipath TCP, as
// [net.Listen] opens by default where the system has it.
func (g *Gateway) Serve(ln net.Listener) error { return g.serveWith(g.server.Serve, ln) }

// serveWith serves with a server, which sees nothing that the guard did not check.
func (g *Gateway) serveWith(serve func(net.Listener) error, ln net.Listener) error {
	tracked := g.conns.track(ln)
	if tracked == nil {
		_ = ln.Close()
		return ErrClosed
	}
	defer g.conns.untrack(tracked)
	if source, ok := ln.(http2Source); ok {
		if own := source.HTTP2(); own != nil {
			var serving sync.WaitGroup
			serving.Go(func() { _ = g.ServeHTTP2(own) }) // whose end is that of ln
			defer serving.Wait()
		}
	}
	return serve(g.guard.Listener(tracked))
}

// handle answers one request of fasthttp.
func (g *Gateway) handle(ctx *fasthttp.RequestCtx) {
	c := connOf(ctx.Conn())
	x := g.exchanges.Get().(*exchange)
	x.begin(g.plan.Load(), &ctx.Request, &ctx.Response, c.identity(), c.busy())
	g.serve(x)
	if g.stopping.Load() && !queued(ctx.Conn()) { // what was read is answered
		ctx.Response.SetConnectionClose()
	}
	x.end()
	g.exchanges.Put(x)
}

// serve takes a request through its stages. A panic is answered like any other failure.
func (g *Gateway) serve(x *exchange) {
	g.inFlight.Add(1)
	defer func() {
		g.inFlight.Add(-1)
		if p := recover(); p != nil {
			x.worker = nil // in an unknown state
			g.options.Logger.Error("panic while a request was served", "panic", p, "stack", string(debug.Stack()))
			x.resp.Reset()
			x.resp.Header.SetNoDefaultContentType(true)
			x.unavailable(failPanic)
		}
	}()
	switch x.admit() {
	case routeAuction:
		x.noteVersion()
		x.tracing()
		if x.admitted() && x.inflate() && x.inspect() {
			x.forward()
		}
		x.identifyAnswer()
	case routePassthrough:
		x.tracing()
		if x.admitted() {
			x.through()
		}
	case routeStatus:
		x.status()
	}
}
