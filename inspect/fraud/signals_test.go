package fraud

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/inspect/lists"
	"github.com/rtbwire/rtbwire/inspect/lookup"
	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// cases are requests that have a signal, by the path that the hit names, and near misses that do
// not.
type cases struct {
	with func(*Config, *rule.Facts) // what the request does not say; may be nil
	has  map[string][]string
	not  []string
}

// input returns what the cases are scored with.
func (c *cases) input() (Config, *rule.Facts) {
	var config Config
	f := &rule.Facts{}
	if c.with != nil {
		c.with(&config, f)
	}
	return config, f
}

// signalCases are the cases of all signals by id. Each signal has requests that have it and near
// misses.
var signalCases = map[string][]cases{
	"address.private": {{
		has: map[string][]string{
			"/device/ip":   each(`{"device":{"ip":"%s"}}`, "10.0.0.1", "127.0.0.1", "169.254.13.37", "172.31.255.255", "192.168.1.1", "100.64.0.1", "::ffff:10.0.0.1", " 10.0.0.1", "10.0.0.01", "10.1", "0xa.0.0.1:80", "64:ff9b::10.0.0.1"),
			"/device/ipv6": each(`{"device":{"ipv6":"%s"}}`, "::1", "fd00::1", "FE80::1", "::ffff:192.168.1.1", "10.1.1.1", "fe80::1%eth0", "[fd00::1]:80", "2002:a00:1::1"),
		},
		not: slices.Concat(
			each(`{"device":{"ip":"%s"}}`, "8.8.8.8", "9.255.255.255", "11.0.0.0", "172.15.255.255", "172.32.0.0", "192.169.0.1", "100.128.0.0", "126.255.255.255", "0.0.0.0", "192.0.2.1", "224.0.0.1", "", "10.0.0.1/8", "10.0.0.x", "private", "11.1"),
			each(`{"device":{"ipv6":"%s"}}`, "2600::1", "fe00::1", "::2", "::", ""),
			[]string{`{}`, `{"device":{}}`, `{"user":{"ext":{"ip":"10.0.0.1"}}}`},
		),
	}},
	"address.reserved": {{
		has: map[string][]string{
			"/device/ip":   each(`{"device":{"ip":"%s"}}`, "0.0.0.0", "0.1.2.3", "240.0.0.1", "255.255.255.255", "198.18.0.1"),
			"/device/ipv6": each(`{"device":{"ipv6":"%s"}}`, "::", "100::1", "64:ff9b:1::1"),
		},
		not: slices.Concat(each(`{"device":{"ip":"%s"}}`, "1.0.0.0", "198.20.0.1", "239.255.255.255", "10.0.0.1", ""), each(`{"device":{"ipv6":"%s"}}`, "2002::1", "::1", "101::1")),
	}},
	"address.documentation": {{
		has: map[string][]string{
			"/device/ip":   each(`{"device":{"ip":"%s"}}`, "192.0.2.1", "198.51.100.255", "203.0.113.0"),
			"/device/ipv6": each(`{"device":{"ipv6":"%s"}}`, "2001:db8::", "2001:0DB8:85a3::8a2e:0370:7334"),
		},
		not: slices.Concat(each(`{"device":{"ip":"%s"}}`, "192.0.3.1", "198.51.101.0", "203.0.112.255"), each(`{"device":{"ipv6":"%s"}}`, "2001:db7::1", "2001:db9::")),
	}},
	"address.multicast": {{
		has: map[string][]string{
			"/device/ip": each(`{"device":{"ip":"%s"}}`, "224.0.0.1", "239.255.255.255"), "/device/ipv6": each(`{"device":{"ipv6":"%s"}}`, "ff02::1"),
		},
		not: slices.Concat(each(`{"device":{"ip":"%s"}}`, "223.255.255.255", "240.0.0.0"), each(`{"device":{"ipv6":"%s"}}`, "fe80::1", "2600::1")),
	}},
	"address.form": {{
		has: map[string][]string{
			"/device/ip":   each(`{"device":{"ip":"%s"}}`, "unknown", "10.0.0.1/8", "1.2.3.256", "1.2.3.4.5", "08.1.1.1", "4294967296", " ", "1.2.3.4:x", "127.0.0.1,10.0.0.1"),
			"/device/ipv6": each(`{"device":{"ipv6":"%s"}}`, "unknown", "2001:db8", "[::1", "::1::"),
		},
		not: slices.Concat(each(`{"device":{"ip":"%s"}}`, "8.8.8.8", "010.0.0.1", "8.8.2056", "8.8.8.8:80", "8.8.8.8%eth0", `8.8.8.8\u0000x`, ""), each(`{"device":{"ipv6":"%s"}}`, "2600::1", "[2600::1%eth0]:80", "")),
	}},
	"address.datacenter": listed(func(d *Data) *lookup.Addresses { return &d.DataCenters }),
	"address.proxy":      listed(func(d *Data) *lookup.Addresses { return &d.Proxies }),
	"address.mismatch": {{
		has: map[string][]string{"/device/ipv6": each(`{"device":{%s}}`,
			`"ip":"8.8.8.8","ipv6":"2002:101:101::1"`, `"ip":"8.8.8.8","ipv6":"64:ff9b::1.1.1.1"`, `"ip":"8.8.8.8","ipv6":"::ffff:1.1.1.1"`, `"ip":"8.8.8.8","ipv6":"1.1.1.1"`,
			`"ip":"8.8.8.8","ipv6":"2001::f7f7:f8f7"`, // Teredo inverts the address
		)},
		not: each(`{"device":{%s}}`,
			`"ip":"8.8.8.8","ipv6":"fd00::1"`, `"ip":"10.0.0.1","ipv6":"2600::1"`, `"ip":"8.8.8.8","ipv6":"2001:db8::1"`, `"ip":"0.0.0.0","ipv6":"2600::1"`,
			`"ip":"8.8.8.0","ipv6":"2002:808:808::"`, `"ip":"8.8.8.8","ipv6":"2001:0:4136:e378::"`, `"ip":"8.8.8.8","ipv6":"2001::f7f7:f7f8"`,
			`"ip":"8.8.8.8","ipv6":"2600::1"`, `"ip":"10.0.0.1","ipv6":"fd00::1"`, `"ip":"192.0.2.1","ipv6":"::1"`, `"ip":"8.8.8.8"`, `"ipv6":"fd00::1"`, `"ip":"x","ipv6":"fd00::1"`,
			`"ip":"8.8.8.8","ipv6":"2002:808:808::1"`, `"ip":"8.8.8.8","ipv6":"64:ff9b::8.8.8.8"`, `"ip":"8.8.8.8","ipv6":"::ffff:8.8.8.8"`, `"ip":"8.8.8.8","ipv6":"2001::f7f7:f7f7"`,
			`"ip":"8.8.8.8","ipv6":"2001:1::101:101"`, `"ip":"8.8.8.8","ipv6":"64:ff9b::1:101:101"`, `"ip":"8.8.8.8","ipv6":"64:ff9c::101:101"`, `"ip":"2600::2","ipv6":"2002:101:101::1"`,
		),
	}},
	"address.peer": {
		{
			with: direct("8.8.8.8"),
			has:  map[string][]string{"/device/ip": each(`{"device":{"ip":"%s"}}`, "8.8.9.8", "1.1.1.1")},
			not:  slices.Concat(each(`{"device":{"ip":"%s"}}`, "8.8.8.8", "8.8.8.0", "8.8.8.255", "::ffff:8.8.8.8", "10.0.0.1", "0.0.0.0", "2600::1", "x"), []string{`{"device":{"ipv6":"2600::1"}}`, `{}`}),
		},
		{
			with: direct("2600:1:2:300::5%eth0"),
			has:  map[string][]string{"/device/ipv6": each(`{"device":{"ipv6":"%s"}}`, "2600:1:2:400::5", "2600:1:2:2ff::5")},
			not:  slices.Concat(each(`{"device":{"ipv6":"%s"}}`, "2600:1:2:300::6", "2600:1:2:3ff::5", "2600:1:2:300::", "fd00::1", "1.1.1.1"), each(`{"device":{"ip":"%s"}}`, "1.1.1.1")),
		},
		{
			with: direct("::ffff:8.8.8.8"),
			has:  map[string][]string{"/device/ip": {`{"device":{"ip":"1.1.1.1"}}`}}, not: []string{`{"device":{"ip":"8.8.8.1"}}`},
		},
		{
			with: direct("10.0.0.1", "8.8.4.4", "10.0.0.2"),
			has:  map[string][]string{"/device/ip": {`{"device":{"ip":"8.8.8.8"}}`}}, not: []string{`{"device":{"ip":"8.8.4.1"}}`},
		},
		{with: func(_ *Config, f *rule.Facts) { f.Peer = netip.MustParseAddr("8.8.8.8") }, not: []string{`{"device":{"ip":"1.1.1.1"}}`}},
		{with: func(c *Config, _ *rule.Facts) { c.Direct = true }, not: []string{`{"device":{"ip":"1.1.1.1"}}`}},
	},

	"identifier.missing": {{
		has: map[string][]string{"/device/ifa": {
			`{"app":{}}`, `{"app":{},"device":{}}`, `{"app":{},"device":{"lmt":0,"dnt":0},"regs":{"coppa":0}}`, `{"app":{},"device":{"ifa":"","lmt":2}}`, `{"app":{},"device":{"ext":{"atts":3}}}`,
		}},
		not: slices.Concat([]string{`{}`, `{"site":{}}`, `{"app":{},"regs":{"coppa":1}}`}, each(`{"app":{},"device":{%s}}`,
			`"lmt":1`, `"dnt":1`, `"ifa":"x"`, `"ifa":"0000"`, `"ext":{"atts":0}`, `"ext":{"atts":2}`, `"lmt":0,"ext":{"atts":"1"}`)),
	}},
	"identifier.zero": {{
		has: map[string][]string{"/device/ifa": each(`{"device":{%s}}`,
			`"ifa":"00000000-0000-0000-0000-000000000000"`, `"ifa":"00000000000000000000000000000000"`, `"ifa":"0","lmt":0,"dnt":0`, `"ifa":"--"`, `"ifa":"00-00","ext":{"atts":3}`)},
		not: slices.Concat([]string{`{}`, `{"device":{"ifa":"00-00"},"regs":{"coppa":1}}`}, each(`{"device":{%s}}`,
			`"ifa":""`, `"ifa":"00000000-0000-0000-0000-000000000001"`, `"ifa":"00 00"`, `"ifa":"00-00","lmt":1`, `"ifa":"00-00","dnt":1`, `"ifa":"00-00","ext":{"atts":2}`)),
	}},
	"identifier.form": {{
		has: map[string][]string{"/device/ifa": each(`{"device":{"ifa":"%s"}}`,
			"test", "ed6207cefff74c14878963566683c070", "8b3e2335-f049-4d1a-9c7e-1f2a3b4c5d6", "8b3e2335-f049-4d1a-9c7e-1f2a3b4c5d6e7", "8b3e2335-z049-4d1a-9c7e-1f2a3b4c5d6e",
			"8b3e23355f049-4d1a-9c7e-1f2a3b4c5d6e", "8b3e2335 f049 4d1a 9c7e 1f2a3b4c5d6e", "8b3e2335-f049-4d1a-9c7e-1f2a3b4c5d6-", "8b3e2335-f04-94d1a-9c7e-1f2a3b4c5d6e", " b3e2335-f049-4d1a-9c7e-1f2a3b4c5d6e", "0000-1")},
		not: slices.Concat(each(`{"device":{"ifa":"%s"}}`, "8b3e2335-f049-4d1a-9c7e-1f2a3b4c5d6e", "8B3E2335-F049-4D1A-9C7E-1F2A3B4C5D6E", "00000000-0000-0000-0000-000000000000", "0000", ""), []string{`{}`, `{"app":{}}`}),
	}},
	"identifier.limited": {{
		has: map[string][]string{"/device/ifa": each(`{"device":{"lmt":1,"ifa":"%s"}}`, "8b3e2335-f049-4d1a-9c7e-1f2a3b4c5d6e", "x")},
		not: slices.Concat(each(`{"device":{"lmt":1,"ifa":"%s"}}`, "", "00000000-0000-0000-0000-000000000000", "0"), each(`{"device":{"ifa":"x"%s}}`, "", `,"lmt":0`, `,"dnt":1`, `,"lmt":2`)),
	}},
	"identifier.imps": {
		{
			has: map[string][]string{
				"/imp/1": equalImps(), "/imp/2": imps(`"tagid":"a"`, `"tagid":"b"`, `"tagid":"a"`), "/imp/16": imps(distant(15)...), "/imp/40": imps(append(distant(39)[:40], `"tagid":"39"`)...),
			},
			not: slices.Concat(differentImps(), imps(distant(16)...), imps(), imps(`"tagid":"a"`), imps(`"video":{}`, `"video":{}`), imps(`"audio":{}`, `"audio":{}`),
				imps(`"banner":{"w":300,"h":250}`, `"banner":{"w":300,"h":250},"video":{}`), imps(`"banner":{},"audio":{}`, `"banner":{}`), []string{`{}`}),
		},
	},

	"window.ifa": {
		{with: counts(121, 0), has: map[string][]string{"/device/ifa": {`{"device":{"ifa":"x"}}`}}},
		{with: counts(120, 5000), not: []string{`{"device":{"ifa":"x"}}`}},
		{with: func(c *Config, f *rule.Facts) { c.Limits.IFA, f.Counts.IFA = 1, 2 }, has: map[string][]string{"/device/ifa": {`{}`}}},
		{with: func(c *Config, f *rule.Facts) { c.Limits.IFA, f.Counts.IFA = 1, 1 }, not: []string{`{}`}},
	},
	"window.address": {
		{with: counts(0, 1001), has: map[string][]string{"/device/ip": {`{"device":{"ip":"8.8.8.8"}}`, `{"device":{"ip":"8.8.8.8","ipv6":"2600::1"}}`}, "/device/ipv6": {`{"device":{"ipv6":"2600::1"}}`}}},
		{with: counts(1001, 1000), not: []string{`{"device":{"ip":"8.8.8.8"}}`}},
		{with: func(c *Config, f *rule.Facts) { c.Limits.Address, f.Counts.Address = 5, 6 }, has: map[string][]string{"/device/ip": {`{"device":{"ip":"8.8.8.8"}}`}}},
		{with: func(c *Config, f *rule.Facts) { c.Limits.Address, f.Counts.Address = 5, 5 }, not: []string{`{}`}},
	},
	"window.seen": {
		{with: func(_ *Config, f *rule.Facts) { f.Seen = true }, has: map[string][]string{"/id": {`{"id":"1"}`, `{}`}}},
		{with: counts(1001, 1001), not: []string{`{"id":"1"}`}},
	},

	"inventory.bundle": {{
		has: map[string][]string{"/app/bundle": slices.Concat(
			app("Android", "123456", "com", "Some App", ".com.example", "com.example.", "com..example", "com.exa mple", "B00ABCDEF", "B00ABCDEF12", "b00ABCDEF1", "B00aBCDEF1", "C00ABCDEF1", "com.caf\u00e9"),
			app("iOS", "id", "id12a", "1234567890123", "idnumber", "My App", "ID123"), app("IPADOS", "app"), app("tvos", "app"), app("iPhone OS", "app"),
			app("Roku", "Pluto TV", "a/b", "caf\u00e9"), app("", "a b"))},
		not: slices.Concat(
			app("android", "com.example.app", "com.a-b_c.D1", "a.b", "B00ABCDEF1", "B123456789", ""), app("iOS", "1", "123456789", "id123456789", "123456789012", "com.example.app", ""),
			app("Roku", "12345", "com.example", "G20-x:1_2", "12345:abc", ""), app("Android TV", "12345"), app("ios2", "x"), app("", "x", ""), []string{`{}`, `{"site":{"ext":{"bundle":"a b"}},"device":{"os":"android"}}`}),
	}},
	"inventory.store": {{
		has: map[string][]string{"/app/storeurl": slices.Concat(
			store("Android", "com.a.b", "https://play.google.com/store/apps/details?id=com.a.c", "http://play.google.com/store/apps/details?id=com.a.c&hl=en", "https://PLAY.google.com/store/apps/details?hl=en&id=com.a.c#x",
				"play.google.com/store/apps/details?id=com.a.c", "https://play.google.com/store/apps/details?id=com.a.c&pcampaignid=web.share",
				"https://apps.apple.com/us/app/x/id123", "https://itunes.apple.com/app/id123"),
			store("iOS", "123", "https://apps.apple.com/us/app/id-app/id124?mt=8", "https://itunes.apple.com/app/id124", "https://apps.apple.com/app/id124&x", "https://play.google.com/store/apps/details?id=com.a.b", "https://www.amazon.com/dp/B00ABCDEF1"),
			store("iOS", "id123", "https://apps.apple.com/app/id124"), store("", "123", "https://apps.apple.com/app/id124/"),
			store("Roku", "123", "https://channelstore.roku.com/details/124/name", "https://channelstore.roku.com/details/124:abc", "https://channelstore.roku.com/details/124"),
			store("fire os", "B00ABCDEF1", "https://www.amazon.com/gp/product/dp/B00ABCDEF2/ref=x", "https://amazon.com/dp/B00ABCDEF2?x"))},
		not: slices.Concat(
			store("Android", "com.a.b", "https://play.google.com/store/apps/details?id=com.a.b", "https://play.google.com/store/apps/details?hl=id=com.a.c&id=com.a.b&gl=us", "https://play.google.com/store/apps/details?id=COM.A.b",
				"https://play.google.com/store/apps/details?id=com.a.b&pcampaignid=web.share", "https://play.google.com/store/apps/details?id=", "https://play.google.com/store/apps/dev?id=123", "https://play.google.com/", "",
				"https://store.example/details?id=com.a.c", "market://details?id=com.a.c", "https://play.google.com.example/store?id=com.a.c", "https://www.amazon.com/dp/B00ABCDEF1"),
			store("iOS", "123", "https://apps.apple.com/us/app/x/id123?mt=8", "https://apps.apple.com/us/app/id123/ideas", "https://itunes.apple.com/", "itms-apps://apps.apple.com/app/id123"),
			store("iOS", "id123", "https://apps.apple.com/app/id123"), store("iOS", "com.a.b", "https://apps.apple.com/app/id123"), store("", "com.a.b", "https://apps.apple.com/app/id123", "https://play.google.com/store/apps/details?id=com.a.b"),
			store("Roku", "123", "https://channelstore.roku.com/details/123/name", "https://channelstore.roku.com/details/1a2b3c/name", "https://channelstore.roku.com/"), store("Roku", "name", "https://channelstore.roku.com/details/124"),
			store("fire os", "B00ABCDEF1", "https://www.amazon.com/dp/B00ABCDEF1/", "https://www.amazon.de/dp/B00ABCDEF2"), store("fire os", "com.a.b", "https://www.amazon.com/dp/B00ABCDEF1"),
			[]string{`{"app":{"storeurl":"https://play.google.com/store/apps/details?id=com.a.c"}}`, `{}`}),
	}},
	"inventory.page": {{
		has: map[string][]string{"/site/page": slices.Concat(
			site("example.com", "https://example.org/", "https://example.com.evil.example/", "http://evil.example/example.com/", "//evil.example", "evil.example/x", "https://notexample.com/", "https://evilexample.com?example.com",
				"https://example.com@evil.example/", "https://user:pass@evil.example:8080/", "https://example.com:443@evil.example/", "https://evil.example#@example.com", "https://www.evil.example/", "HTTPS://EVIL.example/"),
			site("example.co.uk", "https://other.co.uk/", "https://www.other.co.uk/", "https://example.com/"), site("https://example.com/x", "https://example.org/"), site("www.rp.pl", "https://www.wp.pl/"), site("a.co.uk", "https://b.co.uk/"))},
		not: slices.Concat(
			site("example.com", "https://example.com/", "https://www.example.com/x?y", "https://example.com", "http://example.com", "https://news.example.com/", "HTTPS://EXAMPLE.COM/", "https://example.com.", "https://example.com:443/",
				"//example.com/x", "example.com/x", "https://user@example.com/", "https://user:a@b@example.com:80/?@evil.example", "https://example.com?https://evil.example/", "example.com/?u=https://evil.example", "blob:https://example.com/1",
				"about:srcdoc", "https://localhost/", "https:///", "https%3A%2F%2Fexample.com%2F", "https://[2600::1]/", "https://ex ample.com/", "",
				"https://example-com.cdn.ampproject.org/c/s/example.com/", "https://example-com.TRANSLATE.goog/", "https://webcache.googleusercontent.com/"),
			site("www.example.com", "https://example.com/", "https://m.example.com/"), site("EXAMPLE.com", "https://example.com/"), site("https://example.com/x", "https://www.example.com/"), site("news.example.com", "https://example.com/"),
			site("bbc.co.uk", "https://www.bbc.co.uk/", "https://m.bbc.co.uk/"), site("bbc.com", "https://m.bbc.com/"), site("www.cnn.com", "https://edition.cnn.com/"), site("money.cnn.com", "https://edition.cnn.com/"),
			site("rp.pl", "https://sport.rp.pl/"), site("www.rp.pl", "https://sport.rp.pl/"), site("sport.rp.pl", "https://www.rp.pl/"), site("bücher.example", "https://xn--bcher-kva.example/"), site("xn--bcher-kva.example", "https://bücher.example/"),
			site("exam ple.org", "https://example.com/"), site("localhost", "https://example.com/"), site("", "https://example.com/"), []string{`{}`, `{"site":{}}`, `{"app":{"domain":"example.com"}}`}),
	}},
	"inventory.referrer": {{
		has: map[string][]string{"/site/ref": each(`{"site":{"domain":"example.com","page":"https://evil.example/","ref":"%s"}}`, "https://example.com/", "https://www.example.com/a?b", "news.example.com")},
		not: slices.Concat(each(`{"site":{"domain":"example.com","page":"https://evil.example/","ref":"%s"}}`, "", "https://evil.example/", "https://example.org/", "x"),
			[]string{`{"site":{"domain":"example.com","page":"https://example.com/","ref":"https://example.com/"}}`, `{"site":{"page":"https://evil.example/","ref":"https://example.com/"}}`}),
	}},
	"inventory.two": {{
		has: map[string][]string{"/site": {`{"site":{},"app":{}}`, `{"app":{"bundle":"com.a.b"},"site":{"domain":"example.com"},"dooh":{}}`}},
		not: []string{`{}`, `{"site":{}}`, `{"app":{}}`, `{"site":{},"dooh":{}}`, `{"app":{},"dooh":{}}`, `{"app":{},"site":null}`},
	}},
	"inventory.size": {{
		has: map[string][]string{
			"/imp/0": each(`{"imp":[{%s}]}`, `"banner":{"w":1,"h":1}`, `"banner":{"w":0,"h":0}`, `"banner":{"w":1,"h":0}`, `"video":{"w":1,"h":1}`, `"banner":{"format":[{"w":1,"h":1}]}`,
				`"banner":{"w":1,"h":1,"format":[{"w":0,"h":0},{"w":1,"h":1}]}`, `"banner":{"w":1,"h":1},"video":{"w":1,"h":1}`, `"banner":{"w":1,"h":1},"instl":0`, `"banner":{"w":-1,"h":1}`),
			"/imp/1":  {`{"imp":[{"banner":{"w":300,"h":250}},{"banner":{"w":1,"h":1}}]}`},
			"/imp/50": {imps(slices.Concat(distant(48), []string{`"banner":{"w":1,"h":1}`, `"banner":{"w":1,"h":1}`})...)[0]},
		},
		not: slices.Concat([]string{`{}`, `{"imp":[]}`}, each(`{"imp":[{%s}]}`, ``, `"banner":{}`, `"banner":{"w":1}`, `"banner":{"w":2,"h":1}`, `"banner":{"w":1,"h":2}`, `"banner":{"w":300,"h":1}`, `"banner":{"w":1,"h":1},"instl":1`,
			`"banner":{"w":1,"h":1,"format":[{"w":300,"h":250}]}`, `"banner":{"w":300,"h":250,"format":[{"w":1,"h":1}]}`, `"banner":{"format":[{"w":1,"h":1},{"w":300,"h":250}]}`, `"banner":{"format":[{"wratio":1,"hratio":1}]}`,
			`"video":{}`, `"video":{"w":640,"h":360}`, `"video":{"w":1,"h":2}`, `"video":{"w":1}`, `"banner":{"w":1,"h":1},"video":{"w":640,"h":360}`, `"banner":{"w":1,"h":1},"video":{}`, `"banner":{"w":300,"h":250},"video":{"w":1,"h":1}`,
			`"banner":{"w":1,"h":1},"native":{}`, `"banner":{"w":1,"h":1},"audio":{}`, `"video":{"w":0,"h":0}`, `"banner":{"format":[{"w":0,"h":0,"wratio":16,"hratio":9}]}`, `"video":{"w":1,"h":1},"instl":1`, `"native":{}`, `"audio":{}`)),
	}},

	"supply.incomplete": {{has: chains(`{"complete":0,"nodes":[{"asi":"a.example","sid":"1"}]}`, `{"complete":0}`), not: noChains(`{"complete":1,"nodes":[{"asi":"a.example","sid":"1"}]}`, `{"nodes":[{"asi":"a.example","sid":"1"}]}`, `null`)}},
	"supply.broken": {{
		has: brokenChains(`{}`, `{"nodes":[]}`, `{"nodes":[{"asi":"https://a.example/","sid":"1"}]}`, `{"nodes":[{"asi":" ","sid":" "}]}`, `{"nodes":[{"asi":"a.example","sid":"1","hp":0}]}`, `{"nodes":[{}]}`, `{"nodes":[{"asi":"a.example"}]}`, `{"nodes":[{"sid":"1"}]}`, `{"nodes":[{"asi":"a.example","sid":"1"},{"asi":"","sid":"2"}]}`),
		not: slices.Concat(noChains(`{"nodes":[{"asi":"a.example","sid":"1"}]}`, `null`), []string{`{"source":{}}`, `{"source":{"ext":{}},"ext":{}}`, `{"source":{"ext":{"schain":null}}}`}),
	}},
	"supply.long": {
		{has: chains(chain(7), chain(100)), not: noChains(chain(6), chain(1), `{}`)},
		{with: func(c *Config, _ *rule.Facts) { c.Limits.Nodes = 2 }, has: chains(chain(3)), not: noChains(chain(2))},
	},
	"supply.repeated": {{
		has: chains(`{"nodes":[{"asi":"a.example","sid":"1"},{"asi":"a.example","sid":"1"}]}`, `{"nodes":[{"asi":"a.example","sid":"1"},{"asi":"b.example","sid":"1"},{"asi":"A.Example","sid":"1"}]}`,
			strings.Replace(chain(64), `"sid":"63"`, `"sid":"0"`, 1)),
		not: noChains(`{"nodes":[{"asi":"a.example","sid":"1"},{"asi":"a.example","sid":"2"},{"asi":"b.example","sid":"1"}]}`, `{"nodes":[{"asi":"a.example","sid":"a"},{"asi":"a.example","sid":"A"}]}`, `{"nodes":[{},{},{"sid":"1"},{"sid":"1"}]}`,
			strings.Replace(chain(65), `"sid":"64"`, `"sid":"0"`, 1)), // beyond what is looked at
	}},
	"supply.blocked": {
		{
			with: func(c *Config, _ *rule.Facts) { c.Data.BlockedNodes = nodes(lists.Domain, "bad.example") },
			has:  chains(`{"nodes":[{"asi":"bad.example","sid":"1"}]}`, `{"nodes":[{"asi":"a.example","sid":"1"},{"asi":"Sub.BAD.example","sid":"2"}]}`),
			not:  noChains(`{"nodes":[{"asi":"good.example","sid":"1"}]}`, `{"nodes":[{"asi":"notbad.example","sid":"1"}]}`, `{"nodes":[{"asi":"bad.example"}]}`, `{}`),
		},
		{
			with: func(c *Config, _ *rule.Facts) { c.Data.BlockedNodes = nodes(lists.Seller, "bad.example,1,DIRECT") },
			has:  chains(`{"nodes":[{"asi":"bad.example","sid":"1"}]}`), not: noChains(`{"nodes":[{"asi":"bad.example","sid":"2"}]}`, `{"nodes":[{"asi":"good.example","sid":"1"}]}`),
		},
		{not: noChains(`{"nodes":[{"asi":"bad.example","sid":"1"}]}`)},
	},
	"supply.last": {
		{
			with: func(c *Config, _ *rule.Facts) { c.Systems = []string{"x.example", " Partner.example. "} },
			has:  chains(`{"nodes":[{"asi":"a.example","sid":"1"}]}`, `{"nodes":[{"asi":"partner.example","sid":"1"},{"asi":"a.example","sid":"1"}]}`, `{"nodes":[{"asi":"sub.partner.example","sid":"1"}]}`),
			not:  slices.Concat(noChains(`{"nodes":[{"asi":"partner.example","sid":"1"}]}`, `{"nodes":[{"asi":"a.example","sid":"1"},{"asi":"PARTNER.example.","sid":"1"}]}`, `{"nodes":[{"asi":"x.example","sid":"1"}]}`, `{}`), []string{`{}`}),
		},
		{not: noChains(`{"nodes":[{"asi":"a.example","sid":"1"}]}`)},
	},

	"economics.floor": {
		{
			has: map[string][]string{
				"/imp/0": each(`{"imp":[{%s}]}`, `"bidfloor":500.01`, `"bidfloor":501,"bidfloorcur":"USD"`, `"bidfloor":1e300`, `"bidfloor":501,"bidfloorcur":" usd"`, `"bidfloor":501,"bidfloorcur":"usd\u0000"`, `"bidfloor":501,"bidfloorcur":" "`, `"pmp":{"deals":[{"bidfloor":1},{"bidfloor":600}]}`, `"bidfloor":1,"pmp":{"deals":[{"bidfloor":600,"bidfloorcur":"USD"}]}`),
				"/imp/1": {`{"imp":[{"bidfloor":1},{"bidfloor":501}]}`},
			},
			not: slices.Concat([]string{`{}`}, each(`{"imp":[{%s}]}`, ``, `"bidfloor":500`, `"bidfloor":-501`, `"bidfloor":501,"bidfloorcur":"EUR"`, `"bidfloor":50000,"bidfloorcur":"JPY"`, `"pmp":{}`, `"pmp":{"deals":[{},{"bidfloor":500}]}`)),
		},
		{
			with: func(c *Config, _ *rule.Facts) { c.Limits.Floor, c.Data.USD = 10, usdRates{"EUR": 2} },
			has:  map[string][]string{"/imp/0": each(`{"imp":[{%s}]}`, `"bidfloor":5.5,"bidfloorcur":"EUR"`, `"bidfloor":10.5`, `"pmp":{"deals":[{"bidfloor":6,"bidfloorcur":"EUR"}]}`)},
			not:  each(`{"imp":[{%s}]}`, `"bidfloor":5,"bidfloorcur":"EUR"`, `"bidfloor":10`, `"bidfloor":5000,"bidfloorcur":"XXX"`, `"bidfloor":-6,"bidfloorcur":"EUR"`),
		},
	},
	"economics.tmax": {
		{has: map[string][]string{"/tmax": each(`{"tmax":%s}`, "1", "29", "10001", "600000")}, not: append(each(`{"tmax":%s}`, "30", "10000", "120", "0", "-5"), `{}`)},
		{
			with: func(c *Config, _ *rule.Facts) { c.Limits.TMaxMin, c.Limits.TMaxMax = 100, 200 },
			has:  map[string][]string{"/tmax": each(`{"tmax":%s}`, "99", "201")}, not: each(`{"tmax":%s}`, "100", "200"),
		},
	},
	"economics.imps": {
		{has: map[string][]string{"/imp": imps(distant(49)...)}, not: append(imps(distant(49)[1:]...), `{}`)},
		{with: func(c *Config, _ *rule.Facts) { c.Limits.Imps = 1 }, has: map[string][]string{"/imp": imps("", "")}, not: imps("")},
	},

	"privacy.consent": {{
		has: map[string][]string{"/regs/gdpr": {`{"regs":{"gdpr":1}}`, `{"regs":{"ext":{"gdpr":1}}}`, `{"regs":{"gdpr":1},"user":{"consent":""}}`, `{"regs":{"gdpr":1},"user":{"consent":" "}}`, `{"regs":{"ext":{"GDPR":1}},"user":{"ext":{"consent":"none"}}}`, `{"regs":{"gdpr":1,"gpp":"DB "}}`, `{"regs":{"gdpr":0,"ext":{"gdpr":1}},"user":{}}`}},
		not: []string{
			`{}`, `{"regs":{}}`, `{"regs":{"gdpr":0}}`, `{"regs":{"gdpr":1},"user":{"consent":"` + tcf + `"}}`, `{"regs":{"gdpr":1},"user":{"ext":{"CONSENT":"` + tcf + `"}}}`, `{"regs":{"gdpr":1,"gpp":"` + gpp + `"}}`, `{"regs":{"gdpr":1,"ext":{"gpp":"` + gpp + `"}}}`,
			`{"regs":{"gdpr":1},"user":{"consent":"x","ext":{"consent":"y"}}}`, `{"regs":{"gdpr":1,"gpp":"x","ext":{"gpp":"y"}}}`, // two strings are not none
		},
	}},
	"privacy.needless": {{
		has: map[string][]string{"/user/consent": {`{"regs":{"gdpr":0},"user":{"consent":"x"}}`, `{"regs":{"ext":{"gdpr":0}},"user":{"ext":{"consent":"x"}}}`}},
		not: []string{`{"user":{"consent":"x"}}`, `{"regs":{},"user":{"consent":"x"}}`, `{"regs":{"gdpr":1},"user":{"consent":"x"}}`, `{"regs":{"gdpr":0},"user":{}}`, `{"regs":{"gdpr":0}}`},
	}},
	"privacy.tcf": {{
		has: map[string][]string{"/user/consent": each(`{"user":{"consent":"%s"}}`, "x", "CPX", "B"+strings.Repeat("A", 40), "C"+strings.Repeat("A", 34), "C"+strings.Repeat("A", 20)+"!"+strings.Repeat("A", 20))},
		not: slices.Concat(each(`{"user":{"consent":"%s"}}`, "", tcf, tcf+".YAAAAAAAAAAA"), []string{`{}`, `{"user":{}}`, `{"user":{"consent":"x","ext":{"consent":"y"}}}`, `{"regs":{"gpp":"` + tcf + `"}}`}),
	}},
	"privacy.gpp": {{
		has: map[string][]string{"/regs/gpp": slices.Concat(each(`{"regs":{"gpp":"%s"}}`, "x", "DBACNYA", "DBACNYA~"+tcf, gpp+"~x", "header~1YNN", "~", "DB!~x", tcf), []string{`{"regs":{"ext":{"gpp":"x"}}}`})},
		not: slices.Concat(each(`{"regs":{"gpp":"%s"}}`, "", gpp, "DBABMA~"+tcf), []string{`{}`, `{"regs":{}}`, `{"user":{}}`, `{"regs":{"ext":{"gpp":"` + gpp + `"}}}`, `{"regs":{"gpp":"x","ext":{"gpp":"y"}}}`}),
	}},
	"privacy.sections": {{
		has: map[string][]string{"/regs/gpp_sid": {
			`{"regs":{"gpp_sid":[2]}}`, `{"regs":{"gpp":"` + gpp + `","gpp_sid":[2,7]}}`, `{"regs":{"gpp":"` + gpp + `","ext":{"gpp_sid":["7"]}}}`, `{"regs":{"gpp":"` + gpp + `","gpp_sid":[66]}}`, `{"regs":{"gpp":"` + gpp + `","gpp_sid":[-1,64]}}`,
		}},
		not: []string{
			`{}`, `{"regs":{}}`, `{"user":{}}`, `{"regs":{"gpp_sid":[]}}`, `{"regs":{"gpp_sid":[-1]}}`, `{"regs":{"gpp_sid":[0]}}`, `{"regs":{"gpp":"` + gpp + `","gpp_sid":[2,6]}}`, `{"regs":{"gpp":"` + gpp + `","ext":{"gpp_sid":[6,2]}}}`,
			`{"regs":{"gpp":"` + gpp + `"}}`, `{"regs":{"gpp":"x","gpp_sid":[2]}}`, `{"regs":{"gpp":"x","gpp_sid":[2],"ext":{"gpp":"y"}}}`,
		},
	}},
	"privacy.regions": {{
		has: map[string][]string{"/regs/us_privacy": {`{"regs":{"gdpr":1,"us_privacy":"1YNN"}}`, `{"regs":{"ext":{"gdpr":1,"us_privacy":"1--n"}}}`, `{"regs":{"gdpr":1,"us_privacy":"1y--"},"user":{"consent":"x"}}`}},
		not: []string{`{"regs":{"gdpr":1,"us_privacy":"1---"}}`, `{"regs":{"gdpr":0,"us_privacy":"1YNN"}}`, `{"regs":{"us_privacy":"1YNN"}}`, `{"regs":{"gdpr":1}}`, `{"regs":{"gdpr":1,"us_privacy":"1YNNN"}}`, `{"regs":{"gdpr":1,"us_privacy":"Y---"}}`, `{}`},
	}},
	"privacy.child": {{
		has: map[string][]string{"/device/ifa": {`{"regs":{"coppa":1},"device":{"ifa":"8b3e2335-f049-4d1a-9c7e-1f2a3b4c5d6e"}}`, `{"regs":{"coppa":1},"device":{"ifa":"x"}}`}},
		not: []string{`{"regs":{"coppa":0},"device":{"ifa":"x"}}`, `{"regs":{},"device":{"ifa":"x"}}`, `{"device":{"ifa":"x"}}`, `{"regs":{"coppa":1},"device":{"ifa":"0000-0000"}}`, `{"regs":{"coppa":1},"device":{}}`, `{"regs":{"coppa":1}}`},
	}},
	"privacy.flags": {{
		has: map[string][]string{"/device/dnt": {`{"device":{"dnt":1,"lmt":0}}`, `{"device":{"dnt":0,"lmt":1}}`}},
		not: []string{`{"device":{"dnt":1,"lmt":1}}`, `{"device":{"dnt":0,"lmt":0}}`, `{"device":{"dnt":1}}`, `{"device":{"lmt":1}}`, `{"device":{}}`, `{}`},
	}},
	"privacy.conflict": {{
		has: map[string][]string{
			"/regs/gdpr":       {`{"regs":{"gdpr":1,"ext":{"gdpr":0}}}`, `{"regs":{"gdpr":0,"gpp":"x","ext":{"gdpr":1,"gpp":"y"}}}`},
			"/user/consent":    {`{"user":{"consent":"x","ext":{"consent":"y"}}}`},
			"/regs/gpp":        {`{"regs":{"gpp":"x","ext":{"gpp":"y"}}}`},
			"/regs/us_privacy": {`{"regs":{"us_privacy":"1YNN","ext":{"us_privacy":"1YYN"}}}`},
		},
		not: []string{
			`{}`, `{"regs":{"gdpr":1,"ext":{"gdpr":"1"}}}`, `{"user":{"consent":"x","ext":{"consent":"x"}}}`, `{"regs":{"gpp":"x","us_privacy":"1YNN","ext":{"gpp":"x","us_privacy":"1YNN"}}}`,
			`{"regs":{"gdpr":1},"user":{"ext":{"consent":"x"}}}`, `{"user":{"consent":"x","ext":{"consent":7}}}`,
		},
	}},

	"vendor.score": {
		{with: answers(rule.VendorAnswer{Score: 100}), has: map[string][]string{"": {`{}`}}},
		{with: answers(rule.VendorAnswer{Score: 1}, rule.VendorAnswer{Score: 900}), has: map[string][]string{"": {`{}`}}},
		{with: answers(rule.VendorAnswer{}, rule.VendorAnswer{Score: -7}, rule.VendorAnswer{Score: 100, Err: true}), not: []string{`{}`}},
		{not: []string{`{}`}},
	},
	"vendor.absent": {
		{with: answers(rule.VendorAnswer{}, rule.VendorAnswer{Err: true, Score: 100}), has: map[string][]string{"": {`{}`}}},
		{with: answers(rule.VendorAnswer{Err: true}, rule.VendorAnswer{Score: 100}), not: []string{`{}`}},
		{not: []string{`{}`}},
	},
}

const (
	tcf = "CPXxRfAPXxRfAAfKABENB-CgAAAAAAAAAAYgAAAAAAAA"
	gpp = "DBACNYA~" + tcf + "~1YNN" // of the sections 2 and 6
)

// each puts values into a document.
func each(doc string, values ...string) (docs []string) {
	for _, v := range values {
		docs = append(docs, fmt.Sprintf(doc, v))
	}
	return docs
}

// list is a list of a configuration.
func list(kind lists.Kind, entries ...string) *lists.List {
	set, err := lists.Open(map[string]lists.Definition{"list": {Kind: kind, Entries: entries}}, nil)
	if err != nil {
		panic(err)
	}
	return set.List("list")
}

// addresses is a list of prefixes.
func addresses(entries ...string) lookup.Addresses {
	set, err := list(lists.Prefix, entries...).Addresses()
	if err != nil {
		panic(err)
	}
	return set
}

// nodes is a list of systems or sellers.
func nodes(kind lists.Kind, entries ...string) lookup.Nodes {
	set, err := list(kind, entries...).Nodes()
	if err != nil {
		panic(err)
	}
	return set
}

// listed are the cases of a list of addresses.
func listed(of func(*Data) *lookup.Addresses) []cases {
	prefixes := addresses("8.8.8.0/24", "2600:1f00::/24", "10.0.0.0/8", "192.0.2.0/24")
	return []cases{
		{
			with: func(c *Config, _ *rule.Facts) { *of(&c.Data) = prefixes },
			has: map[string][]string{
				"/device/ip":   each(`{"device":{"ip":"%s"}}`, "8.8.8.0", "8.8.8.255", "::ffff:8.8.8.8"),
				"/device/ipv6": each(`{"device":{"ip":"1.1.1.1","ipv6":"%s"}}`, "2600:1f00::1", "2600:1fff::", "8.8.8.8"),
			},
			// Addresses that are not public have signals of their own.
			not: slices.Concat(each(`{"device":{"ip":"%s"}}`, "8.8.7.255", "8.8.9.0", "10.0.0.1", "192.0.2.1", ""), each(`{"device":{"ipv6":"%s"}}`, "2600:2000::1", "2600:1eff::")),
		},
		{not: each(`{"device":{"ip":"%s"}}`, "8.8.8.8")},
	}
}

// direct says that requests come from devices, and from where: the connection, and what proxies
// have seen before it.
func direct(peer string, forwarded ...string) func(*Config, *rule.Facts) {
	return func(c *Config, f *rule.Facts) {
		c.Direct = true
		f.Peer = netip.MustParseAddr(peer)
		for _, a := range forwarded {
			f.Forwarded = append(f.Forwarded, netip.MustParseAddr(a))
		}
	}
}

func counts(ifa, address int) func(*Config, *rule.Facts) {
	return func(_ *Config, f *rule.Facts) { f.Counts = rule.Counts{IFA: ifa, Address: address} }
}

func answers(list ...rule.VendorAnswer) func(*Config, *rule.Facts) {
	return func(_ *Config, f *rule.Facts) { f.Vendor = append(f.Vendor, list...) }
}

// usdRates has prices of one unit of a currency in US dollars.
type usdRates map[string]float64

func (c usdRates) USD(price float64, of string) (float64, bool) {
	rate, known := c[of]
	return price * rate, known
}

// imps is a request with impressions of these members, whose ids differ.
func imps(members ...string) []string {
	var b strings.Builder
	b.WriteString(`{"imp":[`)
	for i, m := range members {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, `{"id":"%d"`, i)
		if m != "" {
			b.WriteString("," + m)
		}
		b.WriteString("}")
	}
	return []string{b.String() + "]}"}
}

// distant are impressions of which the first and the last are equal, with n others between them.
func distant(n int) (members []string) {
	for i := range n + 1 {
		members = append(members, fmt.Sprintf(`"tagid":"%d"`, i))
	}
	return append(members, members[0])
}

// offers are pairs of impressions that differ in one thing.
var offers = [][2]string{
	{``, `"tagid":"a"`},
	{``, `"bidfloor":1`},
	{`"bidfloor":1`, `"bidfloor":1.01`},
	{``, `"instl":1`},
	{`"ext":{"a":1}`, `"ext":{"a":2}`},
	{``, `"banner":{}`},
	{``, `"native":{}`},
	{`"native":{"request":"{}"}`, `"native":{"request":"{\"ver\":\"1.2\"}"}`},
	{``, `"pmp":{}`},
	{`"pmp":{"private_auction":1}`, `"pmp":{"private_auction":0}`},
	{`"pmp":{"deals":[{"id":"a"}]}`, `"pmp":{"deals":[{"id":"b"}]}`},
	{`"pmp":{"deals":[{"id":"a"}]}`, `"pmp":{"deals":[{"id":"a"},{"id":"b"}]}`},
	{`"banner":{"w":300,"h":250}`, `"banner":{"w":300,"h":600}`},
	{`"banner":{"w":300,"h":250}`, `"banner":{"w":320,"h":250}`},
	{`"banner":{"pos":1}`, `"banner":{"pos":3}`},
	{`"banner":{"id":"1"}`, `"banner":{"id":"2"}`},
	{`"banner":{"ext":{"a":1}}`, `"banner":{"ext":{"a":2}}`},
	{`"banner":{"format":[{"w":300,"h":250}]}`, `"banner":{"format":[{"w":300,"h":250},{"w":1,"h":1}]}`},
	{`"banner":{"format":[{"w":300,"h":250}]}`, `"banner":{"format":[{"w":300,"h":251}]}`},
	{`"banner":{"format":[{"w":300,"h":250}]}`, `"banner":{"format":[{"w":301,"h":250}]}`},
}

// equalImps and differentImps are requests with two impressions, out of offers.
func equalImps() (docs []string) {
	for _, o := range offers {
		docs = slices.Concat(docs, imps(o[0], o[0]), imps(o[1], o[1]))
	}
	return docs
}

func differentImps() (docs []string) {
	for _, o := range offers {
		docs = slices.Concat(docs, imps(o[0], o[1]), imps(o[1], o[0]))
	}
	return docs
}

// app, store and site are requests for an app or a site.
func app(system string, bundles ...string) []string {
	return each(fmt.Sprintf(`{"device":{"os":%q},"app":{"bundle":"%%s"}}`, system), bundles...)
}

func store(system, bundle string, urls ...string) (docs []string) {
	for _, u := range urls {
		docs = append(docs, fmt.Sprintf(`{"device":{"os":%q},"app":{"bundle":%q,"storeurl":%q}}`, system, bundle, u))
	}
	return docs
}

func site(domain string, pages ...string) (docs []string) {
	for _, p := range pages {
		docs = append(docs, fmt.Sprintf(`{"site":{"domain":%q,"page":%q}}`, domain, p))
	}
	return docs
}

// chain is a supply chain.
func chain(nodes int) string {
	var b strings.Builder
	for i := range nodes {
		fmt.Fprintf(&b, `,{"asi":"a.example","sid":"%d"}`, i)
	}
	return `{"nodes":[` + strings.TrimPrefix(b.String(), ",") + `]}`
}

// chains puts supply chains into all places that they can be in.
func chains(list ...string) map[string][]string {
	return map[string][]string{
		chainPath: each(`{"source":{"schain":%s}}`, list...), chainPathSource: each(`{"source":{"ext":{"schain":%s}}}`, list...), chainPathExt: each(`{"ext":{"schain":%s}}`, list...),
	}
}

// brokenChains are chains, and in an ext also what can't be one.
func brokenChains(list ...string) map[string][]string {
	all := chains(list...)
	for _, value := range []string{`7`, `"x"`, `[]`, `{"nodes":[5,{"asi":"a.example","sid":"1"}]}`, `{"nodes":[{"asi":"a.example","sid":"1","hp":[]}]}`, `{"nodes":[{"asi":"` + strings.Repeat("a", 1<<16) + `.example","sid":"1"}]}`} {
		all[chainPathSource] = append(all[chainPathSource], `{"source":{"ext":{"schain":`+value+`}}}`)
		all[chainPathExt] = append(all[chainPathExt], `{"ext":{"schain":`+value+`}}`)
	}
	return all
}

func noChains(list ...string) (docs []string) {
	all := chains(list...)
	return slices.Concat([]string{`{}`}, all[chainPath], all[chainPathSource], all[chainPathExt])
}

// only is the configuration with one signal alone.
func only(c Config, id string, weight int) Config {
	c.Weights = map[string]int{}
	for _, s := range signals {
		c.Weights[s.ID] = 0
	}
	c.Weights[id] = weight
	return c
}

// TestSignals holds every signal to its cases: alone, where it is the score, and among all others.
func TestSignals(t *testing.T) {
	for n, s := range Signals() {
		t.Run(s.ID, func(t *testing.T) {
			fail := func(doc, format string, args ...any) {
				t.Helper()
				t.Errorf("%s: "+format, append([]any{testkit.Abridged([]byte(doc))}, args...)...)
			}
			has, not := 0, 0
			for i := range signalCases[s.ID] {
				c := &signalCases[s.ID][i]
				config, f := c.input()
				all, alone, without := mustNew(t, config), mustNew(t, only(config, s.ID, s.Weight)), config
				without.Weights = map[string]int{s.ID: 0}
				rest := mustNew(t, without)
				for path, docs := range c.has {
					for _, doc := range docs {
						has++
						in := Input{parse(t, []byte(doc)), f}
						score, hits := alone.Score(in, new(Scratch), nil)
						if len(hits) != 1 || hits[0].Signal != n || hits[0].Path != path || score != hits[0].Points || hits[0].Points < 1 || hits[0].Points > s.Weight {
							fail(doc, "alone it has %+v, score %d; want it at %q", hits, score, path)
						}
						if s.ID != "vendor.score" && score != s.Weight {
							fail(doc, "alone it scores %d", score)
						}
						score, hits = all.Score(in, new(Scratch), nil)
						if at := slices.IndexFunc(hits, func(h Hit) bool { return h.Signal == n && h.Path == path }); at < 0 || score != sum(all, hits) {
							fail(doc, "among all signals %+v, score %d", hits, score)
						} else {
							others := slices.Delete(slices.Clone(hits), at, at+1)
							less, fewer := rest.Score(in, new(Scratch), nil)
							if !slices.Equal(fewer, others) || less != sum(rest, others) {
								fail(doc, "without it %+v, score %d", fewer, less)
							}
						}
					}
				}
				for _, doc := range c.not {
					not++
					in := Input{parse(t, []byte(doc)), f}
					if score, hits := alone.Score(in, new(Scratch), nil); score != 0 || len(hits) != 0 {
						fail(doc, "a near miss has %+v, score %d", hits, score)
					}
					if _, hits := all.Score(in, new(Scratch), nil); slices.ContainsFunc(hits, func(h Hit) bool { return h.Signal == n }) {
						fail(doc, "a near miss has it among %+v", hits)
					}
				}
			}
			if has == 0 || not == 0 {
				t.Errorf("%d requests have it, and %d are near misses", has, not)
			}
		})
	}
	for _, id := range slices.Sorted(maps.Keys(signalCases)) {
		if numberOf(id) < 0 {
			t.Errorf("cases for %s, which is not a signal", id)
		}
	}
}

// sum is the reference for the sum of a score.
func sum(m *Model, hits []Hit) (score int) {
	families := map[string]int{}
	for _, h := range hits {
		families[signals[h.Signal].Family()] += h.Points
	}
	for name, points := range families {
		limit := Caps()[name]
		for n := range signals {
			if signals[n].Family() == name {
				limit = max(limit, m.Weight(n))
			}
		}
		score += min(points, limit)
	}
	return min(score, ScoreMax)
}

// TestSignalTable holds what is true of every entry of the table.
func TestSignalTable(t *testing.T) {
	ids := map[string]bool{}
	for _, s := range Signals() {
		family, rest, _ := strings.Cut(s.ID, ".")
		if ids[s.ID] || s.Family() != family || Caps()[family] == 0 || rest == "" || strings.ToLower(s.ID) != s.ID {
			t.Errorf("%q is not an id, or comes twice", s.ID)
		}
		ids[s.ID] = true
		if s.Weight < 1 || s.Weight > ScoreMax || s.NBR <= 0 || !s.NBR.Valid() {
			t.Errorf("%s has the weight %d and the no-bid reason %d", s.ID, s.Weight, s.NBR)
		}
		for _, text := range []string{s.Catches, s.Hits} {
			if !strings.HasSuffix(text, ".") || text[0] < 'A' || text[0] > 'Z' {
				t.Errorf("%s: %q is not a sentence", s.ID, text)
			}
		}
		if s.Text == "" || strings.HasSuffix(s.Text, ".") {
			t.Errorf("%s: the message is %q", s.ID, s.Text)
		}
	}
	list := Signals()
	list[0].Weight = 99
	Caps()["address"] = 0
	if Signals()[0].Weight == 99 || Caps()["address"] == 0 {
		t.Error("a caller can change the table")
	}
}
