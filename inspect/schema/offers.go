package schema

import (
	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/openrtb"
)

// This file reads what an impression offers to bidders.

// mediaSet is the media types of an impression, by bit.
type mediaSet uint8

func mediaOffered(imp *openrtb.Imp) (s mediaSet) {
	for m, offered := range [...]bool{
		adcom.MarkupTypeBanner: imp.Banner != nil,
		adcom.MarkupTypeVideo:  imp.Video != nil,
		adcom.MarkupTypeAudio:  imp.Audio != nil,
		adcom.MarkupTypeNative: imp.Native != nil,
	} {
		if offered {
			s |= 1 << m
		}
	}
	return s
}

func (s mediaSet) has(m adcom.MarkupType) bool { return m >= 0 && m < 8 && s&(1<<m) != 0 }

// only returns the media type of a set of one, 0 for other sets.
func (s mediaSet) only() adcom.MarkupType {
	for m := adcom.MarkupTypeBanner; m <= adcom.MarkupTypeNative; m++ {
		if s == 1<<m {
			return m
		}
	}
	return 0
}

// limits are the demands of one media type on a bid.
type limits struct {
	battr     []adcom.CreativeAttribute
	api       []adcom.APIFramework
	protocols []adcom.CreativeSubtypeAV

	durations      []int // exact ones, instead of a range
	durMin, durMax *int
	durExtended    *int // beyond durMax; -1 means without limit
	durationsApply bool
}

func limitsOf(imp *openrtb.Imp, media adcom.MarkupType) limits {
	switch media {
	case adcom.MarkupTypeBanner:
		return limits{battr: imp.Banner.BAttr, api: imp.Banner.API}
	case adcom.MarkupTypeVideo:
		v := imp.Video
		return limits{v.BAttr, v.API, v.Protocols, v.RqdDurs, v.MinDuration, v.MaxDuration, v.MaxExtended, true}
	case adcom.MarkupTypeAudio:
		a := imp.Audio
		return limits{a.BAttr, a.API, a.Protocols, a.RqdDurs, a.MinDuration, a.MaxDuration, a.MaxExtended, true}
	case adcom.MarkupTypeNative:
		return limits{battr: imp.Native.BAttr, api: imp.Native.API}
	}
	return limits{}
}

// allows reports whether a creative of dur seconds fits the limits.
func (l *limits) allows(seen *lookups, dur int) bool {
	if !l.durationsApply {
		return true
	}
	if len(l.durations) > 0 {
		return contains(seen, l.durations, dur)
	}
	if l.durMin != nil && dur < *l.durMin {
		return false
	}
	if !given(l.durMax) || is(l.durExtended, -1) {
		return true
	}
	longest := *l.durMax
	if l.durExtended != nil && *l.durExtended > 0 {
		longest += *l.durExtended
	}
	return dur <= longest
}

func orDefault(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func taxonomy(t *adcom.CategoryTaxonomy, otherwise adcom.CategoryTaxonomy) adcom.CategoryTaxonomy {
	if !given(t) {
		return otherwise
	}
	return *t
}

// given reports whether an optional value is there and not 0. It is for fields in which 0 has no
// meaning, because some senders fill them with it.
func given[T ~int](v *T) bool { return v != nil && *v != 0 }
