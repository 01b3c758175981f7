package policy

import (
	"strings"
	"testing"
)

// TestAdvice holds what issues say to write instead: the place is the text between the marks.
func TestAdvice(t *testing.T) {
	e := testEnv(t)
	for _, c := range []struct{ source, message string }{
		// Operators of other languages.
		{`tmax > 1 «and» at == 1`, "CEL has no operator and: write &&"},
		{`tmax > 1 «AND» at == 1`, "CEL has no operator AND: write &&"},
		{`tmax > 1 «or» at == 1`, "CEL has no operator or: write ||"},
		{`«not» has(app)`, "CEL has no operator not: write !"},
		{`«not» (at == 1)`, "CEL has no operator not: write !"},
		{`imp.exists(i, «not» has(i.video))`, "CEL has no operator not: write !"},
		{`at «=» 1`, "CEL has no operator =: write =="},
		{`site.domain «=» "x" and at == 2`, "CEL has no operator =: write =="},
		{`at «===» 1`, "CEL has no operator ===: write =="},
		{`at «<>» 1`, "CEL has no operator <>: write !="},
		{`at == 1 «&» tmax == 2`, "CEL has no operator &: write &&"},
		{`at == 1 «|» tmax == 2`, "CEL has no operator |: write ||"},
		{`"é and b = c" == id «and» at == 1`, "CEL has no operator and: write &&"},
		{`r'\' == id «and» at == 1`, "CEL has no operator and: write &&"},
		{"// a = b\nat «=» 1", "CEL has no operator =: write =="},
		{`id == """a "and" b""" «or» at == 1`, "CEL has no operator or: write ||"},
		// Fields of what has none.
		{`imp.«bidfloor» > 1`, "imp is a list: write imp.exists(i, i.bidfloor ...)"},
		{`imp.«bidflor» > 1`, "imp is a list: write imp.exists(i, i.bidflor ...) (did you mean bidfloor?)"},
		{`has(imp.«video»)`, "imp is a list: write imp.exists(i, has(i.video))"},
		{`imp.exists(i, i.banner.format.«w» == 1)`, "i.banner.format is a list: write i.banner.format.exists(f, f.w ...)"},
		{`imp.filter(i, true).«id» == ""`, "this is a list: write this.exists(x, x.id ...)"},
		{`bcat.«x» == 1`, "bcat is a list of values without fields"},
		{`tmax.«x» == 1`, "tmax is an int, it has no fields"},
		{`imp.exists(x, x.id.«x» == "")`, "x.id is a string, it has no fields"},
		// Names.
		{`site.domain in «blocked_domains»`, "unknown variable blocked_domains (did you mean lists.blocked_domains?)"},
		{`site.domain in «blocked_domain»`, "unknown variable blocked_domain (did you mean lists.blocked_domains?)"},
		{`«request».site.domain == "x"`, "fields of the request have no prefix: write site"},
		{`«bidrequest».tmaxx == 1`, "fields of the request have no prefix: write site.domain"},
		{`imp.«any»(i, i.bidfloor > 1.0)`, "unknown function any (did you mean exists?)"},
		{`«len»(imp) > 1`, "unknown function len (did you mean size?)"},
		{`id.«lower»() == "x"`, "unknown function lower (did you mean lowerAscii?)"},
		{`«lowerAscii»(id) == "x"`, "lowerAscii follows its text: write id.lowerAscii()"},
		// Types.
		{`bcat.«contains»("IAB25")`, `bcat is a list: write "IAB25" in bcat`},
		{`imp.exists(i, site.cat.«contains»(i.id))`, "site.cat is a list: write i.id in site.cat"},
		{`imp.«contains»("1")`, "imp is a list of objects: write imp.exists(x, x.id == ...)"},
		{`bcat.«startsWith»("IAB25")`, `bcat is a list: write bcat.exists(x, x.startsWith("IAB25"))`},
		{`regs.gdpr «»== true`, "regs.gdpr is an int: write regs.gdpr == 1"},
		{`false «»!= regs.gdpr`, "regs.gdpr is an int: write regs.gdpr != 0"},
		{`regs«».gdpr && at == 1`, "regs.gdpr is an int: write regs.gdpr == 1"},
		{`«»!regs.gdpr`, "regs.gdpr is an int: write regs.gdpr == 0"},
		{`«»site && at == 1`, "site is an object: write has(site)"},
		{`«»!site`, "site is an object: write !has(site)"},
		{`«»imp && at == 1`, "imp is a list: write imp.size() != 0"},
		{`«»id && at == 1`, `id is a string: write id != ""`},
		{`imp.exists(i, i«».bidfloor && at == 1)`, "i.bidfloor is a double: write i.bidfloor != 0.0"},
		{`has(site) «»== 1`, "has(site) is a bool: write has(site)"},
		{`has(site) «»!= 1`, "has(site) is a bool: write !has(site)"},
		{`tmax «»== null`, "only an object or a value of an ext can be null: write !has(tmax)"},
		{`tmax «»!= null`, "only an object or a value of an ext can be null: write has(tmax)"},
		{`at «»== 1.0`, "at is an int: write at == 1"},
		{`1.0 «»== at`, "at is an int: write 1 == at"},
		{`at «»== 1.5`, "at is an int: write double(at) == 1.5"},
		{`at «»== "1"`, "at is an int: write at == 1"},
		{`id «»== 1`, `id is a string: write id == "1"`},
		{`imp.exists(i, i.bidfloor «»== tmax)`, "tmax is an int: write i.bidfloor == double(tmax)"},
		{`imp.exists(i, (i.bidfloor + 1.0) «»* 2 > 1.0)`, "(i.bidfloor + 1.0) is a double: write (i.bidfloor + 1.0) * 2.0"},
		{`device.ip «»in "10.0.0.0/8"`, "a string is not a list: write the prefix into a list of kind prefix and use lists.NAME"},
		{`device.ip «»in "2001:db8::/32"`, "a string is not a list: write the prefix into a list of kind prefix and use lists.NAME"},
		{`id «»in "bundles"`, "a string is not a list: write id in lists.bundles"},
		{`id «»in "abc"`, `a string is not a list: write id in ["abc"]`},
		{`id «»in site.domain`, "a string is not a list: write site.domain.contains(id)"},
		{`«usd»(imp) > 1.0`, "usd takes an amount and a currency: usd(i.bidfloor, i.bidfloorcur)"},
		{`imp.exists(i, «usd»(i.bidfloor) > 1.0)`, "usd takes an amount and a currency: usd(i.bidfloor, i.bidfloorcur)"},
		{`«usd»(ext.x) > 1.0`, "usd(i.bidfloor, i.bidfloorcur); write double(...) about an amount of an ext"},
		{`«usd»(tmax, "EUR") > 1.0`, "the amount is a double: double(tmax)"},
	} {
		checkIssue(t, e, c.source, c.message)
	}
	// The variable of a misspelt macro is not a second issue.
	if _, issues := e.Compile(`imp.any(i, i.bidfloor > 1.0)`); len(issues) != 1 {
		t.Errorf("issues %v", issues)
	}
	// Advice is right: what it says compiles.
	for _, source := range []string{
		`regs.gdpr != 0`, `double(at) == 1.5`, `bcat.exists(x, x.startsWith("IAB25"))`, `!has(tmax)`, `"IAB25" in bcat`, `id.lowerAscii() == "x"`,
		`id in lists.bundles`, `imp.size() != 0`, `imp.exists(i, (i.bidfloor + 1.0) * 2.0 > 1.0)`, `usd(double(ext.x), "EUR") > 1.0`,
	} {
		compile(t, e, source)
	}
	// Names that are operators elsewhere are names here.
	compile(t, e, `imp.exists(and, and.id == "or")`)
}

// TestLimitNames holds that messages about limits have the number and the name.
func TestLimitNames(t *testing.T) {
	for err, want := range map[error]string{
		ErrSteps:  "more than 1,000,000 steps of work, the limit StepsMax",
		ErrValues: "more than 65,536 elements in lists, the limit ValuesMax",
		ErrText:   "more than 1,048,576 bytes of strings, the limit TextMax",
		ErrType:   "absent or of another type",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for n, want := range map[int]string{8: "8 x, the limit X", 1000: "1,000 x, the limit X", 123456: "123,456 x, the limit X"} {
		if got := limit(n, "x", "X"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	e := testEnv(t)
	for source, want := range map[string]string{
		strings.Repeat("tmax + ", NestingMax) + "1 == 1":                                     "nested deeper than 64 levels, the limit NestingMax",
		strings.Repeat("imp.all(i, ", LoopsMax+1) + "true" + strings.Repeat(")", LoopsMax+1): "more than 8 macros inside each other, the limit LoopsMax",
		`id.matches("` + strings.Repeat("a", RegexMax+1) + `")`:                              "more than 1,000 instructions, the limit RegexMax",
		strings.Repeat(" ", SourceMax+1):                                                     "longer than 16,384 bytes, the limit SourceMax",
	} {
		if _, issues := e.Compile(source); len(issues) == 0 || !strings.Contains(issues[0].Message, want) {
			t.Errorf("%v, want %s", issues, want)
		}
	}
}
