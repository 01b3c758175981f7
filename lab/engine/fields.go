package engine

import "github.com/rtbwire/rtbwire/lab/partial"

// Fields are the twenty fields of a request that a partial decode reads. Those of impressions are
// read from the first one. Engines that decode structs fill a [partial.Request] and read all of
// them.
type Fields struct {
	ID, ImpID, TagID              string
	BidFloor                      float64
	Secure, W, H                  int
	Domain, Page, Bundle          string
	UA, IP, OS, Language, Country string
	UserID, BuyerUID              string
	At, TMax                      int
	Cur                           string // the first
}

// fill copies the fields from a struct.
func (f *Fields) fill(r *partial.Request) {
	*f = Fields{ID: r.ID, At: r.At, TMax: r.TMax}
	if len(r.Imp) > 0 {
		imp := &r.Imp[0]
		f.ImpID, f.TagID, f.BidFloor, f.Secure = imp.ID, imp.TagID, imp.BidFloor, imp.Secure
		if imp.Banner != nil {
			f.W, f.H = imp.Banner.W, imp.Banner.H
		}
	}
	if r.Site != nil {
		f.Domain, f.Page = r.Site.Domain, r.Site.Page
	}
	if r.App != nil {
		f.Bundle = r.App.Bundle
	}
	if d := r.Device; d != nil {
		f.UA, f.IP, f.OS, f.Language = d.UA, d.IP, d.OS, d.Language
		if d.Geo != nil {
			f.Country = d.Geo.Country
		}
	}
	if r.User != nil {
		f.UserID, f.BuyerUID = r.User.ID, r.User.BuyerUID
	}
	if len(r.Cur) > 0 {
		f.Cur = r.Cur[0]
	}
}
