package core

import (
	"slices"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/openrtb"
)

// mediaOf chooses one of the media types of an impression, 0 if it has none.
func mediaOf(imp *openrtb.Imp, d *draws) adcom.MarkupType {
	var list [4]adcom.MarkupType
	n := 0
	add := func(offered bool, m adcom.MarkupType) {
		if offered {
			list[n] = m
			n++
		}
	}
	add(imp.Banner != nil, adcom.MarkupTypeBanner)
	add(imp.Video != nil, adcom.MarkupTypeVideo)
	add(imp.Audio != nil, adcom.MarkupTypeAudio)
	add(imp.Native != nil, adcom.MarkupTypeNative)
	if n == 0 {
		return 0
	}
	return list[d.below(n)]
}

// creative fills in what a bid for a media type says about its ad.
func (b *Bidder) creative(bid *openrtb.Bid, o *offer, media adcom.MarkupType) bool {
	bid.MType = &markupTypes[media]
	switch media {
	case adcom.MarkupTypeBanner:
		b.banner(bid, o.imp.Banner)
		return true
	case adcom.MarkupTypeVideo:
		v := o.imp.Video
		if positive(v.W) && positive(v.H) {
			bid.W, bid.H = v.W, v.H
		}
		return b.linear(bid, v.Protocols, v.RqdDurs, v.MinDuration, v.MaxDuration, "video/mp4", v.MIMEs)
	case adcom.MarkupTypeAudio:
		a := o.imp.Audio
		return b.linear(bid, a.Protocols, a.RqdDurs, a.MinDuration, a.MaxDuration, "audio/mpeg", a.MIMEs)
	}
	return b.nativeAd(bid, o.imp.Native)
}

// markupTypes are values that bids point to.
var markupTypes = [...]adcom.MarkupType{1: adcom.MarkupTypeBanner, adcom.MarkupTypeVideo, adcom.MarkupTypeAudio, adcom.MarkupTypeNative}

// banner fills in one of the sizes of a banner.
func (b *Bidder) banner(bid *openrtb.Bid, v *openrtb.Banner) {
	bid.W, bid.H = v.W, v.H
	if !positive(v.W) || !positive(v.H) {
		bid.W, bid.H = nil, nil
		for i := range v.Format {
			if f := &v.Format[i]; positive(f.W) && positive(f.H) {
				bid.W, bid.H = f.W, f.H
				break
			}
		}
	}
	if bid.W == nil {
		for i := range v.Format {
			if f := &v.Format[i]; positive(f.WRatio) && positive(f.HRatio) {
				bid.WRatio, bid.HRatio = f.WRatio, f.HRatio
				break
			}
		}
	}
	bid.AdM = b.bannerMarkup(bid)
}

func positive(n *int) bool { return n != nil && *n > 0 }

// linear fills in a duration and a protocol that a video or audio slot accepts.
func (b *Bidder) linear(bid *openrtb.Bid, protocols []adcom.CreativeSubtypeAV, durations []int, shortest, longest *int, mime string, mimes []string) bool {
	const usual = 15
	dur := usual
	switch {
	case len(durations) > 0:
		dur = durations[0]
	default:
		if positive(longest) {
			dur = min(dur, *longest)
		}
		if positive(shortest) {
			dur = max(dur, *shortest)
		}
		if positive(longest) && dur > *longest {
			return false // the slot contradicts itself
		}
	}
	if dur <= 0 || dur > durationMax {
		return false
	}
	bid.Dur = keep(&b.numbers, dur)
	protocol := adcom.CreativeSubtypeAVVAST30
	if len(protocols) > 0 && !slices.Contains(protocols, protocol) {
		i := slices.IndexFunc(protocols, func(p adcom.CreativeSubtypeAV) bool { return vastVersion(p) != "" })
		if i < 0 {
			return false
		}
		protocol = protocols[i]
	}
	bid.Protocol = keep(&b.protocols, protocol)
	if len(mimes) > 0 && !slices.Contains(mimes, mime) {
		mime = mimes[0]
	}
	bid.AdM = b.vastMarkup(bid, vastVersion(protocol), mime)
	return true
}

// durationMax is the longest ad, in seconds.
const durationMax = 24 * 60 * 60
