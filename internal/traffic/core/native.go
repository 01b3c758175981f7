package core

import (
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/openrtb/native"
)

// nativeMemory is what native ads are made of.
type nativeMemory struct {
	decoder *native.Decoder
	assets  []native.AssetResponse
	titles  []native.TitleResponse
	images  []native.ImageResponse
	videos  []native.VideoResponse
	texts   []native.DataResponse
}

// nativeAd fills in a native ad with an asset for each that the request asks for.
func (b *Bidder) nativeAd(bid *openrtb.Bid, v *openrtb.Native) bool {
	m := &b.native
	if m.decoder == nil {
		m.decoder = native.NewDecoder()
	}
	req, wrapper, err := m.decoder.Request(mem.Bytes(v.Request))
	if err != nil || len(req.Assets) == 0 || len(req.Assets) > assetsMax {
		return false
	}
	defer m.decoder.Reset()
	m.assets, m.titles, m.images, m.videos, m.texts = m.assets[:0], m.titles[:0], m.images[:0], m.videos[:0], m.texts[:0]
	for i := range req.Assets {
		if r := &req.Assets[i]; r.ID != nil && req.Asset(*r.ID) == r { // of two with the same id the first
			m.answer(r)
		}
	}
	if len(m.assets) == 0 {
		return false
	}
	// A version that the impression names decides about the wrapper, otherwise the question does.
	if v.Ver != "" {
		wrapper = native.WrapperOf(v.Ver)
	}
	ad := native.Response{Ver: req.Ver, Link: &clickLink, Assets: m.assets}
	start, text := len(b.text), b.text
	if wrapper == native.Wrapped {
		text = append(text, `{"native":`...)
	}
	if text, err = ad.AppendJSON(text); err != nil {
		return false
	}
	if wrapper == native.Wrapped {
		text = append(text, '}')
	}
	b.text = text
	bid.AdM = mem.String(text[start:])
	return true
}

var clickLink = native.Link{URL: "https://core.example/click"}

// assetsMax is how many assets a native request may have.
const assetsMax = 64

// answer answers one asset of a native request.
func (m *nativeMemory) answer(r *native.AssetRequest) {
	a := native.AssetResponse{ID: r.ID}
	switch {
	case r.Title != nil:
		a.Title = keep(&m.titles, native.TitleResponse{Text: short("An ad of the stand-in core", r.Title.Len)})
	case r.Img != nil:
		a.Img = keep(&m.images, native.ImageResponse{
			URL: "https://cdn.example/image.png", Type: r.Img.Type, W: or(r.Img.W, r.Img.WMin), H: or(r.Img.H, r.Img.HMin),
		})
	case r.Video != nil:
		a.Video = keep(&m.videos, native.VideoResponse{VASTTag: `<VAST version="3.0"></VAST>`})
	case r.Data != nil:
		a.Data = keep(&m.texts, native.DataResponse{Type: r.Data.Type, Value: short("5 of 5, says everybody", r.Data.Len)})
	default:
		return
	}
	m.assets = append(m.assets, a)
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
