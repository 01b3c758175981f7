package gen

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// commentWidth is how long a line of a comment may be.
const commentWidth = 100

// wrapComments breaks the lines of doc comments that the templates, which don't know how long
// names are, leave long. The lines before the package clause stay as they are.
func wrapComments(src []byte) []byte {
	var out bytes.Buffer
	body := false
	for line := range strings.Lines(string(src)) {
		body = body || strings.HasPrefix(line, "package ")
		if !body || !strings.HasPrefix(line, "// ") {
			out.WriteString(line)
			continue
		}
		indent := "// "
		if strings.HasPrefix(line, "//   - ") { // an item of a list
			indent = "//     "
		}
		wrap(&out, strings.TrimSuffix(line, "\n"), indent)
	}
	return out.Bytes()
}

// wrap writes a line as one or more lines. All but the first begin with indent.
func wrap(out *bytes.Buffer, line, indent string) {
	words := strings.Split(line, " ")
	width := 0
	for i, word := range words {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case width+1+n <= commentWidth:
			out.WriteByte(' ')
			width++
		default:
			out.WriteString("\n" + indent)
			width = len(indent)
		}
		out.WriteString(word)
		width += n
	}
	out.WriteByte('\n')
}
