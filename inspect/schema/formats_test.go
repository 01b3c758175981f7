package schema

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/spec"
)

// formatFuncs are the formats of this package by their names in the data.
var formatFuncs = map[string]func(string) bool{
	"iso-4217":           formatIso4217,
	"iso-639-1":          formatIso6391,
	"iso-639-1-or-xx":    formatIso6391OrXx,
	"bcp-47":             formatBcp47,
	"iso-3166-1-alpha-3": formatIso31661Alpha3,
	"iso-3166-2":         formatIso31662,
	"fips-10-4":          formatFips104,
	"iso-4217-code":      formatIso4217Code,
	"google-metro-code":  formatGoogleMetroCode,
	"un-locode":          formatUnLocode,
	"ipv4":               formatIpv4,
	"ipv6":               formatIpv6,
	"domain":             formatDomain,
	"url":                formatUrl,
	"url-template":       formatUrlTemplate,
	"mime-type":          formatMimeType,
	"mcc-mnc":            formatMccMnc,
	"isrc":               formatIsrc,
	"us-privacy":         formatUsPrivacy,
	"gpp":                formatGpp,
	"tcf-v2":             formatTcfV2,
	"base85-cookie-safe": formatBase85CookieSafe,
	"app-store-id":       formatAppStoreId,
	"major.minor":        formatMajorMinor,
	"sha1-hex":           formatSha1Hex,
	"md5-hex":            formatMd5Hex,
	"iab1-category":      formatIab1Category,
}

// formatRefs are the regular expressions of the data: slow and clear.
func formatRefs(t testing.TB) map[string]func(string) bool {
	t.Helper()
	out := map[string]func(string) bool{}
	for name, f := range spec.OpenRTB().Formats {
		if f.Regex == "" {
			continue
		}
		pattern := f.Regex
		if !strings.HasPrefix(pattern, "^") || !strings.HasSuffix(pattern, "$") {
			t.Errorf("the expression of %s is not anchored: %s", name, pattern)
		}
		expression := regexp.MustCompile(pattern)
		out[name] = expression.MatchString
		if f.CaseInsensitive { // of ASCII: (?i) takes the Kelvin sign for a k
			out[name] = func(s string) bool { return expression.MatchString(fold(s)) }
		}
		if formatFuncs[name] == nil {
			t.Errorf("format %s has an expression and no function", name)
		}
	}
	return out
}

// TestFormatsExhaustively compares each format with its expression on all short texts over an
// alphabet that has a character of every class the expressions tell apart.
func TestFormatsExhaustively(t *testing.T) {
	const alphabet = "AIBb1209-_.~/ \n"
	references := formatRefs(t)
	length := 4
	if testing.Short() {
		length = 3
	}
	prefixes := map[string][]string{ // texts that the interesting part comes after
		"gpp": {"", "DB", "DBA~"}, "tcf-v2": {"", "C", "CA."}, "us-privacy": {"", "1", "1Y"},
		"iab1-category": {"", "IAB", "IAB1", "IAB2"}, "isrc": {"", "USRC1", "US-RC1-76-07", "USRC17607839"},
		"iso-3166-2": {"", "US-"}, "un-locode": {"", "US"}, "mcc-mnc": {"", "310", "310-0"},
		"domain": {"", "a.", strings.Repeat("a", 61) + "."}, "mime-type": {"", "a/"},
	}
	for name, reference := range references {
		t.Run(name, func(t *testing.T) {
			f := formatFuncs[name]
			buf := make([]byte, 0, 256)
			var try func(left int)
			try = func(left int) {
				if got, want := f(string(buf)), reference(string(buf)); got != want {
					t.Fatalf("%q: %v, the expression says %v", buf, got, want)
				}
				if left == 0 {
					return
				}
				for i := range len(alphabet) {
					buf = append(buf, alphabet[i])
					try(left - 1)
					buf = buf[:len(buf)-1]
				}
			}
			list := prefixes[name]
			if list == nil {
				list = []string{""}
			}
			for _, prefix := range list {
				buf = append(buf[:0], prefix...)
				try(length)
			}
		})
	}
}

// TestFormatsMutated compares on texts that are nearly right: every text of formatValues with each
// byte replaced, inserted and removed, and random ones.
func TestFormatsMutated(t *testing.T) {
	references := formatRefs(t)
	seeds := []string{"IAB26-9", "IAB9-99", "a.bc", strings.Repeat("a", 63) + ".example", "a." + strings.Repeat("b", 63)}
	for _, v := range formatValues {
		seeds = append(append(seeds, v.good...), v.bad...)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		b := []byte(seeds[random.IntN(len(seeds))])
		for range 1 + random.IntN(3) {
			b = append(b, seeds[random.IntN(len(seeds))]...)
			i := random.IntN(len(b))
			b = append(b[:i], b[min(len(b), i+random.IntN(4)):]...)
		}
		seeds = append(seeds, string(b))
	}
	for name, reference := range references {
		f := formatFuncs[name]
		same := func(s string) {
			if got, want := f(s), reference(s); got != want {
				t.Fatalf("%s %q: %v, the expression says %v", name, s, got, want)
			}
		}
		for _, s := range seeds {
			same(s)
		}
		for _, s := range append(formatValues[name].good, formatValues[name].bad...) {
			for i := range len(s) + 1 {
				if i < len(s) {
					same(s[:i] + s[i+1:])
				}
				for b := range 256 {
					same(s[:i] + string([]byte{byte(b)}) + s[i:])
					if i < len(s) {
						same(s[:i] + string([]byte{byte(b)}) + s[i+1:])
					}
				}
				same(s[:i] + "K" + s[i:]) // the Kelvin sign folds to k, but is not one
				same(s[:i] + "ſ" + s[i:])
			}
		}
	}
}

// TestFormatsCorpus compares on every text of the corpus.
func TestFormatsCorpus(t *testing.T) {
	references := formatRefs(t)
	texts := map[string]bool{}
	var collect func(v any)
	collect = func(v any) {
		switch v := v.(type) {
		case string:
			texts[v] = true
		case []any:
			for _, e := range v {
				collect(e)
			}
		case map[string]any:
			for key, e := range v {
				texts[key] = true
				collect(e)
			}
		}
	}
	for _, kind := range []string{"requests", "responses"} {
		for _, doc := range corpus(t, kind) {
			var v any
			if err := json.Unmarshal(doc, &v); err != nil {
				t.Fatal(err)
			}
			collect(v)
		}
	}
	if len(texts) < 3000 {
		t.Errorf("the corpus has only %d texts", len(texts))
	}
	for name, reference := range references {
		for s := range texts {
			if got, want := formatFuncs[name](s), reference(s); got != want {
				t.Errorf("%s %.200q: %v, the expression says %v", name, s, got, want)
			}
		}
	}
	for s := range texts {
		a, err := netip.ParseAddr(s)
		if got, want := formatIpv4(s), err == nil && a.Is4(); got != want {
			t.Errorf("ipv4 %q: %v", s, got)
		}
		if got, want := formatIpv6(s), err == nil && a.Is6() && a.Zone() == ""; got != want {
			t.Errorf("ipv6 %q: %v", s, got)
		}
		// What passes as a URL, net/url accepts too.
		if u, err := url.Parse(s); formatUrl(s) && (err != nil || u.Host == "") && !strings.Contains(s, "%") && !strings.Contains(s, "{") {
			t.Errorf("url %.200q: %v", s, err)
		}
	}
}

// TestFormatValues checks the tables that the rule tests use, with every format in it.
func TestFormatValues(t *testing.T) {
	for name, f := range formatFuncs {
		v, ok := formatValues[name]
		if !ok && name != "iab1-category" {
			t.Errorf("formatValues lacks %s", name)
		}
		for _, s := range v.good {
			if !f(s) {
				t.Errorf("%s %q is refused", name, s)
			}
		}
		for _, s := range v.bad {
			if f(s) {
				t.Errorf("%s %q is accepted", name, s)
			}
		}
	}
	for name := range spec.OpenRTB().Formats {
		switch name {
		case "json-encoded-string", "epoch-milliseconds", "csv", "ad-markup", "user-agent", "tag-payment-id-chain":
			continue // not a test of a text: parsed, compared as a number, or free
		}
		if formatFuncs[name] == nil {
			t.Errorf("format %s has no function", name)
		}
	}
}

func TestFormatAddresses(t *testing.T) {
	for _, c := range []struct {
		text   string
		v4, v6 bool
	}{
		{"0.0.0.0", true, false},
		{"255.255.255.255", true, false},
		{"192.0.2.1", true, false},
		{"192.0.2.256", false, false},
		{"192.0.2", false, false},
		{"192.0.2.1.1", false, false},
		{"192.0.2.01", false, false}, // octal for some parsers
		{"192.0.2.1 ", false, false},
		{" 192.0.2.1", false, false},
		{"192.0.2.x", false, false}, // a cut address
		{"192.0.2.0/24", false, false},
		{"0x7f.0.0.1", false, false},
		{"2130706433", false, false},
		{"::", false, true},
		{"::1", false, true},
		{"2001:db8::", false, true},
		{"2001:DB8::A", false, true},
		{"2001:0db8:0000:0000:0000:0000:0000:0001", false, true},
		{"::ffff:192.0.2.1", false, true},
		{"64:ff9b::192.0.2.33", false, true},
		{"1:2:3:4:5:6:7:8", false, true},
		{"1:2:3:4:5:6:7::", false, true},
		{"1:2:3:4:5:6:7", false, false},
		{"1:2:3:4:5:6:7:8:9", false, false},
		{"1::2::3", false, false},
		{"12345::", false, false},
		{"fe80::1%eth0", false, false},
		{"[::1]", false, false},
		{"::1/64", false, false},
		{":1", false, false},
		{"", false, false},
	} {
		if got := formatIpv4(c.text); got != c.v4 {
			t.Errorf("ipv4 %q: %v", c.text, got)
		}
		if got := formatIpv6(c.text); got != c.v6 {
			t.Errorf("ipv6 %q: %v", c.text, got)
		}
	}
}

// TestFormatAddressesAgainstNetip compares with net/netip on texts put together from parts.
func TestFormatAddressesAgainstNetip(t *testing.T) {
	parts := []string{":", ":", ":", ":", "::", ".", ".", "0", "1", "ffff", "fff", "12345", "255", "256", "1.2.3.4", "01", "g", "%", "", "A", "1:2:3", "4:5:6", "7:8"}
	random := rand.New(rand.NewPCG(3, 4))
	n4, n6 := 0, 0
	for range 400000 {
		var b strings.Builder
		for range 1 + random.IntN(14) {
			b.WriteString(parts[random.IntN(len(parts))])
		}
		s := b.String()
		a, err := netip.ParseAddr(s)
		is4, is6 := err == nil && a.Is4(), err == nil && a.Is6() && a.Zone() == ""
		if formatIpv4(s) != is4 || formatIpv6(s) != is6 {
			t.Fatalf("%q: %v and %v, net/netip says %v and %v", s, formatIpv4(s), formatIpv6(s), is4, is6)
		}
		if is4 {
			n4++
		}
		if is6 {
			n6++
		}
	}
	if n4 < 100 || n6 < 1000 {
		t.Errorf("only %d and %d addresses among them", n4, n6)
	}
}

func TestFormatURLs(t *testing.T) {
	for _, c := range []struct {
		text          string
		url, template bool
	}{
		{"https://a.example", true, true},
		{"http://a.example/", true, true},
		{"HTTPS://A.example?x#y", true, true},
		{"https://a.example:8443/x?y=${AUCTION_PRICE}", true, true},
		{"https://user@a.example", true, true},
		{"https://[2001:db8::1]/", true, true},
		{"https://ä.example/ü", true, true},
		{"https://", false, false},
		{"https:///x", false, false},
		{"https://?x", false, false},
		{"https://#x", false, false},
		{"https:/a.example", false, false},
		{"https: //a.example", false, false},
		{"ftp://a.example", false, false},
		{"javascript:alert(1)", false, false},
		{"data:text/html,x", false, false},
		{"a.example", false, false},
		{"/x", false, false},
		{"//a.example/x", false, true},
		{"${CLICK_URL}", false, true},
		{"${CLICK_URL}https://a.example", false, true},
		{"${CLICK URL}", false, false},
		{"// a", false, false},
		{"https://a.example/\x7f", false, false},
		{"https://a.example/\n", false, false},
		{"https://a.example/\t", false, false},
		{"http", false, false},
		{"", false, false},
	} {
		if got := formatUrl(c.text); got != c.url {
			t.Errorf("url %q: %v", c.text, got)
		}
		if got := formatUrlTemplate(c.text); got != c.template {
			t.Errorf("url-template %q: %v", c.text, got)
		}
	}
}

// TestFormatCookieSafe checks every byte: printable ASCII without the characters that end or quote
// the value of a cookie (RFC 6265, cookie-octet).
func TestFormatCookieSafe(t *testing.T) {
	for b := range 256 {
		want := b > ' ' && b < 0x7f && !strings.ContainsRune("\",;\\", rune(b))
		if got := formatBase85CookieSafe(string([]byte{byte(b)})); got != want {
			t.Errorf("%q: %v", byte(b), got)
		}
	}
}

func TestFormatEpochMilliseconds(t *testing.T) {
	f := spec.OpenRTB().Formats["epoch-milliseconds"]
	for _, c := range []struct {
		ms   float64
		want bool
	}{
		{*f.Min, true}, {*f.Max, true}, {*f.Min - 1, false}, {*f.Max + 1, false}, {1.7e9, false}, {1.7e12, true},
		{-1, false}, {0, false}, {math.Inf(1), false}, {math.NaN(), false},
	} {
		if got := formatEpochMilliseconds(c.ms); got != c.want {
			t.Errorf("%v: %v", c.ms, got)
		}
	}
}

func TestVersionBelow(t *testing.T) {
	for _, c := range []struct {
		version string
		want    bool
	}{
		{"1.0", true}, {"1.1", false}, {"1.2", false}, {"1.10", false}, {"2.0", false}, {"0.9", true}, {"01.00", true},
		{"99999999999999999999.0", false}, {"1.99999999999999999999", false},
	} {
		if got := versionBelow(c.version, 1, 1); got != c.want {
			t.Errorf("%s: %v", c.version, got)
		}
	}
}
