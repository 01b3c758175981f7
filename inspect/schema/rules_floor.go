package schema

import (
	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/internal/currency"
	"github.com/rtbwire/rtbwire/openrtb"
)

// The parts of a floor that a bid may be below it: a floor per second times seconds is not exact,
// and two parties do not convert by the same rates.
const (
	floorTolerance      = 1e-9
	conversionTolerance = 0.01
)

// belowFloor reports whether a bid has a price below its floor. Without a rate for one of two
// unknown currencies.
func (c *pairs) belowFloor(bid *openrtb.Bid, o *offer) bool {
	floor, cur := o.floor(bid)
	if sameCurrency(cur, o.cur) {
		return *bid.Price < floor*(1-floorTolerance)
	}
	if c.engine.currencies == nil || c.engine.severity[ruleBidPriceFloor] == Off {
		return false
	}
	price, known := c.dollars(*bid.Price, o.cur)
	least, also := c.dollars(floor, cur)
	return known && also && price < least*(1-conversionTolerance)
}

// sameCurrency reports whether two codes mean one currency.
func sameCurrency(a, b string) bool {
	var x, y [currency.Len]byte
	return a == b || currency.Canonical(&x, a) == currency.Canonical(&y, b)
}

// dollars converts a price. There need not be a rate for dollars.
func (c *pairs) dollars(price float64, currency string) (dollars float64, known bool) {
	if sameCurrency(currency, defaultImpBidFloorCur) {
		return price, true
	}
	return c.engine.currencies.USD(price, currency)
}

// floor returns the lowest price for the bid, and its currency: of the deal, otherwise of the
// media for the bid's duration, otherwise of the impression (section 3.2.12).
func (o *offer) floor(bid *openrtb.Bid) (float64, string) {
	impCur := orDefault(o.imp.BidFloorCur, defaultImpBidFloorCur)
	if d := o.deal; d != nil {
		cur := orDefault(d.BidFloorCur, defaultDealBidFloorCur)
		if f, ok := durationFloor(bid.Dur, d.MinCPMPerSec, d.DurFloors); ok {
			return f, cur
		}
		if d.BidFloor != nil {
			return *d.BidFloor, cur
		}
		return 0, cur
	}
	switch o.media {
	case adcom.MarkupTypeVideo:
		if f, ok := durationFloor(bid.Dur, o.imp.Video.MinCPMPerSec, o.imp.Video.DurFloors); ok {
			return f, impCur
		}
	case adcom.MarkupTypeAudio:
		if f, ok := durationFloor(bid.Dur, o.imp.Audio.MinCPMPerSec, o.imp.Audio.DurFloors); ok {
			return f, impCur
		}
	}
	if o.imp.BidFloor != nil {
		return *o.imp.BidFloor, impCur
	}
	return 0, impCur
}

// durationFloor applies a price per second, or the table of durations; outside the table the
// impression's floor holds. Spans of the table may overlap without a rank (section 3.2.35), so the
// lowest floor that fits is the one that counts: no reading of the table makes it too high.
func durationFloor(dur *int, perSecond *float64, table []openrtb.DurFloors) (lowest float64, found bool) {
	if dur == nil || len(table) > listMax {
		return 0, false
	}
	if perSecond != nil {
		return *perSecond * float64(*dur), true
	}
	for i := range table {
		t := &table[i]
		if t.BidFloor == nil || t.MinDur != nil && *dur < *t.MinDur || t.MaxDur != nil && *dur > *t.MaxDur {
			continue
		}
		if !found || *t.BidFloor < lowest {
			lowest, found = *t.BidFloor, true
		}
	}
	return lowest, found
}
