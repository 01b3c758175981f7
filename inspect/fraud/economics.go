package fraud

import "github.com/rtbwire/rtbwire/internal/currency"

// economics looks at prices, the time for an answer, and the number of impressions.
func (s *scorer) economics() {
	if s.on(economicsFloor) {
		s.floors()
	}
	if t := s.r.TMax; t != nil && *t > 0 && (*t < s.limits.TMaxMin || *t > s.limits.TMaxMax) {
		s.hit(economicsTMax, "/tmax")
	}
	if len(s.r.Imp) > s.limits.Imps {
		s.hit(economicsImps, "/imp")
	}
}

// floors looks for a floor above the limit, of an impression or of a deal.
func (s *scorer) floors() {
	for i := range s.r.Imp {
		imp := &s.r.Imp[i]
		if s.dear(imp.BidFloor, imp.BidFloorCur) {
			s.hit(economicsFloor, impPath(i))
			return
		}
		if imp.Pmp == nil {
			continue
		}
		for j := range imp.Pmp.Deals {
			if d := &imp.Pmp.Deals[j]; s.dear(d.BidFloor, d.BidFloorCur) {
				s.hit(economicsFloor, impPath(i))
				return
			}
		}
	}
}

// dear reports whether a price is above the limit. A price in a currency without rate is not.
func (s *scorer) dear(price *float64, cur string) bool {
	if price == nil || *price <= 0 {
		return false
	}
	var buf [currency.Len]byte
	if code := currency.Canonical(&buf, cur); code == "" || code == "USD" {
		return *price > s.limits.Floor
	}
	if s.data.USD == nil {
		return false
	}
	usd, known := s.data.USD.USD(*price, cur)
	return known && usd > s.limits.Floor
}
