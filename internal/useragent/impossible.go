package useragent

// need says that a version of Chrome and those after it need a version of a system.
type need struct{ chrome, least int16 }

// What programs of others make possible all the same: a system one version older than Chrome's own
// builds for Android run on, and Windows for some versions longer.
const (
	androidSlack = 1
	windowsSlack = 10
)

// safariSlack is how many versions Safari may be ahead of iOS. They are released together.
const safariSlack = 1

// safariFrozen is the version of iOS that Safari names on all later ones.
const safariFrozen = 18

// limit says which versions exist: 1 to most, without those from gap to gapEnd. There is no limit
// where most is 0.
type limit struct{ most, gap, gapEnd int16 }

// impossible returns which versions do not exist.
func (c *Claims) impossible() (faults Faults) {
	if c.OSMajor >= 0 {
		if osLimits[c.OS].excludes(c.OSMajor) {
			faults = ImpossibleOS
		}
		if c.pairIsImpossible() {
			faults |= ImpossiblePair
		}
	}
	if c.Major >= 0 && browserLimits[c.Browser].excludes(c.Major) || c.Chromium > browserLimits[Chrome].most {
		faults |= ImpossibleBrowser
	}
	return faults
}

// excludes reports whether a version does not exist.
func (l *limit) excludes(version int16) bool {
	return l.most > 0 && (version > l.most || version == 0 || l.gap <= version && version <= l.gapEnd)
}

// pairIsImpossible reports whether the browser does not run on the system. Browsers that are made
// of Chromium by others may run on more.
func (c *Claims) pairIsImpossible() bool {
	switch {
	case c.OS == Android && (c.Browser == Chrome || c.Browser == WebView):
		for _, n := range androidNeeds {
			if c.Chromium >= n.chrome {
				return c.OSMajor < n.least-androidSlack
			}
		}
	case c.OS == Windows && c.Browser == Chrome:
		for _, n := range windowsNeeds {
			if c.Chromium >= n.chrome+windowsSlack {
				return c.OSMajor < n.least
			}
		}
	case c.Browser == Safari && (c.OS == IOS || c.OS == IPadOS):
		return c.OSMajor < safariFrozen && c.Major > c.OSMajor+safariSlack
	}
	return false
}
