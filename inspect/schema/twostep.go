package schema

import (
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// This file checks a request in two steps, for callers that need the decoded request before they
// know by which configuration it is judged: which publisher it is from, say. Nothing is decoded
// twice.

// twoStep is what [Checker.Decode] leaves for [Checker.Judge].
type twoStep struct {
	decoder *openrtb.Decoder
	data    []byte
	request *openrtb.BidRequest // nil if data was refused
}

// SetDecoding sets the limits and the mode of [Checker.Decode]. Default: those of
// [openrtb.ParseFast]. It ends the validity of the decoded request.
func (c *Checker) SetDecoding(opts ...wire.Option) {
	c.two = twoStep{decoder: openrtb.NewDecoder(append([]wire.Option{wire.WatchKeys()}, opts...)...)}
}

// Decode decodes the text of one bid request, for [Checker.Judge]. A refusal is a
// [*wire.Error].
//
// The result and everything in it is valid until the next Decode or Release of this checker, or
// until data is changed. The checker's other methods leave it alone.
func (c *Checker) Decode(data []byte) (*openrtb.BidRequest, error) {
	two := &c.two
	if two.decoder == nil {
		c.SetDecoding()
	}
	r, err := two.decoder.Decode(data)
	two.data, two.request = data, r
	if err != nil {
		two.request = nil
	}
	return two.request, err
}

// Judge reports what [Checker.Request] of a checker of e would report on the text that Decode
// read last; a nil e is the checker's own engine. It may be called again, with other engines. The
// text must be unchanged.
func (c *Checker) Judge(e *Engine) Report {
	own := c.engine
	if e != nil {
		c.engine = e
	}
	defer func() { c.engine = own }()
	two := &c.two
	if two.request == nil {
		return c.Request(two.data)
	}
	c.begin(two.data, nil)
	if !c.textIsFine(Request, objBidRequest, two.decoder.Notes(), true) {
		return c.Request(two.data) // it was decoded leniently
	}
	c.bidRequest(two.request)
	return c.finish()
}

// Release ends the validity of the decoded request and drops its text, so that an idle checker
// keeps neither.
func (c *Checker) Release() {
	if c.two.decoder != nil {
		c.two.decoder.Reset()
	}
	c.two.data, c.two.request = nil, nil
}
