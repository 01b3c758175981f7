package schema

// ResponseTo checks the text of a response as [Checker.Response] does, and against the request that
// it answers as [Checker.Pair] does, in one report. The findings about a guaranteed deal without a
// bid are about the request; all others are about the response. compared is false if one of the two
// can't be decoded: then the report is that of Response.
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
		c.bidResponse(resp)
		c.pair(req, resp)
	}
	c.requests.Reset()
	c.responses.Reset()
	return c.finish(), resp != nil
}
