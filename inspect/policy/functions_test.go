package policy

import (
	"fmt"
	"math"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/inspect/rule"
)

// words are strings with what functions of text look at.
var words = []string{"", "a", "A", "ab", "aB", "foobar.com", "FOOBAR.com", "é", "É", "日本", "a\"b\\c", "a\nb", "😀", "x y", strings.Repeat("ab", 40)}

// TestTextFunctions compares functions of text with those of Go: on constants, and on a field, on
// which the compiler takes other ways.
func TestTextFunctions(t *testing.T) {
	lower := func(s string) string {
		return strings.Map(func(r rune) rune {
			if 'A' <= r && r <= 'Z' {
				r += 'a' - 'A'
			}
			return r
		}, s)
	}
	for _, s := range words {
		in := input(t, sample)
		in.Request.Site.Name = s
		var conditions []condition
		for _, text := range []string{"site.name", strconv.Quote(s), "dyn(site.name)"} {
			conditions = append(conditions,
				condition{fmt.Sprintf("size(%s) == %d", text, utf8.RuneCountInString(s)), "true"},
				condition{fmt.Sprintf("string(%s) == %s", text, strconv.Quote(s)), "true"},
				condition{fmt.Sprintf("%s + %s == %s", text, text, strconv.Quote(s+s)), "true"})
			if !strings.HasPrefix(text, "dyn") {
				conditions = append(conditions,
					condition{fmt.Sprintf("%s.lowerAscii() == %s", text, strconv.Quote(lower(s))), "true"},
					condition{fmt.Sprintf("%s.matches(\"^[a-z.]+$\")", text), fmt.Sprint(regexp.MustCompile("^[a-z.]+$").MatchString(s))})
			}
			for _, part := range words {
				quoted := strconv.Quote(part)
				conditions = append(conditions, condition{text + ".contains(" + quoted + ")", fmt.Sprint(strings.Contains(s, part))},
					condition{text + ".startsWith(" + quoted + ")", fmt.Sprint(strings.HasPrefix(s, part))},
					condition{text + ".endsWith(" + quoted + ")", fmt.Sprint(strings.HasSuffix(s, part))},
					condition{text + " in [" + quoted + ", \"never\"]", fmt.Sprint(s == part)},
					condition{quoted + ".contains(" + text + ")", fmt.Sprint(strings.Contains(part, s))})
			}
		}
		hold(t, in, conditions)
	}
}

// TestConversions has what each conversion takes and refuses.
func TestConversions(t *testing.T) {
	hold(t, input(t, sample), []condition{
		{`int("0") == 0`, "true"},
		{`int("-0") == 0`, "true"},
		{`int("+7") == 7`, "true"},
		{`int("007") == 7`, "true"},
		{`int("9223372036854775807") == 9223372036854775807`, "true"},
		{`int("-9223372036854775808") == -9223372036854775807 - 1`, "true"},
		{`int("00000000000000000000000000000001") == 1`, "true"},
		{`int("") == 0`, "conversion"},
		{`int("-") == 0`, "conversion"},
		{`int("--1") == 0`, "conversion"},
		{`int("+-1") == 0`, "conversion"},
		{`int("1.0") == 1`, "conversion"},
		{`int("1e3") == 1000`, "conversion"},
		{`int(" 1") == 1`, "conversion"},
		{`int("1_000") == 1000`, "conversion"},
		{`int("0x10") == 16`, "conversion"},
		{`int("١") == 1`, "conversion"}, // a digit, but not of ASCII
		{`int("99999999999999999999") == 1`, "conversion"},
		{`int("-9223372036854775809") == 1`, "conversion"},
		{`int(1.9) == 1`, "true"},
		{`int(-1.9) == -1`, "true"},
		{`int(0.0) == 0`, "true"},
		{`int(9.2e18) == 9200000000000000000`, "true"},
		{`int(9.3e18) == 1`, "overflow"},
		{`int(-9.3e18) == 1`, "overflow"},
		{`int(1.0 / 0.0) == 1`, "overflow"},
		{`int(0.0 / 0.0) == 1`, "overflow"},
		{`int(dyn(5)) == 5`, "true"},
		{`int(dyn(5.5)) == 5`, "true"},
		{`int(dyn("5")) == 5`, "true"},
		{`int(site.ext.none) == 0`, "conversion"},
		{`int(imp[0].ext.list) == 0`, "conversion"},
		{`int(imp[0].ext.o) == 0`, "conversion"},
		{`double("1") == 1.0`, "true"},
		{`double("-1.5e3") == -1500.0`, "true"},
		{`double(".5") == 0.5`, "true"},
		{`double("x") == 1.0`, "conversion"},
		{`double("") == 1.0`, "conversion"},
		{`double(7) == 7.0`, "true"},
		{`double(9007199254740993) == 9007199254740992.0`, "true"}, // no room for the last digit
		{`double(dyn(7)) == 7.0`, "true"},
		{`double(dyn(7.5)) == 7.5`, "true"},
		{`double(dyn("7.5")) == 7.5`, "true"},
		{`double(imp[0].ext.o.k.v) == 1.0`, "conversion"},
		{`double(site.ext.none) == 0.0`, "conversion"},
		{`string(0) == "0"`, "true"},
		{`string(-9223372036854775807) == "-9223372036854775807"`, "true"},
		{`string(1.0) == "1"`, "true"},
		{`string(1.5) == "1.5"`, "true"},
		{`string(1e21) == "1e+21"`, "true"},
		{`string(true) + string(false) == "truefalse"`, "true"},
		{`string(dyn(1)) == "1"`, "true"},
		{`string(dyn("a")) == "a"`, "true"},
		{`string(imp[0].ext.o.k.v) == "true"`, "true"},
		{`string(imp[0].ext.list) == ""`, "conversion"},
		{`string(user.ext.n) == ""`, "conversion"},
	})
}

// TestSizes counts what has elements, and refuses what has none.
func TestSizes(t *testing.T) {
	hold(t, input(t, sample), []condition{
		{`size("") == 0`, "true"},
		{`size("日本") == 2`, "true"},
		{`size([]) == 0`, "true"},
		{`size([1, 2]) == 2`, "true"},
		{`size(cur) == 2 && cur.size() == 2`, "true"},
		{`size(imp) == 2 && imp.size() == 2`, "true"},
		{`size(app.cat) == 0`, "true"},
		{`size(imp[0].banner.battr) == 2`, "true"},
		{`size(imp.map(i, i.id)) == 2`, "true"},
		{`size(imp.filter(i, false)) == 0`, "true"},
		{`size(cur + bcat + cur) == 6`, "true"},
		{`size(imp[0].ext.list) == 4`, "true"},
		{`size(imp[0].ext.o) == 1`, "true"},
		{`size(imp[0].ext) == 6`, "true"},
		{`size(site.ext.empty) == 0`, "true"},
		{`size(imp[0].ext.n) == 1`, "type"},
		{`size(site.ext.none) == 0`, "type"},
		{`size(imp[0].ext.o.k.v) == 1`, "type"},
	})
}

// TestUSD converts amounts with constant and other currencies.
func TestUSD(t *testing.T) {
	rates := map[string]float64{"": 1, "USD": 1, "EUR": 1.25, "JPY": 0.0078125}
	for _, currency := range []string{"", "USD", "EUR", "JPY", "XXX", "eur", " usd", "EURO"} {
		in := input(t, sample)
		in.Request.Imp[0].BidFloorCur = currency
		for _, amount := range []float64{0, 0.5, 3, 1e6} {
			rate, known := rates[strings.ToUpper(strings.TrimSpace(currency))]
			want := "true"
			if !known {
				want = "currency"
			}
			in.Request.Imp[0].BidFloor = &amount
			text := strconv.FormatFloat(amount*rate, 'f', -1, 64)
			if amount*rate == math.Trunc(amount*rate) {
				text += ".0"
			}
			hold(t, in, []condition{
				{fmt.Sprintf("usd(imp[0].bidfloor, imp[0].bidfloorcur) == %s", text), want},
				{fmt.Sprintf("usd(imp[0].bidfloor, %q) == %s", currency, text), want},
				{fmt.Sprintf("usd(imp[0].bidfloor, imp[0].bidfloorcur) == %s || true", text), "true"},
			})
		}
	}
}

// TestTimeParts compares the parts of a timestamp with those of Go, at the ends of years, months
// and days, and in other zones than UTC.
func TestTimeParts(t *testing.T) {
	for _, at := range []time.Time{
		time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(2026, 12, 31, 23, 59, 59, 999e6, time.UTC),
		time.Date(2024, 2, 29, 12, 30, 15, 1e6, time.UTC),
		time.Date(2025, 3, 1, 0, 30, 0, 0, time.FixedZone("", 2*3600)), // still February in UTC
		time.Date(2025, 12, 31, 23, 30, 0, 0, time.FixedZone("", -3600)),
		time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(2000, 2, 28, 23, 0, 0, 0, time.UTC),
	} {
		in := input(t, sample)
		in.Facts.Time = at
		utc := at.UTC()
		var conditions []condition
		for name, want := range map[string]int{
			"getFullYear":     utc.Year(),
			"getMonth":        int(utc.Month()) - 1,
			"getDate":         utc.Day(),
			"getDayOfMonth":   utc.Day() - 1,
			"getDayOfYear":    utc.YearDay() - 1,
			"getDayOfWeek":    int(utc.Weekday()),
			"getHours":        utc.Hour(),
			"getMinutes":      utc.Minute(),
			"getSeconds":      utc.Second(),
			"getMilliseconds": utc.Nanosecond() / 1e6,
		} {
			conditions = append(conditions, condition{fmt.Sprintf("facts.time.%s() == %d", name, want), "true"},
				condition{fmt.Sprintf("timestamp(%q).%s() == %d", at.Format(time.RFC3339Nano), name, want), "true"})
		}
		conditions = append(conditions,
			condition{fmt.Sprintf("int(facts.time) == %d", at.Unix()), "true"},
			condition{fmt.Sprintf("facts.time == timestamp(%q)", at.Format(time.RFC3339Nano)), "true"},
			condition{fmt.Sprintf("facts.time < timestamp(%q)", at.Add(time.Millisecond).Format(time.RFC3339Nano)), "true"})
		hold(t, in, conditions)
	}
}

// TestMacros compares macros over a list of numbers with loops of Go.
func TestMacros(t *testing.T) {
	for _, numbers := range [][]int{{}, {0}, {3}, {1, 2, 3}, {5, 5}, {-1, 0, 1}, {9, 8, 7, 6, 5, 4, 3, 2, 1, 0}} {
		in := input(t, sample)
		var texts []string
		battr := in.Request.Imp[0].Banner.BAttr[:0]
		for _, n := range numbers {
			texts = append(texts, strconv.Itoa(n))
			battr = append(battr, adcom.CreativeAttribute(n))
		}
		in.Request.Imp[0].Banner.BAttr = battr
		above := slices.DeleteFunc(slices.Clone(numbers), func(n int) bool { return n <= 2 })
		var doubled, kept []string
		for _, n := range numbers {
			doubled = append(doubled, strconv.Itoa(2*n))
		}
		for _, n := range above {
			kept = append(kept, strconv.Itoa(n))
		}
		for _, list := range []string{"[" + strings.Join(texts, ", ") + "]", "imp[0].banner.battr", "dyn(imp[0].banner.battr)"} {
			conditions := []condition{
				{list + ".exists(n, n > 2)", fmt.Sprint(len(above) > 0)},
				{list + ".exists_one(n, n > 2)", fmt.Sprint(len(above) == 1)},
				{list + ".all(n, n > 2)", fmt.Sprint(len(above) == len(numbers))},
				{list + ".filter(n, n > 2) == [" + strings.Join(kept, ", ") + "]", "true"},
				{list + ".map(n, n * 2) == [" + strings.Join(doubled, ", ") + "]", "true"},
				{list + ".map(n, n > 2, n) == [" + strings.Join(kept, ", ") + "]", "true"},
				{fmt.Sprintf("size(%s) == %d", list, len(numbers)), "true"},
				{"7 in " + list, fmt.Sprint(slices.Contains(numbers, 7))},
				{list + " == " + list, "true"},
				{list + " == [42]", "false"},
			}
			if list == "[]" {
				conditions = slices.DeleteFunc(conditions, func(c condition) bool { return strings.Contains(c.source, "n *") }) // it has no type
			}
			for i, n := range numbers {
				conditions = append(conditions, condition{fmt.Sprintf("%s[%d] == %d", list, i, n), "true"})
			}
			conditions = append(conditions, condition{fmt.Sprintf("%s[%d] == 1", list, len(numbers)), "index"}, condition{list + "[-1] == 1", "index"})
			hold(t, in, conditions)
		}
	}
}

// TestFacts has conditions on facts that are there and that are not.
func TestFacts(t *testing.T) {
	in := input(t, sample)
	hold(t, in, []condition{
		{`facts.partner == "" && facts.publisher == "" && facts.peer == "" && facts.user_agent == ""`, "true"},
		{`has(facts.partner)`, "false"},
		{`has(facts.peer)`, "false"},
		{`has(facts.time)`, "false"},
		{`has(facts.headers)`, "false"},
		{`has(facts.vendor)`, "false"},
		{`has(facts.counts)`, "false"},
		{`has(facts.seen)`, "false"},
		{`facts.forwarded == [] && size(facts.forwarded) == 0`, "true"},
		{`facts.forwarded[0] == ""`, "index"},
		{`facts.headers["x-test"] == ""`, "true"},
		{`"x-test" in facts.headers`, "false"},
		{`facts.vendor["ivt"].score == 0`, "true"},
		{`facts.vendor.ivt.error`, "false"},
		{`"ivt" in facts.vendor`, "false"},
		{`facts.counts.ifa == 0 && facts.counts.address == 0`, "true"},
		{`facts.seen`, "false"},
	})
	for text, want := range map[string]string{
		"192.0.2.1": "192.0.2.1", "::ffff:192.0.2.1": "192.0.2.1", "2001:db8::1": "2001:db8::1", "2001:DB8:0:0::1": "2001:db8::1", "fe80::1%eth0": "fe80::1%eth0",
	} {
		in.Facts.Peer = netip.MustParseAddr(text)
		hold(t, in, []condition{{fmt.Sprintf("facts.peer == %q && has(facts.peer)", want), "true"}})
	}
	in.Facts.Headers = []rule.Header{{Name: "X-One", Value: "1"}, {Name: "x-one", Value: "2"}, {Name: "Empty", Value: ""}}
	hold(t, in, []condition{
		{`facts.headers["X-ONE"] == "1"`, "true"}, // the first one
		{`facts.headers["empty"] == "" && "empty" in facts.headers`, "true"},
		{`int(facts.headers["x-one"]) + 1 == 2`, "true"},
		{`"x-two" in facts.headers`, "false"},
	})
	in.Facts.Vendor = []rule.VendorAnswer{{Name: "a", Score: 1}, {Name: "b", Score: 2, Err: true}}
	hold(t, in, []condition{
		{`facts.vendor["a"].score + facts.vendor.b.score == 3`, "true"},
		{`has(facts.vendor.a.score) && has(facts.vendor.b.error) && !has(facts.vendor.a.error)`, "true"},
		{`facts.vendor.b.error && !facts.vendor.a.error`, "true"},
		{`"b" in facts.vendor && !("c" in facts.vendor)`, "true"},
	})
}
