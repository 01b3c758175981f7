package schema

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/rtbwire/rtbwire/openrtb"
)

// Checker applies an [Engine]'s rules with working memory that is reused from call to call.
// One goroutine at a time may use it.
type Checker struct {
	engine *Engine
	found  Report     // what the current call has found so far
	docs   [2]docText // what is known of the texts of the request and the response
	doc    Doc        // which of the two the current rules are about

	path  []step // from the root to the object being checked
	seen  firstSeen
	keys  keySet
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
	known bool   // nodes is filled
	nodes []node
	edits []edit
	holes []string // pointers to what the edits took out
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
	bit      uint8 // position in the object, for sets of fields
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
		r, err := openrtb.Parse(c.docs[Request].decodable())
		if err != nil {
			c.undecodable(err)
		} else {
			c.bidRequest(r)
		}
	}
	return c.finish()
}

// Response checks the text of one bid response: both layers.
func (c *Checker) Response(data []byte) Report {
	c.begin(nil, data)
	if c.text(Response, objBidResponse) {
		r, err := openrtb.ParseResponse(c.docs[Response].decodable())
		if err != nil {
			c.undecodable(err)
		} else {
			c.bidResponse(r)
		}
	}
	return c.finish()
}

// Pair checks a request and the response to it against each other: only the rules that need
// both (scope "pair"). Each document is taken as it is, whatever [Checker.Request] and
// [Checker.Response] say of it; what can't be decoded has a finding of its own.
func (c *Checker) Pair(request, response []byte) Report {
	c.begin(request, response)
	quiet := c.found
	if c.text(Request, objBidRequest) && c.text(Response, objBidResponse) {
		c.found = quiet
		req, err := openrtb.Parse(c.docs[Request].decodable())
		if err != nil {
			c.doc = Request
			c.undecodable(err)
			return c.finish()
		}
		resp, err := openrtb.ParseResponse(c.docs[Response].decodable())
		if err != nil {
			c.doc = Response
			c.undecodable(err)
			return c.finish()
		}
		c.pair(req, resp)
	}
	return c.finish()
}

// RequestValue checks a decoded request: the value layer alone. data is the text it was
// decoded from, used to find the offsets of findings; it may be nil.
func (c *Checker) RequestValue(r *openrtb.BidRequest, data []byte) Report {
	c.begin(data, nil)
	c.bidRequest(r)
	return c.finish()
}

// ResponseValue is [Checker.RequestValue] for a response.
func (c *Checker) ResponseValue(r *openrtb.BidResponse, data []byte) Report {
	c.begin(nil, data)
	c.doc = Response
	c.bidResponse(r)
	return c.finish()
}

// PairValues is [Checker.Pair] for decoded values; either text may be nil.
func (c *Checker) PairValues(req *openrtb.BidRequest, resp *openrtb.BidResponse, request, response []byte) Report {
	c.begin(request, response)
	c.pair(req, resp)
	return c.finish()
}

// begin forgets the previous documents.
func (c *Checker) begin(request, response []byte) {
	c.found = Report{Findings: c.found.Findings[:0]}
	c.doc = Request
	c.path = c.path[:0]
	for i, data := range [2][]byte{request, response} {
		d := &c.docs[i]
		d.data, d.known, d.nodes, d.edits, d.holes = data, false, d.nodes[:0], d.edits[:0], d.holes[:0]
	}
}

// keptMax bounds the working memory, in elements of each kind, that a checker keeps after an
// unusually large document.
const keptMax = 1 << 16

// finish puts the findings in the order of the text and lets go of the documents.
func (c *Checker) finish() Report {
	c.at = around{}
	c.seen.forget()
	c.keys.forget()
	for i := range c.docs {
		d := &c.docs[i]
		d.data = nil
		if cap(d.nodes) > keptMax {
			d.nodes = nil
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

// undecodable reports that the decoder refused what the text layer let pass.
func (c *Checker) undecodable(err error) {
	c.add(ruleJsonSyntax, Error, "", offsetOf(err), "the document can't be decoded")
}

func offsetOf(err error) int {
	var at interface{ ByteOffset() int }
	if errors.As(err, &at) {
		return at.ByteOffset()
	}
	return -1
}

// enter and leave keep the path to the object being checked.
func (c *Checker) enter(f fieldID, index int) { c.path = append(c.path, step{f, int32(index)}) }
func (c *Checker) leave()                     { c.path = c.path[:len(c.path)-1] }

// report notes that a rule is not met by a field of the current object.
func (c *Checker) report(rule ruleID, f fieldID) { c.reportElem(rule, f, noIndex) }

// reportHere notes that a rule is not met by the current object as a whole.
func (c *Checker) reportHere(rule ruleID) {
	if severity := c.engine.severity[rule]; severity != Off {
		c.addPath(rule, severity)
	}
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
		kept := c.path
		c.path = steps
		c.addPath(rule, severity)
		c.path = kept
	}
}

// addPath adds a finding at the current path.
func (c *Checker) addPath(rule ruleID, severity Severity) {
	if holes := c.docs[c.doc].holes; len(holes) != 0 && inHole(holes, c.pointer()) {
		return // the text layer has reported the value already
	}
	if !c.full(severity) {
		c.add(rule, severity, c.pointer(), c.locate(), rules[rule].Message)
	}
}

// inHole reports whether a path leads to a value that was taken out, or into it.
func inHole(holes []string, path string) bool {
	for _, hole := range holes {
		if rest, ok := strings.CutPrefix(path, hole); ok && (rest == "" || rest[0] == '/') {
			return true
		}
	}
	return false
}

// full counts a finding and reports whether there is no more room for it.
func (c *Checker) full(severity Severity) bool {
	if len(c.found.Findings) < c.engine.maxFindings {
		return false
	}
	c.found.Counts[severity]++
	c.found.Dropped++
	return true
}

func (c *Checker) add(rule ruleID, severity Severity, path string, offset int, message string) {
	if c.full(severity) {
		return
	}
	c.found.Counts[severity]++
	c.found.Findings = append(c.found.Findings, Finding{
		ID: rules[rule].ID, Severity: severity, Doc: c.doc, Path: path, Offset: offset, Message: message, rule: rule,
	})
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
