package schema

import (
	"strings"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/openrtb"
)

// markup checks the markup of a bid, and the URLs beside it.
func (c *pairs) markup(bid *openrtb.Bid, o *offer) {
	// Bid.secure.markup
	if is(o.imp.Secure, 1) {
		for _, u := range [...]struct {
			field fieldID
			url   string
		}{{fBidNURL, bid.NURL}, {fBidBURL, bid.BURL}, {fBidLURL, bid.LURL}, {fBidIURL, bid.IURL}} {
			if _, plain := cutPrefixFold(u.url, "http://"); plain {
				c.report(ruleBidSecureMarkup, u.field)
			}
		}
		if plainHTTP(bid.AdM) {
			c.report(ruleBidSecureMarkup, fBidAdM)
		}
	}
	// Bid.native.adm
	if o.media == adcom.MarkupTypeNative && bid.AdM != "" {
		object, _, isObject := c.json.read(bid.AdM)
		ok := isObject
		if ok && formatMajorMinor(o.imp.Native.Ver) {
			// Version 1.0 wraps the answer in a member; later versions don't.
			ok = versionBelow(o.imp.Native.Ver, 1, 1) == hasKey(object, "native")
		}
		if !ok {
			c.report(ruleBidNativeAdm, fBidAdM)
		}
		if isObject {
			c.native(bid, o, object)
		}
	}
}

// plainHTTP reports whether markup loads something without TLS. The names of XML namespaces and
// document types only look like addresses.
func plainHTTP(markup string) bool {
	for rest := markup; ; {
		before, after, found := strings.Cut(rest, "http://")
		if !found {
			return false
		}
		if !strings.HasPrefix(after, "www.w3.org/") && !endsInNamespace(before) {
			return true
		}
		rest = after
	}
}

// endsInNamespace reports whether markup ends where the value of an xmlns attribute begins, as in
// xmlns="http://www.iab.com/VAST".
func endsInNamespace(markup string) bool {
	name := strings.TrimRight(markup, `"'\ `) // quotes inside JSON have a backslash
	if name == markup || !strings.HasSuffix(name, "=") {
		return false
	}
	name = strings.TrimRight(name[:len(name)-1], " ")
	const longest = 64
	name = name[max(0, len(name)-longest):]
	if i := strings.LastIndexAny(name, " \t\r\n<"); i >= 0 {
		name = name[i+1:]
	}
	return name == "xmlns" || strings.HasPrefix(name, "xmlns:") || name == "xsi:noNamespaceSchemaLocation" || name == "xsi:schemaLocation"
}

// isVAST reports whether markup is a VAST document.
func isVAST(markup string) bool { return strings.Contains(markup, "<VAST") }
