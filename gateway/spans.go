package gateway

import (
	"net"
	"strconv"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/internal/serving/tracing"
)

// beginTrace decides whether the request is traced.
func (x *exchange) beginTrace() {
	parent, parents := []byte(nil), 0
	for name, value := range x.request.http.Header.All() { // Peek would normalize the name first
		if string(name) == tracing.HeaderParent {
			parent, parents = value, parents+1
		}
	}
	c, broken := x.plan.options.Sampling.Begin(parent, parents)
	if c != nil {
		x.trace = &trace{context: *c, broken: broken}
	}
}

// endTrace gives the spans of the request to the tracer, if it is sampled.
func (x *exchange) endTrace(now time.Time) {
	t := x.trace
	if !t.context.Sampled() {
		return
	}
	out := &tracing.Trace{Context: t.context, Root: x.rootSpan(now)}
	r, d := &x.request, &x.decision
	out.Stage("decode", r.read, t.decoded)
	out.Stage("verdict", t.decoded, d.judged)
	if !t.answered.IsZero() {
		out.Inside = append(out.Inside, x.upstreamSpan())
	}
	out.Stage("response", t.judging, t.judged)
	x.plan.options.Tracer.Take(out)
}

// rootSpan is the span of the whole request.
func (x *exchange) rootSpan(now time.Time) tracing.Span {
	t, r, d := x.trace, &x.request, &x.decision
	status := x.answer.http.StatusCode()
	s := tracing.Span{Kind: tracing.Server, Began: r.began, Ended: now, Name: methodName(r.http.Header.Method())}
	s.Add(tracing.Text("http.request.method", s.Name), tracing.Text("url.scheme", r.sender.scheme()), tracing.Number("http.response.status_code", status))
	if route := r.head.path; x.plan.routes[string(route)] != routeNone { // others are whatever the sender likes
		s.Name += " " + string(route)
		s.Add(tracing.Text("http.route", string(route)), tracing.Text("url.path", string(route)))
	}
	s.Add(
		tracing.Number("http.request.body.size", len(r.http.Body())), tracing.Number("http.response.body.size", len(x.answer.http.Body())),
		tracing.Text("rtbwire.partner", r.partnerName()), tracing.Text("rtbwire.publisher.id", t.publisher),
		tracing.Text("rtbwire.outcome", outcomeNames[d.outcome]), tracing.Text("rtbwire.reason", d.reason),
	)
	if t.scored {
		s.Add(tracing.Number("rtbwire.score", t.score))
	}
	if t.nbr != 0 {
		s.Add(tracing.Number("rtbwire.nbr", t.nbr))
	}
	s.Events = []tracing.Event{{Name: "read", At: r.read}}
	if d.outcome == outcomeFailed || status >= fasthttp.StatusInternalServerError {
		s.Failed = d.reason
	}
	return s
}

// upstreamSpan is the span of the upstream's work, as the gateway sees it.
func (x *exchange) upstreamSpan() tracing.Span {
	t := x.trace
	s := tracing.Span{
		Kind: tracing.Client, ID: t.context.Next, Began: t.asking, Ended: t.answered, Events: t.tries, Failed: t.failed,
		Name: methodName(x.request.http.Header.Method()),
	}
	s.Add(tracing.Text("http.request.method", s.Name), tracing.Number("http.request.body.size", len(x.outgoing.document)))
	if e := t.asked; e != nil {
		s.Add(tracing.Text("rtbwire.upstream", e.Upstream()))
		address, port, err := net.SplitHostPort(e.Address)
		if err != nil {
			address = e.Address // of a socket
		}
		s.Add(tracing.Text("server.address", address))
		if n, err := strconv.Atoi(port); err == nil {
			s.Add(tracing.Number("server.port", n))
		}
	}
	again := len(t.tries)
	if x.outgoing.asked == nil {
		again-- // the last one was the end
	}
	if again > 0 {
		s.Add(tracing.Number("http.request.resend_count", again))
	}
	if t.status != 0 {
		s.Add(tracing.Number("http.response.status_code", t.status))
	}
	if t.status >= fasthttp.StatusInternalServerError {
		s.Failed = strconv.Itoa(t.status)
	}
	return s
}

// methodName returns a method of HTTP, or the name that stands for others.
func methodName(method []byte) string {
	switch m := string(method); m {
	case fasthttp.MethodGet, fasthttp.MethodHead, fasthttp.MethodPost, fasthttp.MethodPut, fasthttp.MethodDelete, fasthttp.MethodOptions, fasthttp.MethodPatch:
		return m
	}
	return "_OTHER"
}
