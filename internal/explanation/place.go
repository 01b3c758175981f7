package explanation

import (
	"bytes"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/internal/visible"
)

// An excerpt shows so many bytes before and after a place: enough to recognise it, too little for
// most of what is personal in a request.
const (
	excerptBefore = 20
	excerptAfter  = 40
)

// mark returns a text without the white space at its end, and an offset within it: where a text
// ends too early, the place to show is the end of its last line.
func mark(data []byte, offset int) ([]byte, int) {
	data = bytes.TrimRight(data, " \t\r\n")
	return data, min(offset, len(data))
}

// LineColumn returns the line and the column, in characters, of an offset; both count from 1.
func LineColumn(data []byte, offset int) (line, column int) {
	data, offset = mark(data, offset)
	before := data[:offset]
	start := bytes.LastIndexByte(before, '\n') + 1
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[start:])
}

// Excerpt returns the text before and after an offset, within its line. Characters that are not
// printable are escaped.
func Excerpt(data []byte, offset int) (before, after string) {
	data, offset = mark(data, offset)
	start := bytes.LastIndexByte(data[:offset], '\n') + 1
	end := len(data)
	if i := bytes.IndexByte(data[offset:], '\n'); i > 0 {
		end = offset + i
	} else if i == 0 {
		end = offset + 1 // the line feed itself is the place
	}
	prefix, suffix := "", ""
	if from := offset - excerptBefore; from > start {
		for start = from; start < offset && !utf8.RuneStart(data[start]); start++ { // not in the middle of a character
		}
		prefix = "..."
	}
	if to := offset + excerptAfter; to < end {
		for end = to; end > offset && !utf8.RuneStart(data[end]); end-- {
		}
		suffix = "..."
	}
	return prefix + visible.Text(string(data[start:offset])), visible.Text(string(data[offset:end])) + suffix
}
