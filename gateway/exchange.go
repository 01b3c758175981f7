package gateway

import (
	"net/netip"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/wire"
)

// keepMax is how large a buffer may be that is kept for the next request. Larger ones are dropped:
// a few large requests must not leave large buffers everywhere.
const keepMax = 64 << 10

// exchange is the memory of one request while it is served. Everything in it belongs to that
// request alone, until end.
type exchange struct {
	g    *Gateway
	plan *plan
	work
	buffers
}

// work is what is known about the request. It is cleared at the end.
type work struct {
	req    *fasthttp.Request
	resp   *fasthttp.Response
	sender *sender
	began  time.Time // when the first byte was read
	read   time.Time // when the whole request was
	judged time.Time // when there was a verdict
	ended  time.Time // when there was an answer

	head      head
	partner   *partner // nil if none
	unread    bool     // it passes through
	counted   bool     // by the limit on concurrency
	version   int      // the length of buffers.versionBytes in use
	versioned bool     // the upstream's answer has a version
	body      []byte   // the document as it was sent, after inflation
	document  []byte   // the body that goes on
	replaced  bool     // document is not the body as it was sent
	trusted   bool     // the peer is a trusted proxy
	forUs     bool     // Authorization has the token of a partner
	worker    *inspect.Worker
	reserved  int64 // of the memory of decoded documents

	inflatedHeld int64 // bytes of the inflated document, which count as if they had been read

	deadline time.Time // that tmax sets; zero if none
	facts    inspect.Facts
	verdict  inspect.Verdict
	id       string // of the bid request, after the worker is released

	responses ResponseMode // what becomes of the answer
	takesGzip bool         // the sender, if that matters

	hasPublisher bool // buffers.publisher was noted

	outcome outcome
	reason  string
}

// buffers are memory for the next request too.
type buffers struct {
	inflated       []byte // the document
	spliced        []byte // the document with edits
	answer         []byte // of our own
	edited         []byte // the upstream's answer with edits
	compressed     []byte // the answer
	inflatedAnswer []byte
	scratch        []byte // values of headers
	idBytes        []byte // id
	traceID        []byte // X-Request-Id
	publisher      []byte // its id, if publishers are counted
	versionBytes   [versionMax]byte
	held           []*limiter
	drop           [][]byte // names of headers
	ours           []byte   // fields for the upstream
	outgoing       []byte   // the request to the upstream
	forwarded      []netip.Addr
	headers        []inspect.Header
	vendors        []inspect.VendorAnswer
	lowered        []wire.Edit // of the verdict, and tmax
	tmaxText       []byte
}

// begin prepares an exchange for a request.
func (x *exchange) begin(p *plan, req *fasthttp.Request, resp *fasthttp.Response, s *sender, began time.Time) {
	x.plan = p
	x.req, x.resp, x.sender, x.began, x.read = req, resp, s, began, time.Now()
}

// end drops everything that belongs to the request. What the response needs is in the response.
func (x *exchange) end() {
	x.ended = time.Now()
	x.releaseLimits()
	x.g.metrics.done(x)
	x.returnWorker()
	x.g.conns.held.Add(-x.inflatedHeld)
	if cap(x.req.Body()) > keepMax {
		x.req.SwapBody(nil)
	}
	x.plan, x.work = nil, work{}
	x.buffers.trim()
}

// all returns the buffers of bytes.
func (b *buffers) all() [13]*[]byte {
	return [...]*[]byte{
		&b.inflated, &b.spliced, &b.answer, &b.edited, &b.compressed, &b.inflatedAnswer, &b.scratch, &b.idBytes, &b.traceID, &b.publisher,
		&b.ours, &b.outgoing, &b.tmaxText,
	}
}

// trim drops what is too large to be kept, and what others own.
func (b *buffers) trim() {
	for _, buffer := range b.all() {
		if cap(*buffer) > keepMax {
			*buffer = nil
		}
	}
	clear(b.headers)
	clear(b.vendors)
	clear(b.lowered) // values can be parts of the text
	poison(b)
}
