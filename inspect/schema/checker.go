package schema

import (
	"cmp"
	"errors"
	"slices"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/internal/legacy"
	"github.com/rtbwire/rtbwire/internal/seen"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/coder"
)

// Checker applies the rules of an [Engine] with working memory that is reused from call to call.
// One goroutine at a time may use it. Make it with [Engine.NewChecker]; the zero value uses the
// default engine.
type Checker struct {
	engine *Engine

	requests  *openrtb.Decoder // made when needed, like responses
	responses *openrtb.ResponseDecoder
	watching  watching        // of these decoders
	two       twoStep         // between Decode and Judge
	reader    coder.Reader    // of accepted documents, and of JSON inside strings
	places    [2]coder.Reader // of documents in which places are looked for

	found  Report     // the findings of the current call so far
	passed [Error]int // by severity: findings that evict has looked at, from the end
	docs   [2]docText // the texts of the request and the response
	doc    Doc        // the one that the current rules are about

	path  []step // from the root to the object being checked
	paths []byte // of findings; written once, see pointer
	seen  firstSeen
	keys  seen.Groups // of the objects being read, those that the specification does not have
	lists lookups
	muted bool // report only findings that end the check
	slow  bool // for tests: every document takes the way of those that the decoder refuses

	indexer *Checker // finds places in the text of a decoded value; made when needed

	moved    *legacy.Reader     // made when needed
	sections []adcom.GPPSection // scratch

	payload *payload    // for native payloads; made when needed
	numbers []numbered  // scratch
	inner   []innerStep // scratch
	bytes   []byte      // scratch for strings that are read as bytes

	at around
}

// docText holds what the text layer knows about one document.
type docText struct {
	root   objectID
	data   []byte // nil if the caller passed no text
	read   bool   // the text layer has read it
	known  bool   // nodes is filled
	nodes  []node
	places *coder.Reader // not nil if nodes are read on demand
	edits  []edit

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

	since uint8 // number of the release in releases, from 1; 0 is older than these
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
	if r := c.decodeRequest(); r != nil {
		c.bidRequest(r)
	}
	c.requests.Reset()
	return c.finish()
}

// Response checks the text of one bid response, with both layers.
func (c *Checker) Response(data []byte) Report {
	c.begin(nil, data)
	if r := c.decodeResponse(); r != nil {
		c.bidResponse(r)
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

// textIsFine does what is left of the text layer after a document was accepted with notes, by a
// decoder that watched keys or did not. It reports false if that takes the way for documents that
// were not accepted.
func (c *Checker) textIsFine(doc Doc, root objectID, notes wire.Notes, watched bool) bool {
	c.doc = doc
	wanted := c.engine.notes
	if !watched {
		wanted = c.engine.unwatched
	}
	if c.muted || notes&wanted == 0 && !c.engine.always {
		return true
	}
	return c.accepted(doc, root, notes)
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
	c.docs[Request].begin(objBidRequest, request)
	c.docs[Response].begin(objBidResponse, response)
}

// begin takes a new text. What the text layer filled in is empty unless it has read the last one.
func (d *docText) begin(root objectID, data []byte) {
	d.root, d.data = root, data
	if d.read {
		d.read, d.known, d.nodes, d.edits = false, false, d.nodes[:0], d.edits[:0]
		d.cursors, d.holes = d.cursors[:0], 0
	}
}

// keptMax bounds the working memory that a checker keeps after an unusually large document, in
// elements of each kind.
const keptMax = 1 << 16

// keptBytes is the same for the memory of reading text, in bytes.
const keptBytes = 1 << 20

// finish sorts the findings by their place in the text and releases the documents.
func (c *Checker) finish() Report {
	c.at = around{}
	c.seen.Reset()
	c.keys.Reset()
	c.lists.forget()
	c.docs[Request].finish()
	c.docs[Response].finish()
	if cap(c.numbers) > keptMax {
		c.numbers = nil
	}
	clear(c.inner)
	if c.inner = c.inner[:0]; cap(c.inner) > keptMax {
		c.inner = nil
	}
	if cap(c.bytes) > keptMax {
		c.bytes = nil
	}
	c.payload.forget()
	if c.moved != nil {
		c.moved.Reset()
	}
	if c.reader.Retained() > keptBytes {
		c.reader.Drop()
	}
	sortByPlace(c.found.Findings)
	return c.found
}

// sortByPlace is a stable sort. Most lists are short and nearly in order, and findings are large,
// so they are compared where they are.
func sortByPlace(list []Finding) {
	const short = 32
	if len(list) > short {
		slices.SortStableFunc(list, func(a, b Finding) int { return cmp.Or(int(a.Doc)-int(b.Doc), a.Offset-b.Offset) })
		return
	}
	before := func(a, b *Finding) bool { return a.Doc < b.Doc || a.Doc == b.Doc && a.Offset < b.Offset }
	for i := 1; i < len(list); i++ {
		if !before(&list[i], &list[i-1]) {
			continue
		}
		to := i - 1
		for to > 0 && before(&list[i], &list[to-1]) {
			to--
		}
		f := list[i]
		copy(list[to+1:i+1], list[to:i])
		list[to] = f
	}
}

// finish releases the text, and memory that is unusually large.
func (d *docText) finish() {
	d.data = nil
	if !d.read {
		return
	}
	if d.places != nil {
		if d.places.Reset(); d.places.Retained() > keptBytes {
			d.places.Drop()
		}
		d.places = nil
	}
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
