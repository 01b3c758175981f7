package policy

import (
	"net/netip"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/inspect/rule"
)

const sample = `{"id":"r1","tmax":120,"at":1,"cur":["USD","EUR"],"bcat":["IAB1","IAB2"],
	"imp":[{"id":"1","bidfloor":0.05,"bidfloorcur":"EUR","secure":1,"banner":{"w":300,"h":250,"battr":[1,3],"format":[{"w":300,"h":250}]},
		"ext":{"prebid":{"is_rewarded_inventory":1},"n":2.5,"big":9007199254740993,"s":"a\"b\u00e9","list":[1,"x",2.0,null],"o":{"k":{"v":true}}}},
		{"id":"2","bidfloor":1.5,"video":{"mimes":["video/mp4"],"w":640}}],
	"site":{"domain":"foobar.com","page":"https://www.foobar.com/x","publisher":{"id":"p1"},"ext":{"amp":0,"foo":"bar","dash-key":7,"empty":""}},
	"device":{"ua":"Mozilla/5.0","ip":"192.0.2.1","geo":{"country":"DEU","lat":52.5}},
	"user":{"id":"u1","ext":{"consent":"COAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","n":null}},"regs":{"ext":{"gdpr":1}}}`

func sampleFacts() *rule.Facts {
	return &rule.Facts{
		Partner: "exchange-a", Publisher: "pub-1", Peer: netip.MustParseAddr("::ffff:192.0.2.7"),
		Forwarded: []netip.Addr{netip.MustParseAddr("198.51.100.1"), netip.MustParseAddr("2001:db8::1")},
		UserAgent: "curl/8", Headers: []rule.Header{{Name: "X-Test", Value: "yes"}},
		Time: time.Date(2026, 11, 22, 16, 30, 5, 7e6, time.FixedZone("", 3600)), Seen: true,
		Counts: rule.Counts{IFA: 7, Address: 9}, Vendor: []rule.VendorAnswer{{Name: "ivt", Score: 80}, {Name: "late", Err: true}},
	}
}

// languageCases say what conditions are on the sample. Each runs as closures and in the
// interpreter.
var languageCases = []struct{ source, want string }{
	{`site.domain == "foobar.com"`, "true"},
	{`imp.exists(i, i.bidfloor < 0.1)`, "true"},
	{`imp.exists(i, i.bidfloor < 0.01)`, "false"},
	{`imp.all(i, usd(i.bidfloor, i.bidfloorcur) >= 0.0625)`, "true"},
	{`has(site)`, "true"}, {`has(app)`, "false"}, {`has(tmax)`, "true"}, {`has(test)`, "false"}, {`has(site.domain)`, "true"}, {`has(site.name)`, "false"},
	{`app.publisher.domain == ""`, "true"}, {`app.content.data.size() == 0`, "true"}, {`app.ext == null`, "true"}, {`app.ext.x.y == null`, "true"},
	{`has(imp[0].banner.w) && !has(imp[0].banner.pos) && !has(imp[1].banner)`, "true"},
	{`site.domain in lists.blocked_domains`, "true"}, {`site.page in lists.bundles`, "false"},
	{`tmax in [100, 120]`, "true"}, {`id in ["a","b","c","d","e","f","g","h","i","r1"]`, "true"}, {`tmax in []`, "false"},
	{`"EUR" in cur`, "true"}, {`"GBP" in cur`, "false"}, {`3 in imp[0].banner.battr`, "true"}, {`imp[0].banner.w in [imp[1].video.w, 300]`, "true"},
	{`imp[0].ext.prebid.is_rewarded_inventory == 1 && imp[0].rwdd == 1`, "true"},
	{`has(site.ext.amp) && !has(site.ext.none) && !has(user.ext.n) && !has(site.ext.none.deeper)`, "true"},
	{`site.ext.none == null`, "true"}, {`site.ext.foo == "bar"`, "true"}, {`site.ext["dash-key"] == 7`, "true"}, {`site.ext.foo.bar == 1`, "type"},
	{`imp[0].ext.n == 2.5 && imp[0].ext.n > 2 && imp[0].ext.n < 3`, "true"}, {`imp[0].ext.big == 9007199254740993`, "true"},
	{`imp[0].ext.s == "a\"bé"`, "true"}, {`imp[0].ext.s + "!" == 'a"bé!'`, "true"}, {`imp[0].ext.s.startsWith("a\"")`, "true"},
	{`size(imp[0].ext.s) == 4`, "true"}, {`size(imp[0].ext.list) == 4`, "true"}, {`imp[0].ext.list[1] == "x"`, "true"}, {`imp[0].ext.list[4] == "x"`, "index"},
	{`imp[0].ext.list.exists(x, x == 2)`, "true"}, {`imp[0].ext.list.exists(x, x > 1)`, "true"}, {`imp[0].ext.list.all(x, x > 0)`, "type"},
	{`dyn(bcat).exists(c, c == "IAB2")`, "true"}, {`dyn(bcat).map(c, c)[0] == "IAB1"`, "true"}, {`[dyn(cur)].exists(l, l.all(c, size(c) == 3))`, "true"},
	{`imp[0].ext.list == [1, "x", 2, null]`, "true"}, {`imp[0].ext.o == imp[0].ext.o`, "true"}, {`imp[0].ext.o.k.v`, "issue"}, {`imp[0].ext.o.k.v == true`, "true"},
	{`imp[0].ext.o.k.v && true`, "true"}, {`"k" in imp[0].ext.o`, "true"}, {`1 in imp[0].ext.list`, "true"}, {`imp[0].ext.o.exists(k, k == "k")`, "true"},
	{`imp[2].id == "3"`, "index"}, {`imp[2].id == "3" || true`, "true"}, {`true || imp[2].id == "3"`, "true"}, {`false && imp[2].id == "3"`, "false"}, {`imp[2].id == "3" && false`, "false"},
	{`imp[2].id == "3" || false`, "index"}, {`!(imp[2].id == "3")`, "index"}, {`(imp[2].id == "3") == (imp[0].id == "1" && true)`, "index"},
	{`(imp[2].id == "3") == (imp[9].id == "1" || true)`, "index"},
	{`1 / tmax == 0`, "true"}, {`1 / test == 0`, "division"}, {`tmax % test == 0`, "division"}, {`9223372036854775807 + tmax > 0`, "overflow"},
	{`-9223372036854775807 - tmax > 0`, "overflow"}, {`tmax * 9223372036854775807 > 0`, "overflow"}, {`-tmax == -120`, "true"}, {`tmax - 20 == 100 && tmax * 2 == 240 && tmax % 7 == 1`, "true"},
	{`imp[0].bidfloor * 2.0 + 1.0 - 0.1 == 1.0`, "true"}, {`imp[0].bidfloor / 0.0 > 1.0`, "true"}, {`0.0 * (imp[0].bidfloor / 0.0) < 1.0`, "false"}, {`dyn(0.0 * (imp[0].bidfloor / 0.0)) >= 1.0`, "false"}, {`-imp[0].bidfloor < 0.0`, "true"},
	{`imp.size() == 2 && size(imp) == 2 && size(site.domain) == 10`, "true"},
	{`site.domain.contains("oba") && site.domain.startsWith("foo") && site.domain.endsWith(".com") && site.page.matches("^https?://")`, "true"},
	{`site.domain + site.page == "foobar.comhttps://www.foobar.com/x"`, "true"}, {`site.domain < site.page`, "true"}, {`site.domain >= "foo"`, "true"},
	{`site.domain.lowerAscii() == "foobar.com" && device.ua.lowerAscii() == "mozilla/5.0"`, "true"},
	{`isAddress(device.ip) && isAddress("0x7f.1:80") && !isAddress("unknown") && !isAddress(site.domain) && !isAddress("")`, "true"},
	{`imp.exists_one(i, has(i.video))`, "true"}, {`imp.exists_one(i, i.id != "")`, "false"}, {`imp.exists_one(i, 1 / test == 1)`, "division"},
	{`imp.map(i, i.id) == ["1", "2"]`, "true"}, {`imp.filter(i, has(i.banner)).size() == 1`, "true"}, {`imp.map(i, has(i.video), i.bidfloor)[0] == 1.5`, "true"},
	{`imp.filter(i, has(i.banner))[0].banner.format.exists(f, f.w == 300 && f.h == 250)`, "true"},
	{`imp.map(i, i.banner.battr.map(a, a * 10)) == [[10, 30], []]`, "true"}, {`imp.map(i, cur).exists(l, "EUR" in l)`, "true"}, {`(cur + bcat).size() == 4`, "true"},
	{`[tmax, 2][0] == 120`, "true"}, {`[1, 2, 3][1] == 2`, "true"}, {`cur[1] == "EUR"`, "true"}, {`cur[-1] == "EUR"`, "index"},
	{`imp.exists(i, imp.exists(j, i.id != j.id && i.secure == 1))`, "true"}, {`imp.all(imp, imp.id != "")`, "true"},
	{`has(site) ? site.domain == "foobar.com" : app.bundle == "x"`, "true"}, {`(tmax > 100 ? "a" : "b") == "a"`, "true"}, {`(tmax > 100 ? 1.5 : 2.5) == 1.5`, "true"},
	{`(tmax > 200 ? 1 : 2) == 2`, "true"}, {`(has(site) ? site.publisher : app.publisher).id == "p1"`, "true"}, {`(has(app) ? cur : bcat)[0] == "IAB1"`, "true"},
	{`(1 / test == 0 ? 1 : 2) == 2`, "division"}, {`(has(site) ? site.ext.foo : 1) == "bar"`, "true"}, {`(has(site) ? null : site.ext.foo) == null`, "true"},
	{`usd(1.0, " eur") == 1.25 && usd(2.0, "usd") == 2.0 && usd(2.0, " ") == 2.0`, "true"}, {`usd(1.0, id.lowerAscii().startsWith("r") ? "eur\t" : "") == 1.25`, "true"},
	{`usd(1.0, "EUR") == 1.25 && usd(1.0, "") == 1.0 && usd(2.0, "USD") == 2.0`, "true"}, {`usd(1.0, "XXX") > 0.0`, "currency"}, {`usd(1.0, id) > 0.0`, "currency"},
	{`int(imp[1].bidfloor) == 1 && int("12") == 12 && int(imp[0].id) == 1 && double(tmax) == 120.0 && double("1.5") == 1.5`, "true"},
	{`string(tmax) == "120" && string(imp[1].bidfloor) == "1.5" && string(tmax > 1) == "true" && string(id) == "r1"`, "true"},
	{`int(id) == 1`, "conversion"}, {`double(id) == 1.0`, "conversion"}, {`int(imp[1].bidfloor * 1e300) == 1`, "overflow"}, {`int(site.ext.foo) == 1`, "conversion"}, {`int("9223372036854775808") == 1`, "conversion"},
	{`int(imp[0].ext.n) == 2 && double(site.ext.amp) == 0.0 && string(imp[0].ext.n) == "2.5" && string(site.ext.foo) == "bar"`, "true"}, {`string(site.ext.none) == ""`, "conversion"},
	{`site.ext.amp + 1 == 1 && imp[0].ext.n * 2.0 == 5.0 && site.ext.foo + "x" == "barx" && -imp[0].ext.n == -2.5 && -site.ext.amp == 0`, "true"},
	{`site.ext.amp - 1 == -1 && imp[0].ext.n - 0.5 == 2.0 && imp[0].ext.n / 2.0 == 1.25 && imp[0].ext.n + 1.0 == 3.5`, "true"},
	{`site.ext.foo + 1 == 1`, "type"}, {`imp[0].ext.n % 2 == 1`, "type"}, {`-site.ext.foo == 1`, "type"}, {`imp[0].ext.list + imp[0].ext.list == []`, "false"},
	{`ext["a"][id] == null && ext["a"]["b"]["c"] == null && ext[0] == null && ext[0][1] == null`, "true"},
	{`site.ext.empty.all(x, x == 1) && site.ext.empty.map(x, x) == []`, "true"}, {`site.ext.none.all(x, x == 1)`, "type"}, {`site.ext.foo.all(x, x == 1)`, "type"},
	{`dyn(0.0 / 0.0) < site.ext.foo`, "false"}, {`dyn([tmax]) >= dyn(0.0 / 0.0)`, "type"},
	{`site.ext.foo < 1`, "type"}, {`site.ext.foo > "a" && imp[0].ext.o.k.v >= false`, "true"}, {`dyn(tmax) == 120.0`, "true"}, {`dyn(1) == "1"`, "false"}, {`dyn(cur) == cur`, "true"},
	{`tmax < 120.5 && tmax > 119.5 && 119.5 <= tmax && imp[1].bidfloor > 1 && imp[1].bidfloor >= tmax`, "false"},
	{`regs.gdpr == 1 && has(regs.gdpr) && user.consent == "COAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"`, "true"},
	{`facts.partner == "exchange-a" && facts.publisher == "pub-1" && facts.peer == "192.0.2.7" && facts.user_agent == "curl/8" && facts.seen`, "true"},
	{`facts.forwarded == ["198.51.100.1", "2001:db8::1"] && "198.51.100.1" in facts.forwarded`, "true"},
	{`facts.counts.ifa == 7 && facts.counts.address > 8 && has(facts.counts) && has(facts.counts.ifa) && has(facts.counts.address)`, "true"},
	{`facts.headers["x-test"] == "yes" && facts.headers["none"] == "" && "X-TEST" in facts.headers && !("none" in facts.headers) && has(facts.headers)`, "true"},
	{`facts.vendor["ivt"].score == 80 && facts.vendor.late.error && facts.vendor["none"].score == 0 && !has(facts.vendor.none.score) && "ivt" in facts.vendor`, "true"},
	{`facts.time.getHours() == 15 && facts.time.getDayOfWeek() == 0 && facts.time.getFullYear() == 2026 && facts.time.getMonth() == 10 && facts.time.getDate() == 22`, "true"},
	{`facts.time.getDayOfMonth() == 21 && facts.time.getDayOfYear() == 325 && facts.time.getMinutes() == 30 && facts.time.getSeconds() == 5 && facts.time.getMilliseconds() == 7`, "true"},
	{`facts.time > timestamp("2026-01-01T00:00:00Z") && facts.time != timestamp("2026-01-01T00:00:00Z") && has(facts.time) && int(facts.time) == 1795361405`, "true"},
	{`"a" + "b" == "ab" && 1 + 2 == 3 && 1.5 > 1.0 && !false`, "true"}, {`1 / 0 == 1`, "division"}, {`[1, 2].exists(x, x == 2)`, "true"}, {`[[1], [2]].all(l, l.size() == 1)`, "true"},
	{`[true, false].exists(b, b) && [1.5].all(d, d > 1.0) && ["a"].all(s, s == "a")`, "true"},
	{`{"a": 1}["a"] == 1`, "issue"}, {`site == app`, "issue"}, {`b"a" == b"a"`, "issue"}, {`1u == 1u`, "issue"}, {`id.matches(id)`, "issue"}, {`timestamp(id) == facts.time`, "issue"},
}

var wantErrors = map[string]error{"type": ErrType, "index": ErrIndex, "division": ErrDivision, "overflow": ErrOverflow, "currency": ErrCurrency, "conversion": ErrConversion, "case": ErrCase}

func TestLanguage(t *testing.T) {
	e := testEnv(t)
	in := input(t, sample)
	in.Facts = sampleFacts()
	for _, c := range languageCases {
		d, issues := e.Compile(c.source)
		if c.want == "issue" {
			if issues == nil {
				t.Errorf("%s: compiled", c.source)
			}
			continue
		}
		if issues != nil {
			t.Errorf("%s: %v", c.source, issues)
			continue
		}
		got, err := d.Holds(in)
		if want := wantErrors[c.want]; err != want || err == nil && got != (c.want == "true") {
			t.Errorf("%s: %v, %v", c.source, got, err)
		}
		i, issues := e.Compile(c.source, Interpreted)
		if issues != nil {
			t.Errorf("interpreted %s: %v", c.source, issues)
			continue
		}
		if got, err := i.Holds(in); (err != nil) != (wantErrors[c.want] != nil) || got != (c.want == "true") {
			t.Errorf("interpreted %s: %v, %v", c.source, got, err)
		}
	}
}
