package main

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// bodyMax is the longest request that is read. Real ones have a few kilobytes; without a limit one
// sender could fill the memory.
const bodyMax = 64 << 10

// Campaign is what a bidder offers for an impression.
type Campaign struct {
	ID       string
	Creative string
	Domain   string // of the advertiser
	Price    float64
	Currency string
	Sizes    []Size
	MIME     string
	Markup   string
}

// Size is the size of a creative in device-independent pixels.
type Size struct{ W, H int }

// Bidder answers bid requests for one campaign. Any number of goroutines may use it at once.
type Bidder struct {
	campaign Campaign
	requests *openrtb.Pool
	desks    sync.Pool // of *desk
}

// desk is the memory that one request needs while it is answered. Desks are used again, so that a
// request allocates next to nothing.
type desk struct {
	body    []byte
	out     []byte
	bids    []openrtb.Bid
	checker *schema.Checker
}

// NewBidder returns a bidder for the campaign.
func NewBidder(c Campaign) (*Bidder, error) {
	// Exchange is the preset of rules whose breach matters to those who trade, not to archivists.
	engine, err := schema.New(schema.WithPreset(schema.Exchange))
	if err != nil {
		return nil, err
	}
	return &Bidder{
		campaign: c,
		// Lenient reads what exchanges really send, "w":"300" for instance. Refusing it costs
		// revenue.
		requests: openrtb.NewPool(wire.Lenient(), wire.MaxSize(bodyMax)),
		desks:    sync.Pool{New: func() any { return &desk{checker: engine.NewChecker()} }},
	}, nil
}

// ServeHTTP answers one bid request.
func (b *Bidder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	d := b.desks.Get().(*desk)
	// The last use of the desk comes after the release below: deferred calls run in reverse order.
	// The next body must not be read into memory that this request still points to.
	defer b.desks.Put(d)

	var err error
	if d.body, err = wire.ReadAll(d.body[:0], r.Body, bodyMax); err != nil {
		noBid(w) // too long, or the sender is gone
		return
	}
	request, err := b.requests.ParseFastArena(d.body)
	if err != nil {
		noBid(w) // err is a *wire.Error with code, offset and path, worth counting by code
		return
	}
	defer request.Release()

	// The decoder has checked the text. This checks what the values mean.
	if report := d.checker.RequestValue(request, nil); !report.Valid() {
		if request.ID == "" { // a response needs it
			noBid(w)
			return
		}
		d.answer(w, &openrtb.BidResponse{ID: request.ID, NBR: new(adcom.NoBidReasonInvalidRequest)})
		return
	}
	d.bids = b.bids(d.bids[:0], request)
	if len(d.bids) == 0 {
		noBid(w)
		return
	}
	d.answer(w, &openrtb.BidResponse{
		ID:      request.ID,
		Cur:     b.campaign.Currency,
		SeatBid: []openrtb.SeatBid{{Seat: "example", Bid: d.bids}},
	})
	clear(d.bids) // an idle desk keeps no request alive
}

// noBid is the answer that costs least. A reason in the body (nbr) is for those who can act on it:
// the sender of an invalid request.
func noBid(w http.ResponseWriter) { w.WriteHeader(http.StatusNoContent) }

// answer writes the response. Its strings may point into the request, which is not released before.
func (d *desk) answer(w http.ResponseWriter, response *openrtb.BidResponse) {
	var err error
	if d.out, err = response.AppendJSON(d.out[:0]); err != nil {
		noBid(w) // a campaign whose price is not a number, for instance
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(d.out)))
	_, _ = w.Write(d.out) // if it fails the exchange is gone, and the bid with it
}

// bids appends a bid for each impression that the campaign fits.
func (b *Bidder) bids(list []openrtb.Bid, request *openrtb.BidRequest) []openrtb.Bid {
	c := &b.campaign
	if slices.Contains(request.BAdv, c.Domain) { // blocked by the publisher
		return list
	}
	if len(request.Cur) > 0 && !slices.Contains(request.Cur, c.Currency) {
		return list
	}
	for i := range request.Imp {
		imp := &request.Imp[i] // a copy would be large
		size, fits := c.fits(imp)
		if !fits {
			continue
		}
		list = append(list, openrtb.Bid{
			ID:      imp.ID,
			ImpID:   imp.ID,
			Price:   &c.Price,
			AdM:     c.Markup,
			ADomain: []string{c.Domain},
			CID:     c.ID,
			CrID:    c.Creative,
			W:       &size.W,
			H:       &size.H,
			MType:   new(adcom.MarkupTypeBanner),
		})
	}
	return list
}

// fits finds a size of the campaign for the impression. Absent members are nil, and each has a
// default of the specification: no floor, any type, dollars.
func (c *Campaign) fits(imp *openrtb.Imp) (*Size, bool) {
	banner := imp.Banner
	if banner == nil {
		return nil, false
	}
	if imp.BidFloor != nil && *imp.BidFloor > c.Price {
		return nil, false
	}
	if cmp.Or(imp.BidFloorCur, "USD") != c.Currency {
		return nil, false // a real bidder would convert it
	}
	if pmp := imp.Pmp; pmp != nil && pmp.PrivateAuction != nil && *pmp.PrivateAuction == 1 {
		return nil, false // only for holders of a deal
	}
	if len(banner.MIMEs) > 0 && !slices.Contains(banner.MIMEs, c.MIME) {
		return nil, false
	}
	for i := range c.Sizes {
		size := &c.Sizes[i]
		if equal(banner.W, size.W) && equal(banner.H, size.H) {
			return size, true
		}
		for j := range banner.Format {
			if f := &banner.Format[j]; equal(f.W, size.W) && equal(f.H, size.H) {
				return size, true
			}
		}
	}
	return nil, false
}

// equal reports whether an optional number is present and n.
func equal(p *int, n int) bool { return p != nil && *p == n }
