package policydiff

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/internal/currency"
	"github.com/rtbwire/rtbwire/internal/record"
	"github.com/rtbwire/rtbwire/internal/verdictchange"
	"github.com/rtbwire/rtbwire/openrtb"
)

// change is a request whose verdict changes. It shares no memory with the request.
type change struct {
	kind               verdictchange.Kind
	line, offset       int64
	id                 string
	partner, publisher string
	old, new           string // reasons, "" if it is forwarded
	formats            formats
	imps               int
	floors             []price
}

type price struct {
	currency string
	amount   float64
}

// formats is a set.
type formats uint8

// The formats of impressions.
const (
	banner formats = 1 << iota
	video
	audio
	native
)

// FormatNames are the formats that requests are counted by. One with several counts for each.
var FormatNames = [...]string{"banner", "video", "audio", "native", "none"}

// judge judges documents under both configurations.
type judge struct {
	o        *Options
	old, new *inspect.Worker
	floors   []price
}

func newJudge(o *Options) *judge { return &judge{o: o, old: o.Old.NewWorker(), new: o.New.NewWorker()} }

// piece judges the documents of a piece.
func (j *judge) piece(c *piece) {
	for i := range c.documents {
		d := &c.documents[i]
		j.document(c, d, c.text[d.start:d.end])
	}
	j.old.Release()
	j.new.Release()
}

func (j *judge) document(c *piece, d *document, body []byte) {
	facts := j.o.Facts
	switch {
	case d.tooLarge: // both refuse it, unread
		c.counts.Requests++
		c.counts.Old.Refused++
		c.counts.New.Refused++
		return
	case record.Is(body):
		r, err := record.Parse(body)
		if err != nil { // cut at the end of a process
			c.counts.Unreadable++
			return
		}
		c.counts.Captures++
		body, facts = r.Request, r.Facts
	case isResponse(body):
		c.counts.Responses++
		return
	}
	c.counts.Requests++
	before := j.verdict(j.old, body, facts, &c.counts.Old)
	after := j.verdict(j.new, body, facts, &c.counts.New)
	kind, old, next := verdictchange.Between(&before, &after)
	if kind == verdictchange.Same {
		return
	}
	own := change{kind: kind, line: d.line, offset: d.offset, partner: facts.Partner, old: old, new: next}
	if r := j.new.Request(); r != nil {
		j.describe(&own, r, &facts)
	}
	c.changes = append(c.changes, own)
}

// isResponse reports whether a document is a response, and not text that neither configuration
// takes: that is a request, as in a filter.
func isResponse(body []byte) bool {
	return batch.DetectType(body) == schema.Response && (bytes.Contains(body, []byte(`"seatbid"`)) || bytes.Contains(body, []byte(`"nbr"`)))
}

// verdict returns what is compared of a verdict, and counts it.
func (*judge) verdict(w *inspect.Worker, body []byte, facts inspect.Facts, count *Verdicts) verdictchange.Summary {
	v := w.Inspect(body, facts)
	s := verdictchange.Of(&v)
	switch {
	case s.Reason != "":
		count.Refused++
	case s.Would != "":
		count.Observed++
		fallthrough
	default:
		count.Forwarded++
	}
	return s
}

// textMax is how much of an id is kept, in bytes.
const textMax = 128

// kept copies the beginning of a text.
func kept(text string) string {
	return strings.ToValidUTF8(strings.Clone(text[:min(len(text), textMax)]), "\ufffd")
}

// describe notes what a change is counted by.
func (j *judge) describe(own *change, r *openrtb.BidRequest, facts *inspect.Facts) {
	own.id = kept(r.ID)
	own.publisher = kept(cmp.Or(facts.Publisher, inspect.PublisherOf(r)))
	own.imps = len(r.Imp)
	j.floors = j.floors[:0]
	for i := range r.Imp {
		imp := &r.Imp[i]
		if imp.Banner != nil {
			own.formats |= banner
		}
		if imp.Video != nil {
			own.formats |= video
		}
		if imp.Audio != nil {
			own.formats |= audio
		}
		if imp.Native != nil {
			own.formats |= native
		}
		if imp.BidFloor != nil && *imp.BidFloor > 0 {
			j.floors = addPrice(j.floors, j.o.Rates, *imp.BidFloor, imp.BidFloorCur)
		}
	}
	if len(j.floors) > 0 {
		own.floors = append([]price(nil), j.floors...)
	}
}

// base is the currency that an empty one means, and that rates convert to.
const base = "USD"

// addPrice adds a price to those of its currency, or in US dollars if there is a rate.
func addPrice(list []price, rates Rates, amount float64, cur string) []price {
	var buf [currency.Len]byte
	code := currency.Canonical(&buf, cur)
	if code == "" {
		code = base
	}
	if rates != nil {
		if dollars, known := rates.USD(amount, code); known {
			amount, code = dollars, base
		}
	}
	if !isCode(code) {
		code = Other // whoever sends it writes what they like
	}
	for i := range list {
		if list[i].currency == code {
			list[i].amount += amount
			return list
		}
	}
	return append(list, price{strings.Clone(code), amount})
}

// isCode reports whether a text has three capital letters.
func isCode(code string) bool {
	for i := range len(code) {
		if code[i] < 'A' || code[i] > 'Z' {
			return false
		}
	}
	return len(code) == currency.Len
}
