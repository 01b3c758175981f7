package schema

import (
	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/internal/legacy"
)

// values is the value layer: it evaluates rules on a decoded document. A rule is a function of a
// values, for what is around an object, and of the object. For an Imp, checks_gen.go has impBroken
// (may a generated rule be broken?), impFindings (which ones?) and checkImp (both, and the objects
// inside it); impRules, written by hand, is in rules_request.go.
type values struct {
	findings
	at   around    // the object being checked
	json embedded  // JSON inside strings
	seen firstSeen // ids of the list being checked

	legacy   *legacy.Reader     // of objects inside an ext; made when needed
	sections []adcom.GPPSection // scratch
	numbers  []numbered         // scratch
}

// finish drops what the layer knows of a document, and memory that is unusually large.
func (c *values) finish() {
	c.at = around{}
	c.seen.Reset()
	c.json.finish()
	if c.legacy != nil {
		c.legacy.Reset()
	}
	if cap(c.numbers) > keptMax {
		c.numbers = nil
	}
}
