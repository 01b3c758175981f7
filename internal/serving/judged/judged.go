// Package judged is what gateways and streams tell about requests that they have judged.
package judged

import (
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/openrtb"
)

// Request is a request, or a record, that was judged.
type Request struct {
	// Source and Position are where a record was read: bids/3 and its offset. They are empty for a
	// request.
	Source   string
	Position int64
	Body     []byte
	// Request is nil if the body could not be decoded.
	Request *openrtb.BidRequest
	Facts   *inspect.Facts
	Verdict *inspect.Verdict
}

// Log takes requests that were judged.
type Log interface {
	// Add takes a request, of which it keeps nothing but copies when it returns. It never waits.
	// Several goroutines call it at the same time.
	Add(Request)
}
