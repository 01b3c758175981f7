package policydiff

import (
	"math"

	"github.com/rtbwire/rtbwire/internal/verdictchange"
)

// The bounds of a result. Partners, reasons and publishers beyond [NamesMax] are counted together,
// as [Other].
const (
	NamesMax    = 1000
	ExamplesMax = 10
	Other       = "(other)"
)

// Verdicts counts the verdicts of one configuration.
type Verdicts struct {
	Forwarded, Refused int64
	// Observed of the forwarded ones would be refused if everything was enforced.
	Observed int64
}

func (v *Verdicts) add(o *Verdicts) {
	v.Forwarded += o.Forwarded
	v.Refused += o.Refused
	v.Observed += o.Observed
}

// Counts are totals.
type Counts struct {
	Requests   int64
	Captures   int64 // of the requests
	Responses  int64 // that were left out
	Unreadable int64 // captures that are cut
	Old, New   Verdicts
}

func (c *Counts) add(o *Counts) {
	c.Requests += o.Requests
	c.Captures += o.Captures
	c.Responses += o.Responses
	c.Unreadable += o.Unreadable
	c.Old.add(&o.Old)
	c.New.add(&o.New)
}

// Result is how two configurations differ.
type Result struct {
	Counts
	// Changes are by kind. Those of [verdictchange.Same] are not counted.
	Changes [verdictchange.Kinds]Change

	answers *Answers
	rates   Rates
}

// Changed is the number of requests that are forwarded by one and refused by the other.
func (r *Result) Changed() int64 {
	return r.Changes[verdictchange.ToRefuse].Requests + r.Changes[verdictchange.ToForward].Requests
}

// Reasons are those of both verdicts; "" if there is none.
type Reasons struct{ Old, New string }

// Publisher is a publisher of a partner. Either can be "".
type Publisher struct{ Partner, ID string }

// Sum adds up prices of one currency.
type Sum struct {
	Amount float64
	Count  int64 // requests that have any
}

// Change is what is known about the requests of one kind.
type Change struct {
	Requests   int64
	Reasons    map[Reasons]int64
	Partners   map[string]int64 // "" is no partner
	Publishers map[Publisher]int64
	Formats    [len(FormatNames)]int64
	Imps       int64
	// Floors are the floors of their impressions, by currency.
	Floors map[string]Sum
	// Answered of the requests have an answer that is known, with Bids in it. Prices are those of
	// the bids, by currency.
	Answered, Bids int64
	Prices         map[string]Sum
	// Examples are the first ones.
	Examples []Example
}

// Example is a place in the log. It has nothing of the request but its id.
type Example struct {
	Input        string
	Line, Offset int64
	ID           string
	Reasons
}

func newResult(o *Options) *Result {
	r := &Result{answers: o.Answers, rates: o.Rates}
	for i := range r.Changes {
		r.Changes[i] = Change{
			Reasons: map[Reasons]int64{}, Partners: map[string]int64{}, Publishers: map[Publisher]int64{}, Floors: map[string]Sum{}, Prices: map[string]Sum{},
		}
	}
	return r
}

// add adds a piece.
func (r *Result) add(c *piece) {
	r.Counts.add(&c.counts)
	for i := range c.changes {
		own := &c.changes[i]
		r.Changes[own.kind].add(own, c.input)
		if r.answers != nil {
			r.Changes[own.kind].answered(r.answers.of(own.id))
		}
	}
}

func (c *Change) add(own *change, input string) {
	reasons := Reasons{own.old, own.new}
	c.Requests++
	count(c.Reasons, reasons, Reasons{Other, Other})
	count(c.Partners, own.partner, Other)
	count(c.Publishers, Publisher{own.partner, own.publisher}, Publisher{Other, Other})
	for i := range FormatNames {
		if own.formats>>i&1 == 1 || own.formats == 0 && FormatNames[i] == "none" {
			c.Formats[i]++
		}
	}
	c.Imps += int64(own.imps)
	sum(c.Floors, own.floors)
	if len(c.Examples) < ExamplesMax {
		c.Examples = append(c.Examples, Example{input, own.line, own.offset, own.id, reasons})
	}
}

// answered adds what is known of the answer to a request.
func (c *Change) answered(a *answer) {
	if a == nil {
		return
	}
	c.Answered++
	c.Bids += int64(a.bids)
	sum(c.Prices, a.prices)
}

// count counts a key, or the other one if there are too many.
func count[K comparable](in map[K]int64, key, other K) {
	if _, known := in[key]; !known && len(in) >= NamesMax {
		key = other
	}
	in[key]++
}

// sum adds the prices of a request.
func sum(in map[string]Sum, prices []price) {
	for _, p := range prices {
		if _, known := in[p.currency]; !known && len(in) >= NamesMax {
			p.currency = Other
		}
		s := in[p.currency]
		s.Amount = min(s.Amount+p.amount, math.MaxFloat64) // JSON has no infinity
		s.Count++
		in[p.currency] = s
	}
}
