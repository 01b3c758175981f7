package core

import (
	"encoding/xml"
	"strconv"
	"strings"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/openrtb"
)

// bannerMarkup is the HTML of a banner.
func (b *Bidder) bannerMarkup(bid *openrtb.Bid) string {
	start := len(b.text)
	m := append(b.text, `<a href="https://core.example/click/`...)
	m = append(append(m, bid.CrID...), `" target="_blank"><img src="https://cdn.example/`...)
	m = append(append(m, bid.CrID...), `.png" alt=""`...)
	if bid.W != nil {
		m = strconv.AppendInt(append(m, ` width="`...), int64(*bid.W), 10)
		m = strconv.AppendInt(append(m, `" height="`...), int64(*bid.H), 10)
		m = append(m, '"')
	}
	b.text = append(m, "></a>"...)
	return mem.String(b.text[start:])
}

// vastVersion returns the version of a protocol's documents, "" if they are not VAST with the ad in
// them.
func vastVersion(p adcom.CreativeSubtypeAV) string {
	switch p {
	case adcom.CreativeSubtypeAVVAST20:
		return "2.0"
	case adcom.CreativeSubtypeAVVAST30:
		return "3.0"
	case adcom.CreativeSubtypeAVVAST40:
		return "4.0"
	case adcom.CreativeSubtypeAVVAST41:
		return "4.1"
	case adcom.CreativeSubtypeAVVAST42:
		return "4.2"
	case adcom.CreativeSubtypeAVVAST43:
		return "4.3"
	}
	return ""
}

// vastMarkup is the VAST document of a video or audio ad.
func (b *Bidder) vastMarkup(bid *openrtb.Bid, version, mime string) string {
	w, h := 640, 360
	if positive(bid.W) && positive(bid.H) {
		w, h = *bid.W, *bid.H
	}
	number := func(m []byte, n int) []byte { return strconv.AppendInt(m, int64(n), 10) }
	start := len(b.text)
	m := append(append(b.text, `<VAST version="`...), version...)
	m = append(append(m, `"><Ad id="`...), bid.CrID...)
	m = append(m, `"><InLine><AdSystem>core</AdSystem><AdTitle>`...)
	m = append(append(m, bid.CrID...), `</AdTitle><Impression><![CDATA[https://core.example/impression]]></Impression><Creatives><Creative><Linear><Duration>`...)
	m = appendClock(m, *bid.Dur)
	m = append(m, `</Duration><MediaFiles><MediaFile delivery="progressive" type="`...)
	m = append(append(m, attribute(mime)...), `" width="`...)
	m = append(number(m, w), `" height="`...)
	m = append(number(m, h), `"><![CDATA[https://cdn.example/`...)
	m = append(append(m, bid.CrID...), `]]></MediaFile></MediaFiles></Linear></Creative></Creatives></InLine></Ad></VAST>`...)
	b.text = m
	return mem.String(m[start:])
}

// appendClock appends seconds as 00:00:15.
func appendClock(m []byte, seconds int) []byte {
	for i, n := range [...]int{seconds / 3600, seconds / 60 % 60, seconds % 60} {
		if i > 0 {
			m = append(m, ':')
		}
		m = append(m, byte('0'+n/10), byte('0'+n%10))
	}
	return m
}

// attribute escapes text of the request for an attribute of XML.
func attribute(text string) string {
	if !strings.ContainsAny(text, `<>&"'`) {
		return text
	}
	var s strings.Builder
	xml.EscapeText(&s, []byte(text)) //nolint:errcheck // a Builder accepts everything
	return s.String()
}
