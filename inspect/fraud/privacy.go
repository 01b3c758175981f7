package fraud

import (
	"strings"

	"github.com/rtbwire/rtbwire/internal/consent"
	"github.com/rtbwire/rtbwire/internal/legacy"
)

// privacy looks at the privacy signals of the request, and whether they agree with each other. It
// reads the headers of consent strings and nothing more.
func (s *scorer) privacy() {
	d := s.device
	if d.DNT != nil && d.Lmt != nil && *d.DNT != *d.Lmt {
		s.hit(privacyFlags, "/device/dnt")
	}
	if s.child() && d.IFA != "" && !zeros(d.IFA) {
		s.hit(privacyChild, "/device/ifa")
	}
	if s.r.Regs == nil && s.r.User == nil {
		return
	}
	gdpr, said, conflict := legacy.GDPR(s.r)
	if conflict {
		s.hit(privacyConflict, "/regs/gdpr")
	}
	tcf, _, twoTCF := legacy.Consent(s.r)
	if twoTCF {
		s.hit(privacyConflict, "/user/consent")
	}
	gpp, _, twoGPP := legacy.GPP(s.r)
	if twoGPP {
		s.hit(privacyConflict, "/regs/gpp")
	}
	us, _, conflict := legacy.USPrivacy(s.r)
	if conflict {
		s.hit(privacyConflict, "/regs/us_privacy")
	}
	if tcf != "" && !consent.TCF(tcf) {
		s.hit(privacyTCF, "/user/consent")
	}
	switch {
	case !said:
	case gdpr == 1:
		if !consent.Header(tcf) && !saysGPP(gpp) && !twoTCF && !twoGPP {
			s.hit(privacyConsent, "/regs/gdpr")
		}
		if applies(us) {
			s.hit(privacyRegions, "/regs/us_privacy")
		}
	case tcf != "":
		s.hit(privacyNeedless, "/user/consent")
	}
	if !twoGPP {
		s.gpp(gpp)
	}
}

// saysGPP reports whether a GPP string has a header; a blank, for one, says nothing.
func saysGPP(gpp string) bool {
	header, _, _ := strings.Cut(gpp, "~")
	return consent.Sections(header, func(int) bool { return true })
}

// applies reports whether a us_privacy string says that the law applies: "1---" says that it does
// not.
func applies(us string) bool { return len(us) == 4 && strings.ContainsAny(us[1:], "YNyn") }

// gpp compares a GPP string with its header and with gpp_sid.
func (s *scorer) gpp(gpp string) {
	header, rest, more := strings.Cut(gpp, "~")
	var listed uint64 // sections by id; there are far fewer than 64
	missing := 0      // sections that the header lists, and the text does not have
	if gpp != "" {
		whole := consent.Sections(header, func(id int) bool {
			if id < 64 {
				listed |= 1 << id
			}
			missing++
			return true
		})
		if more {
			missing -= 1 + strings.Count(rest, "~")
		}
		if !whole || missing != 0 {
			s.hit(privacyGPP, "/regs/gpp")
			return
		}
	}
	if !s.on(privacySections) || s.r.Regs == nil {
		return
	}
	s.sections, _ = legacy.GPPSID(s.sections[:0], s.r)
	for _, sid := range s.sections {
		// 0 and -1 say that no section applies, or that it is unknown.
		if sid > 0 && (sid > 63 || listed>>sid&1 == 0) {
			s.hit(privacySections, "/regs/gpp_sid")
			return
		}
	}
}
