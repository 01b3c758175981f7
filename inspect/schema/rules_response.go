package schema

import (
	"github.com/rtbwire/rtbwire/openrtb"
)

// This file holds the rules of the response that are written by hand; see rules_request.go.

func bidResponseRules(c *values, v *openrtb.BidResponse) {
	bids := false
	// Bid.id.unique, across all seats
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

func bidRules(c *values, v *openrtb.Bid) {
	// Bid.burl.vast
	if v.BURL != "" && isVAST(v.AdM) {
		c.report(ruleBidBurlVast, fBidBURL)
	}
	// The rules of native ads
	if c.engine.payloads && isNativeAd(v) {
		object, isJSON, isObject := c.json.read(v.AdM)
		if isObject && (given(v.MType) || looksNative(object)) {
			nativeAd(c, nativeTextOf(object, false))
		} else if isJSON {
			if object, ok := encodedTwice(c, object); ok {
				nativeAd(c, nativeTextOf(object, true))
			}
		}
	}
	// Bid.ids.adquality, one finding for all fields
	if len(v.ADomain) == 0 || v.CID == "" || v.CrID == "" || v.IURL == "" || len(v.Cat) == 0 || len(v.Attr) == 0 {
		c.reportHere(ruleBidIdsAdquality, fBidADomain, fBidCID, fBidCrID, fBidIURL, fBidCat, fBidAttr)
	}
}
