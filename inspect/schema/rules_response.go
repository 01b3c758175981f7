package schema

import (
	"strings"

	"github.com/rtbwire/rtbwire/openrtb"
)

// This file holds the hand-written rules of the response; see rules_request.go.

func (c *Checker) bidResponseRules(v *openrtb.BidResponse) {
	bids := false
	// Bid.id.unique, over all seats
	c.seen.reset()
	for i := range v.SeatBid {
		for j := range v.SeatBid[i].Bid {
			bids = true
			if id := v.SeatBid[i].Bid[j].ID; c.seen.earlier(id) >= 0 && id != "" {
				c.enter(fBidResponseSeatBid, i)
				c.enter(fSeatBidBid, j)
				c.report(ruleBidIdUnique, fBidID)
				c.leave()
				c.leave()
			}
		}
	}
	// BidResponse.nbr.exclusive
	if v.NBR != nil && bids {
		c.report(ruleBidResponseNbrExclusive, fBidResponseNBR)
	}
}

func (c *Checker) bidRules(v *openrtb.Bid) {
	// Bid.burl.vast
	if v.BURL != "" && isVAST(v.AdM) {
		c.report(ruleBidBurlVast, fBidBURL)
	}
	// Bid.ids.adquality, one finding for all of them
	if len(v.ADomain) == 0 || v.CID == "" || v.CrID == "" || v.IURL == "" || len(v.Cat) == 0 || len(v.Attr) == 0 {
		c.reportHere(ruleBidIdsAdquality, fBidADomain, fBidCID, fBidCrID, fBidIURL, fBidCat, fBidAttr)
	}
}

func isVAST(markup string) bool { return strings.Contains(markup, "<VAST") }
