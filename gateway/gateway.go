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
//	limit.go     rates and requests in flight: what is shed
//	overload.go  how many requests the core can serve at once, by their latency
//	body.go      gzip, within limits
//	inspect.go   decode, budget, answers of state, verdict
//	budget.go    what is left of the time that the sender gives
//	forward.go   headers on the way, edits
//	upstream.go  upstreams: the choice, connections, what errors mean
//	breaker.go   an upstream that fails is left alone
//	outbound.go  a connection to an upstream: was it closed, was anything sent
//	relay.go     the answer on its way back
//	style.go     answers to what is refused
//
// Around it:
//
//	options.go   Options and their defaults
//	plan.go      what the options are compiled to, replaced as a whole by Reload
//	exchange.go  the memory of one request
//	drain.go     Shutdown: nothing that was read is lost
//	reload.go    Reload: other options for the next requests
//	metrics.go   what is counted
//	gauges.go    what is measured when somebody asks
//	publisher.go counts of single publishers
//	rejects.go   the last refused requests
package gateway

import (
	"net"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/gateway/live"
)

// Gateway takes bid requests. Make it with [New].
type Gateway struct {
	options Options // of New: what Reload can't change
	plan    atomic.Pointer[plan]
	server  fasthttp.Server
	conns   connections

	metrics  metrics
	rejects  live.Ring
	overload overload
	inFlight atomic.Int64

	exchanges sync.Pool // of *exchange
	reloading sync.Mutex
	reloads   reloads
	serving   atomic.Int64 // calls of Serve
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
	g.use(p)
	g.exchanges.New = func() any { return &exchange{g: g} }
	g.conns.init(o.MemoryMax)
	g.overload.init(o.InFlightMax, o.OverloadTolerance)
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

// use puts a plan in use.
func (g *Gateway) use(p *plan) {
	for _, own := range p.partners {
		own.requests = g.metrics.partnerOutcomes(own.Name)
	}
	g.plan.Store(p)
	g.reloads.done()
}

// Serve takes connections of a listener until Shutdown, after which it returns nil. It may be
// called for several listeners.
func (g *Gateway) Serve(ln net.Listener) error {
	g.serving.Add(1)
	defer g.serving.Add(-1)
	tracked := g.conns.track(ln)
	// The guard goes here, around tracked: fasthttp sees nothing that was not checked.
	return g.server.Serve(tracked)
}

// handle answers one request of fasthttp.
func (g *Gateway) handle(ctx *fasthttp.RequestCtx) {
	c := connOf(ctx.Conn())
	x := g.exchanges.Get().(*exchange)
	x.begin(g.plan.Load(), &ctx.Request, &ctx.Response, c.identity(), c.busy())
	g.serve(x)
	if g.stopping.Load() {
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
	case routeThrough:
		x.tracing()
		if x.admitted() {
			x.through()
		}
	case routeStatus:
		x.status()
	}
}
