package policy

import (
	"strings"
	"testing"
)

// TestIssues holds messages, suggestions and places: the place is the text between the marks.
func TestIssues(t *testing.T) {
	e := testEnv(t)
	for _, c := range []struct{ source, message string }{
		{`imp.exists(i, i.«bidflor» > 1)`, "unknown field bidflor of imp (did you mean bidfloor?)"},
		{`"é" == "" || site.«domian» == "x"`, "unknown field domian of site (did you mean domain?)"},
		{`«sit».domain == "x"`, "unknown variable sit (did you mean site?)"},
		{`«fatcs».seen`, "unknown variable fatcs (did you mean facts?)"},
		{`imp.exists(item, «itm».id == "")`, "unknown variable itm (did you mean item?)"},
		{`site.domain in lists.«blocked_domain»`, "unknown list blocked_domain (did you mean blocked_domains?)"},
		{`site.domain.«startWith»("x")`, "unknown function startWith (did you mean startsWith?)"},
		{`imp.«exist»(i, true)`, "unknown function exist (did you mean exists?)"},
		{`«uds»(1.0, "") > 1.0`, "unknown function uds (did you mean usd?)"},
		{`facts.«partnr» == "x"`, "unknown field partnr of facts (did you mean partner?)"},
		{`has(«tmaxx»)`, "unknown field tmaxx of bidrequest (did you mean tmax?)"},
		{`site.«completelydifferent» == 1`, "unknown field completelydifferent of site"},
		{`«now» > facts.time`, "unknown variable now"},
		{`imp[0].bidfloor «»== 0`, "imp[0].bidfloor is a double: write imp[0].bidfloor == 0.0"},
		{`tmax «»in lists.bundles`, "in does not take (int, List); lists of the configuration hold strings"},
		{`«»tmax`, "a condition is true or false, this is an int"},
		{`site.ext«».foo`, "a condition is true or false, this is a value of an ext; compare it, as in == true"},
		{`has(«»1)`, "has() takes a field, such as has(site.domain)"},
		{`tmax == «»`, "mismatched input '<EOF>'"},
		{`{"a": 1}.size() == 1`, "a map needs interpreted: true"},
		{`imp[0] == imp[1]`, "comparing objects needs interpreted: true"},
		{`site == null`, "comparing with null (has() tells whether a field is there) needs interpreted: true"},
		{`id.matches(site.domain)`, "a regular expression that is not a constant needs interpreted: true"},
		{`id.matches("(")`, "regular expression: error parsing regexp: missing closing ): `(`"},
		{`id == b"x"`, "== does not take (string, bytes)"},
		{`size(facts.headers) == 1`, "size() of headers needs interpreted: true"},
		{`facts.headers.exists(h, true)`, "a macro over headers needs interpreted: true"},
		{`[facts.time].size() == 1`, "a timestamp in a list needs interpreted: true"},
		{`imp.map(i, facts.time).size() == 1`, "a list of timestamp needs interpreted: true"},
		{`facts.time - timestamp("2026-01-01T00:00:00Z") > duration("1s")`, "needs interpreted: true"},
		{`(tmax > 1 ? facts.time : facts.time) == facts.time`, "?: of timestamp needs interpreted: true"},
		{`facts.time.getHours("Europe/Berlin") == 1`, "getHours() needs interpreted: true"},
		{`Imp{}.id == ""`, "an object literal needs interpreted: true"},
		{`type(tmax) == int`, "needs interpreted: true"},
		{`-1u == 1u`, "does not take"},
		{`dyn(facts.time) == 1`, "dyn() needs interpreted: true"}, {`int(true ? 1 : 2) == int(timestamp("2026-01-01"))`, "timestamp() of something else than RFC 3339"},
		{`string(facts.time) == ""`, "string() needs interpreted: true"}, {`[site] == [site]`, "comparing objects needs interpreted: true"},
		{`facts.headers == facts.headers`, "comparing objects needs interpreted: true"}, {`facts.time > site.ext.x`, "comparing a timestamp"},
		{`lists.bundles == lists.bundles`, "needs interpreted: true"}, {`site in [site]`, "comparing objects needs interpreted: true"},
		{"\xff", "not UTF-8"}, {``, "mismatched input"},
	} {
		checkIssue(t, e, c.source, c.message)
	}
	// All issues of a source, in its order.
	_, issues := e.Compile(`site.domian == "x" || imp.exists(i, i.bidflor > 1.0 && i.baner.w == 1) || usr.id == ""`)
	var names []string
	for _, i := range issues {
		names = append(names, i.Suggestion)
	}
	if got := strings.Join(names, " "); got != "domain bidfloor banner user" {
		t.Errorf("suggestions %s of %v", got, issues)
	}
	if _, issues := e.Compile(strings.Repeat("x || ", 100) + "x"); len(issues) != IssuesMax && len(issues) != 1 {
		t.Errorf("%d issues", len(issues))
	}
}

// checkIssue compiles a source without its marks, and holds the first issue.
func checkIssue(t *testing.T, e *Env, marked, message string) {
	t.Helper()
	source := strings.NewReplacer("«", "", "»", "").Replace(marked)
	d, issues := e.Compile(source)
	if d != nil || len(issues) == 0 {
		t.Errorf("%s: compiled", source)
		return
	}
	got := issues[0]
	if !strings.Contains(got.String(), message) {
		t.Errorf("%s: %s, want %s", source, got, message)
	}
	if start := strings.Index(marked, "«"); start >= 0 {
		length := strings.Index(marked, "»") - start - len("«")
		if got.Offset != start || length > 0 && got.Length != length {
			t.Errorf("%s: at %d, %d bytes, want %d, %d", source, got.Offset, got.Length, start, length)
		}
	}
}
