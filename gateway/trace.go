package gateway

import (
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/serving/balance"
	"github.com/rtbwire/rtbwire/internal/serving/tracing"
	"github.com/rtbwire/rtbwire/openrtb"
)

// trace is what is noted about a request for its spans. Most requests have none.
type trace struct {
	context tracing.Context
	broken  bool // the sender's traceparent, so that its tracestate means nothing

	decoded   time.Time
	publisher string
	score     int
	scored    bool
	nbr       int

	asking, answered time.Time // of the upstream
	asked            *balance.Endpoint
	status           int
	failed           string
	tries            []tracing.Event // those that failed

	judging, judged time.Time // the upstream's answer
}

// tell makes the request that goes on tell where it is in the trace.
func (t *trace) tell(h *fasthttp.RequestHeader) {
	var text [64]byte
	h.Del(tracing.HeaderParent)
	h.SetBytesV(tracing.HeaderParent, t.context.Append(text[:0]))
	if t.broken {
		h.Del(tracing.HeaderState)
	}
}

// verdict notes what was decided. The request is nil if it could not be decoded.
func (t *trace) verdict(v *inspect.Verdict, bid *openrtb.BidRequest) {
	t.score, t.scored, t.nbr = v.Score, bid != nil, int(v.NBR)
	if bid != nil {
		t.publisher = strings.Clone(publisherLabel(inspect.PublisherOf(bid))) // its memory is used again
	}
}

// tried notes that an address did not get the request, and why, in a word.
func (t *trace) tried(e *balance.Endpoint, kind string) {
	t.asked = e
	t.tries = append(t.tries, tracing.Event{Name: "not sent", At: time.Now(), Attributes: []tracing.Attribute{
		tracing.Text("server.address", e.Address), tracing.Text("error.type", kind),
	}})
}

// end notes the end of the exchange with the upstream: who has answered, if anybody has, and with
// which status; otherwise why not, in a word.
func (t *trace) end(began time.Time, asked *balance.Endpoint, status int, failed string) {
	t.asking, t.answered, t.status, t.failed = began, time.Now(), status, failed
	if asked != nil {
		t.asked = asked
	}
	if failed != "" {
		t.status = 0
	}
}
