package simulate

import (
	"encoding/base64"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/legacy"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/openrtb/native"
)

// This file checks what no sign of fraud is about: that parts of a request agree with each other.

// eachClean calls f with clean requests of all shapes.
func eachClean(t *testing.T, count int, f func(v *view)) {
	t.Helper()
	for _, shape := range Shapes() {
		each(mustNew(t, Config{Seed: 12, Shape: shape}), uint64(count), func(text []byte, l Label) {
			v := newView(t, text)
			v.text = string(text)
			f(v)
		})
	}
}

func TestCoherentDevice(t *testing.T) {
	agents := map[string]int{}
	eachClean(t, testkit.Scale(t, 300, 1_200, 100_000), func(v *view) {
		d := &v.device
		switch system := systemOf(d.UA); {
		case d.UA == "":
		case system == "":
			t.Errorf("an agent of an unknown system: %s", d.UA)
		default:
			agents[system]++
		}
		if (d.OS == "iOS" || d.OS == "tvOS" || d.OS == "macOS") && d.Make != "" && d.Make != "Apple" || d.Make == "Apple" && d.OS == "Android" {
			t.Errorf("%s by %s", d.OS, d.Make)
		}
		if d.OS == "Android" && d.OSV != "" && d.UA != "" && !strings.Contains(d.UA, "Android "+d.OSV) && d.SUA == nil {
			t.Errorf("osv %s: %s", d.OSV, d.UA)
		}
		if d.OS == "iOS" && d.OSV != "" && strings.Contains(d.UA, " like Mac OS X") && !strings.Contains(d.UA, strings.ReplaceAll(d.OSV, ".", "_")) {
			t.Errorf("osv %s: %s", d.OSV, d.UA)
		}
		if d.Model != "" && d.OS == "Android" && d.UA != "" && d.SUA == nil && !strings.Contains(d.UA, d.Model) {
			t.Errorf("model %s: %s", d.Model, d.UA)
		}
		if d.SUA != nil {
			checkHints(t, d)
		}
		if d.W != nil && d.H != nil && (*d.W < 640 || *d.H < 640) {
			t.Errorf("a screen of %d by %d", *d.W, *d.H)
		}
		if (v.geo.Lat != nil) != (v.geo.Lon != nil) {
			t.Errorf("half a place: %s", v.text)
		}
		if (d.Carrier == "") && d.MCCMNC != "" {
			t.Errorf("a network without a carrier: %s", v.text)
		}
		if d.IFA != "" && v.BidRequest.Site != nil {
			t.Errorf("an identifier of apps on a website: %s", v.text)
		}
	})
	for _, system := range []string{"Android", "iOS", "Windows", "macOS", "Linux", "ChromeOS", "Roku OS", "Tizen", "webOS", "tvOS"} {
		if agents[system] == 0 {
			t.Errorf("no agent of %s", system)
		}
	}
}

// checkHints checks the client hints against the user agent.
func checkHints(t *testing.T, d *openrtb.Device) {
	t.Helper()
	m := chromeForm.FindStringSubmatch(d.UA)
	for _, b := range d.SUA.Browsers {
		if d.UA != "" && b.Brand == "Chromium" && (m == nil || m[1] != b.Version[0]) {
			t.Errorf("Chromium %v: %s", b.Version, d.UA)
		}
		if d.UA != "" && (b.Brand == "Microsoft Edge") != strings.Contains(d.UA, "Edg/") && b.Brand != "Chromium" && b.Brand != "Not_A Brand" {
			t.Errorf("%s: %s", b.Brand, d.UA)
		}
	}
	if p := d.SUA.Platform; d.OS == "Windows" && d.OSV != "" && p != nil && (d.OSV == "11") != (p.Version[0] == "15") {
		t.Errorf("Windows %s with the hint %v", d.OSV, p.Version)
	}
	if p := d.SUA.Platform; d.OS == "Android" && d.OSV != "" && p != nil && d.OSV != p.Version[0] {
		t.Errorf("Android %s with the hint %v", d.OSV, p.Version)
	}
}

func TestCoherentPlace(t *testing.T) {
	eachClean(t, testkit.Scale(t, 300, 1_200, 100_000), func(v *view) {
		g := &v.geo
		if g.Country == "" {
			return
		}
		i := slices.IndexFunc(countries[:], func(c country) bool { return c.code == g.Country })
		if i < 0 {
			t.Fatalf("unknown country %s", g.Country)
		}
		c := &countries[i]
		for _, ip := range []string{v.device.IP, v.device.IPv6} {
			if _, codes := whereIs(ip); ip != "" && !slices.Contains(codes, c.code) {
				t.Errorf("%s is in %v, not in %s", ip, codes, c.code)
			}
		}
		if l := v.device.Language; l != "" && l != languages[c.language].code && l != languages[c.minority].code {
			t.Errorf("language %s in %s", l, c.code)
		}
		if !slices.ContainsFunc(c.cities, func(city city) bool {
			near := func(p *float64, want int) bool {
				return p == nil || int(*p*10_000)-want < 700 && want-int(*p*10_000) < 700
			}
			return (g.City == "" || g.City == city.name) && (g.Region == "" || g.Region == city.region) && near(g.Lat, city.lat) && near(g.Lon, city.lon)
		}) {
			t.Errorf("no such place in %s: %+v", c.code, g)
		}
		if g.UTCOffset != nil && *g.UTCOffset != c.utc {
			t.Errorf("%d minutes in %s", *g.UTCOffset, c.code)
		}
		if v.device.Carrier != "" && !slices.ContainsFunc(c.mobile, func(m carrier) bool {
			return m.name == v.device.Carrier && (v.device.MCCMNC == "" || v.device.MCCMNC == m.mccmnc)
		}) {
			t.Errorf("%s, %s in %s", v.device.Carrier, v.device.MCCMNC, c.code)
		}
		for _, imp := range v.Imp {
			if cur := imp.BidFloorCur; cur != "" && cur != "USD" && cur != currencies[c.currency].code {
				t.Errorf("%s in %s", cur, c.code)
			}
		}
	})
}

func TestCoherentInventory(t *testing.T) {
	stores := map[string]*regexp.Regexp{
		"play.google.com": packageForm, "apps.apple.com": regexp.MustCompile(`^[0-9]{9,10}$`), "channelstore.roku.com": regexp.MustCompile(`^[0-9]{5,6}$`),
		"www.samsung.com": regexp.MustCompile(`^G2[0-9]{10}$`), "us.lgappstv.com": regexp.MustCompile(`^[0-9]{6}$`), "www.amazon.com": regexp.MustCompile(`^B0[0-9A-Z]{8}$`),
	}
	seen := map[string]int{}
	eachClean(t, testkit.Scale(t, 300, 1_200, 100_000), func(v *view) {
		if v.app.StoreURL != "" {
			host, _, _ := strings.Cut(strings.TrimPrefix(v.app.StoreURL, "https://"), "/")
			form := stores[host]
			if seen[host]++; form == nil || !form.MatchString(v.app.Bundle) {
				t.Errorf("bundle %s of %s", v.app.Bundle, v.app.StoreURL)
			}
			if os := map[string]string{"play.google.com": "Android", "channelstore.roku.com": "Roku OS", "www.samsung.com": "Tizen", "us.lgappstv.com": "webOS"}[host]; os != "" && v.device.OS != "" && os != v.device.OS {
				t.Errorf("%s on %s", v.app.StoreURL, v.device.OS)
			}
		}
		if v.site.Page != "" && !strings.HasSuffix(strings.SplitN(v.site.Page, "/", 4)[2], ".example") {
			t.Errorf("a page that somebody could own: %s", v.site.Page)
		}
		var publisher string
		for _, p := range []*openrtb.Publisher{v.site.Publisher, v.app.Publisher} {
			if p != nil {
				publisher = p.ID
			}
		}
		if c := v.chain; c != nil {
			last := c.Nodes[len(c.Nodes)-1]
			if len(c.Nodes) > 4 || c.Ver != "1.0" || !slices.ContainsFunc(producers[:], func(p producer) bool { return p.name == last.ASI }) || publisher != "" && publisher != last.SID {
				t.Errorf("publisher %q: %+v", publisher, c)
			}
		}
		for _, imp := range v.Imp {
			if imp.Native != nil {
				if _, _, err := native.ParseRequest(imp.Native.Request); err != nil {
					t.Errorf("%v: %s", err, imp.Native.Request)
				}
			}
		}
	})
	for host := range stores {
		if seen[host] == 0 {
			t.Errorf("no app of %s", host)
		}
	}
}

func TestCoherentPrivacy(t *testing.T) {
	consents, refusals := 0, 0
	eachClean(t, testkit.Scale(t, 300, 1_200, 100_000), func(v *view) {
		if v.consent != "" {
			if checkTCF(t, v.consent, v.geo.Country) {
				consents++
			} else {
				refusals++
				if v.user.ID != "" || v.user.BuyerUID != "" || v.device.IFA != "" || len(v.user.EIDs) > 0 || strings.Contains(v.text, `"eids"`) {
					t.Errorf("identifiers without consent: %s", v.text)
				}
			}
		}
		if is(v.device.Lmt, 1) && (v.user.ID != "" || strings.Contains(v.text, `"eids"`)) {
			t.Errorf("identifiers, though tracking is limited: %s", v.text)
		}
		if v.Regs != nil && v.Regs.GPP != "" {
			header, section, _ := strings.Cut(v.Regs.GPP, "~")
			switch {
			case header == "DBABMA" && v.consent != "" && section != v.consent:
				t.Errorf("two consent strings: %s", v.text)
			case header == "DBABLA" && !regexp.MustCompile(`^BVQ[A-Za-z0-9_-]{8}\.[QY]A$|^BVV[A-Za-z0-9_-]{8}\.[QY]A$`).MatchString(section):
				t.Errorf("US national section %s", section)
			}
		}
		if us, ok, _ := legacy.USPrivacy(v.BidRequest); ok && v.geo.Country != "" && v.geo.Country != "USA" {
			t.Errorf("us_privacy %s in %s", us, v.geo.Country)
		}
	})
	if consents == 0 || refusals == 0 {
		t.Errorf("%d consents and %d refusals", consents, refusals)
	}
}

// checkTCF reads a TCF 2.2 core string field by field, by another program than the one that wrote
// it, and reports whether the user has consented to purpose 1.
func checkTCF(t *testing.T, text, where string) bool {
	t.Helper()
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	at := 0
	take := func(n int) (v uint64) {
		for range n {
			if at/8 >= len(b) {
				t.Fatalf("%q ends in bit %d", text, at)
			}
			v = v<<1 | uint64(b[at/8]>>(7-at%8)&1)
			at++
		}
		return v
	}
	version, created, updated := take(6), take(36), take(36)
	take(12 + 12 + 6)
	spoken := string([]byte{'a' + byte(take(6)), 'a' + byte(take(6))})
	list, policy := take(12), take(6)
	take(2 + 12)
	purposes := take(24)
	interest := take(24)
	take(1)
	publisher := string([]byte{'a' + byte(take(6)), 'a' + byte(take(6))})
	for range 2 {
		most, ranges := take(16), take(1)
		if most > 0 && ranges == 0 {
			take(int(most))
		}
	}
	if restrictions := take(12); restrictions != 0 || len(b)*8-at >= 8 {
		t.Errorf("%q: %d restrictions, %d bits left", text, restrictions, len(b)*8-at)
	}
	if version != 2 || created != updated || created < consentOldest || policy != 5 || list != vendorList || interest&(1<<23) != 0 {
		t.Errorf("%q: version %d, created %d, policy %d, list %d, interest %x", text, version, created, policy, list, interest)
	}
	known := slices.ContainsFunc(languages[:], func(l language) bool { return l.code == spoken })
	home := slices.IndexFunc(countries[:], func(c country) bool { return c.code == where })
	if !known || home >= 0 && countries[home].store != publisher {
		t.Errorf("%q: language %s, publisher in %s, user in %s", text, spoken, publisher, where)
	}
	return purposes>>23 == 1
}

// TestGPPHeader checks the headers against the specification's way of making them.
func TestGPPHeader(t *testing.T) {
	for section, want := range map[int]string{2: gppHeaderTCF, 7: gppHeaderUS} {
		b := bitWriter{}
		b.put(3, 6)
		b.put(1, 6)
		b.put(1, 12) // one section
		b.put(0, 1)  // which is not a range
		codes := map[int]struct{ code, width int }{2: {0b011, 3}, 7: {0b01011, 5}}
		b.put(uint64(codes[section].code), codes[section].width)
		if got := string(b.end(25+codes[section].width)) + "~"; got != want {
			t.Errorf("section %d: %s, want %s", section, got, want)
		}
	}
}

// TestSameUser checks that a user is the same one in all requests: identifiers repeat with all that
// belongs to them, and with a heavy tail.
func TestSameUser(t *testing.T) {
	type who struct{ model, country string }
	users, ids := map[string]who{}, map[string]int{}
	most, total := 0, 0
	each(mustNew(t, Config{Seed: 2, Shape: App}), uint64(testkit.Scale(t, 5_000, 10_000, 200_000)), func(text []byte, _ Label) {
		var doc struct {
			Device struct {
				IFA, Model string
				Geo        struct{ Country string }
			}
		}
		if err := json.Unmarshal(text, &doc); err != nil {
			t.Fatal(err)
		}
		d := doc.Device
		if d.IFA == "" {
			return
		}
		id := strings.ToLower(d.IFA)
		total++
		if ids[id]++; ids[id] > most {
			most = ids[id]
		}
		if d.Model == "" || d.Geo.Country == "" {
			return
		}
		now := who{d.Model, d.Geo.Country}
		if before, known := users[id]; known && before != now {
			t.Errorf("%s is %v and %v", id, before, now)
		}
		users[id] = now
	})
	if most < 3 || len(ids) < total/2 || len(ids) > total*97/100 {
		t.Errorf("%d identifiers in %d requests, the most frequent one %d times", len(ids), total, most)
	}
}

// TestRepeats checks the kinds of fraud that are seen in many requests only.
func TestRepeats(t *testing.T) {
	values := map[string]map[string]int{}
	each(mustNew(t, Config{Seed: 2, Shape: App, Fraud: All}), uint64(testkit.Scale(t, 3_000, 10_000, 100_000)), func(text []byte, l Label) {
		if !slices.Contains(repeats, l.What) {
			return
		}
		v := newView(t, text)
		value := map[string]string{"address.repeated": v.device.IP, "id.ifa-repeated": v.device.IFA, "id.request-repeated": l.ID()}[l.What]
		if values[l.What] == nil {
			values[l.What] = map[string]int{}
		}
		values[l.What][value]++
	})
	for _, id := range repeats {
		want := 4
		if id == "id.request-repeated" {
			want = 8 * 3 // in the forms of the producers
		}
		if n := len(values[id]); n == 0 || n > want*2 {
			t.Errorf("%s has %d values", id, n)
		}
	}
}

// TestPairs checks that a member which means nothing alone is never there alone.
func TestPairs(t *testing.T) {
	for m, first := range pairs {
		if first == m {
			t.Errorf("%s is paired with itself", members[m].key)
		}
		a, b := members[m], members[first]
		if a.object != b.object || a.share > b.share || a.from < b.from || b.newer && !a.newer {
			t.Errorf("%s (from %d, %d%%) can be there without %s (from %d, %d%%)", a.key, a.from, a.share, b.key, b.from, b.share)
		}
	}
}
