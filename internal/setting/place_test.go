package setting_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/setting"
	"github.com/rtbwire/rtbwire/internal/strictyaml"
)

// condition has something of all that conditions have: quotes, brackets, escapes, a comment sign
// without a space, characters of several bytes. The place of "é" is looked for.
const condition = `site.domain == "x#y" && (app.name == 'é\\' || imp[0].id != "\t")`

// TestProblemAt finds the place of a part of a scalar in every style.
func TestProblemAt(t *testing.T) {
	double := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(condition)
	single := strings.ReplaceAll(condition, "'", "''")
	half := strings.Index(condition, "(app")
	for _, c := range []struct {
		name, in, text string
		line, column   int
	}{
		{"plain", "a: " + condition, condition, 1, 4 + strings.Index(condition, "é")},
		{"plain in a sequence of a mapping", "a:\n  - b: " + condition, condition, 2, 8 + strings.Index(condition, "é")},
		{"plain on two lines", "a: " + condition[:half-1] + "\n   " + condition[half:], condition, 2, 4 + strings.Index(condition, "é") - half},
		{"plain on lines with comments after", "a: x\n  é # comment", "x é", 2, 3},
		{"single", "a: '" + single + "'", condition, 1, 5 + strings.Index(single, "é")},
		{"single in a flow", "{a: '" + single + "', b: c}", condition, 1, 6 + strings.Index(single, "é")},
		{"double", `a: "` + double + `"`, condition, 1, 5 + strings.Index(double, "é")},
		{"double with escapes before", `a: "\x41\u00e4\U0001F600\n\/é"`, "Aä😀\n/é", 1, 29},
		{"double on lines", "a: \"x\n\n   y \\\n   z é\"", "x\ny z é", 4, 6},
		{"JSON", `{"a": "\ud83d\ude00 é"}`, "😀 é", 1, 21},
		{"literal", "a: |\n  x\n    y é\n", "x\n  y é\n", 3, 7},
		{"literal, stripped, CRLF", "a: |-\r\n  x\r\n\r\n  é\r\n", "x\n\né", 4, 3},
		{"folded", "a: >\n  x\n  y é\n", "x y é\n", 3, 5},
		{"folded with paragraphs", "a: >-\n  x\n\n  y\n    z\n  é\n", "x\ny\n  z\né", 6, 3},
		{"folded, kept", "a: >+\n  x é\n\n\nb: c", "x é\n\n\n", 2, 5},
		{"raw", "", "é", 1, 1},
	} {
		n := setting.NewScalar("x", "é")
		if c.in != "" {
			root, problems := strictyaml.Parse("x.yaml", c.in)
			if len(problems) > 0 {
				t.Errorf("%s: %v", c.name, problems)
				continue
			}
			n = root.Get("a")
			if n.Kind == setting.Sequence {
				n = n.Items[0].Get("b")
			}
		}
		if n.Text != c.text {
			t.Errorf("%s: the text is %q, want %q", c.name, n.Text, c.text)
			continue
		}
		p := n.ProblemAt(strings.Index(n.Text, "é"), len("é"), "", "here")
		if p.Line != c.line || p.Column != c.column {
			t.Errorf("%s: at %d:%d, want %d:%d\n%s", c.name, p.Line, p.Column, c.line, c.column, p.Excerpt)
		}
		// Every place points to the same byte, where the text is as it is in the file.
		places := setting.Places(n)
		if len(places) != len(n.Text)+1 {
			t.Errorf("%s: %d places for %d bytes", c.name, len(places), len(n.Text))
			continue
		}
		for i := range n.Text {
			if places[i] == len(n.Source.Text) { // a line end that is not in the text
				continue
			}
			if b := n.Source.Text[places[i]]; b != n.Text[i] && strings.IndexByte("\\\r\n '", b) < 0 {
				t.Errorf("%s: byte %d, %q, is placed at %q", c.name, i, n.Text[i], b)
			}
		}
		end := n.ProblemAt(len(n.Text), 1, "", "end")
		if end.Line < p.Line {
			t.Errorf("%s: the end is on line %d", c.name, end.Line)
		}
	}
}

// TestProblemAtFallsBack checks that an unknown place falls back to the scalar.
func TestProblemAtFallsBack(t *testing.T) {
	root, problems := strictyaml.Parse("x.yaml", "a: |2\n    x\nb: y")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	n := root.Get("a") // an explicit indentation is not followed
	if n.Text != "  x\n" {
		t.Fatalf("the text is %q", n.Text)
	}
	if p := n.ProblemAt(2, 1, "", "here"); p.Line != 1 || p.Column != 4 {
		t.Errorf("at %d:%d", p.Line, p.Column)
	}
	for _, offset := range []int{-1, 5, 1 << 30} {
		if p := root.Get("b").ProblemAt(offset, 1, "", "here"); p.Line != 3 || p.Column != 4 {
			t.Errorf("offset %d: at %d:%d", offset, p.Line, p.Column)
		}
	}
	if p := root.ProblemAt(0, 1, "", "here"); p.Line != 1 || p.Column != 1 {
		t.Errorf("a mapping: at %d:%d", p.Line, p.Column)
	}
	// Texts that are not what the parser found: no places, and no panic.
	for _, in := range []string{`"`, `"\`, `"\q"`, `"\u12"`, `"\ud800\u00"`, `'x`, "|", "|\n", ">\n x", `"x" `} {
		for style := setting.Plain; style <= setting.Folded; style++ {
			n := &setting.Node{Style: style, Text: "something else", Source: setting.NewSource("x", in)}
			if places := setting.Places(n); places != nil {
				t.Errorf("%q in style %d has places %v", in, style, places)
			}
			setting.Length(n)
		}
	}
	n = &setting.Node{Text: "x", Source: setting.NewSource("x", ""), Offset: 1}
	if setting.Places(n) != nil || setting.Length(n) != 1 {
		t.Error("a node after the end of its text has a place")
	}
}

// TestManyScalars writes a text in every style at every indentation and reads it back with places.
func TestManyScalars(t *testing.T) {
	texts := []string{"a", "a b", "a\nb", "a\n\nb", "a \"b\" 'c'", "ä\n ö\nü", "a\\b", "x: y", "x #y", "- a", "5", "true", "", "a\tb"}
	for _, text := range texts {
		for _, indent := range []int{1, 2, 5} {
			space := strings.Repeat(" ", indent)
			written := map[string]string{
				"double": fmt.Sprintf("%q", text),
				"JSON":   strings.ReplaceAll(fmt.Sprintf("%q", text), "ä", `\u00e4`),
			}
			if !strings.Contains(text, "\n") {
				written["single"] = "'" + strings.ReplaceAll(text, "'", "''") + "'"
			}
			if text != "" {
				written["literal"] = "|-\n" + space + strings.ReplaceAll(text, "\n", "\n"+space)
			}
			for style, in := range written {
				root, problems := strictyaml.Parse("x.yaml", "k: "+in+"\nz: end")
				if len(problems) > 0 {
					t.Errorf("%s %q: %v", style, in, problems)
					continue
				}
				n, z := root.Get("k"), root.Member("z")
				if n.Text != text || setting.Places(n) == nil {
					t.Errorf("%s %q: got %q with places %v, want %q", style, in, n.Text, setting.Places(n), text)
				}
				if p := z.Key.Problem("", ""); p.Column != 1 || p.Line != 2+strings.Count(in, "\n") {
					t.Errorf("%s %q: the next key is at %d:%d", style, in, p.Line, p.Column)
				}
			}
		}
	}
}
