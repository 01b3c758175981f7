package core

import (
	"math"
	"strconv"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/openrtb/native"
)

// Bidder makes bids for requests, in memory that it uses again. One goroutine at a time may use
// it. The zero value is ready for use.
type Bidder struct {
	response openrtb.BidResponse
	seats    []openrtb.SeatBid
	bids     [][]openrtb.Bid // of each seat
	adomain  []string
	cat      []string
	native   *native.Decoder
	offers   []offer
	markup   []byte
}

// Append appends the response to a request as JSON. It returns false, and dst as it was, if the
// request leaves nothing to bid on. Seed chooses among the bids that are possible.
func (b *Bidder) Append(dst []byte, req *openrtb.BidRequest, seed uint64) ([]byte, bool) {
	d := drawsOf(seed, req.ID)
	return b.append(dst, req, &d)
}

func (b *Bidder) append(dst []byte, req *openrtb.BidRequest, d *draws) ([]byte, bool) {
	resp := b.respond(req, d)
	if resp == nil {
		return dst, false
	}
	out, err := resp.AppendJSON(dst)
	b.forget()
	if err != nil { // the request's own text can't be repeated
		return dst, false
	}
	return out, true
}

// respond returns a response with bids, nil if there are none.
func (b *Bidder) respond(req *openrtb.BidRequest, d *draws) *openrtb.BidResponse {
	if req.ID == "" {
		return nil
	}
	b.seats, b.adomain, b.cat = b.seats[:0], b.adomain[:0], b.cat[:0]
	b.findOffers(req, d)
	cur, ok := currency(req, b.offers)
	if !ok {
		return nil
	}
	bids := 0
	for i := range b.offers {
		o := &b.offers[i]
		bid, ok := b.bid(req, o, cur, d)
		if !ok {
			continue
		}
		bids++
		bid.ID = strconv.Itoa(bids)
		seat := b.seat(o.seat)
		seat.Bid = append(seat.Bid, bid)
	}
	if bids == 0 {
		return nil
	}
	b.response = openrtb.BidResponse{ID: req.ID, SeatBid: b.seats, Cur: cur, BidID: bidID(d)}
	return &b.response
}

// forget releases the request's text.
func (b *Bidder) forget() {
	b.response = openrtb.BidResponse{}
	for i := range b.seats {
		clear(b.seats[i].Bid)
		b.bids[i] = b.seats[i].Bid[:0]
	}
	clear(b.seats)
	clear(b.offers)
	clear(b.adomain)
	clear(b.cat)
}

// seat returns the bids of a seat.
func (b *Bidder) seat(name string) *openrtb.SeatBid {
	for i := range b.seats {
		if b.seats[i].Seat == name {
			return &b.seats[i]
		}
	}
	n := len(b.seats)
	if n == len(b.bids) {
		b.bids = append(b.bids, nil)
	}
	b.seats = append(b.seats, openrtb.SeatBid{Seat: name, Bid: b.bids[n][:0]})
	return &b.seats[n]
}

// bid makes a bid for an offer.
func (b *Bidder) bid(req *openrtb.BidRequest, o *offer, cur string, d *draws) (openrtb.Bid, bool) {
	imp := o.imp
	bid := openrtb.Bid{ImpID: imp.ID, CID: campaigns[d.below(len(campaigns))], CrID: creatives[d.below(len(creatives))]}
	if o.deal != nil {
		bid.DealID = o.deal.ID
	}
	media := mediaOf(imp, d)
	if media == 0 || !b.creative(&bid, o, media) {
		return bid, false
	}
	floor, floorCur := o.floor(media, bid.Dur)
	if floor > 0 && floorCur != cur {
		return bid, false
	}
	bid.Price = new(price(floor, d))
	if !b.advertise(&bid, req, o, d) {
		return bid, false
	}
	bid.NURL, bid.IURL = winNotice, sampleImage
	if media == adcom.MarkupTypeBanner {
		bid.BURL = billingNotice
	}
	return bid, true
}

// price returns a price above the floor in whole cents.
func price(floor float64, d *draws) float64 {
	const cheapest, spread = 0.1, 5
	p := max(floor, cheapest) + d.unit()*spread
	if cents := math.Ceil(p*100) / 100; cents >= floor && !math.IsInf(cents, 0) {
		return cents
	}
	return floor
}

// bidID returns an id of the response.
func bidID(d *draws) string {
	return string(strconv.AppendUint(make([]byte, 0, 16), d.next(), 16))
}

// The notices and names that all bids share. The domains are reserved for examples (RFC 2606).
const (
	winNotice     = "https://core.example/win?price=${AUCTION_PRICE}&imp=${AUCTION_IMP_ID}"
	billingNotice = "https://core.example/bill?price=${AUCTION_PRICE}&imp=${AUCTION_IMP_ID}"
	sampleImage   = "https://cdn.example/sample.png"
)

var (
	campaigns = [...]string{"c-101", "c-102", "c-103", "c-104", "c-105", "c-106", "c-107", "c-108"}
	creatives = [...]string{"cr-1", "cr-2", "cr-3", "cr-4", "cr-5", "cr-6", "cr-7", "cr-8", "cr-9"}
)
