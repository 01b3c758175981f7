package housekeeping

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// commentWidth is how wide comments are at most in every language, in columns. A tab counts as
// four.
const commentWidth = 100

// lineComments start a comment on a line of its own, by the ending of the file's name.
var lineComments = map[string]string{
	".go": "//", ".cpp": "//", ".hpp": "//", ".h": "//", ".s": "//",
	".sh": "#", ".py": "#", ".cmake": "#", ".yml": "#",
}

// generatedLine marks a file that no hand wraps.
var generatedLine = regexp.MustCompile(`(?m)^(//|#) Code generated .* DO NOT EDIT\.$`)

// unwrappable is a comment without a place to wrap it: preformatted text, a link, a path.
var unwrappable = regexp.MustCompile(`^\s*(//|#)(\t.*|\S*\s+\S+)$`)

func TestCommentWidth(t *testing.T) {
	skipVariant(t)
	err := walk(func(name string) error {
		mark := lineComments[path.Ext(name)]
		if mark == "" || strings.Contains(name, "testdata/") {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil || generatedLine.Match(text) {
			return err
		}
		number, output := 0, false // output: what an example prints
		for line := range strings.Lines(string(text)) {
			number++
			line = strings.TrimRight(line, "\r\n")
			trimmed := strings.TrimLeft(line, " \t")
			output = strings.HasPrefix(trimmed, "// Output:") || output && strings.HasPrefix(trimmed, mark)
			columns := utf8.RuneCountInString(line) + 3*strings.Count(line, "\t")
			if columns > commentWidth && !output && strings.HasPrefix(trimmed, mark) &&
				!strings.HasPrefix(trimmed, "//go:") && !unwrappable.MatchString(line) {
				t.Errorf("%s:%d: a comment of %d columns: wrap it at %d", name, number, columns, commentWidth)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
