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
//	admit.go     method, path, version, type and encoding, before anything is decoded
//	partner.go   who sends it, proved by certificate, address or token
//	limit.go     rates, requests in flight, capacity: what is shed
//	body.go      gzip, within limits
//	inspect.go   decode, budget, answers of state, verdict
//	budget.go    what is left of the time that the sender gives
//	forward.go   headers on the way, edits, the choice of an upstream
//	upstream.go  one upstream: connections, health, breaker
//	relay.go     the answer on its way back
//	style.go     answers to what is refused
//
// Around it:
//
//	options.go   Options and their defaults
//	plan.go      what the options are compiled to, replaced as a whole by Reload
//	exchange.go  the memory of one request
//	drain.go     Shutdown: nothing that was read is lost
package gateway

import (
	"net"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/valyala/fasthttp"
)

// Gateway takes bid requests. Make it with [New].
type Gateway struct {
	options Options // of New: what Reload can't change
	plan    atomic.Pointer[plan]
	server  fasthttp.Server
	conns   connections

	reloading sync.Mutex
	exchanges sync.Pool // of *exchange
	inFlight  atomic.Int64
}

// New returns a gateway. It opens no connection.
func New(o Options) (*Gateway, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	g := &Gateway{options: o}
	p, err := newPlan(&o, nil)
	if err != nil {
		return nil, err
	}
	g.plan.Store(p)
	g.exchanges.New = func() any { return &exchange{g: g} }
	g.conns.init(&g.options)
	g.server = fasthttp.Server{
		Handler:                      g.handle,
		ErrorHandler:                 g.unreadable,
		HeaderReceived:               g.headReceived,
		ExpectHandler:                g.expected,
		ConnState:                    connState,
		Concurrency:                  o.ConnectionsMax,
		ReadBufferSize:               o.HeadMax,
		MaxRequestBodySize:           o.BodyMax,
		ReadTimeout:                  o.HeadTimeout,
		WriteTimeout:                 o.WriteTimeout,
		IdleTimeout:                  o.IdleTimeout,
		NoDefaultServerHeader:        true,
		NoDefaultContentType:         true,
		DisablePreParseMultipartForm: true,
		SecureErrorLogMessage:        true,
		Logger:                       serverLog{o.Logger},
	}
	return g, nil
}

// Serve takes connections of a listener until Shutdown, after which it returns nil. It may be
// called for several listeners.
func (g *Gateway) Serve(ln net.Listener) error {
	tracked := g.conns.track(ln)
	// guard.NewListener(tracked, guard.Options{...}) goes here: fasthttp sees nothing unchecked.
	return g.server.Serve(tracked)
}

// handle answers one request of fasthttp.
func (g *Gateway) handle(ctx *fasthttp.RequestCtx) {
	c := connOf(ctx.Conn())
	x := g.exchanges.Get().(*exchange)
	x.begin(g.plan.Load(), &ctx.Request, &ctx.Response, &c.sender, c.busy())
	g.serve(x)
	if g.conns.draining.Load() {
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
			x.unavailable(failPanic)
		}
	}()
	switch x.admit() {
	case routeAuction:
		x.auction()
	case routeStatus:
		x.status()
	}
}

// auction is the path of a bid request.
func (x *exchange) auction() {
	if x.inflate() && x.inspect() {
		x.forward()
	}
}
