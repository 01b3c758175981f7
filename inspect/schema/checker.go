package schema

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/rtbwire/rtbwire/internal/seen"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// Checker applies an [Engine]'s rules with working memory that is reused from call to call.
// One goroutine at a time may use it. [Engine.NewChecker] makes one; the zero value is one of
// the default engine.
type Checker struct {
	engine *Engine

	requests  openrtb.Decoder
	responses openrtb.ResponseDecoder

	found  Report     // what the current call has found so far
	passed [Error]int // findings of each severity's search for one to drop, from the end
	docs   [2]docText // what is known of the texts of the request and the response
	doc    Doc        // which of the two the current rules are about

	path  []step // from the root to the object being checked
	seen  firstSeen
	keys  seen.Groups // of the objects being read, those that the specification does not have
	lists lookups
	muted bool // only what ends the check is reported

	indexer *Checker // reads texts whose values were given decoded; made when needed

	bytes []byte // scratch for strings that have to be looked at as bytes

	at around
}

// around is what surrounds the object being checked, for the rules that look outside of it.
type around struct {
	request   *openrtb.BidRequest
	imp       *openrtb.Imp
	chain     *openrtb.SupplyChain
	companion bool // inside companionad
	userData  bool // inside user
}

// docText is what the text layer has learned about one document.
type docText struct {
	data  []byte // nil when the caller has given none
	read  bool   // the text layer has looked at it
	known bool   // and nodes is filled
	nodes []node
	edits []edit

	cursors []cursor

	holes int // how many nodes are one
	patch []byte
}

// step is one element of a path: a field, and an index where the field is an array.
type step struct {
	field fieldID
	index int32
}

const noIndex = -1

// fieldInfo is a field as the text layer knows it.
type fieldInfo struct {
	name     string
	kind     fieldKind
	bit      uint8 // position in the object
	array    bool
	required bool
	object   objectID // for kindObject
}

type fieldKind uint8

const (
	kindString fieldKind = iota
	kindInteger
	kindFloat
	kindObject
	kindExt
)

// Request checks the text of one bid request: both layers.
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

// Response checks the text of one bid response: both layers.
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

// Pair checks a request and the response to it against each other: only the rules that need
// both (scope "pair"). Each document is taken as it is, whatever [Checker.Request] and
// [Checker.Response] say of it; what can't be decoded has a finding of its own.
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

// RequestValue checks a decoded request: the value layer alone. data is the text it was
// decoded from, used to find the offsets of findings; it may be nil. A request that is nil is
// a finding (rule "json.syntax").
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

// missing reports that there is no document where one was to be checked.
func (c *Checker) missing(doc Doc) {
	c.doc = doc
	c.fatal(ruleJsonSyntax, "", -1, "expected a document, found none")
}

// begin forgets the previous documents.
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

// keptMax bounds the working memory, in elements of each kind, that a checker keeps after an
// unusually large document.
const keptMax = 1 << 16

// finish puts the findings in the order of the text and lets go of the documents.
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

// undecodable reports that the decoder refused what the text layer let pass: one of its
// limits was reached.
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

// enter and leave keep the path to the object being checked.
func (c *Checker) enter(f fieldID, index int) { c.path = append(c.path, step{f, int32(index)}) }
func (c *Checker) leave()                     { c.path = c.path[:len(c.path)-1] }

// report notes that a rule is not met by a field of the current object.
func (c *Checker) report(rule ruleID, f fieldID) { c.reportElem(rule, f, noIndex) }

// reportHere notes that a rule is not met by the current object as a whole. about are the
// fields whose absence breaks the rule: one that is there with a value nobody can decode has
// a finding of its own.
func (c *Checker) reportHere(rule ruleID, about ...fieldID) {
	severity := c.engine.severity[rule]
	if severity == Off {
		return
	}
	if c.docs[c.doc].holes != 0 {
		for _, f := range about {
			c.enter(f, noIndex)
			taken := c.inHole()
			c.leave()
			if taken {
				return
			}
		}
	}
	c.addPath(rule, severity)
}

// covered reports whether a rule may stay silent where another one says the same: it is
// reported at least as severely.
func (c *Checker) covered(rule, by ruleID) bool {
	return c.engine.severity[by] >= c.engine.severity[rule]
}

// reportElem notes that a rule is not met by an element of an array field.
func (c *Checker) reportElem(rule ruleID, f fieldID, index int) {
	if severity := c.engine.severity[rule]; severity != Off {
		c.enter(f, index)
		c.addPath(rule, severity)
		c.leave()
	}
}

// reportAt notes that a rule is not met at a place given from the root.
func (c *Checker) reportAt(rule ruleID, steps ...step) {
	if severity := c.engine.severity[rule]; severity != Off {
		here := len(c.path)
		all := append(c.path, steps...)
		c.path = all[here:]
		c.addPath(rule, severity)
		c.path = all[:here]
	}
}

// addPath adds a finding at the current path.
func (c *Checker) addPath(rule ruleID, severity Severity) {
	if c.docs[c.doc].holes != 0 && c.inHole() {
		return // the text layer has reported the value already
	}
	if c.room(severity) {
		c.add(rule, severity, c.pointer(), c.locate(), rules[rule].Message)
	}
}

// inHole reports whether the current path leads to a value that was taken out, or into it.
func (c *Checker) inHole() bool {
	d := &c.docs[c.doc]
	return d.nodes[d.find(c.path)].hole
}

// room reports whether a finding can be kept, and makes room for it at the cost of a less
// severe one. A finding without room is counted.
func (c *Checker) room(severity Severity) bool {
	if len(c.found.Findings) < c.engine.maxFindings || c.evict(severity) {
		return true
	}
	c.found.Counts[severity]++
	c.found.Dropped++
	return false
}

// evict drops the last of the least severe findings if it is less severe than the given one.
// Every slot is looked at once per severity, so all calls together are linear.
func (c *Checker) evict(severity Severity) bool {
	for low := Info; low < severity; low++ {
		for i := len(c.found.Findings) - c.passed[low] - 1; i >= 0; i-- {
			c.passed[low]++
			if c.found.Findings[i].Severity == low {
				last := len(c.found.Findings) - 1
				c.found.Findings[i] = c.found.Findings[last] // looked at already, and sorted later
				c.found.Findings = c.found.Findings[:last]
				c.found.Dropped++
				return true
			}
		}
	}
	return false
}

// add keeps a finding; the caller has seen that there is room.
func (c *Checker) add(rule ruleID, severity Severity, path string, offset int, message string) {
	c.found.Counts[severity]++
	c.found.Findings = append(c.found.Findings, Finding{
		ID: rules[rule].ID, Severity: severity, Doc: c.doc, Path: path, Offset: offset, Message: message, rule: rule,
	})
}

// fatal adds the finding that ends the check of a document. It is kept whatever the limit of
// findings is: without it nobody would know why there are no others.
func (c *Checker) fatal(rule ruleID, path string, offset int, message string) {
	severity := c.engine.severity[rule]
	if severity == Off {
		return
	}
	if last := len(c.found.Findings) - 1; last+1 >= c.engine.maxFindings && !c.evict(Error) {
		c.found.Findings = c.found.Findings[:last]
		c.found.Dropped++
	}
	c.add(rule, severity, path, offset, message)
}

// pointer renders the path as a JSON Pointer. Field names need no escaping.
func (c *Checker) pointer() string {
	var b strings.Builder
	for _, s := range c.path {
		b.WriteByte('/')
		b.WriteString(fields[s.field].name)
		if s.index >= 0 {
			b.WriteByte('/')
			b.WriteString(strconv.Itoa(int(s.index)))
		}
	}
	return b.String()
}
