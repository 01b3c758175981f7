package fraud

import (
	"bytes"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/internal/legacy"
	"github.com/rtbwire/rtbwire/openrtb"
)

// identifiers looks at the advertising identifier, and at impressions that can't be told apart.
func (s *scorer) identifiers() {
	switch ifa := s.device.IFA; {
	case ifa == "":
		if s.r.App != nil && !s.withheld() {
			s.hit(identifierMissing, "/device/ifa")
		}
	case zeros(ifa):
		if !s.withheld() {
			s.hit(identifierZero, "/device/ifa")
		}
	default:
		if !uuid(ifa) {
			s.hit(identifierForm, "/device/ifa")
		}
		if flag(s.device.Lmt) {
			s.hit(identifierLimited, "/device/ifa")
		}
	}
	if s.on(identifierImps) && len(s.r.Imp) > 1 {
		s.twins()
	}
}

// withheld reports whether the request says why it has no advertising identifier: tracking is
// limited, by lmt, dnt or the answer to Apple's question, or the request is for a child.
func (s *scorer) withheld() bool {
	const authorized = 3
	if flag(s.device.Lmt) || flag(s.device.DNT) || s.child() {
		return true
	}
	answer, ok := legacy.Flag(s.device.Ext, "atts")
	return ok && answer != authorized
}

// child reports whether the request is for a child.
func (s *scorer) child() bool { return s.r.Regs != nil && flag(s.r.Regs.COPPA) }

// zeros reports whether an identifier is made of zeros.
func zeros(id string) bool { return strings.Trim(id, "0-") == "" }

// uuid reports whether a text has the form of RFC 9562: 8-4-4-4-12 hexadecimal digits.
func uuid(s string) bool {
	if len(s) != 36 {
		return false
	}
	bad := (s[8] ^ '-') | (s[13] ^ '-') | (s[18] ^ '-') | (s[23] ^ '-')
	bad |= notHex[s[0]] | notHex[s[1]] | notHex[s[2]] | notHex[s[3]] | notHex[s[4]] | notHex[s[5]] | notHex[s[6]] | notHex[s[7]]
	bad |= notHex[s[9]] | notHex[s[10]] | notHex[s[11]] | notHex[s[12]]
	bad |= notHex[s[14]] | notHex[s[15]] | notHex[s[16]] | notHex[s[17]]
	bad |= notHex[s[19]] | notHex[s[20]] | notHex[s[21]] | notHex[s[22]]
	for i := 24; i < 36; i++ {
		bad |= notHex[s[i]]
	}
	return bad == 0
}

// notHex is 0 for hexadecimal digits.
var notHex = func() (t [256]byte) {
	for i := range t {
		t[i] = 1
	}
	for _, c := range "0123456789abcdefABCDEF" {
		t[c] = 0
	}
	return t
}()

// twinsMax is how many impressions before it an impression is compared with, so that the work is
// linear in their number.
const twinsMax = 16

// twins looks for two impressions that differ in their ids alone.
func (s *scorer) twins() {
	imps := s.r.Imp
	for i := 1; i < len(imps); i++ {
		for j := max(0, i-twinsMax); j < i; j++ {
			if sameOffer(&imps[j], &imps[i]) {
				s.hit(identifierImps, impPath(i))
				return
			}
		}
	}
}

// sameOffer reports whether two impressions can't be told apart. What sets placements apart is
// compared, and for the rest it is enough that most equal impressions are equal in it. The slots of
// a pod of ads are often equal, so video and audio are left out.
func sameOffer(a, b *openrtb.Imp) bool {
	return a.TagID == b.TagID && equal(a.BidFloor, b.BidFloor) && bytes.Equal(a.Ext, b.Ext) && equal(a.Instl, b.Instl) && sameDeals(a.Pmp, b.Pmp) &&
		a.Video == nil && a.Audio == nil && b.Video == nil && b.Audio == nil &&
		(a.Banner == nil) == (b.Banner == nil) && (a.Native == nil) == (b.Native == nil) &&
		(a.Banner == nil || sameBanner(a.Banner, b.Banner)) && (a.Native == nil || a.Native.Request == b.Native.Request)
}

// sameDeals compares the deals of two impressions: some senders offer a slot once for each deal.
func sameDeals(a, b *openrtb.Pmp) bool {
	if a == nil || b == nil {
		return a == b
	}
	return equal(a.PrivateAuction, b.PrivateAuction) &&
		slices.EqualFunc(a.Deals, b.Deals, func(a, b openrtb.Deal) bool { return a.ID == b.ID })
}

func sameBanner(a, b *openrtb.Banner) bool {
	if !equal(a.W, b.W) || !equal(a.H, b.H) || !equal(a.Pos, b.Pos) || a.ID != b.ID || len(a.Format) != len(b.Format) || !bytes.Equal(a.Ext, b.Ext) {
		return false
	}
	for i := range a.Format {
		if f, g := &a.Format[i], &b.Format[i]; !equal(f.W, g.W) || !equal(f.H, g.H) {
			return false
		}
	}
	return true
}

// equal compares what pointers point to.
func equal[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}
