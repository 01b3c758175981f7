package setting_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/setting"
)

func TestProblemText(t *testing.T) {
	for _, c := range []struct {
		problem setting.Problem
		want    string
	}{
		{setting.Problem{File: "f", Message: "wrong"}, "f: wrong"},
		{setting.Problem{File: "f", Line: 2, Column: 3, Message: "wrong", Suggestion: "right"}, `f:2:3: wrong (did you mean "right"?)`},
		{setting.Problem{File: "f", Line: 2, Column: 3, Message: "wrong", Suggestion: `"5"`}, `f:2:3: wrong (did you mean "5"?)`},
		{setting.Problem{File: "f\n\x1b[31m", Message: "wrong", Excerpt: "  1 | x"}, "f\\n\\x1b[31m: wrong\n  1 | x"},
	} {
		if got := c.problem.String(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestProblems(t *testing.T) {
	var none setting.Problems
	if none.Err() != nil {
		t.Error("no problem is an error")
	}
	var many setting.Problems
	for i := range setting.ProblemsPrintedMax + 2 {
		many = append(many, setting.Problem{File: "f", Message: fmt.Sprint("no. ", i)})
	}
	if text := many.Err().Error(); strings.Count(text, "\n") != setting.ProblemsPrintedMax || !strings.HasSuffix(text, "\nand 2 more") {
		t.Errorf("printed as %s", text)
	}
	var r setting.Reader
	for i := range setting.ProblemsMax + 5 {
		r.Report(setting.Problem{File: "f", Offset: i})
	}
	if n := len(r.Problems()); n != setting.ProblemsMax {
		t.Errorf("%d problems are kept", n)
	}
}

// TestSort: files come in the given order, then as they occur; what an alias repeats is dropped.
func TestSort(t *testing.T) {
	at := func(file string, offset int, text string) setting.Problem {
		return setting.Problem{File: file, Offset: offset, Message: text}
	}
	in := setting.Problems{at("z", 1, "z1"), at("b", 9, "b9"), at("a", 5, "a5"), at("b", 2, "b2"), at("a", 5, "a5"), at("b", 2, "other"), at("y", 0, "y0")}
	var got []string
	for _, p := range in.Sort("a", "b") {
		got = append(got, p.Message)
	}
	if want := []string{"a5", "b2", "other", "b9", "z1", "y0"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if in[0].Message != "z1" {
		t.Error("the problems themselves are changed")
	}
}

// TestExcerpts: the marked bytes are underlined, whatever is around them.
func TestExcerpts(t *testing.T) {
	long := strings.Repeat("a", 2*setting.ExcerptMax)
	for _, c := range []struct {
		text           string
		offset, length int
		line, column   int
		excerpt        string
	}{
		{"abc\ndef\n", 4, 2, 2, 1, "  2 | def\n    | ^^"},
		{"abc\r\ndef", 1, 1, 1, 2, "  1 | abc\n    |  ^"},
		{"äöü: x", 7, 1, 1, 5, "  1 | äöü: x\n    |     ^"},
		{"a\tb", 2, 1, 1, 3, "  1 | a b\n    |   ^"},
		{"a\x1bb", 2, 1, 1, 3, "  1 | a\\x1bb\n    |      ^"},
		{"abc", 3, 1, 1, 4, "  1 | abc\n    |    ^"},
		{"abc", 99, 5, 1, 4, "  1 | abc\n    |    ^"},
		{"abc", -1, 0, 1, 1, "  1 | abc\n    | ^"},
		{"", 0, 1, 1, 1, "  1 | \n    | ^"},
		{"abc\ndef", 1, 5, 1, 2, "  1 | abc\n    |  ^^"},
	} {
		p := setting.NewSource("f", c.text).Problem(c.offset, c.length, "", "wrong")
		if p.Line != c.line || p.Column != c.column || p.Excerpt != c.excerpt {
			t.Errorf("%q at %d: %d:%d\n%s\nwant %d:%d\n%s", c.text, c.offset, p.Line, p.Column, p.Excerpt, c.line, c.column, c.excerpt)
		}
	}
	for _, offset := range []int{0, setting.ExcerptMax, 2*setting.ExcerptMax - 1} {
		p := setting.NewSource("f", long).Problem(offset, 3, "", "wrong")
		shown, carets, _ := strings.Cut(p.Excerpt, "\n")
		if len(shown) > setting.ExcerptMax+len("  1 | ......") || !strings.Contains(shown, "...") || strings.Index(carets, "^") > len(shown) {
			t.Errorf("a long line at %d: %s", offset, p.Excerpt)
		}
	}
}

// TestOffsets: lines and columns are found in the text, and places that it does not have are not.
func TestOffsets(t *testing.T) {
	s := setting.NewSource("f", "ab\näö\n")
	for _, c := range []struct {
		line, column, offset int
		ok                   bool
	}{
		{1, 1, 0, true}, {1, 3, 2, true}, {1, 4, 0, false}, {2, 1, 3, true}, {2, 2, 5, true}, {2, 3, 7, true}, {2, 4, 0, false},
		{3, 1, 8, true}, {3, 2, 0, false}, {4, 1, 0, false}, {0, 1, 0, false}, {1, 0, 0, false},
	} {
		offset, ok := s.OffsetAt(c.line, c.column)
		if offset != c.offset || ok != c.ok {
			t.Errorf("%d:%d is at %d, %v; want %d, %v", c.line, c.column, offset, ok, c.offset, c.ok)
		}
		if ok && s.Line(offset) != c.line-1 {
			t.Errorf("offset %d is on line %d, want %d", offset, s.Line(offset), c.line-1)
		}
	}
}

func TestQuote(t *testing.T) {
	for in, want := range map[string]string{
		"a": `"a"`, "a\n\"": `"a\n\""`, strings.Repeat("ä", setting.QuoteMax): `"` + strings.Repeat("ä", setting.QuoteMax) + `"`,
		strings.Repeat("ä", setting.QuoteMax+1): `"` + strings.Repeat("ä", setting.QuoteMax) + `..."`,
	} {
		if got := setting.Quote(in); got != want {
			t.Errorf("%q is quoted as %s, want %s", in, got, want)
		}
	}
	if got := setting.Escape([]rune("a\tb\u202ec\x00")); got != `a b\u202ec\x00` {
		t.Errorf("escaped as %s", got)
	}
}
