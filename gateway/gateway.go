package gateway

import (
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/internal/serving/candidate"
	"github.com/rtbwire/rtbwire/internal/serving/guard"
	"github.com/rtbwire/rtbwire/internal/serving/rejects"
)

// Gateway takes bid requests. Make it with [New].
type Gateway struct {
	options Options // of New: what Reload can't change
	plan    atomic.Pointer[plan]
	// overrides are changes of operators; nil for none.
	overrides atomic.Pointer[Overrides]
	server    fasthttp.Server
	guard     *guard.Guard // in front of it
	conns     connections
	http2     http2
	std       http.Server

	metrics  metrics
	rejects  rejects.Ring
	overload overload
	mirrors  mirrors
	decoding byteBudget // bytes that decoded documents may need
	inFlight atomic.Int64

	exchanges sync.Pool // of *exchange
	reloading sync.Mutex
	reloads   rejects.Reloads
	begun     sync.Once
	runs      bool                 // work is done in the background; with the lock for reloading
	candidate *candidate.Candidate // nil without one
	stopping  atomic.Bool
	stopped   chan struct{}
}

// New returns a gateway. It opens no connection.
func New(o Options) (*Gateway, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	g := &Gateway{options: o, stopped: make(chan struct{})}
	g.candidate = candidate.New(candidate.Options{Holder: o.Candidate, Share: o.CandidateShare, Namespace: Namespace, Logger: o.Logger})
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
	g.mirrors.init(o.MirrorQueueMax, o.MirrorRequestsMax)
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
	g.candidate.Start()
	return g, nil
}

// use puts a plan in use.
func (g *Gateway) use(p *plan) {
	for _, own := range p.partners {
		own.counts = g.metrics.countsOf(own.Name)
	}
	p.upstreams.Use(g.plan.Load().set())
	p.upstreams.Drain(g.overrides.Load().drainedUpstreams())
	g.plan.Store(p)
	if g.runs {
		p.upstreams.Run()
	}
	g.reloads.Done()
}

// background begins what is done besides requests: names of upstreams are resolved, their health is
// checked. It ends with Shutdown.
func (g *Gateway) background() {
	g.begun.Do(func() {
		g.reloading.Lock()
		defer g.reloading.Unlock()
		if !g.stopping.Load() {
			g.runs = true
			g.plan.Load().upstreams.Run()
		}
	})
}

// endBackground ends that.
func (g *Gateway) endBackground() {
	g.reloading.Lock()
	defer g.reloading.Unlock()
	g.runs = false
	g.plan.Load().upstreams.Stop()
}

// newGuard returns the guard in front of the server: what it refuses is answered and counted, and
// no library sees it.
func (g *Gateway) newGuard() (*guard.Guard, error) {
	o := &g.options
	return guard.New(guard.Options{
		HeadBytes: o.HeadMax, BodyBytes: int64(o.BodyMax),
		HeadTimeout: o.HeadTimeout, BodyTimeout: o.BodyTimeout, IdleTimeout: o.IdleTimeout,
		OnRefuse: func(code string, _ int) { g.metrics.rejected(reasonGuard + code) },
		Explain: func(_ string, status int) string {
			if status != fasthttp.StatusRequestEntityTooLarge {
				return ""
			}
			return g.plan.Load().explainUnread()
		},
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
	g.background()
	if source, ok := ln.(http2Source); ok {
		if own := source.HTTP2(); own != nil {
			var serving sync.WaitGroup
			serving.Go(func() { _ = g.ServeHTTP2(own) }) // ends with ln
			defer serving.Wait()
		}
	}
	return serve(g.guard.Listener(tracked))
}

// handle answers one request of fasthttp.
func (g *Gateway) handle(ctx *fasthttp.RequestCtx) {
	c := connOf(ctx.Conn())
	x := g.exchanges.Get().(*exchange)
	x.begin(g.plan.Load(), &ctx.Request, &ctx.Response, c.identity(), c, c.busy())
	x.serve()
	if g.stopping.Load() && !queued(ctx.Conn()) { // what was read is answered
		ctx.Response.SetConnectionClose()
	}
	x.end()
	g.exchanges.Put(x)
}

// expected answers Expect: 100-continue: what is refused by its head is refused before the body is
// sent.
func (g *Gateway) expected(ctx *fasthttp.RequestCtx) int {
	status, reason, text := g.headStatus(&ctx.Request, connOf(ctx.Conn()).identity())
	if status == 0 {
		return fasthttp.StatusContinue
	}
	g.metrics.rejected(reason)
	(&answer{http: &ctx.Response}).explain(text)
	return status
}

// headStatus returns the status that refuses a request by its head alone, 0 for none, and a
// sentence about it.
func (g *Gateway) headStatus(req *fasthttp.Request, s *sender) (status int, reason, text string) {
	p, r := g.plan.Load(), request{http: req, sender: s}
	r.head.read(req)
	if _, status, reason = p.check(r.head.path, &req.Header, &r.head); status == 0 {
		return 0, "", ""
	}
	return status, reason, r.explain(p, rejected(status, reason))
}

// unreadable answers a request that fasthttp can't read. The connection closes afterwards. What the
// guard refuses was answered and counted by the guard, and what is written here goes nowhere.
func (g *Gateway) unreadable(ctx *fasthttp.RequestCtx, err error) {
	ctx.Response.Reset()
	ctx.Response.Header.SetNoDefaultContentType(true)
	if c, ok := ctx.Conn().(*guard.Conn); ok && c.Refused() {
		return
	}
	status, reason := unreadableStatus(err)
	ctx.Response.SetStatusCode(status)
	if status == fasthttp.StatusServiceUnavailable {
		ctx.Response.Header.Set(fasthttp.HeaderRetryAfter, retryAfter)
	}
	g.metrics.rejected(reason)
}

// unreadableStatus says what an error means that is not the guard's: there was no memory for the
// request, or the connection broke.
func unreadableStatus(err error) (status int, reason string) {
	if errors.Is(err, errMemory) {
		return fasthttp.StatusServiceUnavailable, failCapacity.reason
	}
	return fasthttp.StatusBadRequest, reasonHTTP
}
