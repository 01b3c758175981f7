package schema

import (
	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/openrtb"
)

// Checker applies the rules of an [Engine] with working memory that is reused from call to call.
// One goroutine at a time may use it. Make it with [Engine.NewChecker]; the zero value uses the
// default engine.
//
// It is the front of the package: it decodes, and asks the layers (layers.go) and the rules about
// pairs (rules_pair.go) in their order.
type Checker struct {
	layers // of the request, the response, or both
	pairs  pairs

	requests  *openrtb.Decoder // made when needed, like responses
	responses *openrtb.ResponseDecoder
	watching  watching // of these decoders
	two       twoStep  // between Decode and Judge
}

// Request checks the text of one bid request, with both layers.
func (c *Checker) Request(data []byte) Report {
	c.begin(data, nil)
	if r := c.decodeRequest(); r != nil {
		checkBidRequest(&c.values, r)
	}
	c.requests.Reset()
	return c.finish()
}

// Response checks the text of one bid response, with both layers.
func (c *Checker) Response(data []byte) Report {
	c.begin(nil, data)
	if r := c.decodeResponse(); r != nil {
		checkBidResponse(&c.values, r)
	}
	c.responses.Reset()
	return c.finish()
}

// Pair checks a request and the response to it against each other, by the rules that need both
// (scope "pair"). It does not report what [Checker.Request] and [Checker.Response] find in each
// document, except that it can't be decoded.
func (c *Checker) Pair(request, response []byte) Report {
	c.begin(request, response)
	c.muted = true
	req, resp := c.decodeRequest(), c.decodeResponse()
	c.muted = false
	if req != nil && resp != nil {
		c.pair(req, resp)
	}
	c.requests.Reset()
	c.responses.Reset()
	return c.finish()
}

// ResponseTo checks the text of a response as [Checker.Response] does, and against the request that
// it answers as [Checker.Pair] does, in one report. The findings about a guaranteed deal without a
// bid are about the request; all others are about the response. compared is false if one of the two
// can't be decoded: then the report is the one of Response.
func (c *Checker) ResponseTo(request, response []byte) (r Report, compared bool) {
	c.begin(request, response)
	c.muted = true
	req := c.decodeRequest()
	c.muted = false
	if req == nil {
		c.requests.Reset()
		c.finish()
		return c.Response(response), false
	}
	resp := c.decodeResponse()
	if resp != nil {
		checkBidResponse(&c.values, resp)
		c.pair(req, resp)
	}
	c.requests.Reset()
	c.responses.Reset()
	return c.finish(), resp != nil
}

// RequestValue checks a decoded request with the value layer alone. data is the text it was
// decoded from, which locates findings; it may be nil. A nil request is a finding (rule
// "json.syntax").
func (c *Checker) RequestValue(r *openrtb.BidRequest, data []byte) Report {
	c.begin(data, nil)
	if r == nil {
		c.missing(Request)
	} else {
		checkBidRequest(&c.values, r)
	}
	return c.finish()
}

// ResponseValue is [Checker.RequestValue] for a response.
func (c *Checker) ResponseValue(r *openrtb.BidResponse, data []byte) Report {
	c.begin(nil, data)
	c.doc = Response
	if r == nil {
		c.missing(Response)
	} else {
		checkBidResponse(&c.values, r)
	}
	return c.finish()
}

// PairValues is [Checker.Pair] for decoded values; either text may be nil.
func (c *Checker) PairValues(req *openrtb.BidRequest, resp *openrtb.BidResponse, request, response []byte) Report {
	c.begin(request, response)
	if req == nil {
		c.missing(Request)
	}
	if resp == nil {
		c.missing(Response)
	}
	if req != nil && resp != nil {
		c.pair(req, resp)
	}
	return c.finish()
}

// pair applies the rules that need both documents.
func (c *Checker) pair(req *openrtb.BidRequest, resp *openrtb.BidResponse) {
	c.pairs.findings, c.pairs.json = &c.findings, &c.json
	c.pairs.check(req, resp)
}

// finish releases what a call has used, and returns its report.
func (c *Checker) finish() Report {
	c.pairs.lists.forget()
	return c.layers.finish()
}

// decodeRequest decodes the request after the text layer, which runs if it can find anything. It
// returns nil for one that can't be decoded.
func (c *Checker) decodeRequest() *openrtb.BidRequest {
	if c.watching.more(watching{requests: c.engine.watching.requests}) || c.requests == nil {
		c.requests = openrtb.NewDecoder(watch(c.watching.requests)...)
	}
	if data := c.docs[Request].data; isObject(data) && !c.slow {
		r, err := c.requests.Decode(data)
		if err == nil && c.textIsFine(Request, objBidRequest, c.requests.Notes(), c.watching.requests) {
			return r
		}
	}
	if !c.text(Request, objBidRequest) {
		return nil
	}
	r, err := c.requests.Decode(c.docs[Request].decodable())
	if err != nil {
		c.undecodable(Request, err)
		return nil
	}
	return r
}

// decodeResponse is decodeRequest for the response.
func (c *Checker) decodeResponse() *openrtb.BidResponse {
	if c.watching.more(watching{others: c.engine.watching.others}) || c.responses == nil {
		c.responses = openrtb.NewResponseDecoder(watch(c.watching.others)...)
	}
	if data := c.docs[Response].data; isObject(data) && !c.slow {
		r, err := c.responses.Decode(data)
		if err == nil && c.textIsFine(Response, objBidResponse, c.responses.Notes(), c.watching.others) {
			return r
		}
	}
	if !c.text(Response, objBidResponse) {
		return nil
	}
	r, err := c.responses.Decode(c.docs[Response].decodable())
	if err != nil {
		c.undecodable(Response, err)
		return nil
	}
	return r
}

// isObject reports whether it is worth a try to decode a text: whether it has the brackets of an
// object, and is not too long.
func isObject(data []byte) bool {
	first, last := 0, len(data)-1
	for first < last && grammar.IsSpace(data[first]) {
		first++
	}
	for last > first && grammar.IsSpace(data[last]) {
		last--
	}
	return first < last && data[first] == '{' && data[last] == '}' && len(data) <= textMax
}
