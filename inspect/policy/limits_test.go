package policy

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/openrtb"
)

// TestBounds compiles sources at a bound and above it.
func TestBounds(t *testing.T) {
	e := testEnv(t)
	ints := func(n int) string { return "tmax in [" + strings.TrimSuffix(strings.Repeat("1,", n), ",") + "]" }
	loops := func(n int) string {
		s := "true"
		for i := range n {
			s = fmt.Sprintf("imp.all(v%d, %s)", i, s)
		}
		return s
	}
	for _, c := range []struct {
		name, good, bad, message string
	}{
		{"source", `id == "` + strings.Repeat("x", SourceMax-8) + `"`, `id == "` + strings.Repeat("x", SourceMax-7) + `"`, "SourceMax"},
		{"nesting", strings.Repeat("!", 2) + "(" + strings.Repeat("tmax + ", NestingMax-6) + "1 == 1)", strings.Repeat("tmax + ", NestingMax) + "1 == 1", "NestingMax"},
		{"parentheses", strings.Repeat("(", 20) + "true" + strings.Repeat(")", 20), strings.Repeat("(", 5000) + "true" + strings.Repeat(")", 5000), "NestingMax"},
		{"loops", loops(LoopsMax), loops(LoopsMax + 1), "LoopsMax"},
		{"literal", ints(LiteralMax), ints(LiteralMax + 1), "LiteralMax"},
		{"nodes", strings.Repeat("true || ", NodesMax/2-1) + "true", strings.Repeat("at==1||", NodesMax/3) + "true", "NodesMax"},
		{"regex", `id.matches("` + strings.Repeat("a", RegexMax-10) + `")`, `id.matches("` + strings.Repeat("a", RegexMax+1) + `")`, "RegexMax"},
	} {
		if c.name == "nodes" {
			c.good = strings.Repeat("true||", NodesMax/3) + "true"
		}
		for _, options := range [][]Option{nil, {Interpreted}} {
			if _, issues := e.Compile(c.good, options...); issues != nil {
				t.Errorf("%s %v: %v", c.name, options, issues)
			}
			_, issues := e.Compile(c.bad, options...)
			if issues == nil {
				t.Errorf("%s %v: compiled", c.name, options)
			} else if !strings.Contains(issues[0].Message, c.message) {
				t.Errorf("%s %v: %v", c.name, options, issues)
			}
		}
	}
}

func manyImps(n int) *openrtb.BidRequest {
	r := &openrtb.BidRequest{Imp: make([]openrtb.Imp, n), Site: &openrtb.Site{Name: strings.Repeat("x", 100_000), Page: strings.Repeat("x", 100_000)}}
	ext := []byte(`{"pad":"` + strings.Repeat(`\n`, 20_000) + `","list":[` + strings.TrimSuffix(strings.Repeat("1,", 10_000), ",") + `],"x":1}`)
	for i := range r.Imp {
		r.Imp[i].ID, r.Imp[i].Ext = "x", ext
	}
	return r
}

// TestHostile evaluates conditions that ask for more work or memory than there is.
func TestHostile(t *testing.T) {
	e := testEnv(t)
	in := &rule.Input{Request: manyImps(10_000), Facts: &rule.Facts{}, Scratch: &rule.Scratch{}}
	for _, c := range []struct {
		source string
		want   error
	}{
		{`imp.all(i, imp.all(j, i.id == j.id))`, ErrSteps},
		{`imp.all(i, imp.all(j, imp.all(k, true))) || true`, ErrSteps},
		{`imp.exists(i, imp.exists(j, 1 / size(i.id) == 2)) || true`, ErrSteps},
		{`imp.all(i, site.name == site.page)`, ErrSteps},
		{`imp.all(i, site.name <= site.page)`, ErrSteps},
		{`imp.all(i, site.name.contains(site.page))`, ErrSteps},
		{`imp.all(i, site.name.matches("x+y") == false)`, ErrSteps},
		{`imp.all(i, i.ext.x == 1)`, ErrSteps},
		{`imp.all(i, i.ext.list.exists(x, x == 2) == false)`, ErrValues},
		{`imp.all(i, i.ext == imp[1].ext)`, ErrValues},
		{`imp.all(i, i.rwdd == 0)`, ErrSteps},
		{`imp.all(i, 2 in i.ext.list == false)`, ErrValues},
		{`imp.all(i, site.name.lowerAscii() == site.page.lowerAscii())`, ErrSteps},
		{`imp.exists_one(i, imp.exists_one(j, i.id == j.id))`, ErrSteps},
		{`imp.map(i, imp.map(j, 1)).size() == 1`, ErrValues},
		{`imp.all(i, [i.id, i.id, i.id, i.id, i.id, i.id, i.id].size() == 7)`, ErrValues},
		{`imp.all(i, (imp.map(j, j.id) + imp.map(j, j.id)).size() > 1)`, ErrValues},
		{`imp.all(i, [[[i.id]]].size() == 1 && [[i.id], [i.id], [i.id], [i.id], [i.id], [i.id]].size() == 6)`, ErrValues},
		{`imp.all(i, (site.name + site.page) != "")`, ErrText},
		{`imp.all(i, i.ext.pad != "")`, ErrText},
		{`imp.all(i, imp.all(j, string(size(imp)) != ""))`, ErrText},
	} {
		d := compile(t, e, c.source)
		for range 2 {
			if holds, err := d.Holds(in); holds || !errors.Is(err, c.want) || !errors.Is(err, rule.ErrLimit) {
				t.Errorf("%s: %v, %v, want %v", c.source, holds, err, c.want)
			}
		}
		if f := in.Scratch.Value.(*frame); cap(f.values) > valuesKept || cap(f.text) > textKept || cap(f.lists) > valuesKept || len(f.values)+len(f.text) != 0 {
			t.Errorf("%s: the frame keeps %d values, %d bytes, %d lists", c.source, cap(f.values), cap(f.text), cap(f.lists))
		}
	}
	for source, want := range map[string]error{
		`imp.all(i, imp.all(j, [1, 2, 3].all(k, i.id == j.id)))`: ErrCost,
		`imp.all(i, imp.all(j, size(imp) > 0))`:                  ErrSteps,
		`imp.all(i, i.ext.x == 1) || true`:                       ErrSteps,
	} {
		d := compile(t, e, source, Interpreted)
		if holds, err := d.Holds(in); holds || !errors.Is(err, want) || !errors.Is(err, rule.ErrLimit) {
			t.Errorf("interpreted %s: %v, %v", source, holds, err)
		}
	}
}

// TestNotLoaded: a condition about a list or rates that are not there has no value for that cause,
// and one about a currency that the rates lack has none because of the request.
func TestNotLoaded(t *testing.T) {
	bare, err := NewEnv(Options{Lists: map[string]Matcher{"gone": nil}})
	if err != nil {
		t.Fatal(err)
	}
	full := testEnv(t)
	in := &rule.Input{Request: &openrtb.BidRequest{Imp: []openrtb.Imp{{BidFloorCur: "XXX"}}, Site: &openrtb.Site{Domain: "a"}}}
	for _, c := range []struct {
		env    *Env
		source string
		want   error
		data   bool
	}{
		{bare, `site.domain in lists.gone`, ErrList, true},
		{bare, `usd(1.0, "EUR") > 0.0`, ErrRates, true},
		{bare, `imp.exists(i, usd(i.bidfloor, i.bidfloorcur) > 0.0)`, ErrRates, true},
		{full, `imp.exists(i, usd(i.bidfloor, i.bidfloorcur) > 0.0)`, ErrCurrency, false},
		{full, `1 / tmax == 1`, ErrDivision, false},
	} {
		for _, options := range [][]Option{nil, {Interpreted}} {
			want := c.want
			if want == ErrDivision && options != nil {
				want = ErrInterpreter
			}
			holds, err := compile(t, c.env, c.source, options...).Holds(in)
			if holds || !errors.Is(err, want) || errors.Is(err, rule.ErrNotLoaded) != c.data || errors.Is(err, rule.ErrLimit) {
				t.Errorf("%s %v: %v, %v", c.source, options, holds, err)
			}
		}
	}
}

// TestCauses has two operands without a value, in either order: a limit of work counts more than
// data that is not loaded, and that more than what the request lacks.
func TestCauses(t *testing.T) {
	e, err := NewEnv(Options{Lists: map[string]Matcher{"gone": nil}})
	if err != nil {
		t.Fatal(err)
	}
	in := &rule.Input{Request: manyImps(2000), Facts: &rule.Facts{}, Scratch: &rule.Scratch{}}
	limits := []string{`imp.all(i, imp.all(j, i.id == j.id))`, `imp.all(i, i.ext.x == 1)`}
	unloaded := []string{`site.domain in lists.gone`, `usd(1.0, "EUR") > 1.0`}
	lacking := []string{`1 / tmax == 1`, `imp[5000].id == "1"`, `int(site.name) == 1`, `site.ext.none > 1`}
	check := func(stronger, weaker []string, want error, options ...Option) {
		t.Helper()
		for _, x := range stronger {
			for _, y := range weaker {
				for _, source := range []string{
					x + " || " + y, y + " || " + x, x + " && " + y, y + " && " + x,
					`["a", "b"].exists(v, v == "a" ? ` + x + " : " + y + ")", `["a", "b"].all(v, v == "b" ? ` + x + " : " + y + ")",
				} {
					if holds, err := compile(t, e, source, options...).Holds(in); holds || !errors.Is(err, want) {
						t.Errorf("%s %v: %v, %v, want %v", source, options, holds, err, want)
					}
				}
			}
		}
	}
	check(limits, append(lacking, unloaded...), rule.ErrLimit)
	check(limits[1:], lacking[:2], rule.ErrLimit, Interpreted)
	check(unloaded, lacking, rule.ErrNotLoaded)
	in.Request.Ext = []byte(`{"a":1,"A":2}`)
	check([]string{`ext.a == 1`, `"a" in ext`, `has(ext.A)`}, lacking, rule.ErrAmbiguous)
}

// TestBrokenText reads texts that are not JSON: a request that no decoder has seen may have them.
func TestBrokenText(t *testing.T) {
	e := testEnv(t)
	full := `{"a":{"b":[1,"x\u00e9\ud83d\ude00\n",{"c":null}]},"d":-1.5e3,"n":12345678901234567890,"big":1e999,"t":true,"\u0061a":2}`
	var conditions []*Condition
	for _, s := range []string{`ext.a.b[1] == "xé😀\n"`, `ext.d < 0`, `ext.aa == 2`, `ext.a.b.exists(x, x == 3)`, `ext.exists(k, k == "zz")`, `ext == ext`, `size(ext) == 5`, `ext.n > 1.2e19`, `ext.big > 1e308`, `ext.t == true`} {
		conditions = append(conditions, compile(t, e, s))
	}
	for i := range len(full) + 1 {
		for _, text := range []string{full[:i], full[i:], full[:i] + "\\" + full[i:], "{" + full[i:], "[" + full[i:]} {
			in := &rule.Input{Request: &openrtb.BidRequest{Ext: []byte(text)}, Facts: &rule.Facts{}, Scratch: &rule.Scratch{}}
			for _, d := range conditions {
				d.Holds(in)
			}
		}
	}
	in := &rule.Input{Request: &openrtb.BidRequest{Ext: []byte(full)}, Facts: &rule.Facts{}}
	for i, want := range []bool{true, true, true, false, false, true, false, true, true, true} {
		if got, err := conditions[i].Holds(in); got != want && err == nil {
			t.Errorf("%s: %v, %v", conditions[i], got, err)
		}
	}
}

// TestScratch evaluates one condition on several inputs with the same memory, which holds nothing
// of them in the end.
func TestScratch(t *testing.T) {
	e := testEnv(t)
	d := compile(t, e, `imp.exists(i, bcat.exists(b, i.id == b)) && tmax == 120 && facts.partner == "p"`)
	failing := compile(t, e, `imp.exists(i, bcat.exists(b, i.id == b && 1 / tmax > 0))`)
	r, f := parse(t, `{"id":"1","tmax":120,"imp":[{"id":"a"}],"bcat":["a"]}`), &rule.Facts{Partner: "p"}
	zero := parse(t, `{"id":"2","imp":[{"id":"b"}],"bcat":["b"]}`)
	in := rule.Input{Scratch: &rule.Scratch{}}
	ask := func(r *openrtb.BidRequest, f *rule.Facts, want bool) {
		t.Helper()
		in.Request, in.Facts = r, f
		for range 2 {
			if holds, err := d.Holds(&in); holds != want || err != nil {
				t.Fatalf("%v, %v, want %v", holds, err, want)
			}
		}
	}
	ask(nil, nil, false)
	ask(r, f, true)
	ask(zero, f, false)
	ask(r, nil, false)
	ask(nil, f, false)
	ask(r, f, true)
	in.Scratch.Release()
	ask(nil, nil, false)
	ask(zero, f, false)
	if _, err := failing.Holds(&in); err != ErrDivision {
		t.Errorf("%v, want %v", err, ErrDivision)
	}
	c := in.Scratch.Value.(*frame)
	for i, v := range c.slots[firstLoopSlot:] {
		if v != (value{}) {
			t.Errorf("slot %d has %v after an evaluation", i, v)
		}
	}
	in.Scratch.Release()
	if c.request == zero || c.facts == f || c.slots[requestSlot].o == any(zero) {
		t.Error("the request is still there after Release")
	}
}
