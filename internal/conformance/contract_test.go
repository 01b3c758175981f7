package conformance

import (
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/oracle"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// contract is the decoding contract, row by row: the files rows_*_test.go have its parts. Each case
// says what the three modes make of one document. The fuzz targets start from the same cases.
var contract = slices.Concat(
	grammarCases, escapeCases, unicodeCases, keyCases, unknownCases, duplicateCases,
	nullCases, integerCases, floatCases, stringCases, arrayCases, objectCases, extCases,
)

type contractCase struct {
	name    caseName
	in      string  // with marks
	want    result  // in default mode
	strict  *result // where it differs
	lenient *result
}

// mark precedes each place that a result refers to in the text of a case. It is not part of the
// document.
const mark = "‸"

// unmark removes the marks from a text and returns their offsets.
func unmark(text string) (data []byte, marks []int) {
	parts := strings.Split(text, mark)
	for i, part := range parts {
		data = append(data, part...)
		if i < len(parts)-1 {
			marks = append(marks, len(data))
		}
	}
	return data, marks
}

// result is what a mode makes of a case: a value, or an error with its code, place and path.
type result struct {
	value *openrtb.BidRequest
	code  wire.Code
	at    int // which mark, from 0
	path  string
	saved []saved
}

// saved is one repair of lenient mode.
type saved struct {
	code wire.Code
	at   int // which mark, from 0
	path string
}

// is returns the result of an accepted document.
func is(v openrtb.BidRequest, s ...saved) result { return result{value: &v, saved: s} }

// not is the result of a document that is refused at its first mark.
func not(code wire.Code, path string) result { return result{code: code, path: path} }

// imp is a request with one impression.
func imp(i openrtb.Imp) openrtb.BidRequest { return openrtb.BidRequest{Imp: []openrtb.Imp{i}} }

var (
	absent = openrtb.BidRequest{}
	id1    = openrtb.BidRequest{ID: "1"}
)

// resultIn returns the result in one of the three modes.
func (c *contractCase) resultIn(m oracle.Mode) *result {
	switch {
	case m == oracle.Strict && c.strict != nil:
		return c.strict
	case m == oracle.Lenient && c.lenient != nil:
		return c.lenient
	}
	return &c.want
}

// outcome returns the result in the oracle's terms.
func (r *result) outcome(marks []int) oracle.Outcome {
	if r.value == nil {
		return oracle.Outcome{Fault: new(fault(r.code, marks[r.at], r.path))}
	}
	o := oracle.Outcome{Value: r.value}
	for _, s := range r.saved {
		o.Saved = append(o.Saved, fault(s.code, marks[s.at], s.path))
	}
	return o
}

// TestContract decodes every case in every way. The oracle must agree with the table too.
func TestContract(t *testing.T) {
	list := entries()
	for _, c := range contract {
		data, marks := unmark(c.in)
		for _, e := range list {
			if e.response {
				continue
			}
			if s := e.differs(data, c.resultIn(e.mode).outcome(marks)); s != "" {
				t.Errorf("%v: %s of %s: %s", c.name, e.name, testkit.Abridged(data), s)
			}
		}
		everywhere(t, list, data)
	}
}
