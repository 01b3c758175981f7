package schema

import (
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/openrtb"
)

// This file, rules_floor.go and rules_markup.go hold the rules that need both the request and the
// response. Findings point into the response, except for a guaranteed deal that got no bid.

// offer is what one bid answers.
type offer struct {
	request *openrtb.BidRequest
	imp     *openrtb.Imp
	deal    *openrtb.Deal    // nil if the bid names no deal of the impression
	media   adcom.MarkupType // 0 if unknown
	cur     string           // of the response
	seat    string
}

// pairs holds the rules about a request and the response to it.
type pairs struct {
	*findings // about both
	json      *embedded
	lists     lookups
}

// check applies the rules to a pair.
func (c *pairs) check(req *openrtb.BidRequest, resp *openrtb.BidResponse) {
	c.doc = Response
	// BidResponse.id.match
	if resp.ID != "" && resp.ID != req.ID {
		c.report(ruleBidResponseIdMatch, fBidResponseID)
	}
	// BidResponse.cur.allowed
	cur := orDefault(resp.Cur, defaultBidResponseCur)
	if len(resp.SeatBid) > 0 && len(req.Cur) > 0 && !contains(&c.lists, req.Cur, cur) && !slices.ContainsFunc(req.Cur, func(code string) bool { return sameCurrency(code, cur) }) {
		c.report(ruleBidResponseCurAllowed, fBidResponseCur)
	}
	for i := range resp.SeatBid {
		seat := &resp.SeatBid[i]
		c.enter(fBidResponseSeatBid, i)
		c.seat(req, seat)
		for j := range seat.Bid {
			c.enter(fSeatBidBid, j)
			c.bid(req, &seat.Bid[j], cur, seat.Seat)
			c.leave()
		}
		c.leave()
	}
	c.guaranteed(req, resp)
}

func (c *pairs) seat(req *openrtb.BidRequest, seat *openrtb.SeatBid) {
	// SeatBid.seat.allowed
	if s := seat.Seat; s != "" && (len(req.WSeat) > 0 && !contains(&c.lists, req.WSeat, s) || contains(&c.lists, req.BSeat, s)) {
		c.report(ruleSeatBidSeatAllowed, fSeatBidSeat)
	}
	// SeatBid.group.single
	if isFlag(seat.Group) && len(req.Imp) == 1 {
		c.report(ruleSeatBidGroupSingle, fSeatBidGroup)
	}
}

// guaranteed is Deal.guar.bid: a deal with guar 1 needs a bid.
func (c *pairs) guaranteed(req *openrtb.BidRequest, resp *openrtb.BidResponse) {
	bids := len(resp.SeatBid)
	for i := range resp.SeatBid {
		bids += len(resp.SeatBid[i].Bid)
	}
	c.doc = Request
	for i := range req.Imp {
		imp := &req.Imp[i]
		if imp.Pmp == nil {
			continue
		}
		for j := range imp.Pmp.Deals {
			if deal := &imp.Pmp.Deals[j]; is(deal.Guar, 1) && !c.bidOn(resp, bids, imp.ID, deal.ID) {
				c.enter(fBidRequestImp, i)
				c.enter(fImpPmp, noIndex)
				c.enter(fPmpDeals, j)
				c.report(ruleDealGuarBid, fDealGuar)
				c.leave()
				c.leave()
				c.leave()
			}
		}
	}
	c.doc = Response
}

// bidOn reports whether the response has a bid on the deal of the impression. bids is the number
// of its bids.
func (c *pairs) bidOn(resp *openrtb.BidResponse, bids int, imp, deal string) bool {
	if c.lists.cheap(bids) {
		for i := range resp.SeatBid {
			for j := range resp.SeatBid[i].Bid {
				if b := &resp.SeatBid[i].Bid[j]; b.ImpID == imp && b.DealID == deal {
					return true
				}
			}
		}
		return false
	}
	type on struct{ imp, deal string }
	set := hashed(&c.lists, resp, func() map[on]struct{} {
		set := make(map[on]struct{}, bids)
		for i := range resp.SeatBid {
			for j := range resp.SeatBid[i].Bid {
				b := &resp.SeatBid[i].Bid[j]
				set[on{b.ImpID, b.DealID}] = struct{}{}
			}
		}
		return set
	})
	_, ok := set[on{imp, deal}]
	return ok
}

func impID(v *openrtb.Imp) string   { return v.ID }
func dealID(v *openrtb.Deal) string { return v.ID }

func (c *pairs) bid(req *openrtb.BidRequest, bid *openrtb.Bid, cur, seat string) {
	o := offer{request: req, cur: cur, seat: seat}
	if i := first(&c.lists, req.Imp, bid.ImpID, impID); i >= 0 {
		o.imp = &req.Imp[i]
	}
	c.againstRequest(bid, req)
	// Bid.impid.ref
	if o.imp == nil {
		if bid.ImpID != "" {
			c.report(ruleBidImpidRef, fBidImpID)
		}
		return
	}
	c.againstDeals(bid, &o)
	c.againstMedia(bid, &o)
	c.markup(bid, &o)
	// Bid.price.floor
	if bid.Price != nil && c.belowFloor(bid, &o) {
		c.report(ruleBidPriceFloor, fBidPrice)
	}
	// Bid.exp.window
	if bid.Exp != nil && o.imp.Exp != nil && *bid.Exp < *o.imp.Exp {
		c.report(ruleBidExpWindow, fBidExp)
	}
}

// againstRequest checks block lists and languages.
func (c *pairs) againstRequest(bid *openrtb.Bid, req *openrtb.BidRequest) {
	// Bid.language.allowed; xx means markup without language
	if bid.Language != "" && len(req.WLang) > 0 && !strings.EqualFold(bid.Language, "xx") && !containsFold(&c.lists, req.WLang, bid.Language) {
		c.report(ruleBidLanguageAllowed, fBidLanguage)
	}
	if bid.LangB != "" && len(req.WLangB) > 0 && !containsFold(&c.lists, req.WLangB, bid.LangB) {
		c.report(ruleBidLanguageAllowed, fBidLangB)
	}
	// Bid.cat.blocked, if both sides use the same taxonomy
	if taxonomy(bid.CatTax, defaultBidCatTax) == taxonomy(req.CatTax, defaultBidRequestCatTax) {
		for i, cat := range bid.Cat {
			if covers(&c.lists, req.BCat, cat) || len(req.ACat) > 0 && !covers(&c.lists, req.ACat, cat) {
				c.reportElem(ruleBidCatBlocked, fBidCat, i)
			}
		}
	}
	// Bid.adomain.blocked
	for i, domain := range bid.ADomain {
		if underAny(&c.lists, req.BAdv, domain) {
			c.reportElem(ruleBidAdomainBlocked, fBidADomain, i)
		}
	}
	// Bid.bundle.blocked
	if bid.Bundle != "" && contains(&c.lists, req.BApp, bid.Bundle) {
		c.report(ruleBidBundleBlocked, fBidBundle)
	}
}

func (c *pairs) againstDeals(bid *openrtb.Bid, o *offer) {
	pmp := o.imp.Pmp
	if pmp != nil && bid.DealID != "" {
		if i := first(&c.lists, pmp.Deals, bid.DealID, dealID); i >= 0 {
			o.deal = &pmp.Deals[i]
		}
	}
	// Bid.dealid.ref
	if bid.DealID != "" && o.deal == nil {
		c.report(ruleBidDealidRef, fBidDealID)
	}
	// Bid.dealid.private
	if bid.DealID == "" && pmp != nil && isFlag(pmp.PrivateAuction) {
		c.report(ruleBidDealidPrivate, fBidDealID)
	}
	if o.deal == nil {
		return
	}
	// Bid.adomain.deal
	for i, domain := range bid.ADomain {
		if len(o.deal.WADomain) > 0 && !underAny(&c.lists, o.deal.WADomain, domain) {
			c.reportElem(ruleBidAdomainDeal, fBidADomain, i)
		}
	}
	// Bid.seat.deal, reported at the bid because the seat may be absent
	if len(o.deal.WSeat) > 0 && o.seat != "" && !contains(&c.lists, o.deal.WSeat, o.seat) {
		c.report(ruleBidSeatDeal, fBidDealID)
	}
}

// againstMedia checks the bid against the media type that it is for.
func (c *pairs) againstMedia(bid *openrtb.Bid, o *offer) {
	offered := mediaOffered(o.imp)
	switch {
	case !given(bid.MType):
		// Bid.mtype.present
		if o.media = offered.only(); o.media == 0 && offered != 0 {
			c.report(ruleBidMtypePresent, fBidMType)
		}
	case !offered.has(*bid.MType):
		// Bid.mtype.ref
		c.report(ruleBidMtypeRef, fBidMType)
	default:
		o.media = *bid.MType
	}

	// Bid.slotinpod.dynamic
	dynamic := o.imp.Video != nil && given(o.imp.Video.PodDur) || o.imp.Audio != nil && given(o.imp.Audio.PodDur)
	if bid.SlotInPod != nil && !dynamic {
		c.report(ruleBidSlotinpodDynamic, fBidSlotInPod)
	}
	m := limitsOf(o.imp, o.media)
	// Bid.attr.blocked
	for i, attr := range bid.Attr {
		if contains(&c.lists, m.battr, attr) {
			c.reportElem(ruleBidAttrBlocked, fBidAttr, i)
		}
	}
	// Bid.api.supported
	if len(m.api) > 0 {
		for i, api := range bid.APIs {
			if !contains(&c.lists, m.api, api) {
				c.reportElem(ruleBidApiSupported, fBidAPIs, i)
			}
		}
		if given(bid.API) && len(bid.APIs) == 0 && !contains(&c.lists, m.api, *bid.API) {
			c.report(ruleBidApiSupported, fBidAPI)
		}
	}
	// Bid.protocol.supported
	if given(bid.Protocol) && len(m.protocols) > 0 && !contains(&c.lists, m.protocols, *bid.Protocol) {
		c.report(ruleBidProtocolSupported, fBidProtocol)
	}
	// Bid.dur.window
	if bid.Dur != nil && !m.allows(&c.lists, *bid.Dur) {
		c.report(ruleBidDurWindow, fBidDur)
	}
	switch o.media {
	case adcom.MarkupTypeBanner:
		c.bannerBid(bid, o.imp.Banner)
	case adcom.MarkupTypeVideo:
		c.videoBid(bid, o)
	}
}

func (c *pairs) bannerBid(bid *openrtb.Bid, b *openrtb.Banner) {
	if len(b.Format) > listMax {
		return
	}
	ratios, sizes, match := 0, 0, false
	if b.W != nil && b.H != nil && *b.W > 0 && *b.H > 0 {
		sizes++
		match = is(bid.W, *b.W) && is(bid.H, *b.H)
	}
	for i := range b.Format {
		f := &b.Format[i]
		if f.W != nil && f.H != nil {
			sizes++
			match = match || is(bid.W, *f.W) && is(bid.H, *f.H)
		} else if f.WRatio != nil && f.HRatio != nil {
			ratios++
		}
	}
	// Bid.flex: the impression offers only formats with a ratio, so the bid is for one of them
	if ratios > 0 && sizes == 0 {
		if bid.WRatio == nil {
			c.report(ruleBidFlex, fBidWRatio)
		}
		if bid.HRatio == nil {
			c.report(ruleBidFlex, fBidHRatio)
		}
	}
	// Bid.size.allowed
	if sizes > 0 && ratios == 0 && given(bid.W) && given(bid.H) && !match {
		c.report(ruleBidSizeAllowed, fBidW)
	}
}

func (c *pairs) videoBid(bid *openrtb.Bid, o *offer) {
	v := o.imp.Video
	// Bid.attr.skip.conflict
	if is(v.Skip, 1) {
		for i, attr := range bid.Attr {
			if attr == adcom.CreativeAttributeSkipButton {
				c.reportElem(ruleBidAttrSkipConflict, fBidAttr, i)
			}
		}
	}
	// Video.boxing.dooh
	boxed := o.request.DOOH != nil && is(v.BoxingAllowed, 0)
	if boxed && given(bid.W) && given(bid.H) && given(v.W) && given(v.H) && float64(*bid.W)*float64(*v.H) != float64(*bid.H)*float64(*v.W) {
		c.report(ruleVideoBoxingDooh, fBidW)
	}
}
