package explanation

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	terminal "github.com/jedib0t/go-pretty/v6/text"
)

// excerpt is Excerpt, with the width of what is before the place on a terminal.
func excerpt(data []byte, offset int) (shown string, width int) {
	before, after := Excerpt(data, offset)
	return before + after, terminal.StringWidthWithoutEscSequences(before)
}

// TestExcerpt holds what is true of every excerpt: it fits, it is printable, and the caret is under
// the byte.
func TestExcerpt(t *testing.T) {
	for _, text := range []string{
		"", "\n", "{}", `{"id":"x"}` + "\n\n", strings.Repeat("世", 100), strings.Repeat("\xff", 100), strings.Repeat("a\n", 50),
		strings.Repeat("\x80\xe4\xb8", 50), "{\n  \"id\": \"1\",\r\n  \"imp\": [\x00\x1b[2J]\n}\n", strings.Repeat("\u202e", 60),
	} {
		for offset := range len(text) + 1 {
			shown, width := excerpt([]byte(text), offset)
			if !utf8.ValidString(shown) || strings.ContainsFunc(shown, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Fatalf("%q at %d: %q is not printable", text, offset, shown)
			}
			if escaped := 8; len(shown) > escaped*(excerptBefore+excerptAfter)+len("......") {
				t.Fatalf("%q at %d: %q is too long", text, offset, shown)
			}
			if line, column := LineColumn([]byte(text), offset); line < 1 || column < 1 || width < 0 || width > escapedWidth {
				t.Fatalf("%q at %d: line %d, column %d, width %d", text, offset, line, column, width)
			}
		}
	}
}

// escapedWidth is the width of what is before the place, if each byte is an escape.
const escapedWidth = len("...") + len(`\x00`)*excerptBefore

func TestExcerptCaret(t *testing.T) {
	for _, c := range []struct {
		text, at     string
		shown        string
		width        int
		line, column int
	}{
		{`{"id":1}`, `1`, `{"id":1}`, 6, 1, 7},
		{`{"世":1}`, `1`, `{"世":1}`, 6, 1, 6}, // the character is two columns wide on a terminal
		{"{\n  \"id\": 1\n}\n", `1`, `  "id": 1`, 8, 2, 9},
		{`{"long":"01234567890123456789","id":1}`, `1}`, `...7890123456789","id":1}`, 23, 1, 37},
		{`{"id":1,"long":"0123456789012345678901234567890123456789"}`, `1`, `{"id":1,"long":"012345678901234567890123456789...`, 6, 1, 7},
		{"{\"a\":\"x\ny\"}", "\n", `{"a":"x\n`, 7, 1, 8},
		{"{\"id\":\n\n", "", `{"id":`, 6, 1, 7},
	} {
		offset := strings.Index(c.text, c.at)
		if c.at == "" {
			offset = len(c.text)
		}
		shown, width := excerpt([]byte(c.text), offset)
		line, column := LineColumn([]byte(c.text), offset)
		if shown != c.shown || width != c.width || line != c.line || column != c.column {
			t.Errorf("%q at %d: %q, width %d, line %d, column %d; want %q, width %d, line %d, column %d",
				c.text, offset, shown, width, line, column, c.shown, c.width, c.line, c.column)
		}
	}
}
