package core

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// Server answers bid requests over HTTP. Any goroutine may call its methods.
type Server struct {
	config  Config
	http    *fasthttp.Server
	workers sync.Pool // of *worker
	made    atomic.Uint32
	shards  [shards]counters
	ids     ring
}

// worker is the memory of one request at a time.
type worker struct {
	decoder  *openrtb.Decoder
	bidder   Bidder
	out      []byte
	counters *counters
}

// New returns a server.
func New(config Config) (*Server, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Server{config: config}
	s.ids.size = config.KeepIDs
	s.workers.New = func() any {
		return &worker{decoder: openrtb.NewDecoder(wire.MaxSize(config.MaxBody)), counters: &s.shards[s.made.Add(1)%shards]}
	}
	s.http = &fasthttp.Server{
		Handler:               s.handle,
		ErrorHandler:          unreadable,
		ReadTimeout:           readTimeout,
		IdleTimeout:           idleTimeout,
		MaxRequestBodySize:    config.MaxBody,
		Logger:                silent{},
		NoDefaultServerHeader: true,
		NoDefaultDate:         true,
		CloseOnShutdown:       true,
	}
	return s, nil
}

// The longest time that a request may take to arrive, and that a connection may wait for the next.
const (
	readTimeout = 30 * time.Second
	idleTimeout = 10 * time.Minute
)

// unreadable answers a request that can't be read.
func unreadable(ctx *fasthttp.RequestCtx, err error) {
	var timeout net.Error
	var head *fasthttp.ErrSmallBuffer
	switch {
	case errors.Is(err, fasthttp.ErrBodyTooLarge):
		ctx.SetStatusCode(fasthttp.StatusRequestEntityTooLarge)
	case errors.As(err, &head):
		ctx.SetStatusCode(fasthttp.StatusRequestHeaderFieldsTooLarge)
	case errors.As(err, &timeout) && timeout.Timeout():
		ctx.SetStatusCode(fasthttp.StatusRequestTimeout)
	default:
		ctx.SetStatusCode(fasthttp.StatusBadRequest)
	}
}

// silent drops what fasthttp logs about broken connections: tests torment a stand-in.
type silent struct{}

// Printf implements fasthttp.Logger.
func (silent) Printf(string, ...any) {}

// Serve answers the requests that arrive at a listener, until [Server.Shutdown].
func (s *Server) Serve(l net.Listener) error { return s.http.Serve(l) }

// Shutdown stops listening, answers what has arrived, and closes idle connections. It returns
// early when ctx ends.
func (s *Server) Shutdown(ctx context.Context) error { return s.http.ShutdownWithContext(ctx) }

// Stats returns what the server has counted so far.
func (s *Server) Stats() Stats { return s.stats() }

// Listen listens at "HOST:PORT" or at the unix socket "unix:PATH". A socket that a process left
// behind when it died is replaced; one at which a process still listens is not.
func Listen(address string) (net.Listener, error) {
	path, unix := strings.CutPrefix(address, "unix:")
	if !unix {
		return net.Listen("tcp", address)
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case info.Mode().Type() != fs.ModeSocket:
		return nil, fmt.Errorf("listen %s: this is not a socket; remove it or choose another name", address)
	default:
		if c, err := net.DialTimeout("unix", path, time.Second); err == nil {
			_ = c.Close() // it was a question only
			return nil, fmt.Errorf("listen %s: another process listens there", address)
		}
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	return net.Listen("unix", path)
}

// handle answers one HTTP request.
func (s *Server) handle(ctx *fasthttp.RequestCtx) {
	if ctx.IsPost() {
		s.auction(ctx)
		return
	}
	switch path := string(ctx.Path()); {
	case !ctx.IsGet() && !ctx.IsHead():
		ctx.Response.Header.Set("Allow", "GET, HEAD, POST")
		ctx.SetStatusCode(fasthttp.StatusMethodNotAllowed)
	case path == "/stats":
		ctx.SetContentType("application/json")
		ctx.SetBody(appendStats(nil, s.Stats()))
	case path == "/healthz":
		ctx.SetBodyString("ok\n")
	default:
		ctx.SetStatusCode(fasthttp.StatusNotFound)
	}
}

// auction answers a bid request.
func (s *Server) auction(ctx *fasthttp.RequestCtx) {
	var start time.Time
	if s.config.Latency.quantile != nil {
		start = time.Now()
	}
	w := s.workers.Get().(*worker)
	c := w.counters
	c.requests.Add(1)
	c.bytesIn.Add(int64(len(ctx.Request.Body())))
	latency := s.respond(ctx, w)
	s.workers.Put(w) // others use it while this request waits
	if n := len(ctx.Response.Body()); n > 0 {
		c.bytesOut.Add(int64(n))
	}
	if latency > 0 {
		time.Sleep(latency - time.Since(start))
	}
	c.done.Add(1)
}

// respond fills in the response and returns how long it is to take.
func (s *Server) respond(ctx *fasthttp.RequestCtx, w *worker) time.Duration {
	body, status := s.body(ctx)
	if status == 0 {
		req, err := w.decoder.Decode(body)
		if err == nil {
			defer w.decoder.Reset()
			if s.config.KeepIDs > 0 {
				s.ids.add(strings.Clone(req.ID))
			}
			d := drawsOf(s.config.Seed, req.ID)
			latency := s.config.Latency.At(d.unit())
			s.answer(ctx, w, req, &d)
			return latency
		}
		status = fasthttp.StatusBadRequest
	}
	w.counters.malformed.Add(1)
	ctx.SetStatusCode(status)
	return 0
}

// body returns the body of a request as JSON, or the status that refuses it.
func (s *Server) body(ctx *fasthttp.RequestCtx) ([]byte, int) {
	encoding := ctx.Request.Header.ContentEncoding()
	switch {
	case len(encoding) == 0 || string(encoding) == "identity":
		return ctx.Request.Body(), 0
	case string(encoding) != "gzip":
		return nil, fasthttp.StatusUnsupportedMediaType
	}
	body, err := ctx.Request.BodyGunzipWithLimit(s.config.MaxBody)
	switch {
	case errors.Is(err, fasthttp.ErrBodyTooLarge):
		return nil, fasthttp.StatusRequestEntityTooLarge
	case err != nil:
		return nil, fasthttp.StatusBadRequest
	}
	return body, 0
}

// answer fills in the response.
func (s *Server) answer(ctx *fasthttp.RequestCtx, w *worker, req *openrtb.BidRequest, d *draws) {
	c := w.counters
	choice := s.config.outcome(d)
	if choice == outcomeBid {
		var ok bool
		if w.out, ok = w.bidder.append(w.out[:0], req, d); ok {
			c.bids.Add(1)
			json200(ctx, w.out)
			return
		}
		c.unbiddable.Add(1)
		choice = outcomeNoBid
	}
	switch choice {
	case outcomeError:
		c.errors.Add(1)
		ctx.SetStatusCode(fasthttp.StatusInternalServerError)
		return
	case outcomeGarbage:
		c.garbage.Add(1)
		w.out = append(w.out[:0], garbage[d.below(len(garbage))]...)
		json200(ctx, w.out)
		return
	case outcomeReason:
		c.noBids.Add(1)
		resp := openrtb.BidResponse{ID: req.ID, NBR: new(adcom.NoBidReasonUnmatchedUser)}
		var err error
		if w.out, err = resp.AppendJSON(w.out[:0]); err == nil {
			json200(ctx, w.out)
			return
		}
	default:
		c.noBids.Add(1)
	}
	ctx.SetStatusCode(fasthttp.StatusNoContent)
}

// json200 answers with a copy of a body.
func json200(ctx *fasthttp.RequestCtx, body []byte) {
	ctx.Response.Header.SetContentTypeBytes(typeJSON)
	ctx.Response.SetBody(body)
}

var typeJSON = []byte("application/json")

// garbage are bodies that are not the response to a request.
var garbage = [...]string{
	`{"id":"1","seatbid":[{"bid":[{"id":"1","impid":`,
	"<html><body><h1>502 Bad Gateway</h1></body></html>",
	`{"id":"an-answer-to-something-else","seatbid":[{"bid":[{"id":"1","impid":"no-such-impression","price":1.5}]}]}`,
	`{"id":1,"seatbid":{}}`,
	"",
}
