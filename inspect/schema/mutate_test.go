package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/spec"
)

// This file turns the machine-readable checks of the specification's data into documents that break
// them, and documents that barely keep them.

// formatValues are texts that have a format, and texts that do not.
var formatValues = map[string]struct{ good, bad []string }{
	"iso-4217":           {[]string{"USD", "JPY"}, []string{"usd", "US", "EURO", "U$D"}},
	"iso-4217-code":      {[]string{"USD", "JPY", "XAU", "usd"}, []string{"AAA", "XXX", "XTS", "DEM", "ZZZ"}},
	"iso-639-1":          {[]string{"en", "DE"}, []string{"eng", "e", "zh-TW", "e1"}},
	"iso-639-1-or-xx":    {[]string{"en", "xx"}, []string{"eng", "e", "zh-TW"}},
	"bcp-47":             {[]string{"en", "zh-Hant-TW", "yue", "de-DE-1996"}, []string{"e", "english", "en_US", "en-", "en--US", "en-123456789"}},
	"iso-3166-1-alpha-3": {[]string{"USA", "DEU"}, []string{"US", "usa", "USAA"}},
	"iso-3166-2":         {[]string{"CA", "US-CA", "DE-BE", "13", "FR-75C"}, []string{"us-ca", "Bavaria", "DE-BERL", "-CA"}},
	"fips-10-4":          {[]string{"US06", "GMA1"}, []string{"us06", "US6", "U106"}},
	"google-metro-code":  {[]string{"501"}, []string{"NYC"}},
	"un-locode":          {[]string{"US NYC", "USNYC", "DEBER"}, []string{"New York", "US NY1", "USNY"}},
	"ipv4":               {[]string{"203.0.113.7", "0.0.0.0", "255.255.255.255"}, []string{"111.222.333.444", "203.0.113", "203.0.113.07", "::1", "203.0.113.7:80"}},
	"ipv6":               {[]string{"2001:db8::1", "::", "::ffff:203.0.113.7"}, []string{"203.0.113.7", "2001:db8", "fe80::1%eth0", "[::1]", ":::"}},
	"domain":             {[]string{"a.example", "EXAMPLE.COM", "x_1.example", "xn--bcher-kva.example"}, []string{"example", "https://a.example", "a.example:80", "a.example/x", "a..example", "-a.example", "a.example.", "a b.example"}},
	"url":                {[]string{"https://a.example", "HTTP://a.example/x?y#z"}, []string{"a.example", "ftp://a.example", "https://", "https:///x", "https://a.example/x y"}},
	"url-template":       {[]string{"https://a.example/${AUCTION_ID}", "${CLICK}", "//a.example/x"}, []string{"a.example", "win", "https: //a.example"}},
	"mime-type":          {[]string{"video/mp4", "application/vnd.apple.mpegurl", "image/*"}, []string{"mp4", "video/", "/mp4", "video/mp4; codecs=x", "a/b/c"}},
	"mcc-mnc":            {[]string{"310-005", "262-01"}, []string{"3100-05", "310-5", "310-0055", "abc-01"}},
	"isrc":               {[]string{"USRC17607839", "US-RC1-76-07839"}, []string{"USRC1760783", "usrc17607839", "USRC176078391"}},
	"us-privacy":         {[]string{"1YNN", "1---", "1yny"}, []string{"2YNN", "1YN", "1YNNN", "YNNN"}},
	"gpp":                {[]string{"DBACNYA", "DBABMA~CPX.YAAA~1YNN"}, []string{"CPXxRfA", "DB~", "DB A"}},
	"tcf-v2":             {[]string{"CPXxRfA", "CPX.YAAA.ZZ"}, []string{"BOEFEAyOEFEAyAHABDENAI4AAAB9vABAASA", "C", "CPX.", "C PX"}},
	"base85-cookie-safe": {[]string{"a=1&b=2", "<~"}, []string{"a,b", "a;b", `a"b`, "a b", "a\\b", "ü"}},
	"app-store-id":       {[]string{"com.example.app", "628677149", "B00DR0PDNE", "any thing"}, []string{"com.example\n"}},
	"major.minor":        {[]string{"1.2", "10.0"}, []string{"1", "1.", ".2", "1.2.3", "v1.2"}},
	"sha1-hex":           {[]string{"da39a3ee5e6b4b0d3255bfef95601890afd80709"}, []string{"da39a3ee5e6b4b0d3255bfef95601890afd8070", "ga39a3ee5e6b4b0d3255bfef95601890afd80709"}},
	"md5-hex":            {[]string{"D41D8CD98F00B204E9800998ECF8427E"}, []string{"d41d8cd98f00b204e9800998ecf8427", "d41d8cd98f00b204e9800998ecf8427ee"}},
}

// mutator makes the cases of one rule.
type mutator struct {
	t     *testing.T
	rule  *spec.Rule
	all   []instance // of the rule's object
	cases []ruleCase
}

// generatedCases returns the cases of all rules whose check needs no other object.
func generatedCases(t *testing.T) map[string][]ruleCase {
	t.Helper()
	all := instances(t)
	out := map[string][]ruleCase{}
	for _, r := range spec.OpenRTB().Rules {
		if rule, _ := RuleByID(r.ID); rule.Undecidable != "" || r.Check == nil || r.Object == "*" || byHandOnly[r.ID] {
			continue
		}
		m := mutator{t: t, rule: r, all: all[r.Object]}
		m.mutate()
		if m.cases != nil {
			out[r.ID] = m.cases
		}
	}
	return out
}

func (m *mutator) field(name string) *spec.Field {
	f := spec.OpenRTB().Object(m.rule.Object).Field(name)
	if f == nil {
		m.t.Fatalf("%s: no field %q", m.rule.ID, name)
	}
	return f
}

// with returns an object that has all of the fields, or else the first one.
func (m *mutator) with(fields ...string) instance {
	for _, i := range m.all {
		if !slices.ContainsFunc(fields, func(f string) bool { return i.value[f] == nil }) {
			return i
		}
	}
	return m.all[0]
}

func (m *mutator) breaks(i instance, changes ...string) { m.add(i, changes, true) }
func (m *mutator) keeps(i instance, changes ...string)  { m.add(i, changes, false) }

func (m *mutator) add(i instance, changes []string, broken bool) {
	// Skip changes that remove what is removed already.
	all := slices.Clone(prepared[m.rule.ID])
	for _, change := range changes {
		if !strings.HasPrefix(change, "- ") || !slices.Contains(all, change) {
			all = append(all, change)
		}
	}
	m.cases = append(m.cases, ruleCase{base: i.base, changes: all, broken: broken})
}

// set returns the change that gives a field a value, as the only element if it is an array.
func (m *mutator) set(i instance, name string, value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		m.t.Fatal(err)
	}
	if m.field(name).Array {
		text = slices.Concat([]byte("["), text, []byte("]"))
	}
	return i.pointer + "/" + name + " = " + string(text)
}

func take(i instance, name string) string { return "- " + i.pointer + "/" + name }

// without returns the changes that remove those of the fields that are there.
func without(i instance, names ...string) (changes []string) {
	for _, name := range names {
		if i.value[name] != nil {
			changes = append(changes, take(i, name))
		}
	}
	return changes
}

// values tries values that break the rule and values that keep it.
func (m *mutator) values(name string, bad, good []any) {
	i := m.with(name)
	for _, v := range bad {
		if only := onlyBad[m.rule.ID]; only == nil || only(v) {
			m.breaks(i, m.set(i, name, v))
		}
	}
	for _, v := range good {
		m.keeps(i, m.set(i, name, v))
	}
}

// example returns a value of the field's type.
func (m *mutator) example(name string) any {
	f := m.field(name)
	if i := m.with(name); i.value[name] != nil {
		if f.Array {
			return i.value[name].([]any)[0]
		}
		return i.value[name]
	}
	switch {
	case formatValues[f.Format].good != nil:
		return formatValues[f.Format].good[0]
	case f.Type == "string":
		return "x"
	case f.Min != nil:
		return *f.Min
	}
	return 1
}

// mutate makes the cases of the rule. Those of checks with a condition, or that look outside their
// object, are written by hand.
func (m *mutator) mutate() {
	c := m.rule.Check
	if c.When != "" && c.Op != "iab1_codes" || c.Path != "" || c.Format == "json-encoded-string" {
		return
	}
	for _, name := range slices.Concat(m.fields(), c.With, slices.Concat(c.Groups...)) {
		if c.Op != "iab1_codes" && spec.OpenRTB().Object(m.rule.Object).Field(name) == nil {
			return
		}
	}
	if cases := mutations[c.Op]; cases != nil {
		cases(m, c)
	}
}

// fields lists the fields of the check.
func (m *mutator) fields() []string {
	c := m.rule.Check
	if c.Field == "" {
		return c.Fields
	}
	return append(slices.Clone(c.Fields), c.Field)
}

// mutations make the cases of a check, by its op.
var mutations = map[string]func(*mutator, *spec.Check){
	"required":     (*mutator).needed,
	"recommended":  (*mutator).needed,
	"in":           (*mutator).in,
	"not_in":       (*mutator).notIn,
	"range":        (*mutator).bounds,
	"gt":           (*mutator).bounds,
	"enum":         (*mutator).enum,
	"format":       (*mutator).format,
	"deprecated":   (*mutator).deprecated,
	"removed":      (*mutator).removed,
	"at_most_one":  (*mutator).atMostOne,
	"at_least_one": (*mutator).atLeastOne,
	"any_of":       (*mutator).anyOf,
	"together":     (*mutator).together,
	"excludes":     (*mutator).excludes,
	"min_items":    (*mutator).minItems,
	"max_items":    (*mutator).maxItems,
	"max_len":      (*mutator).maxLen,
	"lte":          (*mutator).ordered,
	"iab1_codes":   (*mutator).iab1,
}

func (m *mutator) needed(c *spec.Check) {
	for _, name := range m.fields() {
		i := m.with(name)
		m.breaks(i, take(i, name))
		m.keeps(i)
		if f := m.field(name); c.Op == "required" && f.Type == "string" && !f.Array {
			m.breaks(i, m.set(i, name, ""))
		}
	}
}

// bounds tries values at the bounds of the check and just beyond.
func (m *mutator) bounds(c *spec.Check) {
	for _, name := range m.fields() {
		step := 1.0
		if m.field(name).Type == "float" {
			step = 0.25
		}
		var bad, good []any
		if c.Min != nil {
			bad, good = append(bad, *c.Min-step), append(good, *c.Min)
		}
		if c.Max != nil {
			bad, good = append(bad, *c.Max+step), append(good, *c.Max)
		}
		if c.Value != nil {
			bad, good = append(bad, *c.Value), append(good, *c.Value+step)
		}
		m.values(name, bad, good)
	}
}

func (m *mutator) in(c *spec.Check) {
	var good []any
	for _, v := range c.Values {
		good = append(good, v)
	}
	bad := []any{-1, slices.Max(c.Values) + 1}
	if c.MinCustom != nil {
		good = append(good, *c.MinCustom, *c.MinCustom+500)
	}
	m.values(c.Field, bad, good)
}

func (m *mutator) notIn(c *spec.Check) {
	for _, v := range c.Values {
		m.values(c.Field, []any{v}, []any{v + 2})
	}
}

func (m *mutator) enum(c *spec.Check) {
	list := listNamed(m.t, c.List)
	var bad, good []any
	for n := -1; n <= 1200; n++ {
		switch {
		case !inList(list, n):
			if len(bad) == 0 || n == 499 {
				bad = append(bad, n)
			}
		case n < 100 || n == 500 || n == 1000:
			good = append(good, n)
		}
	}
	m.values(c.Field, bad, good)
}

func (m *mutator) format(c *spec.Check) {
	v, ok := formatValues[c.Format]
	if !ok && c.Format != "epoch-milliseconds" {
		m.t.Fatalf("format %s needs values in formatValues", c.Format)
	}
	for _, name := range m.fields() {
		m.values(name, anys(v.bad), anys(v.good))
	}
}

func (m *mutator) deprecated(c *spec.Check) {
	i := m.all[0]
	m.breaks(i, m.set(i, c.Field, m.example(c.Field)))
	m.keeps(i)
}

func (m *mutator) removed(c *spec.Check) {
	for _, name := range c.Fields {
		i := m.all[0]
		m.breaks(i, m.set(i, name, m.example(name)))
		m.keeps(i, i.pointer+"/ext/"+name+" = 1")
	}
}

func (m *mutator) atMostOne(c *spec.Check) {
	for a := range c.Fields {
		for b := range a {
			i := m.with(c.Fields[a])
			alone := without(i, slices.DeleteFunc(slices.Clone(c.Fields), func(n string) bool { return n == c.Fields[a] })...)
			m.keeps(i, alone...)
			m.breaks(i, append(alone, m.set(i, c.Fields[a], m.example(c.Fields[a])), m.set(i, c.Fields[b], m.example(c.Fields[b])))...)
		}
	}
}

func (m *mutator) atLeastOne(c *spec.Check) {
	i := m.with(c.Fields...)
	m.breaks(i, without(i, c.Fields...)...)
	for _, name := range c.Fields {
		m.keeps(i, append(without(i, c.Fields...), m.set(i, name, m.example(name)))...)
	}
}

func (m *mutator) anyOf(c *spec.Check) {
	all := slices.Concat(c.Groups...)
	i := m.with(all...)
	m.breaks(i, without(i, all...)...)
	for _, group := range c.Groups {
		changes := without(i, all...)
		for _, name := range group {
			changes = append(changes, m.set(i, name, m.example(name)))
		}
		m.keeps(i, changes...)
	}
}

func (m *mutator) together(c *spec.Check) {
	groups := c.Groups
	if groups == nil {
		groups = [][]string{c.Fields}
	}
	for _, group := range groups {
		i := m.with(group...)
		for _, name := range group {
			m.breaks(i, take(i, name))
		}
		m.keeps(i, without(i, group...)...)
		m.keeps(i)
	}
}

func (m *mutator) excludes(c *spec.Check) {
	i := m.with(c.Field)
	for _, name := range c.With {
		m.breaks(i, m.set(i, name, m.example(name)))
	}
	m.keeps(i)
}

func (m *mutator) minItems(c *spec.Check) {
	i := m.with(c.Field)
	m.breaks(i, i.pointer+"/"+c.Field+" = []")
	m.keeps(i)
}

func (m *mutator) maxItems(c *spec.Check) {
	i := m.with(c.Field)
	v := m.example(c.Field)
	for range c.N {
		m.keeps(i, m.set(i, c.Field, v))
	}
	m.breaks(i, m.set(i, c.Field, v), fmt.Sprintf("%s/%s/- = %v", i.pointer, c.Field, v))
}

func (m *mutator) maxLen(c *spec.Check) {
	i := m.with(c.Field)
	long := make([]byte, c.N+1)
	for n := range long {
		long[n] = 'x'
	}
	m.breaks(i, m.set(i, c.Field, string(long)))
	m.keeps(i, m.set(i, c.Field, string(long[1:])))
}

func (m *mutator) ordered(c *spec.Check) {
	i := m.with(c.A, c.B)
	b := number64(m.t, i.value[c.B])
	m.breaks(i, m.set(i, c.A, b+1))
	m.keeps(i, m.set(i, c.A, b))
	m.keeps(i, take(i, c.A))
	m.keeps(i, take(i, c.B))
}

func (m *mutator) iab1(c *spec.Check) {
	for _, name := range c.Fields {
		if spec.OpenRTB().Object(m.rule.Object).Field(name) == nil {
			continue
		}
		i := m.with(name, "cattax")
		if i.value[name] == nil {
			i = m.with(name)
		}
		for _, bad := range []string{"IAB0", "IAB27", "IAB1-0", "IAB1-100", "IAB01", "iab1", "IAB", "IAB1-", "IAB-1", "223", "val1", ""} {
			m.breaks(i, m.set(i, name, bad))
			m.keeps(i, m.set(i, name, bad), m.set(i, "cattax", 6))
		}
		if i.value["cattax"] != nil {
			m.breaks(i, m.set(i, name, "223"), take(i, "cattax"))
		}
		for _, good := range []string{"IAB1", "IAB26", "IAB9-9", "IAB25-99"} {
			m.keeps(i, m.set(i, name, good))
		}
	}
}

func anys(list []string) (out []any) {
	for _, v := range list {
		out = append(out, v)
	}
	return out
}

func number64(t *testing.T, v any) int {
	t.Helper()
	n, err := strconv.Atoi(fmt.Sprint(v))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func listNamed(t *testing.T, name string) *spec.List {
	t.Helper()
	for _, l := range spec.Lists() {
		if l.Name == name {
			return l
		}
	}
	t.Fatalf("no list %q", name)
	return nil
}

// inList reports whether a list has a code: its values, its ranges, and in open lists the private
// codes.
func inList(l *spec.List, n int) bool {
	if slices.ContainsFunc(l.Values, func(v spec.ListValue) bool { return v.Value == n }) {
		return true
	}
	if slices.ContainsFunc(l.Ranges, func(r spec.ListRange) bool {
		return (r.Min == nil || n >= *r.Min) && (r.Max == nil || n <= *r.Max)
	}) {
		return true
	}
	return l.Open && n >= 500
}
