package strictyaml

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/cputime"
	"github.com/rtbwire/rtbwire/internal/setting"
)

// dump prints a tree with the places of its nodes.
func dump(n *setting.Node) string {
	var b strings.Builder
	var visit func(n *setting.Node)
	visit = func(n *setting.Node) {
		p := n.Problem("", "")
		fmt.Fprintf(&b, "%d:%d", p.Line, p.Column)
		switch n.Kind {
		case setting.Mapping:
			b.WriteByte('{')
			for i, m := range n.Members {
				if i > 0 {
					b.WriteByte(' ')
				}
				visit(m.Key)
				b.WriteByte('=')
				visit(m.Value)
			}
			b.WriteByte('}')
		case setting.Sequence:
			b.WriteByte('[')
			for i, item := range n.Items {
				if i > 0 {
					b.WriteByte(' ')
				}
				visit(item)
			}
			b.WriteByte(']')
		default:
			fmt.Fprintf(&b, "%s%q", []string{"p", "s", "d", "l", "f", "r"}[n.Style], n.Text)
		}
	}
	visit(n)
	return b.String()
}

var parseCases = []struct{ name, in, want string }{
	{"block", "a: 1\nb:\n  c: x y # comment\n  d:\n  - e\n  - f: g\n    h: i\n", `1:1{1:1p"a"=1:4p"1" 2:1p"b"=3:3{3:3p"c"=3:6p"x y" 4:3p"d"=5:3[5:5p"e" 6:5{6:5p"f"=6:8p"g" 7:5p"h"=7:8p"i"}]}}`},
	{"flow", `{a: [b, {c: d}], "e": 'f''g'}`, `1:1{1:2p"a"=1:5[1:6p"b" 1:9{1:10p"c"=1:13p"d"}] 1:18d"e"=1:23s"f'g"}`},
	{"characters", "ä: {ö: ü, 日本: \"\\u00e9\", x: y}", `1:1{1:1p"ä"=1:4{1:5p"ö"=1:8p"ü" 1:11p"日本"=1:15d"é" 1:25p"x"=1:28p"y"}}`},
	{"line ends", "a: 1\r\nb: 2\r\n", `1:1{1:1p"a"=1:4p"1" 2:1p"b"=2:4p"2"}`},
	{"after blocks", "a: |\n  x\n   y\n\nb: >-\n  x\n  y\nc: z\n", `1:1{1:1p"a"=1:4l"x\n y\n" 5:1p"b"=5:4f"x y" 8:1p"c"=8:4p"z"}`},
	{"over several lines", "a: x\n  y\nb: \"x\n  y\"\nc: 'x\n\n  y'\nd: z", `1:1{1:1p"a"=1:4p"x y" 3:1p"b"=3:4d"x y" 5:1p"c"=5:4s"x\ny" 8:1p"d"=8:4p"z"}`},
	{"empty values", "a:\nb: ~\nc: \"\"\nd: {}\ne: []", `1:1{1:1p"a"=1:3p"" 2:1p"b"=2:4p"~" 3:1p"c"=3:4d"" 4:1p"d"=4:4{} 5:1p"e"=5:4[]}`},
	{"aliases", "a: &x {b: c}\nd: *x\ne: [*x, &y 1, *y]", `1:1{1:1p"a"=1:7{1:8p"b"=1:11p"c"} 2:1p"d"=1:7{1:8p"b"=1:11p"c"} 3:1p"e"=3:4[1:7{1:8p"b"=1:11p"c"} 3:12p"1" 3:12p"1"]}`},
	{"CEL", "a: imp.exists(i, i.x < 0.1) && site.domain in lists.x || \"a\" == b\nb: x:y", `1:1{1:1p"a"=1:4p"imp.exists(i, i.x < 0.1) && site.domain in lists.x || \"a\" == b" 2:1p"b"=2:4p"x:y"}`},
	{"JSON", "{\n\t\"a\": [1, true, null, \"x\\/\\ud83d\\ude00\"],\n\t\"b\": {}\n}\n", `1:1{2:2d"a"=2:7[2:8p"1" 2:11p"true" 2:17p"null" 2:23d"x/😀"] 3:2d"b"=3:7{}}`},
	{"a document", "---\na: b\n...\n", `2:1{2:1p"a"=2:4p"b"}`},
	{"nothing", "# only this\n", `1:1p""`},
	{"a byte order mark", "\ufeffa: b", `1:1{1:1p"a"=1:4p"b"}`},
	{"a scalar", "hello\n", `1:1p"hello"`},
}

func TestParse(t *testing.T) {
	for _, c := range parseCases {
		n, problems := Parse("x.yaml", c.in)
		if len(problems) > 0 {
			t.Errorf("%s: %v", c.name, problems)
			continue
		}
		if got := dump(n); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
}

var refusedCases = []struct{ name, file, in, want string }{
	{"duplicate", "x.yaml", "a: 1\nb: 2\na: 3\n", "x.yaml:3:1: duplicate key \"a\" (first on line 1)\n  3 | a: 3\n    | ^"},
	{"duplicate in JSON", "x.yaml", `{"a": 1, "\u0061": 2}`, "x.yaml:1:10: duplicate key \"a\" (first on line 1)\n  1 | {\"a\": 1, \"\\u0061\": 2}\n    |          ^^^^^^^^"},
	{"tag", "x.yaml", "a: !!str 5", "x.yaml:1:4: tags (\"!!str\") are not read; write a string in quotes, and nothing before other values\n  1 | a: !!str 5\n    |    ^"},
	{"merge key", "x.yaml", "a: &x {b: c}\nd:\n  <<: *x", "x.yaml:3:3: merge keys (<<) are not read; an alias can be a whole value\n  3 |   <<: *x\n    |   ^"},
	{"complex key", "x.yaml", "? a\n: b", "x.yaml:1:1: complex keys (?) are not read\n  1 | ? a\n    | ^"},
	{"directive", "x.yaml", "%YAML 1.2\n---\na: b", "x.yaml:1:1: directives (%) are not read\n  1 | %YAML 1.2\n    | ^"},
	{"two documents", "x.yaml", "a: b\n---\nc: d", "x.yaml:2:1: a second YAML document begins here; put everything into one\n  2 | ---\n    | ^"},
	{"two anchors", "x.yaml", "a: &x &y b", "x.yaml:1:7: two anchors for one value\n  1 | a: &x &y b\n    |       ^"},
	{"no anchor", "x.yaml", "a: *b", "x.yaml:1:4: no anchor &b before this alias\n  1 | a: *b\n    |    ^^"},
	{"a pattern", "x.yaml", "a: *.b", "x.yaml:1:4: no anchor &.b before this alias; text that begins with * needs quotes\n  1 | a: *.b\n    |    ^^^"},
	{"itself", "x.yaml", "a: &x [*x]", "x.yaml:1:8: no anchor &x before this alias\n  1 | a: &x [*x]\n    |        ^^"},
	{"colon", "x.yaml", "a: b\nc: d: e", "x.yaml:2:4: not YAML: mapping value is not allowed in this context; text with \": \" or a special character at its beginning needs quotes\n  2 | c: d: e\n    |    ^"},
	{"tab", "x.yaml", "a:\n\tb: c", "x.yaml:2:1: not YAML: a tab can't begin a line; indent with spaces\n  2 |  b: c\n    | ^"},
	{"reserved", "x.yaml", "a: @b", "x.yaml:1:4: not YAML: '@' is a reserved character; quote the text\n  1 | a: @b\n    |    ^"},
	{"open quote", "x.yaml", "a: \"b", "x.yaml:1:4: not YAML: could not find end character of double-quoted text\n  1 | a: \"b\n    |    ^"},
	{"NUL", "x.yaml", "a: b\x00c", "x.yaml:1:5: control character U+0000\n  1 | a: b\\x00c\n    |     ^^^^"},
	{"escape sequence", "x.yaml", "a: \x1b[31m", "x.yaml:1:4: control character U+001B\n  1 | a: \\x1b[31m\n    |    ^^^^"},
	{"not UTF-8", "x.yaml", "a: \xff", "x.yaml:1:4: not UTF-8\n  1 | a: \\ufffd\n    |    ^^^^^^"},
	{"carriage return", "x.yaml", "a: b\rc", "x.yaml:1:5: a carriage return without a line feed\n  1 | a: b\\rc\n    |     ^^"},
	{"JSON syntax", "x.json", "{\"a\": 1,\n \"b\": x}", "x.json:2:7: not JSON: invalid character 'x' looking for beginning of value\n  2 |  \"b\": x}\n    |       ^"},
	{"JSON cut", "x.json", `{"a": [1`, "x.json:1:9: unexpected end of the JSON document\n  1 | {\"a\": [1\n    |         ^"},
	{"JSON twice", "x.json", `{"a": 1} {}`, "x.json:1:10: text after the end of the JSON document\n  1 | {\"a\": 1} {}\n    |          ^"},
	{"comma", "x.yaml", "a: {b: f(x, y, z), c: d}", "x.yaml:1:13: a key without a value; text with a comma needs quotes inside { }\n  1 | a: {b: f(x, y, z), c: d}\n    |             ^"},
	{"key is a mapping", "x.yaml", "a: &x {b: c}\n*x : d", "x.yaml:1:7: expected a key, found a mapping\n  1 | a: &x {b: c}\n    |       ^"},
}

func TestRefused(t *testing.T) {
	for _, c := range refusedCases {
		_, problems := Parse(c.file, c.in)
		if got := problems.Error(); got != c.want {
			t.Errorf("%s:\ngot\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// TestLimits checks each limit at its value and one beyond.
func TestLimits(t *testing.T) {
	deep := func(levels int) string { return strings.Repeat("[", levels) + strings.Repeat("]", levels) }
	for _, c := range []struct{ name, file, good, bad, want string }{
		{"size", "x.yaml", "#" + strings.Repeat("x", SizeMax-1), "#" + strings.Repeat("x", SizeMax), "larger than 1048576 bytes"},
		{"depth", "x.yaml", "a: " + deep(DepthMax-2), "a: " + deep(DepthMax), "deeper than 32 levels"},
		{"depth in JSON", "x.json", deep(DepthMax), deep(DepthMax + 1), "deeper than 32 levels"},
		{"depth of blocks", "x.yaml", strings.Repeat("- ", DepthMax-1) + "a", strings.Repeat("- ", 100_000) + "a", "deeper than 32 levels"},
		{"depth on one line", "x.yaml", "a: b", strings.Repeat("a: ", 100_000), "deeper than 32 levels"},
		{"nodes", "x.yaml", strings.Repeat("- a\n", NodesMax-1), strings.Repeat("- a\n", NodesMax+1), "more than 50000 values"},
		{"nodes in JSON", "x.json", "[" + strings.Repeat("1,", NodesMax-2) + "1]", "[" + strings.Repeat("1,", NodesMax) + "1]", "more than 50000 values"},
		{"aliases", "x.yaml", "a: &x [1]\nb: *x", laughs(8, 10), "those that an alias repeats"},
		{"depth of aliases", "x.yaml", "a: &x [1]\nb: [*x]", "a: &x " + deep(DepthMax-2) + "\nb: [[[*x]]]", "deeper than 32 levels"},
	} {

		if _, problems := Parse(c.file, c.good); len(problems) > 0 {
			t.Errorf("%s: %v", c.name, problems)
		}
		if _, problems := Parse(c.file, c.bad); len(problems) != 1 || !strings.Contains(problems[0].Message, c.want) {
			t.Errorf("%s: got %v, want one about %q", c.name, problems, c.want)
		}
	}
}

// laughs is a text whose aliases multiply: "a billion laughs".
func laughs(levels, each int) string {
	var b strings.Builder
	b.WriteString("a0: &a0 ha\n")
	for i := range levels {
		fmt.Fprintf(&b, "a%d: &a%d [%s*a%d]\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*a%d, ", i), each-1), i)
	}
	return b.String()
}

func TestProblemsMax(t *testing.T) {
	text := "a: b\n" + strings.Repeat("a: c\n", setting.ProblemsMax+10)
	_, problems := Parse("x.yaml", text)
	if len(problems) != setting.ProblemsMax {
		t.Errorf("%d problems, want %d", len(problems), setting.ProblemsMax)
	}
	printed := problems.Error()
	if want := fmt.Sprintf("and %d more", setting.ProblemsMax-setting.ProblemsPrintedMax); !strings.HasSuffix(printed, want) || strings.Count(printed, "duplicate") != setting.ProblemsPrintedMax {
		t.Errorf("printed %d problems, and at the end %q", strings.Count(printed, "duplicate"), printed[len(printed)-20:])
	}
	if problems.Err() == nil || setting.Problems(nil).Err() != nil {
		t.Error("Err does not tell problems from none")
	}
	var r setting.Reader
	for i := range setting.ProblemsMax + 10 {
		r.Report(setting.Problem{File: "x", Offset: i})
	}
	if len(r.Problems()) != setting.ProblemsMax {
		t.Errorf("a reader keeps %d problems, want %d", len(r.Problems()), setting.ProblemsMax)
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.yaml")
	if err := os.WriteFile(name, []byte("a: b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if n, problems := Load(name); len(problems) > 0 || n.Get("a").Text != "b" || n.Get("c") != nil {
		t.Errorf("got %v, %v", n, problems)
	}
	missing := filepath.Join(dir, "none.yaml")
	_, problems := Load(missing)
	if want := missing + ": cannot read the file: no such file or directory"; problems.Error() != want {
		t.Errorf("got %q, want %q", problems.Error(), want)
	}
	if _, problems := Load(dir); len(problems) != 1 || problems[0].Line != 0 {
		t.Errorf("a folder: %v", problems)
	}
	if p := unreadable("x", errors.New("broken")); p.String() != "x: cannot read the file: broken" {
		t.Error(p)
	}
}

// TestExcerpts checks that long lines are cut around the place, and carets are below it.
func TestExcerpts(t *testing.T) {
	long := strings.Repeat("äb", 200)
	s := setting.NewSource("x", "first\n"+long+"XYZ"+long+"\n")
	for _, c := range []struct{ offset, length int }{
		{6, 1}, {6, 1000}, {strings.Index(s.Text, "XYZ"), 3}, {strings.Index(s.Text, "XYZ"), 500}, {len(s.Text), 5}, {-1, 0}, {len(s.Text) + 10, 1},
	} {
		p := s.Problem(c.offset, c.length, "", "here")
		lines := strings.Split(p.Excerpt, "\n")
		if len(lines) != 2 {
			t.Fatalf("%q", p.Excerpt)
		}
		text, carets := []rune(lines[0]), []rune(lines[1])
		if len(text) > setting.ExcerptMax+20 || len(carets) > max(len(text), 7) {
			t.Errorf("%v: widths %d and %d", c, len(text), len(carets))
		}
		if c.length == 3 {
			if from, to := strings.IndexRune(string(carets), '^'), len(carets); string(text[from:to]) != "XYZ" {
				t.Errorf("carets are under %q", string(text[from:to]))
			}
		}
	}
	if got := setting.Quote(strings.Repeat("x", 100)); len(got) != setting.QuoteMax+5 {
		t.Errorf("a word is quoted as %s", got)
	}
}

// TestManyRefusals: the place of a problem takes time to find, so only those that are kept have
// one.
func TestManyRefusals(t *testing.T) {
	const limit = 10 * time.Second // of CPU time; it took minutes
	for _, repeated := range []string{"? ", "!t ", "- !t a\n", "%X\n", "<<: 1\n"} {
		text := strings.Repeat(repeated, 200_000/len(repeated))
		var problems setting.Problems
		if took := cputime.Of(func() { _, problems = Parse("x.yaml", text) }); took > limit {
			t.Errorf("%q again and again: %v", repeated, took)
		}
		if len(problems) == 0 || len(problems) > setting.ProblemsMax {
			t.Errorf("%q again and again: %d problems", repeated, len(problems))
		}
	}
}
