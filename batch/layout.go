package batch

import (
	"bytes"
	"fmt"

	"github.com/rtbwire/rtbwire/internal/grammar"
)

// Layout says how documents are separated in an input.
type Layout uint8

// The layouts.
const (
	// LayoutAuto looks at the beginning of each input. It is LayoutValues if the text begins
	// with [, if the first document continues after its first line, or if another document
	// follows on that line. Otherwise it is LayoutLines; so it is if the first document has no
	// end and a later line is a document of its own, because then the first line is damaged.
	LayoutAuto Layout = iota
	// LayoutLines is one document a line. Blank lines are skipped.
	LayoutLines
	// LayoutValues is documents one after the other, on any number of lines, with or without
	// white space between them. The elements of an array are documents.
	LayoutValues
)

var layoutNames = [...]string{LayoutAuto: "auto", LayoutLines: "lines", LayoutValues: "values"}

// String returns "auto", "lines" or "values".
func (l Layout) String() string {
	if int(l) < len(layoutNames) {
		return layoutNames[l]
	}
	return fmt.Sprintf("Layout(%d)", l)
}

// ParseLayout reads the text form of a layout.
func ParseLayout(text string) (Layout, error) {
	for l, name := range layoutNames {
		if name == text {
			return Layout(l), nil
		}
	}
	return LayoutAuto, fmt.Errorf("batch: unknown layout %q (want auto, lines or values)", text)
}

// detectLayout returns the layout of an input that begins with text. final tells that text is
// all of it, or as much as may be read for that purpose. It returns LayoutAuto if it needs more.
func detectLayout(text []byte, final bool) Layout {
	text = bytes.TrimLeft(text, grammar.Whitespace)
	switch {
	case len(text) == 0 && !final:
		return LayoutAuto
	case len(text) == 0 || text[0] != '{' && text[0] != '[':
		return LayoutLines
	case text[0] == '[':
		return LayoutValues
	}
	lineEnd := bytes.IndexByte(text, '\n')
	if lineEnd < 0 && !final {
		return LayoutAuto
	}
	end := firstValueEnd(text)
	switch {
	case end < 0 && !final:
		return LayoutAuto
	case end < 0 && (lineEnd < 0 || hasDocumentLine(text[lineEnd+1:])):
		return LayoutLines
	case end < 0 || lineEnd >= 0 && end > lineEnd:
		return LayoutValues
	}
	if rest := bytes.TrimLeft(text[end:], " \t\r"); len(rest) > 0 && (rest[0] == '{' || rest[0] == '[') {
		return LayoutValues
	}
	return LayoutLines
}

// firstValueEnd returns the end of the value that text begins with, or -1.
func firstValueEnd(text []byte) int {
	s := valueSplitter{start: -1}
	i := s.begin(text[0], 0)
	if found, _ := s.inside(text, i, true, nil); len(found) > 0 {
		return found[0].end
	}
	return -1
}

// hasDocumentLine reports whether some line is an object of its own.
func hasDocumentLine(text []byte) bool {
	for line := range bytes.Lines(text) {
		line = bytes.Trim(line, grammar.Whitespace)
		if len(line) > 0 && line[0] == '{' && firstValueEnd(line) == len(line) {
			return true
		}
	}
	return false
}
