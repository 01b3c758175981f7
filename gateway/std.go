package gateway

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/valyala/fasthttp"
)

// ServeHTTP takes requests from a server of net/http: the same stages, with a copy of each request
// and answer between the two libraries. Use it where net/http must be the server, for HTTP/2, say;
// its limits on heads, connections and time are those of that server. Shutdown does not know its
// connections: shut the server down first.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	m := messages.Get().(*message)
	defer m.release()
	if status, reason := m.read(r, g.options.BodyMax); status != 0 {
		g.metrics.rejected(reason)
		if r.ProtoMajor == 1 { // a stream of HTTP/2 is not the connection
			w.Header().Set("Connection", "close")
		}
		w.WriteHeader(status)
		return
	}
	x := g.exchanges.Get().(*exchange)
	s := sender{}
	if tcp, err := netip.ParseAddrPort(r.RemoteAddr); err == nil {
		s.peer = tcp.Addr().Unmap()
	}
	if r.TLS != nil && len(r.TLS.VerifiedChains) > 0 {
		s.names = certificateNames(r.TLS.PeerCertificates[0])
	}
	x.begin(g.plan.Load(), &m.req, &m.resp, &s, began)
	g.serve(x)
	m.write(w, r, g.stopping.Load())
	x.end()
	g.exchanges.Put(x)
}

// message is a request and an answer in the types of fasthttp.
type message struct {
	req  fasthttp.Request
	resp fasthttp.Response
	body bytes.Buffer
}

var messages = sync.Pool{New: func() any { return new(message) }}

func (m *message) release() {
	m.req.Reset()
	m.resp.Reset()
	if m.body.Cap() > keepMax {
		m.body = bytes.Buffer{}
	}
	m.body.Reset()
	messages.Put(m)
}

// read copies a request. A status other than 0 says why it can't be read.
func (m *message) read(r *http.Request, bodyMax int) (status int, reason string) {
	if r.ContentLength > int64(bodyMax) {
		return http.StatusRequestEntityTooLarge, reasonSize
	}
	h := &m.req.Header
	h.SetMethod(r.Method)
	h.SetRequestURI(r.URL.RequestURI())
	h.SetHost(r.Host)
	for name, values := range r.Header {
		for _, value := range values {
			h.Add(name, value)
		}
	}
	m.resp.Header.SetNoDefaultContentType(true)
	if _, err := m.body.ReadFrom(io.LimitReader(r.Body, int64(bodyMax)+1)); err != nil {
		var tooLong *http.MaxBytesError
		switch {
		case errors.As(err, &tooLong):
			return http.StatusRequestEntityTooLarge, reasonSize
		case isTimeout(err):
			return http.StatusRequestTimeout, reasonHTTP
		}
		return http.StatusBadRequest, reasonHTTP
	}
	if m.body.Len() > bodyMax {
		return http.StatusRequestEntityTooLarge, reasonSize
	}
	m.req.SetBodyRaw(m.body.Bytes())
	return 0, ""
}

// write copies the answer.
func (m *message) write(w http.ResponseWriter, r *http.Request, last bool) {
	for name, value := range m.resp.Header.All() {
		if string(name) != fasthttp.HeaderContentLength {
			w.Header().Add(string(name), string(value))
		}
	}
	if last || m.resp.ConnectionClose() && r.ProtoMajor == 1 {
		w.Header().Set("Connection", "close")
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header()["Content-Type"] = nil // no guess
	}
	w.WriteHeader(m.resp.StatusCode())
	if r.Method != http.MethodHead {
		_, _ = w.Write(m.resp.Body()) // whoever asked is gone
	}
}
