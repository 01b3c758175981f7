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

	responder *openrtb.ResponseDecoder
	answer    []byte
	response  *openrtb.BidResponse // nil if answer was refused
}

// SetDecoding sets the limits and the mode of [Checker.Decode]. Default: those of
// [openrtb.ParseFast]. It ends the validity of the decoded request.
func (c *Checker) SetDecoding(opts ...wire.Option) {
	c.two = twoStep{decoder: openrtb.NewDecoder(append([]wire.Option{wire.WatchKeys()}, opts...)...)}
}

// DecodeResponse decodes the text of the response to the request that Decode has read last, for
// [Checker.JudgeResponse]. A refusal is a [*wire.Error]. The limits are set by
// [openrtb.ParseResponseFast].
//
// The result and everything in it is valid until the next DecodeResponse or ReleaseResponse of this
// checker, or until data is changed. The checker's other methods leave it alone.
func (c *Checker) DecodeResponse(data []byte) (*openrtb.BidResponse, error) {
	two := &c.two
	if two.responder == nil {
		two.responder = openrtb.NewResponseDecoder(wire.WatchKeys())
	}
	r, err := two.responder.Decode(data)
	two.answer, two.response = data, r
	if err != nil {
		two.response = nil
	}
	return two.response, err
}

// ResponseNotes says what the response has besides what was decoded.
func (c *Checker) ResponseNotes() wire.Notes { return c.two.responder.Notes() }

// JudgeResponse reports what [Checker.ResponseTo] of a checker of e would report on the texts that
// Decode and DecodeResponse have read last; a nil e is the checker's own engine. Without a request
// the rules that need one are silent. It may be called again, with other engines. The texts must be
// unchanged.
func (c *Checker) JudgeResponse(e *Engine) Report {
	own := c.engine
	if e != nil {
		c.engine = e
	}
	defer func() { c.engine = own }()
	two := &c.two
	if two.response == nil {
		r, _ := c.ResponseTo(two.data, two.answer)
		return r
	}
	c.begin(two.data, two.answer)
	if !c.textIsFine(Response, objBidResponse, two.responder.Notes(), true) {
		r, _ := c.ResponseTo(two.data, two.answer) // another decoder accepts it
		return r
	}
	checkBidResponse(&c.values, two.response)
	if two.request != nil {
		c.pair(two.request, two.response)
	}
	return c.finish()
}

// ReleaseResponse ends the validity of the decoded response and drops its text.
func (c *Checker) ReleaseResponse() {
	if c.two.responder != nil {
		c.two.responder.Reset()
	}
	c.two.answer, c.two.response = nil, nil
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
	checkBidRequest(&c.values, two.request)
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
