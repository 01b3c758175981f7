package core

import (
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/openrtb"
)

// This file decides what to bid on: impressions, deals, seats, currency, floors, advertisers.

// offer is a thing to bid on.
type offer struct {
	imp  *openrtb.Imp
	deal *openrtb.Deal // nil in the open auction
	seat string
}

// findOffers lists what may be bid on: all guaranteed deals, and one more offer for each impression
// without them.
func (b *Bidder) findOffers(req *openrtb.BidRequest, d *draws) {
	b.offers = b.offers[:0]
	for i := range req.Imp[:min(len(req.Imp), ImpsMax)] {
		imp := &req.Imp[i]
		// A bid on an id that occurs twice is one on the first of them.
		if imp.ID == "" || firstImp(req, imp.ID) < i {
			continue
		}
		if imp.Pmp != nil && b.dealOffers(req, imp, d) {
			continue
		}
		if seat, ok := seatOf(req, nil, d); ok {
			b.offers = append(b.offers, offer{imp: imp, seat: seat})
		}
	}
}

// firstImp returns the index of the first impression with an id.
func firstImp(req *openrtb.BidRequest, id string) int {
	for i := range req.Imp {
		if req.Imp[i].ID == id {
			return i
		}
	}
	return -1
}

// dealOffers lists the deals of an impression. It returns false if the open auction remains.
func (b *Bidder) dealOffers(req *openrtb.BidRequest, imp *openrtb.Imp, d *draws) bool {
	before := len(b.offers)
	var other offer
	for i := range imp.Pmp.Deals[:min(len(imp.Pmp.Deals), ImpsMax)] {
		deal := &imp.Pmp.Deals[i]
		if deal.ID == "" || slices.ContainsFunc(imp.Pmp.Deals[:i], func(v openrtb.Deal) bool { return v.ID == deal.ID }) {
			continue
		}
		seat, ok := seatOf(req, deal.WSeat, d)
		switch {
		case !ok:
		case is(deal.Guar, 1):
			b.offers = append(b.offers, offer{imp, deal, seat})
		case other.imp == nil:
			other = offer{imp, deal, seat}
		}
	}
	private := is(imp.Pmp.PrivateAuction, 1)
	if len(b.offers) == before && other.imp != nil && (private || d.unit() < dealShare) {
		b.offers = append(b.offers, other)
	}
	return private || len(b.offers) > before
}

// dealShare is how often a deal is preferred to the open auction.
const dealShare = 0.5

// seatOf returns a seat that the request and the deal allow.
func seatOf(req *openrtb.BidRequest, ofDeal []string, d *draws) (string, bool) {
	allowed := func(seat string) bool {
		return seat != "" && (len(req.WSeat) == 0 || slices.Contains(req.WSeat, seat)) &&
			(len(ofDeal) == 0 || slices.Contains(ofDeal, seat)) && !slices.Contains(req.BSeat, seat)
	}
	list := seats[:]
	switch {
	case len(ofDeal) > 0:
		list = ofDeal
	case len(req.WSeat) > 0:
		list = req.WSeat
	}
	return pick(list, allowed, d)
}

var seats = [...]string{"seat-1", "seat-2", "seat-3", "seat-4"}

// pick returns an element of a list that is allowed, beginning with a random one.
func pick(list []string, allowed func(string) bool, d *draws) (string, bool) {
	if len(list) == 0 {
		return "", false
	}
	first := d.below(len(list))
	for i := range list {
		if s := list[(first+i)%len(list)]; allowed(s) {
			return s, true
		}
	}
	return "", false
}

// usd is the currency of whatever names none.
const usd = "USD"

func orUSD(cur string) string {
	if cur == "" {
		return usd
	}
	return cur
}

// currency returns the currency of the response: that of the first floor in one that the request
// allows, because nothing here knows exchange rates.
func currency(req *openrtb.BidRequest, offers []offer) (string, bool) {
	allowed := func(cur string) bool { return len(req.Cur) == 0 || slices.Contains(req.Cur, cur) }
	for i := range offers {
		if floor, cur := offers[i].floor(0, nil); floor > 0 && allowed(cur) && isCurrency(cur) {
			return cur, true
		}
	}
	switch {
	case len(offers) == 0:
		return "", false
	case allowed(usd):
		return usd, true
	}
	for _, cur := range req.Cur {
		if isCurrency(cur) {
			return cur, true
		}
	}
	return "", false
}

// isCurrency reports whether a text has the form of ISO 4217's codes.
func isCurrency(cur string) bool {
	return len(cur) == 3 && strings.Trim(cur, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// floor returns the lowest price for a bid of dur seconds, and its currency (section 3.2.12): of
// the deal, otherwise of the media for the duration, otherwise of the impression.
func (o *offer) floor(media adcom.MarkupType, dur *int) (float64, string) {
	imp, cur := o.imp, orUSD(o.imp.BidFloorCur)
	otherwise := imp.BidFloor
	var perSecond *float64
	var table []openrtb.DurFloors
	switch {
	case o.deal != nil:
		cur, otherwise = orUSD(o.deal.BidFloorCur), o.deal.BidFloor
		perSecond, table = o.deal.MinCPMPerSec, o.deal.DurFloors
	case media == adcom.MarkupTypeVideo:
		perSecond, table = imp.Video.MinCPMPerSec, imp.Video.DurFloors
	case media == adcom.MarkupTypeAudio:
		perSecond, table = imp.Audio.MinCPMPerSec, imp.Audio.DurFloors
	}
	floor := 0.0
	if otherwise != nil {
		floor = *otherwise
	}
	if dur != nil {
		if perSecond != nil {
			floor = max(floor, *perSecond*float64(*dur))
		}
		for i := range table { // all that fit, so that the price is high enough for any reading
			t := &table[i]
			if t.BidFloor != nil && (t.MinDur == nil || *dur >= *t.MinDur) && (t.MaxDur == nil || *dur <= *t.MaxDur) {
				floor = max(floor, *t.BidFloor)
			}
		}
	}
	return floor, cur
}

// advertise fills in an advertiser and a category that are not blocked. It returns false if every
// advertiser is.
func (b *Bidder) advertise(bid *openrtb.Bid, req *openrtb.BidRequest, o *offer, d *draws) bool {
	list := advertisers[:]
	if o.deal != nil && len(o.deal.WADomain) > 0 {
		list = o.deal.WADomain
	}
	domain, ok := pick(list, func(s string) bool { return s != "" && !under(req.BAdv, s) }, d)
	if !ok {
		return false
	}
	bid.ADomain = b.name(domain)

	bid.CatTax = req.CatTax
	list = categories[:]
	switch {
	case len(req.ACat) > 0:
		list = req.ACat
	case bid.CatTax != nil && *bid.CatTax > 1:
		list = numbers[:]
	}
	if cat, ok := pick(list, func(s string) bool { return s != "" && !covered(req.BCat, s) }, d); ok {
		bid.Cat = b.name(cat)
	}
	return true
}

var (
	advertisers = [...]string{"shop.example", "cars.example", "travel.example", "bank.example", "games.example", "news.example"}
	// categories are some of the IAB Content Category Taxonomy 1.0, numbers of later taxonomies.
	categories = [...]string{"IAB2-3", "IAB3-1", "IAB8-5", "IAB13-4", "IAB19-6", "IAB20-12", "IAB22-2"}
	numbers    = [...]string{"1", "52", "80", "210", "391", "453", "552", "596"}
)

// under reports whether a domain or one of its parents is in the list.
func under(list []string, domain string) bool {
	for _, e := range list {
		n := len(domain) - len(e)
		if e != "" && n >= 0 && strings.EqualFold(domain[n:], e) && (n == 0 || domain[n-1] == '.') {
			return true
		}
	}
	return false
}

// covered reports whether a category or its parent is in the list.
func covered(list []string, cat string) bool {
	parent, _, _ := strings.Cut(cat, "-")
	return slices.Contains(list, cat) || slices.Contains(list, parent)
}

func is[T ~int](v *T, n T) bool { return v != nil && *v == n }
