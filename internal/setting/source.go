package setting

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Source is a text that was read, for messages about it.
type Source struct {
	Name string
	Text string

	lines []int // offsets of the beginnings of lines
}

// NewSource returns a source. Messages begin with the name, usually the name of a file.
func NewSource(name, text string) *Source {
	s := &Source{Name: name, Text: text, lines: []int{0}}
	for i := range len(text) {
		if text[i] == '\n' {
			s.lines = append(s.lines, i+1)
		}
	}
	return s
}

// Line returns the number of the line that has the offset, from 0.
func (s *Source) Line(offset int) int {
	i, found := slices.BinarySearch(s.lines, offset)
	if found {
		return i
	}
	return i - 1
}

// lineText returns the text of a line without its end.
func (s *Source) lineText(line int) string {
	text := s.Text[s.lines[line]:]
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		text = text[:i]
	}
	return strings.TrimSuffix(text, "\r")
}

// OffsetAt returns the offset of a line and a column, both from 1, the column in characters. It is
// false where the text has no such place.
func (s *Source) OffsetAt(line, column int) (int, bool) {
	if line < 1 || line > len(s.lines) || column < 1 {
		return 0, false
	}
	text := s.Text[s.lines[line-1]:]
	offset := s.lines[line-1]
	for range column - 1 {
		if text == "" || text[0] == '\n' {
			return 0, false
		}
		_, size := utf8.DecodeRuneInString(text)
		text, offset = text[size:], offset+size
	}
	return offset, true
}

// Problem returns a problem with length bytes at an offset.
func (s *Source) Problem(offset, length int, suggestion, format string, args ...any) Problem {
	offset = min(max(offset, 0), len(s.Text))
	line := s.Line(offset)
	text := MaskURLs(s.lineText(line))
	start := min(offset-s.lines[line], len(text))
	end := min(start+max(length, 1), max(len(text), start))
	column := utf8.RuneCountInString(text[:start]) + 1
	return Problem{
		File: s.Name, Line: line + 1, Column: column, Offset: offset,
		Message: fmt.Sprintf(format, args...), Suggestion: suggestion,
		Excerpt: excerpt(line+1, text, start, end),
	}
}

// excerpt shows text, a line, with carets under text[start:end].
func excerpt(line int, text string, start, end int) string {
	before, marked, after := []rune(text[:start]), []rune(text[start:end]), []rune(text[end:])
	cutBefore, cutAfter := "", ""
	if len(before)+len(marked)+len(after) > ExcerptMax { // show the surroundings of the place
		if most := ExcerptMax / 2; len(before) > most {
			before, cutBefore = before[len(before)-most:], "..."
		}
		rest := ExcerptMax - len(before)
		if len(marked) > rest {
			marked, after, cutAfter = marked[:rest], nil, "..."
		} else if len(after) > rest-len(marked) {
			after, cutAfter = after[:rest-len(marked)], "..."
		}
	}
	left, middle := cutBefore+Escape(before), Escape(marked)
	number := strconv.Itoa(line)
	return fmt.Sprintf("  %s | %s%s%s%s\n  %s | %s%s", number, left, middle, Escape(after), cutAfter,
		strings.Repeat(" ", len(number)), strings.Repeat(" ", utf8.RuneCountInString(left)),
		strings.Repeat("^", max(utf8.RuneCountInString(middle), 1)))
}

// Escape makes text safe to print on one line. A tab becomes a space, so that carets fit.
func Escape(text []rune) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\t':
			b.WriteByte(' ')
		case unicode.IsPrint(r) && r != utf8.RuneError:
			b.WriteRune(r)
		default:
			q := strconv.QuoteRuneToASCII(r)
			b.WriteString(q[1 : len(q)-1])
		}
	}
	return b.String()
}

// Quote returns a word from a file in quotes, for a message: escaped, cut where it is
// long, and without the secrets of URLs.
func Quote(word string) string {
	word = MaskURLs(word)
	if n := utf8.RuneCountInString(word); n > QuoteMax {
		return strconv.Quote(string([]rune(word)[:QuoteMax]) + "...")
	}
	return strconv.Quote(word)
}
