package policy

import (
	"sync"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/internal/legacy"
	"github.com/rtbwire/rtbwire/openrtb"
)

// frame is the memory of one evaluation. Closures get a pointer to it.
//
// A failure is noted in fail and stays there. An operation that needs all its operands goes on with
// whatever value the failed one returned; its own result is then without meaning. So the
// operators that absorb failures (&&, ||, exists, all) are the only ones to look.
type frame struct {
	request *openrtb.BidRequest // request and facts are never nil once begin was called
	facts   *rule.Facts
	steps   int // left
	fail    failure
	dirty   bool // one of the fields below was used

	slots  [1 + LoopsMax]value // the request, and the variables of macros
	values []value             // elements of lists that were made
	lists  []list              // lists in lists
	text   []byte              // strings that were made

	// Values at two places, read once in an evaluation.
	reader    *legacy.Reader
	eids      []openrtb.EID
	eidsRead  bool
	chain     openrtb.SupplyChain
	nodes     []openrtb.SupplyChainNode
	chainIs   *openrtb.SupplyChain
	chainRead bool
	sections  []adcom.GPPSection
	gppRead   bool
}

var frames = sync.Pool{New: func() any { return new(frame) }}

// What a frame keeps between two evaluations.
const (
	valuesKept = 1 << 10
	textKept   = 1 << 14
)

// clear drops what an evaluation has made, and memory above what is kept.
func (c *frame) clear() {
	c.dirty = false
	clear(c.values)
	clear(c.lists)
	c.values, c.lists, c.text, c.sections = c.values[:0], c.lists[:0], c.text[:0], c.sections[:0]
	if cap(c.values) > valuesKept {
		c.values = nil
	}
	if cap(c.lists) > valuesKept {
		c.lists = nil
	}
	if cap(c.text) > textKept {
		c.text = nil
	}
	if c.eidsRead || c.chainRead {
		clear(c.eids)
		clear(c.nodes)
		c.eids, c.nodes, c.chain, c.chainIs = c.eids[:0], c.nodes[:0], openrtb.SupplyChain{}, nil
		if cap(c.eids) > valuesKept {
			c.eids = nil
		}
		if cap(c.nodes) > valuesKept {
			c.nodes = nil
		}
		if c.reader != nil {
			c.reader.Reset()
		}
	}
	c.eidsRead, c.chainRead, c.gppRead = false, false, false
}

// begin prepares the evaluation of conditions about a request.
func (c *frame) begin(r *openrtb.BidRequest, f *rule.Facts) {
	c.request, c.facts, c.steps = r, f, StepsMax
	c.slots[requestSlot] = objectValue(r)
}

// Indices of slots.
const (
	requestSlot = iota
	firstLoopSlot
)

// Release drops what the frame keeps of the last request.
func (c *frame) Release() {
	c.clear()
	clear(c.slots[:])
	c.begin(&noRequest, &noFacts)
}

// failWith notes a failure, unless there is one.
func (c *frame) failWith(f failure) {
	if c.fail == failNone {
		c.fail = f
	}
}

// textPerStep is the number of bytes that are read in one step.
const textPerStep = 16

// charge counts the work of reading n bytes.
func (c *frame) charge(n int) {
	if c.steps -= n / textPerStep; c.steps < 0 {
		c.fail = failSteps
	}
}

// chargeElements counts the work of looking at n elements.
func (c *frame) chargeElements(n int) {
	if c.steps -= n; c.steps < 0 {
		c.fail = failSteps
	}
}

// step counts the work on an element, and reports whether there may be more.
func (c *frame) step() bool {
	if c.steps--; c.steps < 0 {
		c.fail = failSteps
		return false
	}
	return true
}

// reserve returns the place of n new values in c.values. The values move when more are reserved, so
// that they are only addressed through c.values until the list is complete.
func (c *frame) reserve(n int) (at int, ok bool) {
	at = len(c.values)
	if n > ValuesMax-at {
		c.fail = failValues
		return 0, false
	}
	c.dirty = true
	for range n {
		c.values = append(c.values, value{})
	}
	return at, true
}

// mayAdd reports whether n more bytes of text may be made.
func (c *frame) mayAdd(n int) bool {
	if n > TextMax-len(c.text) {
		c.fail = failText
		return false
	}
	c.dirty = true
	return true
}
