package core

import (
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/openrtb/native"
)

// nativeAd fills in a native ad with an asset for each that the request asks for.
func (b *Bidder) nativeAd(bid *openrtb.Bid, v *openrtb.Native) bool {
	if b.native == nil {
		b.native = native.NewDecoder()
	}
	req, wrapper, err := b.native.Request([]byte(v.Request))
	if err != nil || len(req.Assets) == 0 || len(req.Assets) > assetsMax {
		return false
	}
	defer b.native.Reset()
	ad := native.Response{Ver: req.Ver, Link: &native.Link{URL: "https://core.example/click"}}
	for i := range req.Assets {
		if a, ok := asset(&req.Assets[i]); ok && ad.Asset(*a.ID) == nil {
			ad.Assets = append(ad.Assets, a)
		}
	}
	if len(ad.Assets) == 0 {
		return false
	}
	// A version that the impression names decides about the wrapper, otherwise the question does.
	if v.Ver != "" {
		wrapper = native.WrapperOf(v.Ver)
	}
	bid.AdM, err = ad.Encode(wrapper)
	return err == nil
}

// assetsMax is how many assets a native request may have.
const assetsMax = 256

// asset answers one asset of a native request.
func asset(r *native.AssetRequest) (native.AssetResponse, bool) {
	a := native.AssetResponse{ID: r.ID}
	if r.ID == nil {
		return a, false
	}
	switch {
	case r.Title != nil:
		a.Title = &native.TitleResponse{Text: short("An ad of the stand-in core", r.Title.Len)}
	case r.Img != nil:
		a.Img = &native.ImageResponse{URL: "https://cdn.example/image.png", Type: r.Img.Type, W: or(r.Img.W, r.Img.WMin), H: or(r.Img.H, r.Img.HMin)}
	case r.Video != nil:
		a.Video = &native.VideoResponse{VASTTag: `<VAST version="3.0"></VAST>`}
	case r.Data != nil:
		a.Data = &native.DataResponse{Type: r.Data.Type, Value: short("5 of 5, says everybody", r.Data.Len)}
	default:
		return a, false
	}
	return a, true
}

// or returns a size or, if it is absent or 0, another one.
func or(n, otherwise *int) *int {
	if positive(n) {
		return n
	}
	return otherwise
}

// short cuts a text of ASCII.
func short(text string, limit *int) string {
	if positive(limit) && *limit < len(text) {
		return text[:*limit]
	}
	return text
}
