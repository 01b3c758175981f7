package useragent

import (
	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/openrtb"
)

// compareHints compares the claims with client hints. Hints that were made from the user agent
// itself say nothing new.
func (c *Claims) compareHints(s *openrtb.UserAgent) (found Contradictions) {
	if s.Source != nil && *s.Source == adcom.UserAgentSourceHeader {
		return 0
	}
	if s.Platform != nil {
		os := systemOf(s.Platform.Brand)
		switch {
		case !c.compatible(os):
			found = ContradictsHintOS
		case os == Android && c.OS == Android && len(s.Platform.Version) > 0:
			if c.contradictsVersion(s.Platform.Version[0]) {
				found = ContradictsHintVersion
			}
		}
	}
	if c.contradictsBrowsers(s.Browsers) {
		found |= ContradictsHintBrowser
	}
	if s.Mobile != nil && c.contradictsMobile(*s.Mobile) {
		found |= ContradictsHintMobile
	}
	if s.Model != "" && c.OS == Android && c.model != 0 && c.Client == NoClient {
		if own := c.Model(); own != "" && !samePrefix(own, s.Model) {
			found |= ContradictsHintModel
		}
	}
	return found
}

// contradictsBrowsers compares the version of Chromium. Only Chromium sends hints, so another
// engine with a brand of Chromium is a contradiction too.
func (c *Claims) contradictsBrowsers(list []openrtb.BrandVersion) bool {
	for i := range list {
		switch brands.of(list[i].Brand) {
		case chromiumBrand:
			if c.Chromium < 0 {
				return c.otherEngine()
			}
			if v := list[i].Version; len(v) > 0 {
				if major := firstNumber(v[0]); major > 0 && differ(c.Chromium, major) {
					return true
				}
			}
		case headlessBrand:
			if !c.Headless {
				return true
			}
		}
	}
	return false
}

// otherEngine reports whether the browser is certainly not made of Chromium.
func (c *Claims) otherEngine() bool {
	switch c.Browser {
	case Firefox, InternetExplorer:
		return true
	case Safari:
		return c.OS == IOS || c.OS == IPadOS || c.OS == MacOS
	}
	return false
}

// contradictsMobile compares the form of the device. Tablets and televisions may say either.
func (c *Claims) contradictsMobile(mobile int) bool {
	switch {
	case mobile == 1:
		return c.Desktop && (c.OS == Windows || c.OS == MacOS)
	case mobile == 0:
		return c.OS == Android && c.Browser == Chrome && c.Form == Phone && c.Mobile
	}
	return false
}
