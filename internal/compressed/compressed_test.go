package compressed

import (
	"bufio"
	"io"
	"strings"
	"testing"
)

// TestPeek: what r begins with is told, and stays; no more is waited for than it takes.
func TestPeek(t *testing.T) {
	for _, tt := range []struct{ text, by string }{
		{"\x1f\x8b\x08rest", "gzip"}, {"\x1f\x8b\x08", "gzip"}, {"\x28\xb5\x2f\xfd", "zstd"},
		{"", ""}, {"\n", ""}, {"{", ""}, {"null\n", ""}, {"\x1f\x8b\n", ""}, {"\x28\n", ""}, {"\x28\xb5\x2f\n", ""},
	} {
		for _, more := range []string{"", "more"} {
			in := io.MultiReader(strings.NewReader(tt.text), strings.NewReader(more))
			if strings.HasSuffix(tt.text, "\n") && more == "" {
				in = io.MultiReader(strings.NewReader(tt.text), waiting{t})
			}
			r := bufio.NewReader(in)
			if by := Peek(r); by != tt.by {
				t.Errorf("%q: %q, want %q", tt.text, by, tt.by)
			}
			first := make([]byte, len(tt.text))
			if _, err := io.ReadFull(r, first); err != nil || string(first) != tt.text {
				t.Errorf("%q: then reads %q, %v", tt.text, first, err)
			}
		}
	}
}

// waiting is what has not come yet.
type waiting struct{ t *testing.T }

func (w waiting) Read([]byte) (int, error) {
	w.t.Error("more was read than a line")
	return 0, io.EOF
}
