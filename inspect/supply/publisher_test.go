package supply

import (
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/openrtb"
)

// record is an ads.txt file in which the account names the file.
func record(name string) string { return "exchange.com," + name + ",DIRECT\n" }

// websites are files, and which of them counts for a domain.
var websites = map[string]string{
	"ads_txt/example.com.txt":             record("example.com") + "SUBDOMAIN=own.example.com\nSUBDOMAIN=absent.example.com\nSUBDOMAIN=empty.example.com\n",
	"ads_txt/own.example.com":             record("own.example.com"),
	"ads_txt/other.example.com.txt":       record("other.example.com"),
	"ads_txt/empty.example.com.txt":       "# nothing",
	"ads_txt/sub.noroot.com.txt":          record("sub.noroot.com"),
	"ads_txt/emptyroot.com":               "# nothing",
	"ads_txt/sub.emptyroot.com":           record("sub.emptyroot.com"),
	"ads_txt/example.co.uk.txt":           record("example.co.uk"),
	"ads_txt/blogspot.com.txt":            record("blogspot.com"),
	"ads_txt/amazonaws.com.txt":           record("amazonaws.com"),
	"ads_txt/kawasaki.jp.txt":             record("kawasaki.jp"),
	"ads_txt/B\u00fccher.example.txt":     record("b\u00fccher"),
	"ads_txt/README":                      "not a domain",
	"ads_txt/.hidden.com.txt":             "<not read>",
	"app_ads_txt/dev.com.txt":             record("dev.com") + "SUBDOMAIN=own.dev.com\n",
	"app_ads_txt/games.dev.com.txt":       record("games.dev.com"),
	"app_ads_txt/empty.dev.com.txt":       "# nothing",
	"app_ads_txt/deep.sub.dev.com.txt":    record("deep.sub.dev.com"),
	"app_ads_txt/www.onlywww.com.txt":     record("www.onlywww.com"),
	"app_ads_txt/s3.amazonaws.com.txt":    record("s3.amazonaws.com"),
	"app_ads_txt/amazonaws.com.txt":       record("amazonaws.com"),
	"app_ads_txt/platform.blogspot.com":   record("platform.blogspot.com"),
	"app_ads_txt/apps.platform.github.io": record("apps.platform.github.io"),
	"bundles.csv":                         "bundle,domain\ncom.example.game,dev.com\nid123,https://www.games.dev.com/x\n123,second.com\n",
}

func TestSubdomains(t *testing.T) {
	s := open(t, websites).Snapshot()
	for domain, want := range map[string]string{
		"example.com": "example.com", "www.example.com": "example.com", "HTTPS://News.Example.com/page": "example.com", "a.b.example.com": "example.com",
		"own.example.com":    "own.example.com",
		"a.own.example.com":  "example.com", // the root refers to own.example.com only
		"other.example.com":  "example.com", // the root does not refer to it
		"absent.example.com": "example.com", // there is no such file
		"empty.example.com":  "example.com", // it declares nothing
		"sub.noroot.com":     "sub.noroot.com", "noroot.com": "", "a.sub.noroot.com": "",
		"emptyroot.com": "", "sub.emptyroot.com": "sub.emptyroot.com", "a.emptyroot.com": "",
		"example.co.uk": "example.co.uk", "a.b.example.co.uk": "example.co.uk", "co.uk": "",
		"blogspot.com": "blogspot.com", "me.blogspot.com": "", // a public suffix has no subdomains
		"amazonaws.com": "amazonaws.com", "a.amazonaws.com": "amazonaws.com", "bucket.s3.amazonaws.com": "",
		"kawasaki.jp": "kawasaki.jp", "a.kawasaki.jp": "", "city.kawasaki.jp": "", "b.a.kawasaki.jp": "", "c.b.a.kawasaki.jp": "",
		"www.b\u00fccher.example": "b\u00fccher", "xn--bcher-kva.example": "b\u00fccher",
		"": "", "localhost": "", "not a domain": "", "192.0.2.1": "", "com": "", "README": "", "hidden.com": "", ".hidden.com": "",
		strings.Repeat("a.", 120) + "example.com": "example.com",
	} {
		relation(t, s.AdsTxt(domain), domain, want)
	}
}

// relation expects that the file with the account counts, or none.
func relation(t *testing.T, p Publisher, domain, want string) {
	t.Helper()
	if want == "" {
		if p.Relation("exchange.com", "any") != Unknown {
			t.Errorf("%s: the file of %s counts, want none", domain, p.Domain())
		}
	} else if got := p.Relation("exchange.com", want); got != Direct {
		t.Errorf("%s: %v by the file of %q, want direct by that of %s", domain, got, p.Domain(), want)
	}
}

func TestDevelopers(t *testing.T) {
	s := open(t, websites).Snapshot()
	for domain, want := range map[string]string{
		// The specification's cases (app-ads.txt 1.0, appendix A).
		"dev.com": "dev.com", "https://www.dev.com/test": "dev.com", "https://m.dev.com/test": "dev.com",
		"games.dev.com": "games.dev.com", "https://another.games.dev.com/test": "games.dev.com", "https://games.www.dev.com/test": "dev.com",
		"www.games.dev.com": "games.dev.com",
		// A subdomain without a file, or with one that declares nothing.
		"else.dev.com": "dev.com", "empty.dev.com": "dev.com", "own.dev.com": "dev.com",
		"deep.sub.dev.com": "deep.sub.dev.com", "a.deep.sub.dev.com": "dev.com",
		"onlywww.com": "", "m.com": "", "www.com": "",
		"bucket.s3.amazonaws.com": "", "a.amazonaws.com": "amazonaws.com",
		"platform.blogspot.com": "platform.blogspot.com", "a.platform.blogspot.com": "platform.blogspot.com",
		"a.apps.platform.github.io": "apps.platform.github.io",
		"":                          "", "not a domain": "",
	} {
		relation(t, s.AppAdsTxt(domain), domain, want)
	}
	for bundle, want := range map[string]string{"com.example.game": "dev.com", "123": "www.games.dev.com", "id123": "www.games.dev.com", "com.Example.game": "", "": ""} {
		if got, found := s.Developer(bundle); got != want || found != (want != "") {
			t.Errorf("Developer(%q) = %q, %v, want %q", bundle, got, found, want)
		}
	}
}

func TestPublisher(t *testing.T) {
	s := open(t, websites).Snapshot()
	for _, c := range []struct {
		name    string
		request openrtb.BidRequest
		want    string
	}{
		{"site", openrtb.BidRequest{Site: &openrtb.Site{Domain: "www.example.com", Page: "https://own.example.com/"}}, "example.com"},
		{"site without domain", openrtb.BidRequest{Site: &openrtb.Site{Page: "https://own.example.com/a"}}, "own.example.com"},
		{"app", openrtb.BidRequest{App: &openrtb.App{Domain: "dev.com"}}, "dev.com"},
		{"app of a known developer", openrtb.BidRequest{App: &openrtb.App{Bundle: "123", Domain: "evil.com"}}, "games.dev.com"},
		{"app of an unknown developer", openrtb.BidRequest{App: &openrtb.App{Bundle: "124", Domain: "dev.com"}}, "dev.com"},
		{"neither", openrtb.BidRequest{}, ""},
	} {
		relation(t, s.Publisher(&c.request), c.name, c.want)
	}
}

// TestInventoryPartner has the cases of the IAB's guide to inventory sharing: programmer A shows
// its content in the app of distributor B, and sells a part of the inventory. References in a
// circle are followed one step.
func TestInventoryPartner(t *testing.T) {
	s := open(t, map[string]string{
		"app_ads_txt/distributor-b.com.txt": "ssp.com, vwxyz, DIRECT\ninventorypartnerdomain=programmer-a.com\nINVENTORYPARTNERDOMAIN=nofile.com\nINVENTORYPARTNERDOMAIN=empty.com\n",
		"app_ads_txt/programmer-a.com.txt":  "ssp.com, app, DIRECT\n",
		"ads_txt/programmer-a.com.txt":      "ssp.com, abcde, RESELLER\nINVENTORYPARTNERDOMAIN=distributor-b.com\nINVENTORYPARTNERDOMAIN=third.com\n",
		"ads_txt/distributor-b.com.txt":     "ssp.com, site, DIRECT\nINVENTORYPARTNERDOMAIN=programmer-a.com\n",
		"ads_txt/third.com.txt":             "ssp.com, third, DIRECT\n",
		"ads_txt/empty.com.txt":             "# nothing",
	}).Snapshot()
	for _, c := range []struct {
		partner, account string
		want             Relation
	}{
		{"", "vwxyz", Direct},
		{"", "abcde", Unauthorized},
		{"programmer-a.com", "vwxyz", Direct},
		{"https://Programmer-A.com/", "abcde", Reseller},
		{"programmer-a.com", "other", Unauthorized},
		{"programmer-a.com", "app", Unauthorized}, // app-ads.txt of a partner is not asked
		{"programmer-a.com", "third", Unauthorized},
		{"programmer-a.com", "site", Unauthorized},
		{"third.com", "third", Unauthorized}, // the app's file does not refer to it
		{"nofile.com", "vwxyz", Direct},
		{"nofile.com", "abcde", Unknown},
		{"empty.com", "abcde", Unknown},
		{"not a domain", "abcde", Unauthorized},
	} {
		p := s.Publisher(&openrtb.BidRequest{App: &openrtb.App{Domain: "distributor-b.com", InventoryPartnerDomain: c.partner}})
		if got := p.Relation("ssp.com", c.account); got != c.want {
			t.Errorf("partner %q, account %s: %v, want %v", c.partner, c.account, got, c.want)
		}
	}
	p := s.Publisher(&openrtb.BidRequest{Site: &openrtb.Site{Domain: "distributor-b.com", InventoryPartnerDomain: "programmer-a.com"}})
	if p.Relation("ssp.com", "abcde") != Reseller || p.Relation("ssp.com", "site") != Direct {
		t.Error("the partner of a site is not asked")
	}
	p = s.Publisher(&openrtb.BidRequest{App: &openrtb.App{Domain: "unknown.com", InventoryPartnerDomain: "programmer-a.com"}})
	if p.Relation("ssp.com", "abcde") != Unknown {
		t.Error("a partner is asked that no file refers to")
	}
}
