package batch

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestPositionCuts measures a text in two pieces, at every place, and as a whole.
func TestPositionCuts(t *testing.T) {
	text := []byte("ab\ncdefghijklmnop\nä€😀ä€😀ä€😀ä€😀\n\nlast line €")
	for i := range len(text) + 1 {
		whole := measure(text[:i])
		lines := strings.Count(string(text[:i]), "\n")
		rest := string(text[strings.LastIndexByte(string(text[:i]), '\n')+1 : i])
		if utf8.ValidString(rest) && (whole.lines != int64(lines) || whole.columns != int64(utf8.RuneCountInString(rest))) {
			t.Errorf("measure(%q) = %+v, want %d, %d", text[:i], whole, lines, utf8.RuneCountInString(rest))
		}
		for cut := range i {
			if got := measure(text[:cut]).plus(measure(text[cut:i])); got != whole {
				t.Errorf("cut at %d: %q measures %+v, want %+v", cut, text[:i], got, whole)
			}
		}
	}
	tr := tracker{text: text}
	for _, offset := range []int{5, 5, 20, 3, 0, len(text), len(text) + 10, 7} {
		if got, want := tr.at(offset), measure(text[:min(offset, len(text))]); got != want {
			t.Errorf("at(%d) = %+v, want %+v", offset, got, want)
		}
	}
}
