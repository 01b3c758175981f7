package policy

import (
	"strings"
	"testing"
)

// TestGrowth asks at which places the work of conditions grows faster than the request.
func TestGrowth(t *testing.T) {
	e := testEnv(t)
	for source, want := range map[string]string{
		`imp.exists(i, i.bidfloor > 1.0)`:                                                     "",
		`imp.exists(i, i.metric.exists(m, m.value > 0.5))`:                                    "",
		`imp.exists(i, i.pmp.deals.exists(d, d.wseat.exists(s, s == "a")))`:                   "",
		`imp.exists(i, "a" in i.iframebuster)`:                                                "",
		`imp.exists(i, i.tagid in ["a", "b"])`:                                                "",
		`imp.exists(i, ["a", "b"].exists(x, x == i.tagid))`:                                   "",
		`["a", "b"].exists(x, imp.exists(i, x == i.tagid))`:                                   "",
		`imp.exists(i, i.tagid in lists.blocked_domains)`:                                     "",
		`imp.filter(i, has(i.banner)).exists(i, i.metric.exists(m, true))`:                    "",
		`imp.map(i, i.id).exists(x, x == id) && imp.all(i, i.id != "")`:                       "",
		`imp.exists(i, i.metric.filter(m, m.type == id).exists(m, true))`:                     "",
		`imp.exists(i, imp.exists(j, i.id == j.id))`:                                          "imp.exists(j, i.id == j.id)",
		`imp.exists(i, i.tagid in bcat)`:                                                      "i.tagid in bcat",
		`imp.exists(i, imp.filter(j, j.id == i.id).size() > 1)`:                               "imp.filter(j, j.id == i.id)",
		`imp.exists(i, i.metric.exists(m, i.metric.exists(n, m.type == n.type)))`:             "i.metric.exists(n, m.type == n.type)",
		`imp.exists(i, i.metric.exists(m, user.eids.exists(x, x.source == m.type)))`:          "user.eids.exists(x, x.source == m.type)",
		`imp.exists(i, [imp].exists(l, l.exists(x, x.id == i.id)))`:                           "l.exists(x, x.id == i.id)",
		`imp.all(i, (imp + imp).exists(j, i.id == j.id))`:                                     "(imp + imp).exists(j, i.id == j.id)",
		`imp.exists(i, site.ext.list.exists(x, x == i.id))`:                                   "site.ext.list.exists(x, x == i.id)",
		`imp.exists(i, i.tagid.contains("x") && i.tagid.matches("x+") && i.tagid.size() > 9)`: "",
		`imp.exists(i, i.tagid == site.id || i.tagid < site.id || site.id == "a")`:            "",
		`imp.exists(i, i.metric.exists(m, m.type.lowerAscii() == "x"))`:                       "",
		`["a", "b"].exists(x, site.page.contains(x))`:                                         "",
		`imp.exists(i, size(imp) > 1 && double(tmax) > 1.0 && tmax + 1 > 2)`:                  "",
		`imp.exists(i, ("a" + "b").contains(i.id))`:                                           "",
		`site.page.contains("x") && imp.exists(i, i.id == "x")`:                               "",
		`imp.exists(i, site.page.contains("x"))`:                                              `site.page.contains("x")`,
		`imp.exists(i, i.tagid.contains(site.id))`:                                            "i.tagid.contains(site.id)",
		`imp.exists(i, i.tagid.startsWith(site.id))`:                                          "i.tagid.startsWith(site.id)",
		`imp.exists(i, i.tagid.endsWith(site.id))`:                                            "i.tagid.endsWith(site.id)",
		`imp.exists(i, site.page.matches("x+"))`:                                              `site.page.matches("x+")`,
		`imp.exists(i, site.page.lowerAscii() == i.tagid)`:                                    "site.page.lowerAscii()",
		`imp.exists(i, size(site.page) > 9)`:                                                  "size(site.page)",
		`imp.exists(i, site.page.size() > 9)`:                                                 "site.page.size()",
		`imp.exists(i, isAddress(site.page))`:                                                 "isAddress(site.page)",
		`imp.exists(i, site.domain in lists.blocked_domains)`:                                 "site.domain in lists.blocked_domains",
		`imp.all(i, site.name == site.page)`:                                                  "site.name == site.page",
		`imp.all(i, site.name <= site.page)`:                                                  "site.name <= site.page",
		`imp.all(i, (i.id + site.page) != "")`:                                                "i.id + site.page",
		`imp.exists(i, i.metric.exists(m, i.tagid.contains("x")))`:                            `i.tagid.contains("x")`,
		`imp.exists(i, site.ext.x.contains("x"))`:                                             `site.ext.x.contains("x")`,
	} {
		for _, options := range [][]Option{nil, {Interpreted}} {
			found := compile(t, e, source, options...).Growth()
			switch {
			case want == "" && len(found) > 0, want != "" && len(found) != 1:
				t.Errorf("%s %v: %v", source, options, found)
			case want != "":
				if at := strings.Index(source, want); found[0].Offset < at || found[0].Offset >= at+len(want) {
					t.Errorf("%s: %+v", source, found[0])
				}
			}
		}
	}
}

// TestLacking asks which conditions have no value for some requests.
func TestLacking(t *testing.T) {
	e := testEnv(t)
	for source, want := range map[string]string{
		`site.domain == "a" && tmax / 2 > 1 && site.ext.amp == 1 && usd(1.0, "EUR") > 1.0`: "",
		`site.page.contains("x") || double(tmax) > 1.0 || facts.headers["x"] == "y"`:       "",
		`1 / tmax == 1`:    "division",
		`7 % tmax == 1`:    "division",
		`imp[0].id == "1"`: "list lacks",
		`site.ext.x > 1`:   "ext",
		`imp.all(i, usd(1.0, i.bidfloorcur) > 1.0)`: "currency",
		`int(site.id) == 1`:                         "no number",
		`double(site.ext.x) == 1.0`:                 "no number",
	} {
		found := compile(t, e, source).Lacking()
		if len(found) > 0 != (want != "") || want != "" && !strings.Contains(found[0].Message, want) {
			t.Errorf("%s: %v", source, found)
		}
	}
}
