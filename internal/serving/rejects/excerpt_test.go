package rejects

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// at returns a document without the caret in it, and where that was.
func at(t testing.TB, text string) ([]byte, int) {
	t.Helper()
	before, after, ok := strings.Cut(text, "^")
	if !ok {
		t.Fatalf("%s has no place", text)
	}
	return []byte(before + after), len(before)
}

var excerptCases = []struct {
	name     string
	text     string // with ^ before the place
	redacted string // with the mark in brackets
	full     string
}{
	{"a value", `{"id":"secret","w":^-640,"pos":true}`, `{"id":"…","w":[-###],"pos":true}`, `{"id":"secret","w":[-640],"pos":true}`},
	{"a string", `{"id":^"secret"}`, `{"id":["…"]}`, `{"id":["secret"]}`},
	{"inside a string", `{"id":"sec^ret"}`, `{"id":["…"]}`, `{"id":["secret"]}`},
	{"a name", `{^"id":1,"id" : 2}`, `{["id"]:#,"id" : #}`, `{["id"]:1,"id" : 2}`},
	{"an unknown name", `{^"a@b.example":1}`, `{["…"]:#}`, `{["a@b.example"]:1}`},
	{"a name that is an identifier", `{^"38400000-8cf0-11bd-b23e-10b96e40000d":1}`, `{["…"]:#}`, `{["38400000-8cf0-11bd-b23e-10b96e40000d"]:1}`},
	{"a value before a colon", `{"id":"1","device":{"ifa":^"jsmith":1}`, `{"id":"…","device":{"ifa":["…"]:#}`, `{"id":"1","device":{"ifa":["jsmith"]:1}`},
	{"an element before a colon", `{"id":["b",^"jsmith":1],"c" , "w":2}`, `{"id":["…",["…"]:#],"…" , "w":#}`, `{"id":["b",["jsmith"]:1],"c" , "w":2}`},
	{"a comma for a colon", `{"ifa","jsmith":^1}`, `{"…","…":[#]}`, `{"ifa","jsmith":[1]}`},
	{"names of others", `{^"jsmith":1,"ext":{"jdoe":2}}`, `{["…"]:#,"ext":{"…":#}}`, `{["jsmith"]:1,"ext":{"jdoe":2}}`},
	{"a name that is an address", `{^"203.0.113.77":1,"4711":2,"a.b":3,"ua":4}`, `{["…"]:#,"…":#,"…":#,"ua":#}`, `{["203.0.113.77"]:1,"4711":2,"a.b":3,"ua":4}`},
	{"an object", `{"imp":[^{"id":"1"}]}`, `{"imp":[[{]"id":"…"}]}`, `{"imp":[[{]"id":"1"}]}`},
	{"the end", `{"id":1^`, `{"id":#[]`, `{"id":1[]`},
	{"an escaped quote", `{"id":"x\"y\\","ip":^1}`, `{"id":"…","ip":[#]}`, `{"id":"x\"y\\","ip":[1]}`},
	{"a string without an end", `{"id":^"secret`, `{"id":["…"]`, `{"id":["secret]`},
	{"words", `{"id":^nil,"ip":secret}`, `{"id":[…],"ip":…}`, `{"id":[nil],"ip":secret}`},
	{"quotes that are shifted", `{"id":"b"c^","email":"x@y.example"}`, `{"id":"…"…["…"]………………"…"…`, `{"id":"b"c[","]email":"x@y.example"}`},
	{"white space", "{\n\t\"w\" :  ^1 }", `{ "w" : [#] }`, `{ "w" : [1] }`},
	{"marks that turn text", "{\"id\":^\"\u202eabc\u200f\x00\xff\U000e0001\"}", `{"id":["…"]}`, `{"id":["\u202eabc\u200f\u0000\xff\U000e0001"]}`},
	{"markup", `{"<img src=x onerror=alert(1)>":^"</script>"}`, `{"…":["…"]}`, `{"<img src=x onerror=alert(1)>":["</script>"]}`},
	{"nothing", `^`, `[]`, `[]`},
}

func TestExcerpt(t *testing.T) {
	t.Parallel()
	for _, tt := range excerptCases {
		body, offset := at(t, tt.text)
		for _, full := range []bool{false, true} {
			e := ExcerptOf(body, offset, full)
			got, want := e.Before+"["+e.Mark+"]"+e.After, tt.redacted
			if full {
				want = tt.full
			}
			if tt.name == "quotes that are shifted" { // what is shown of it matters less than what is not
				if !full && strings.ContainsAny(got, "xy@") || !strings.Contains(got, "[") {
					t.Errorf("%s: %s", tt.name, got)
				}
				continue
			}
			if got != want {
				t.Errorf("%s, full %v:\ngot  %s\nwant %s", tt.name, full, got, want)
			}
		}
	}
}

// TestExcerptIsShort marks a place far inside a long document of long parts.
func TestExcerptIsShort(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 10_000)
	body := []byte(`{"` + long + `":"` + long + `","w":"` + long + `","h":"` + long + `","` + long + `":[` + strings.Repeat("1,", 10_000) + `1]}`)
	offset := strings.Index(string(body), `"w"`) + len(`"w":`)
	for _, full := range []bool{false, true} {
		e := ExcerptOf(body, offset, full)
		if n := utf8.RuneCountInString(e.Before); n > excerptBefore+1 {
			t.Errorf("full %v: %d characters before", full, n)
		}
		if n := utf8.RuneCountInString(e.Mark); n > excerptMark+1 {
			t.Errorf("full %v: %d characters marked", full, n)
		}
		if n := utf8.RuneCountInString(e.After); n > excerptAfter+1 {
			t.Errorf("full %v: %d characters after", full, n)
		}
		if full != strings.Contains(e.Mark, "xxx") {
			t.Errorf("full %v: %+v", full, e)
		}
	}
}

func TestPath(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ path, redacted, full string }{
		{"", "", ""},
		{"/imp/0/banner/w", "/imp/0/banner/w", "/imp/0/banner/w"},
		{"/ext/a@b.example/x", "/ext/…/…", "/ext/a@b.example/x"},
		{"/ext/<img src=x onerror=alert(1)>", "/ext/…", "/ext/<img src=x onerror=alert(1)>"},
		{"/ext/\u202e", "/ext/…", `/ext/\u202e`},
		{"/ext/203.0.113.77/49301234567/jsmith.1980/12ab", "/ext/…/…/…/…", "/ext/203.0.113.77/49301234567/jsmith.1980/12ab"},
		{"/ext/~1", "/ext/…", "/ext/~1"},
		{"/" + strings.Repeat("x", 1000), "/…", "/" + strings.Repeat("x", pathMax-1) + "…"},
		{strings.Repeat("/w", 1000), strings.Repeat("/w", pathMax/2-1) + "/…", strings.Repeat("/w", pathMax/2) + "…"},
	} {
		if got := pathOf(tt.path, false); got != tt.redacted {
			t.Errorf("%.40s redacted: %s, want %s", tt.path, got, tt.redacted)
		}
		if got := pathOf(tt.path, true); got != tt.full {
			t.Errorf("%.40s full: %s, want %s", tt.path, got, tt.full)
		}
	}
}

// FuzzExcerpt holds what must be true of any document: excerpts are short and printable, and a
// redacted mark has nothing of a value. Any part of a document can be the mark, so the same is true
// of what is around it.
func FuzzExcerpt(f *testing.F) {
	for _, tt := range excerptCases {
		body, offset := at(f, tt.text)
		f.Add(body, offset)
	}
	f.Fuzz(func(t *testing.T, body []byte, offset int) {
		if offset < 0 || offset > len(body) {
			return
		}
		for _, full := range []bool{false, true} {
			e := ExcerptOf(body, offset, full)
			for _, part := range []string{e.Before, e.Mark, e.After} {
				if !utf8.ValidString(part) || strings.ContainsFunc(part, func(r rune) bool { return !unicode.IsPrint(r) }) {
					t.Errorf("%q is not printable", part)
				}
				if n := utf8.RuneCountInString(part); n > 11*excerptMark { // an escaped character is longer
					t.Errorf("%d characters", n)
				}
			}
			if !full && !redacted.MatchString(e.Mark) {
				t.Errorf("the mark is %q", e.Mark)
			}
		}
	})
}

// redacted matches all that may be shown: names, words of JSON, masked numbers, and punctuation.
var redacted = regexp.MustCompile(`^("([A-Za-z][A-Za-z0-9_-]{0,23}|…)"|true|false|null|[-+.eE#]+|[{}\[\]:, ]|…|)$`)

// TestRedacted wants no value of real requests in redacted excerpts, wherever they are.
func TestRedacted(t *testing.T) {
	t.Parallel()
	body := []byte(`{"id":"80ce30c53c16e6ede735f123ef6e32361bfc7b22","at":1,"cur":["USD"],"imp":[{"id":"1","bidfloor":0.03,"banner":{"h":250,"w":300,"pos":0}}],` +
		`"site":{"id":"102855","cat":["IAB3-1"],"domain":"www.foobar.com","page":"http://www.foobar.com/1234.html","publisher":{"id":"8953","name":"foobar.com"}},` +
		`"device":{"ua":"Mozilla/5.0 (Macintosh)","ip":"123.145.167.10","geo":{"lat":48.8566,"lon":2.3522}},"user":{"id":"55816b39711f9b5acf3b90e313ed29e51665623f","yob":1984}}`)
	values := regexp.MustCompile(`:("[^"]*"|-?[0-9.]+)`).FindAllStringSubmatch(string(body), -1)
	if len(values) < 15 {
		t.Fatalf("%d values", len(values))
	}
	for offset := range body {
		e := ExcerptOf(body, offset, false)
		shown := e.Before + e.Mark + e.After
		for _, v := range values {
			if value := strings.Trim(v[1], `"`); strings.Contains(shown, value) {
				t.Fatalf("%s at %d: %s", value, offset, shown)
			}
		}
	}
}
