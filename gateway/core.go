package gateway

import (
	"errors"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/openrtb"
)

// Inspector is an inspection of your own. Its score is a fact, as the answer of a vendor is: the
// verdict stays a function of the bytes, the configuration and the facts, and a rule says what
// becomes of the score.
//
//	when: facts.vendor["own"].score >= 80
//
// For what has to wait there is [github.com/rtbwire/rtbwire/inspect/vendor.Vendor].
type Inspector interface {
	// Name returns the name of the answer.
	Name() string
	// Inspect returns a score from 0 (good) to 100. Several goroutines call it at once, each with
	// the request that it serves: it must not wait, nor change or keep the request, the facts or
	// strings of them.
	Inspect(r *openrtb.BidRequest, f *inspect.Facts) (score int)
}

// Core is an auction behind a Go interface, not at a URL: a function of this process, or a client
// of another protocol.
type Core interface {
	// Do answers a request: it fills in resp within the timeout. Both belong to the gateway:
	// nothing of them may be used after Do has returned. The head of req is as an upstream gets it,
	// with the verdict in it; resp is empty.
	//
	// An error is answered like one of an upstream: as late if its Timeout method says so, as
	// absent if it wraps [ErrAbsent], as broken otherwise. The gateway waits for Do, however long
	// it takes.
	Do(req *fasthttp.Request, resp *fasthttp.Response, timeout time.Duration) error
}

// CoreFunc is a function as a [Core].
type CoreFunc func(req *fasthttp.Request, resp *fasthttp.Response, timeout time.Duration) error

// Do calls f.
func (f CoreFunc) Do(req *fasthttp.Request, resp *fasthttp.Response, timeout time.Duration) error {
	return f(req, resp, timeout)
}

// ErrAbsent means that no core can answer a request, and that nothing of it was sent.
var ErrAbsent = errors.New("no healthy upstream")
