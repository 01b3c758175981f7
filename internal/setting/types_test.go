package setting_test

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/setting"
	"github.com/rtbwire/rtbwire/internal/strictyaml"
)

// read reads the value of a text with a type. It returns the value, or the first problem.
func read[T any](t *testing.T, typ setting.Type[T], text string) string {
	t.Helper()
	root, problems := strictyaml.Parse("x.yaml", "k: "+text)
	if len(problems) > 0 {
		t.Fatalf("%s: %v", text, problems)
	}
	var r setting.Reader
	v, ok := typ.Read(&r, root.Get("k"))
	if ok != (len(r.Problems()) == 0) {
		t.Errorf("%s: ok is %v with %v", text, ok, r.Problems())
	}
	if ok {
		return fmt.Sprintf("%v", v)
	}
	return strings.TrimPrefix(r.Problems()[0].Summary(), "x.yaml:1:4: ")
}

// TestTypes reads right and wrong values with every type. The surprises of YAML 1.1 are among them.
func TestTypes(t *testing.T) {
	word := setting.WordWith("a level", []string{"off", "warn", "204"}, []string{"warning"}, strings.ToUpper)
	for _, c := range []struct{ typ, in, want string }{
		{"bool", "true", "true"},
		{"bool", "false", "false"},
		{"bool", "True", `expected true or false, found True (did you mean "true"?)`},
		{"bool", "no", `expected true or false, found "no" (did you mean "false"?)`},
		{"bool", "on", `expected true or false, found "on" (did you mean "true"?)`},
		{"bool", `"true"`, `expected true or false, found "true" (did you mean "true"?)`},
		{"bool", "maybe", `expected true or false, found "maybe"`},
		{"bool", "1", `expected true or false, found the number 1 (did you mean "true"?)`},
		{"bool", "[]", "expected true or false, found a sequence"},

		{"text", "no", "no"},
		{"text", "off", "off"},
		{"text", "1:20", "1:20"},
		{"text", "2001-01-01", "2001-01-01"},
		{"text", "1_000", "1_000"},
		{"text", "0b1", "0b1"},
		{"text", `"5"`, "5"},
		{"text", "'null'", "null"},
		{"text", "5", `expected a text, found the number 5 (did you mean "5"?)`},
		{"text", "0o17", `expected a text, found the number 0o17 (did you mean "0o17"?)`},
		{"text", "1e3", `expected a text, found the number 1e3 (did you mean "1e3"?)`},
		{"text", ".inf", `expected a text, found the number .inf (did you mean ".inf"?)`},
		{"text", "true", `expected a text, found true (did you mean "true"?)`},
		{"text", "null", "expected a text, found null"},
		{"text", "~", "expected a text, found null"},
		{"text", "", "expected a text, found nothing"},
		{"text", `""`, `"" is not a text: it is empty`},
		{"text", "12345678901", `expected a text, found the number 12345678901 (did you mean "12345678901"?)`},
		{"text", "more than ten", `"more than ten" is not a text: it has more than 10 bytes`},
		{"text", "{a: b}", "expected a text, found a mapping"},
		{"text", "{a: [b:c]}", "expected a text, found a mapping"},

		{"form", "ab", "ab"},
		{"form", "A B", `"A B" is not a word (did you mean "ab"?)`},
		{"form", "7", `expected a word, found the number 7 (did you mean "7"?)`},
		{"form", "a-b", `"a-b" is not a word`},

		{"int", "5", "5"},
		{"int", "-5", "-5"},
		{"int", "0", "0"},
		{"int", "007", `"007" is not a number: write a decimal integer (did you mean "7"?)`},
		{"int", "+7", `"+7" is not a number: write a decimal integer (did you mean "7"?)`},
		{"int", "0x1F", `"0x1F" is not a number: write a decimal integer`},
		{"int", "0o17", `"0o17" is not a number: write a decimal integer`},
		{"int", "1_000", `expected a number, found "1_000" (did you mean "1000"?)`},
		{"int", "1.5", `"1.5" is not a number: write a decimal integer`},
		{"int", `"5"`, `expected a number, found "5" (did you mean "5"?)`},
		{"int", "many", `expected a number, found "many"`},
		{"int", "true", "expected a number, found true"},
		{"int", "{}", "expected a number, found a mapping"},
		{"int", "1001", "expected a number from -10 to 1000, found 1001"},
		{"int", "99999999999999999999", "expected a number from -10 to 1000, found 99999999999999999999"},
		{"atleast", "0", "expected a number of at least 1, found 0"},

		{"positive", "1.5", "1.5"},
		{"positive", "1e-3", "0.001"},
		{"positive", "7", "7"},
		{"positive", "0", `"0" is not a rate: expected a number greater than 0`},
		{"positive", ".nan", `".nan" is not a rate: expected a number greater than 0`},
		{"positive", ".inf", `".inf" is not a rate: expected a number greater than 0`},
		{"positive", "0x10", `"0x10" is not a rate: expected a number greater than 0`},
		{"positive", `"1.5"`, `expected a rate, found "1.5" (did you mean "1.5"?)`},
		{"positive", "x", `expected a rate, found "x"`},

		{"share", "5%", "0.05"},
		{"share", "12.5%", "0.125"},
		{"share", `"100%"`, "1"},
		{"share", "0%", `"0%" is not a share: expected more than 0%, at most 100%`},
		{"share", "101%", `"101%" is not a share: expected more than 0%, at most 100%`},
		{"share", "5", `"5" is not a share (did you mean "5%"?)`},
		{"share", "1", `"1" is not a share (did you mean "1%"?)`},
		{"share", "0.25", `"0.25" is not a share (did you mean "25%"?)`},
		{"share", "5 %", `"5 %" is not a share (did you mean "5%"?)`},
		{"share", "500", `"500" is not a share`},
		{"share", "-5%", `"-5%" is not a share`},
		{"share", "half", `"half" is not a share`},
		{"share", "true", "expected a share, found true"},

		{"duration", "1.5s", "1.5s"},
		{"duration", "1m30s", "1m30s"},
		{"duration", "10", `"10" is not a time: write a number and a unit (ms, s, m or h) (did you mean "10ms"?)`},
		{"duration", "0", `"0" is not a time: write a number and a unit (ms, s, m or h) (did you mean "0ms"?)`},
		{"duration", "1d", `"1d" is not a time: write a number and a unit (ms, s, m or h)`},
		{"duration", "1ns", `expected a time from 1ms to 1h0m0s, found "1ns"`},
		{"duration", "2h", `expected a time from 1ms to 1h0m0s, found "2h"`},
		{"duration", "false", "expected a time, found false"},

		{"prefix", "10.0.0.0/8", "10.0.0.0/8"},
		{"prefix", "2001:db8::/32", "2001:db8::/32"},
		{"prefix", "192.0.2.1", "192.0.2.1/32"},
		{"prefix", `"::ffff:192.0.2.1"`, "192.0.2.1/32"},
		{"prefix", "10.0.0.1/8", `"10.0.0.1/8" is not a range: bits after the first 8 are set (did you mean "10.0.0.0/8"?)`},
		{"prefix", "10.0.0.0/33", `"10.0.0.0/33" is not a range: write an address and a length`},
		{"prefix", "10.0.0", `"10.0.0" is not a range: write an address, or an address and a length`},
		{"prefix", "fe80::1%eth0", `"fe80::1%eth0" is not a range: write an address, or an address and a length`},

		{"regexp", "a.*b", "a.*b"},
		{"regexp", `"a("`, `"a(" is not a pattern: missing closing ): ` + "`a(`"},

		{"word", "off", "OFF"},
		{"word", "204", "204"},
		{"word", "warning", "WARNING"},
		{"word", "wran", `expected a level (off, warn or 204), found "wran" (did you mean "warn"?)`},
		{"word", "205", `expected a level (off, warn or 204), found the number 205`},
		{"word", "[]", `expected a level (off, warn or 204), found a sequence`},

		{"list", "[a, b]", "[a b]"},
		{"list", "[]", "[]"},
		{"list", "a", `expected a sequence, found "a" (did you mean "[a]"?)`},
		{"list", "{}", "expected a sequence, found a mapping"},
		{"list", "", "expected a sequence, found nothing"},
		{"map", "x", `expected a mapping, found "x"`},
		{"either", "x", "[x]"},
		{"either", "[x, y]", "[x y]"},
		{"either", "{}", "expected a sequence or a text, found a mapping"},
		{"either", "5", `expected a text, found the number 5 (did you mean "5"?)`},
	} {
		text := setting.Text("a text", 10)
		var got string
		switch c.typ {
		case "bool":
			got = read(t, setting.Bool(), c.in)
		case "text":
			got = read(t, text, c.in)
		case "form":
			got = read(t, setting.Form("a word", "[a-z]+", func(s string) string {
				return strings.ToLower(strings.ReplaceAll(s, " ", ""))
			}), c.in)
		case "int":
			got = read(t, setting.Int("a number", -10, 1000), c.in)
		case "atleast":
			got = read(t, setting.Int("a number", 1, math.MaxInt), c.in)
		case "positive":
			got = read(t, setting.PositiveNumber("a rate"), c.in)
		case "share":
			got = read(t, setting.Share("a share"), c.in)
		case "duration":
			got = read(t, setting.Duration("a time", time.Millisecond, time.Hour), c.in)
		case "prefix":
			got = read(t, setting.Prefix("a range"), c.in)
		case "regexp":
			got = read(t, setting.Regexp("a pattern"), c.in)
		case "word":
			got = read(t, word, c.in)
		case "list":
			got = read(t, setting.ListOf(text), c.in)
		case "map":
			got = read(t, setting.MapOf(text, text), c.in)
		case "either":
			got = read(t, setting.Either(setting.ListOf(text), setting.Convert(text, func(s string) []string { return []string{s} })), c.in)
		}
		if got != c.want {
			t.Errorf("%s %s:\ngot  %s\nwant %s", c.typ, c.in, got, c.want)
		}
	}
}

// thing is what TestObject decodes to.
type thing struct {
	Name  string
	On    bool
	Parts []setting.Entry[int]
	Line  int
}

func thingType() setting.Type[thing] {
	return setting.Placed((&setting.Object[thing]{
		Name: "thing", Doc: "A thing.",
		Fields: []setting.Field[thing]{
			setting.F("name", setting.Text("a name", 20), func(t *thing) *string { return &t.Name }, "The name.").Required().Example("name: x"),
			setting.F("on", setting.Bool(), func(t *thing) *bool { return &t.On }, "Whether it is on.").Default("true"),
			setting.F("parts", setting.MapOf(setting.Text("a part", 5), setting.Int("a number", 0, 9)), func(t *thing) *[]setting.Entry[int] { return &t.Parts }, "Its parts."),
		},
		Check: func(r *setting.Reader, n *setting.Node, t *thing) {
			if t.Name == "bad" {
				r.Report(n.Problem("", "a bad thing"))
			}
		},
	}).Type(), func(t *thing, n *setting.Node) { t.Line = n.Problem("", "").Line })
}

func TestObject(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"{name: x}", "{x true [] 1}"},
		{"{name: x, on: false, parts: {b: 1, a: 2}}", "{x false [b=1 a=2] 1}"},
		{"{name: x, parts: {5: 1}}", "{x true [5=1] 1}"}, // keys are text
		{"{nme: x}", `1:5: unknown key "nme" (did you mean "name"?)`},
		{"{on: true}", `1:4: missing required key "name"`},
		{"{name: x, colour: red}", `1:14: unknown key "colour" (want name, on or parts)`},
		{"{name: x, parts: {toolong: 1, b: x}}", `1:22: "toolong" is not a part: it has more than 5 bytes; 1:37: expected a number, found "x"`},
		{"{name: bad}", "1:4: a bad thing"},
		{"[]", "1:4: expected a mapping with name, on and parts, found a sequence"},
	} {
		root, problems := strictyaml.Parse("x.yaml", "k: "+c.in)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		var r setting.Reader
		v, _ := thingType().Read(&r, root.Get("k"))
		var parts, list []string
		for _, p := range v.Parts {
			parts = append(parts, fmt.Sprintf("%s=%d", p.Name, p.Value))
		}
		got := fmt.Sprintf("{%s %v %v %d}", v.Name, v.On, parts, v.Line)
		for _, p := range r.Problems() {
			list = append(list, strings.TrimPrefix(p.Summary(), "x.yaml:"))
		}
		if len(list) > 0 {
			got = strings.Join(list, "; ")
		}
		if got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.in, got, c.want)
		}
	}
	shape := thingType().Shape
	if shape.Object != "thing" || len(shape.Keys) != 3 || !shape.Keys[0].Required || shape.Keys[1].Default != "true" || shape.Keys[0].Example != "name: x" {
		t.Errorf("the shape is %+v", shape)
	}
}

func TestRaw(t *testing.T) {
	var r setting.Reader
	if v, ok := setting.Int("a number", 0, 9).Read(&r, setting.NewScalar("V", "5")); !ok || v != 5 {
		t.Error(r.Problems())
	}
	if v, ok := setting.Text("a text", 9).Read(&r, setting.NewScalar("V", "5")); !ok || v != "5" {
		t.Error(r.Problems())
	}
	if _, ok := setting.Int("a number", 0, 9).Read(&r, setting.NewScalar("V", "x")); ok || r.Problems()[0].Summary() != `V:1:1: "x" is not a number: write a decimal integer` {
		t.Error(r.Problems())
	}
}

func TestJSON(t *testing.T) {
	for in, want := range map[string]any{
		"{a: [x, 'y']}": map[string]any{"a": []any{"x", "y"}},
		"true":          true,
		"x":             "x",
		"null":          nil,
		"[1, ~]":        nil,
		"{a: ~}":        nil,
		"0x1F":          nil,
		"True":          nil,
		".inf":          nil,
	} {
		root, problems := strictyaml.Parse("x.yaml", "k: "+in)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		if got, ok := root.Get("k").JSON(); ok != (want != nil) || ok && !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, %v", in, got, ok)
		}
	}
}
