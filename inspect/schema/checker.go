package schema

import (
	"errors"
	"slices"

	"github.com/rtbwire/rtbwire/internal/seen"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// Checker applies the rules of an [Engine] with working memory that is reused from call to call.
// One goroutine at a time may use it. Make it with [Engine.NewChecker]; the zero value uses the
// default engine.
type Checker struct {
	engine *Engine

	requests  openrtb.Decoder
	responses openrtb.ResponseDecoder
	two       twoStep // between Decode and Judge

	found  Report     // the findings of the current call so far
	passed [Error]int // by severity: findings that evict has looked at, from the end
	docs   [2]docText // the texts of the request and the response
	doc    Doc        // the one that the current rules are about

	path  []step // from the root to the object being checked
	seen  firstSeen
	keys  seen.Groups // of the objects being read, those that the specification does not have
	lists lookups
	muted bool // report only findings that end the check

	indexer *Checker // finds places in the text of a decoded value; made when needed

	bytes []byte // scratch for strings that are read as bytes

	at around
}

// around holds the surroundings of the object being checked, for rules that look outside it.
type around struct {
	request   *openrtb.BidRequest
	imp       *openrtb.Imp
	chain     *openrtb.SupplyChain
	companion bool // inside companionad
	userData  bool // inside user
}

// docText holds what the text layer knows about one document.
type docText struct {
	data  []byte // nil if the caller passed no text
	read  bool   // the text layer has read it
	known bool   // nodes is filled
	nodes []node
	edits []edit

	cursors []cursor

	holes int // number of nodes that are holes
	patch []byte
}

// step is one element of a path: a field, and an index where the field is an array.
type step struct {
	field fieldID
	index int32
}

const noIndex = -1

// fieldInfo describes a field to the text layer.
type fieldInfo struct {
	name     string
	kind     fieldKind
	bit      uint8 // position in the object
	array    bool
	required bool
	object   objectID // for kindObject

	mayBeEmpty bool // an empty array has a meaning of its own
}

type fieldKind uint8

const (
	kindString fieldKind = iota
	kindInteger
	kindFloat
	kindObject
	kindExt
)

// Request checks the text of one bid request, with both layers.
func (c *Checker) Request(data []byte) Report {
	c.begin(data, nil)
	if c.text(Request, objBidRequest) {
		r, err := c.requests.Decode(c.docs[Request].decodable())
		if err != nil {
			c.undecodable(Request, err)
		} else {
			c.bidRequest(r)
		}
		c.requests.Reset()
	}
	return c.finish()
}

// Response checks the text of one bid response, with both layers.
func (c *Checker) Response(data []byte) Report {
	c.begin(nil, data)
	if c.text(Response, objBidResponse) {
		r, err := c.responses.Decode(c.docs[Response].decodable())
		if err != nil {
			c.undecodable(Response, err)
		} else {
			c.bidResponse(r)
		}
		c.responses.Reset()
	}
	return c.finish()
}

// Pair checks a request and the response to it against each other, by the rules that need both
// (scope "pair"). It does not report what [Checker.Request] and [Checker.Response] find in each
// document, except that it can't be decoded.
func (c *Checker) Pair(request, response []byte) Report {
	c.begin(request, response)
	c.muted = true
	readable := c.text(Request, objBidRequest)
	readable = c.text(Response, objBidResponse) && readable
	c.muted = false
	if readable {
		req, err := c.requests.Decode(c.docs[Request].decodable())
		if err != nil {
			c.undecodable(Request, err)
		}
		resp, err2 := c.responses.Decode(c.docs[Response].decodable())
		if err2 != nil {
			c.undecodable(Response, err2)
		}
		if err == nil && err2 == nil {
			c.pair(req, resp)
		}
		c.requests.Reset()
		c.responses.Reset()
	}
	return c.finish()
}

// RequestValue checks a decoded request with the value layer alone. data is the text it was
// decoded from, which locates findings; it may be nil. A nil request is a finding (rule
// "json.syntax").
func (c *Checker) RequestValue(r *openrtb.BidRequest, data []byte) Report {
	c.begin(data, nil)
	if r == nil {
		c.missing(Request)
	} else {
		c.bidRequest(r)
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
		c.bidResponse(r)
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

// missing reports a nil document.
func (c *Checker) missing(doc Doc) {
	c.doc = doc
	c.fatal(ruleJsonSyntax, "", -1, "expected a document, found none")
}

// begin resets the checker for new documents.
func (c *Checker) begin(request, response []byte) {
	c.engine = c.engine.orDefault()
	c.found = Report{Findings: c.found.Findings[:0]}
	c.passed = [Error]int{}
	c.doc = Request
	c.path = c.path[:0]
	for i, data := range [2][]byte{request, response} {
		d := &c.docs[i]
		d.data, d.read, d.known, d.nodes, d.edits = data, false, false, d.nodes[:0], d.edits[:0]
		d.cursors, d.holes = d.cursors[:0], 0
	}
}

// keptMax bounds the working memory that a checker keeps after an unusually large document, in
// elements of each kind.
const keptMax = 1 << 16

// finish sorts the findings by their place in the text and releases the documents.
func (c *Checker) finish() Report {
	c.at = around{}
	c.seen.Reset()
	c.keys.Reset()
	c.lists.forget()
	for i := range c.docs {
		d := &c.docs[i]
		d.data = nil
		if cap(d.nodes) > keptMax {
			d.nodes = nil
		}
		clear(d.edits)
		if cap(d.edits) > keptMax {
			d.edits = nil
		}
		if cap(d.patch) > keptMax {
			d.patch = nil
		}
	}
	if cap(c.bytes) > keptMax {
		c.bytes = nil
	}
	slices.SortStableFunc(c.found.Findings, func(a, b Finding) int {
		if a.Doc != b.Doc {
			return int(a.Doc) - int(b.Doc)
		}
		return a.Offset - b.Offset
	})
	return c.found
}

// undecodable reports that the decoder refused a document that the text layer accepted, because
// it exceeds one of the decoder's limits.
func (c *Checker) undecodable(doc Doc, err error) {
	c.doc = doc
	rule, offset, message := ruleJsonSyntax, -1, "the document can't be decoded"
	if e := (*wire.Error)(nil); errors.As(err, &e) {
		offset = c.docs[c.doc].original(e.Offset)
		switch e.Code {
		case wire.CodeSize, wire.CodeElements, wire.CodeMemory:
			rule, message = ruleJsonLimit, rules[ruleJsonLimit].Message
		}
	}
	c.fatal(rule, "", offset, message)
}
