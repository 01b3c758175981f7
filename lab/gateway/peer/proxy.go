package main

import (
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"time"

	"github.com/valyala/fasthttp"
)

// What all proxies here keep open, as the gateway does.
const (
	upstreamConnections = 1024
	upstreamIdle        = 4 * time.Second
	clientIdle          = 75 * time.Second
)

// bareProxy is fasthttp at its best: the request that was read is sent on as it is, the answer is
// read into the response that is written. No header is looked at, no body copied, all memory is
// pooled. It is what the gateway can't be cheaper than.
func bareProxy(o *options) error {
	upstream := &fasthttp.HostClient{
		Addr:     o.upstream,
		MaxConns: upstreamConnections, MaxIdleConnDuration: upstreamIdle,
		NoDefaultUserAgentHeader: true, DisableHeaderNamesNormalizing: true, DisablePathNormalizing: true,
		ReadBufferSize: 16 << 10, // as the gateway's
	}
	server := &fasthttp.Server{
		Handler: func(ctx *fasthttp.RequestCtx) {
			if err := upstream.Do(&ctx.Request, &ctx.Response); err != nil {
				ctx.Response.Reset()
				ctx.Response.SetStatusCode(fasthttp.StatusBadGateway)
			}
		},
		ReadBufferSize: 16 << 10, IdleTimeout: clientIdle, Concurrency: 16384,
		NoDefaultServerHeader: true, NoDefaultDate: true, NoDefaultContentType: true, DisableHeaderNamesNormalizing: true,
		DisablePreParseMultipartForm: true, MaxRequestBodySize: 256 << 10,
	}
	return server.ListenAndServe(o.listen)
}

// transport is net/http's client, with as many idle connections as the load needs.
func transport() *http.Transport {
	return &http.Transport{
		MaxIdleConns: upstreamConnections, MaxIdleConnsPerHost: upstreamConnections, MaxConnsPerHost: upstreamConnections,
		IdleConnTimeout: upstreamIdle, DisableCompression: true, WriteBufferSize: 16 << 10, ReadBufferSize: 16 << 10,
		DialContext: (&net.Dialer{Timeout: time.Second}).DialContext,
	}
}

// buffers are the pool of a ReverseProxy.
type buffers struct{ pool sync.Pool }

func (b *buffers) Get() []byte { return *b.pool.Get().(*[]byte) }

func (b *buffers) Put(p []byte) { b.pool.Put(&p) }

// reverseProxy is httputil.ReverseProxy with a tuned transport and a pool of buffers.
func reverseProxy(o *options) error {
	pool := &buffers{}
	pool.pool.New = func() any { return new(make([]byte, 32<<10)) }
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: o.upstream})
			r.SetXForwarded()
		},
		Transport: transport(), BufferPool: pool, ErrorLog: log.New(nowhere{}, "", 0),
	}
	return serve(o, proxy)
}

type nowhere struct{}

func (nowhere) Write(b []byte) (int, error) { return len(b), nil }

// serve serves with net/http.
func serve(o *options, h http.Handler) error {
	server := &http.Server{Addr: o.listen, Handler: h, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: clientIdle, ErrorLog: log.New(nowhere{}, "", 0)}
	return server.ListenAndServe()
}
