package openrtb

import (
	"sync"

	"github.com/rtbwire/rtbwire/wire"
)

//go:generate go run ../internal/tools/codecgen

// Parse decodes one bid request. The result owns all of its memory: it stays valid for ever,
// whatever becomes of data. It costs one copy of the text and few allocations.
//
// It accepts what the decoding contract calls the default: exact grammar and types, keys that
// the specification does not have are skipped. For other modes and limits see [NewDecoder].
// On failure the error is a [*wire.Error] with a code, an offset and a path.
func Parse(data []byte) (*BidRequest, error) { return ParseFast(append([]byte(nil), data...)) }

// ParseFast is [Parse] without the copy: strings and ext of the result point into data.
//
// The result is valid until data is changed: the caller leaves data alone, and out of any
// pool, as long as the request or a string taken from it is in use. One string that is kept
// keeps all of data reachable; [strings.Clone] or [BidRequest.Clone] detaches it.
func ParseFast(data []byte) (*BidRequest, error) {
	c := detached.Get().(*codec)
	b := new(bundleBidRequest)
	c.useBidRequest(b)
	err := c.parseBidRequest(&b.root, data)
	putDetached(c)
	if err != nil {
		return nil, err
	}
	return &b.root, nil
}

// ParseResponse is [Parse] for a bid response.
func ParseResponse(data []byte) (*BidResponse, error) {
	return ParseResponseFast(append([]byte(nil), data...))
}

// ParseResponseFast is [ParseFast] for a bid response.
func ParseResponseFast(data []byte) (*BidResponse, error) {
	c := detached.Get().(*codec)
	b := new(bundleBidResponse)
	c.useBidResponse(b)
	err := c.parseBidResponse(&b.root, data)
	putDetached(c)
	if err != nil {
		return nil, err
	}
	return &b.root, nil
}

// detached holds codecs without memory of their own: what they decode keeps it.
var detached = sync.Pool{New: func() any { return new(codec) }}

func putDetached(c *codec) {
	c.detach()
	if c.r.Retained() <= keepBytes {
		detached.Put(c)
	}
}

// Decoder decodes one request after another in an arena of its own, with options. One
// goroutine at a time may use it. The zero value decodes like [ParseFast].
type Decoder struct {
	c     codec
	value BidRequest
}

// NewDecoder returns a decoder with the options: [wire.Strict] or [wire.Lenient] for the
// mode, and limits of depth, size, elements and memory. Later options win.
func NewDecoder(opts ...wire.Option) *Decoder {
	d := new(Decoder)
	d.c.r.Configure(opts...)
	return d
}

// Decode decodes one request. The result and everything in it is valid until the next Decode
// of this decoder, or until data is changed; [BidRequest.Clone] keeps it longer.
func (d *Decoder) Decode(data []byte) (*BidRequest, error) {
	d.Reset()
	if err := d.c.parseBidRequest(&d.value, data); err != nil {
		return nil, err
	}
	return &d.value, nil
}

// Saved lists what lenient mode has put right in the last document: each thing with the code
// it would have been refused with, its offset and path. At most 1,000 things are listed. The
// slice is valid until the next Decode.
func (d *Decoder) Saved() []wire.Saved { return d.c.r.Saved() }

// Reset ends the validity of the last request and lets go of its text.
func (d *Decoder) Reset() {
	d.value = BidRequest{}
	d.c.recycle()
}

// ResponseDecoder is [Decoder] for bid responses.
type ResponseDecoder struct {
	c     codec
	value BidResponse
}

// NewResponseDecoder is [NewDecoder] for bid responses.
func NewResponseDecoder(opts ...wire.Option) *ResponseDecoder {
	d := new(ResponseDecoder)
	d.c.r.Configure(opts...)
	return d
}

// Decode decodes one response; see [Decoder.Decode].
func (d *ResponseDecoder) Decode(data []byte) (*BidResponse, error) {
	d.Reset()
	if err := d.c.parseBidResponse(&d.value, data); err != nil {
		return nil, err
	}
	return &d.value, nil
}

// Saved lists what lenient mode has put right; see [Decoder.Saved].
func (d *ResponseDecoder) Saved() []wire.Saved { return d.c.r.Saved() }

// Reset ends the validity of the last response and lets go of its text.
func (d *ResponseDecoder) Reset() {
	d.value = BidResponse{}
	d.c.recycle()
}

// Clone returns a copy that shares no memory with the document, an arena or a decoder. It is
// valid for ever.
func (r *BidRequest) Clone() *BidRequest {
	out := new(BidRequest)
	cloneBidRequest(out, r)
	return out
}

// Clone returns a copy that shares no memory with the document, an arena or a decoder. It is
// valid for ever.
func (r *BidResponse) Clone() *BidResponse {
	out := new(BidResponse)
	cloneBidResponse(out, r)
	return out
}
