package core

import (
	"math"
	"strconv"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/openrtb"
)

// Bidder makes bids for requests, in memory that it uses again. One goroutine at a time may use
// it. The zero value is ready for use.
type Bidder struct {
	response openrtb.BidResponse
	seats    []openrtb.SeatBid
	bids     [][]openrtb.Bid // of each seat
	offers   []offer
	native   nativeMemory

	// What bids point to. A list that has to grow leaves the one before to the bids that use it.
	names     []string
	prices    []float64
	numbers   []int
	protocols []adcom.CreativeSubtypeAV
	text      []byte
}

// keep appends v to a list and returns its place there.
func keep[T any](list *[]T, v T) *T {
	*list = append(*list, v)
	return &(*list)[len(*list)-1]
}

// name returns a list with one name.
func (b *Bidder) name(s string) []string {
	b.names = append(b.names, s)
	return b.names[len(b.names)-1:]
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
	b.seats, b.names, b.prices, b.numbers = b.seats[:0], b.names[:0], b.prices[:0], b.numbers[:0]
	b.protocols, b.text = b.protocols[:0], b.text[:0]
	b.findOffers(req, d)
	cur, ok := currency(req, b.offers)
	if !ok {
		return nil
	}
	bids := 0
	for i := range b.offers {
		o := &b.offers[i]
		seat := b.seat(o.seat)
		n := len(seat.Bid)
		seat.Bid = append(seat.Bid, openrtb.Bid{})
		if bid := &seat.Bid[n]; b.bid(bid, req, o, cur, d) {
			bids++
			bid.ID = strconv.Itoa(bids)
			continue
		}
		if seat.Bid = seat.Bid[:n]; n == 0 { // it is the last one
			b.seats = b.seats[:len(b.seats)-1]
		}
	}
	if bids == 0 {
		return nil
	}
	b.response = openrtb.BidResponse{ID: req.ID, SeatBid: b.seats, Cur: cur, BidID: b.bidID(d)}
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
	clear(b.names)
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

// bid makes a bid for an offer. It returns false if that is not possible.
func (b *Bidder) bid(bid *openrtb.Bid, req *openrtb.BidRequest, o *offer, cur string, d *draws) bool {
	bid.ImpID, bid.CID, bid.CrID = o.imp.ID, campaigns[d.below(len(campaigns))], creatives[d.below(len(creatives))]
	if o.deal != nil {
		bid.DealID = o.deal.ID
	}
	media := mediaOf(o.imp, d)
	if media == 0 || !b.creative(bid, o, media) {
		return false
	}
	floor, floorCur := o.floor(media, bid.Dur)
	if floor > 0 && floorCur != cur {
		return false
	}
	bid.Price = keep(&b.prices, price(floor, d))
	if !b.advertise(bid, req, o, d) {
		return false
	}
	bid.NURL, bid.IURL = winNotice, sampleImage
	if media == adcom.MarkupTypeBanner {
		bid.BURL = billingNotice
	}
	return true
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
func (b *Bidder) bidID(d *draws) string {
	start := len(b.text)
	b.text = strconv.AppendUint(b.text, d.next(), 16)
	return mem.String(b.text[start:])
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
