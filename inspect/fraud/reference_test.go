package fraud

import (
	"math/rand/v2"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/internal/urlhost"
	"github.com/rtbwire/rtbwire/openrtb"
)

// The references are slow and clear: regular expressions, lists of labels, and the standard
// library.

var (
	alikeForm = regexp.MustCompile(`^https?://[^/\\\\][^\\\\]*$`)
	nameForm  = regexp.MustCompile(`^[A-Za-z0-9._-]*$`)

	uuidForm    = regexp.MustCompile(`^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$`)
	zeroForm    = regexp.MustCompile(`^[0-]*$`)
	packageForm = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)+$`)
	numberForm  = regexp.MustCompile(`^[0-9]{1,12}$`)
	asinForm    = regexp.MustCompile(`^B[0-9A-Z]{9}$`)
	anyForm     = regexp.MustCompile(`^[A-Za-z0-9_.:-]*$`)
)

// slowHost is the reference for hostOf, but for what has its own in package urlhost.
func slowHost(text string) string {
	host := strings.TrimSuffix(urlhost.Host(text), ".")
	if !nameForm.MatchString(host) || !strings.Contains(host, ".") {
		return ""
	}
	return host
}

// checkHost compares hostOf with its reference, and with net/url for texts that it reads alike.
func checkHost(t *testing.T, text string) {
	t.Helper()
	got, want := hostOf(text), slowHost(text)
	if got != want {
		t.Fatalf("the host of %q is %q, want %q", text, got, want)
	}
	u, err := url.Parse(text)
	if err != nil || !alikeForm.MatchString(text) || !nameForm.MatchString(u.Hostname()) {
		return
	}
	if want = strings.TrimSuffix(u.Hostname(), "."); !strings.Contains(want, ".") {
		want = ""
	}
	if got != want {
		t.Fatalf("the host of %q is %q, net/url says %q", text, got, want)
	}
}

// slowRegistered is the reference for registered.
func slowRegistered(host string) string {
	labels := strings.Split(host, ".")
	n := len(labels)
	switch {
	case n <= 2:
		return host
	case len(labels[n-1]) == 2 && len(labels[n-2]) <= 3 && labels[n-3] != "www":
		return strings.Join(labels[n-3:], ".")
	}
	return strings.Join(labels[n-2:], ".")
}

// slowRelated is the reference for related.
func slowRelated(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	ra, rb := strings.ToLower(slowRegistered(a)), strings.ToLower(slowRegistered(b))
	return ra == rb || strings.HasSuffix(a, "."+rb) || strings.HasSuffix(b, "."+ra)
}

func checkHosts(t *testing.T, a, b string) {
	t.Helper()
	if got, want := registered(a), slowRegistered(a); got != want {
		t.Fatalf("the registered name of %q is %q, want %q", a, got, want)
	}
	if strings.Contains(strings.ToLower(a+b), "www") && strings.ToLower(a+b) != a+b {
		return // only www in small letters is left out
	}
	if got, want := related(a, b), slowRelated(a, b); got != want || related(b, a) != want || !related(a, a) {
		t.Fatalf("%q and %q are related: %v, want %v", a, b, got, want)
	}
}

// slowPage says which signals of the page a site has.
func slowPage(site *openrtb.Site) (page, referrer bool) {
	host, domain, ref := slowHost(site.Page), slowHost(site.Domain), slowHost(site.Ref)
	if host == "" || domain == "" || slowRelated(host, domain) {
		return false, false
	}
	for _, cache := range []string{
		"cdn.ampproject.org", "translate.goog", "googleusercontent.com", "bing-amp.com", "turbopages.org", "safeframe.googlesyndication.com", "web.archive.org",
	} {
		if strings.HasSuffix("."+strings.ToLower(host), "."+cache) {
			return false, false
		}
	}
	return true, ref != "" && slowRelated(ref, domain)
}

// checkPage compares the signals of a page, which has a fast path for most, with the reference.
func checkPage(t *testing.T, m *Model, site *openrtb.Site) {
	t.Helper()
	var page, referrer bool
	_, hits := m.Score(Input{Request: &openrtb.BidRequest{Site: site}}, new(Scratch), nil)
	for _, h := range hits {
		switch signal(h.Signal) { //nolint:exhaustive // the others are off
		case inventoryPage:
			page = true
		case inventoryReferrer:
			referrer = true
		default:
			t.Fatalf("%+v", h)
		}
	}
	wantPage, wantReferrer := slowPage(site)
	if !page && onDomain(site.Page, site.Domain) && !nameForm.MatchString(site.Domain) {
		return // the texts are equal, whatever they are
	}
	if page != wantPage || referrer != wantReferrer {
		t.Fatalf("page %q, domain %q, ref %q: %v, %v; want %v, %v", site.Page, site.Domain, site.Ref, page, referrer, wantPage, wantReferrer)
	}
}

// pageModel has the signals of the page alone.
func pageModel(tb testing.TB) *Model {
	tb.Helper()
	c := only(Config{}, "inventory.page", 25)
	c.Weights["inventory.referrer"] = 10
	return mustNew(tb, c)
}

// hostParts are what random hosts and URLs are made of.
var hostParts = []string{
	"https://", "http://", "//", "://", "blob:", "HTTPS://", "www.", "m.", "a", "b", "example", "example.com", "co", "uk", "com", "co.uk", ".", ".", ".", "@", ":", "/", "?", "#", "443",
	"user:pass@", "-", "_", "%2F", " ", "\n", "\u00fc", "xn--bcher-kva", "[", "]", "\\", "WWW", "\x00", "\xff", "10.0.0.1", ".cdn.ampproject.org", ".translate.goog", "bbc.com", "rp.pl",
}

func random(r *rand.Rand, parts []string, most int) string {
	var b strings.Builder
	for range r.IntN(most + 1) {
		b.WriteString(parts[r.IntN(len(parts))])
	}
	return b.String()
}

// TestHosts compares hosts, registered names and pages with their references.
func TestHosts(t *testing.T) {
	r := testkit.Rand(1)
	m := pageModel(t)
	hits, paths := 0, 0
	for range testkit.Scale(t, 5000, 20_000, 3_000_000) {
		a, b := random(r, hostParts, 7), random(r, hostParts, 7)
		checkHost(t, a)
		ha, hb := hostOf(a), hostOf(b)
		checkHosts(t, ha, hb)
		page := &openrtb.Site{Page: a, Domain: b, Ref: random(r, hostParts, 4)}
		switch r.IntN(8) {
		case 0:
			page.Page = "https://" + b + "/x"
		case 1:
			page.Page = "https://www." + hb
		case 2:
			page.Domain = ha
		case 3:
			page.Ref = "https://m." + hb
		}
		checkPage(t, m, page)
		if is, _ := slowPage(page); is {
			hits++
		}
		if onDomain(page.Page, page.Domain) {
			paths++
		}
	}
	if hits < 20 || paths < 100 {
		t.Errorf("%d pages are on other domains, %d take the fast path", hits, paths)
	}
}

// FuzzHosts compares hosts, registered names and pages with their references.
func FuzzHosts(f *testing.F) {
	for _, s := range samples() {
		if strings.HasPrefix(signals[s.signal].ID, "inventory.page") {
			if r, err := openrtb.Parse([]byte(s.doc)); err == nil && r.Site != nil {
				f.Add(r.Site.Page, r.Site.Domain, r.Site.Ref)
			}
		}
	}
	m := pageModel(f)
	f.Fuzz(func(t *testing.T, page, domain, ref string) {
		checkHost(t, page)
		checkHost(t, domain)
		checkHosts(t, hostOf(page), hostOf(domain))
		if lower := strings.ToLower(page + domain + ref); !strings.Contains(lower, "www") || lower == page+domain+ref {
			checkPage(t, m, &openrtb.Site{Page: page, Domain: domain, Ref: ref})
		}
	})
}

// checkForms compares the forms of identifiers with regular expressions.
func checkForms(t *testing.T, s string) {
	t.Helper()
	for name, x := range map[string][2]bool{
		"UUID": {uuid(s), uuidForm.MatchString(s)}, "zeros": {zeros(s), zeroForm.MatchString(s)}, "package": {isPackage(s), packageForm.MatchString(s)},
		"number": {isNumber(s), numberForm.MatchString(s)}, "ASIN": {isASIN(s), asinForm.MatchString(s)},
		"bundle of Android": {bundleFits(s, systemAndroid), packageForm.MatchString(s) || asinForm.MatchString(s)},
		"bundle of Apple":   {bundleFits(s, systemApple), packageForm.MatchString(s) || numberForm.MatchString(strings.TrimPrefix(s, "id"))},
		"bundle":            {bundleFits(s, systemOther), anyForm.MatchString(s)},
	} {
		if x[0] != x[1] {
			t.Fatalf("%q is a %s: %v, want %v", s, name, x[0], x[1])
		}
	}
}

// TestForms compares forms of identifiers on random texts, and on each fault of one byte.
func TestForms(t *testing.T) {
	r := testkit.Rand(2)
	parts := []string{"id", "com", ".", ".", "-", "_", ":", "0", "9", "12345", "B", "B00ABCDEF", "a", "f", "g", "Z", "F", " ", "\u00e9", "\n", "00000000-0000-0000-0000-00000000000", "8b3e2335-f049-4d1a-9c7e-1f2a3b4c5d6"}
	for range testkit.Scale(t, 2000, 20_000, 500_000) {
		checkForms(t, random(r, parts, 6))
	}
	for _, s := range []string{"8b3e2335-f049-4D1A-9c7e-1f2a3b4c5d6e", "com.example.app", "123456789012", "id123456789012", "B00ABCDEF1"} {
		for i := range len(s) {
			checkForms(t, s[:i]+s[i+1:])
			for c := 0; c < 256; c += testkit.Scale(t, 13, 1, 1) {
				checkForms(t, s[:i]+string([]byte{byte(c)})+s[i+1:])
				checkForms(t, s[:i]+string([]byte{byte(c)})+s[i:])
			}
		}
	}
}

// TestSystems reads the names of operating systems in any case.
func TestSystems(t *testing.T) {
	for want, names := range map[system][]string{
		systemAndroid: {"android", "Android", "ANDROID"}, systemApple: {"ios", "iOS", "iPadOS", "tvOS", "iPhone OS", "IPHONE OS"},
		systemOther: {"", "Roku", "Tizen", "webOS", "Android TV", "Fire OS", "ios 17", "macOS", "iphone", "windows", "androids", "ipado", "bada"},
	} {
		for _, name := range names {
			if got := systemOf(name); got != want {
				t.Errorf("%q is the system %d, want %d", name, got, want)
			}
		}
	}
}
