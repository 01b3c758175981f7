package fraud

import (
	"strings"

	"github.com/rtbwire/rtbwire/openrtb"
)

// inventory looks at what is offered: the app, the page, the sizes.
func (s *scorer) inventory() {
	if app := s.r.App; app != nil {
		s.app(app)
		if s.r.Site != nil {
			s.hit(inventoryTwo, "/site")
		}
	}
	if site := s.r.Site; site != nil && site.Domain != "" && site.Page != "" {
		s.page(site)
	}
	if s.on(inventorySize) {
		for i := range s.r.Imp {
			if unseen(&s.r.Imp[i]) {
				s.hit(inventorySize, impPath(i))
				return
			}
		}
	}
}

// app looks at the app's ids.
func (s *scorer) app(app *openrtb.App) {
	if app.Bundle == "" {
		return
	}
	system := systemOf(s.device.OS)
	if s.on(inventoryBundle) && !bundleFits(app.Bundle, system) {
		s.hit(inventoryBundle, "/app/bundle")
	}
	if s.on(inventoryStore) && app.StoreURL != "" && !storeFits(app.StoreURL, app.Bundle, system) {
		s.hit(inventoryStore, "/app/storeurl")
	}
}

// page compares the page with the domain that the site says it has.
func (s *scorer) page(site *openrtb.Site) {
	if onDomain(site.Page, site.Domain) {
		return
	}
	host, domain := hostOf(site.Page), hostOf(site.Domain)
	if host == "" || domain == "" || related(host, domain) || isCache(host) {
		return
	}
	s.hit(inventoryPage, "/site/page")
	if ref := hostOf(site.Ref); s.on(inventoryReferrer) && ref != "" && related(ref, domain) {
		s.hit(inventoryReferrer, "/site/ref")
	}
}

// onDomain reports whether a page is an address on the domain itself, as most are, with or without
// www. It looks no further.
func onDomain(page, domain string) bool {
	rest, ok := strings.CutPrefix(page, "https://")
	if !ok {
		return false
	}
	rest = strings.TrimPrefix(rest, "www.")
	rest, ok = strings.CutPrefix(rest, strings.TrimPrefix(domain, "www."))
	return ok && (rest == "" || rest[0] == '/')
}

// unseen reports whether an impression has a size that is invisible, and nothing else that could be
// shown. Interstitials are as large as the screen, whatever they say.
func unseen(imp *openrtb.Imp) bool {
	b, v := imp.Banner, imp.Video
	if b == nil && v == nil || imp.Native != nil || imp.Audio != nil || flag(imp.Instl) {
		return false
	}
	return (b == nil || unseenBanner(b)) && (v == nil || tiny(v.W, v.H) && *v.W+*v.H > 0) // a video of 0 by 0 is one of unknown size
}

// unseenBanner reports whether all sizes of a banner are tiny.
func unseenBanner(b *openrtb.Banner) bool {
	if b.W != nil && b.H != nil && !tiny(b.W, b.H) {
		return false
	}
	for i := range b.Format {
		if f := &b.Format[i]; !tiny(f.W, f.H) || f.WRatio != nil || f.WMin != nil {
			return false
		}
	}
	return len(b.Format) > 0 || tiny(b.W, b.H)
}

// tiny reports whether both sides are there and at most one pixel long.
func tiny(w, h *int) bool { return w != nil && h != nil && *w <= 1 && *h <= 1 }

// isCache reports whether a host shows the pages of others.
func isCache(host string) bool {
	for _, cache := range [...]string{
		"cdn.ampproject.org", "translate.goog", "googleusercontent.com", "bing-amp.com", "turbopages.org", "safeframe.googlesyndication.com", "web.archive.org",
	} {
		if below(host, cache) || strings.EqualFold(host, cache) {
			return true
		}
	}
	return false
}
