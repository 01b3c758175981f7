package policy

import (
	"fmt"
	"os"
	"testing"

	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// ruleSet are conditions as publishers write them. None holds for the banner request, so that all
// are evaluated to the end.
var ruleSet = []string{
	`site.domain in lists.blocked_domains`,
	`app.bundle in lists.bundles`,
	`imp.exists(i, usd(i.bidfloor, i.bidfloorcur) < 0.01)`,
	`imp.exists(i, i.bidfloor > 500.0)`,
	`has(site) && has(app)`,
	`device.devicetype in [3, 7] && !has(device.ifa)`,
	`regs.coppa == 1`,
	`regs.gdpr == 1 && user.consent == ""`,
	`tmax > 0 && tmax < 50`,
	`site.publisher.id == "" && app.publisher.id == ""`,
	`device.ua == ""`,
	`device.ua.contains("HeadlessChrome")`,
	`device.geo.country in ["RUS", "BLR", "PRK", "IRN"]`,
	`imp.exists(i, has(i.banner) && (i.banner.w == 1 || i.banner.h == 1))`,
	`imp.exists(i, has(i.video) && i.video.mimes.size() == 0)`,
	`bcat.exists(c, c == "IAB25") && !("IAB26" in bcat)`,
	`facts.partner == "exchange-b" && facts.counts.ifa > 1000`,
	`site.page.startsWith("http://") && imp.exists(i, i.secure == 1)`,
	`test == 1`,
	`size(imp) > 20 || at > 3`,
}

func bannerInput(tb testing.TB) *rule.Input {
	tb.Helper()
	text, err := os.ReadFile(testkit.Path(tb, "testdata/bench/banner.json"))
	if err != nil {
		tb.Fatal(err)
	}
	in := input(tb, string(text))
	in.Facts = &rule.Facts{Partner: "exchange-a"}
	return in
}

func BenchmarkRules(b *testing.B) {
	e := testEnv(b)
	for _, n := range []int{len(ruleSet), 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			in := bannerInput(b)
			var rules []*Condition
			for i := range n {
				rules = append(rules, compile(b, e, ruleSet[i%len(ruleSet)]))
			}
			b.ReportAllocs()
			for b.Loop() {
				for _, r := range rules {
					if holds, err := r.Holds(in); holds || err != nil {
						b.Fatalf("%s: %v, %v", r, holds, err)
					}
				}
			}
		})
	}
}

func BenchmarkRule(b *testing.B) {
	e := testEnv(b)
	in := bannerInput(b)
	for _, source := range ruleSet {
		b.Run(source, func(b *testing.B) {
			d := compile(b, e, source)
			for b.Loop() {
				if _, err := d.Holds(in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
