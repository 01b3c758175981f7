package explain

import (
	"bytes"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/report"
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

// place returns the line and the column, in characters, of an offset; both count from 1.
func place(data []byte, offset int) (line, column int) {
	data, offset = mark(data, offset)
	before := data[:offset]
	start := bytes.LastIndexByte(before, '\n') + 1
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[start:])
}

// excerpt returns the text around an offset, within its line, and the width of what is before the
// offset on a terminal. Characters that are not printable are escaped.
func excerpt(data []byte, offset int) (shown string, width int) {
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
	before := prefix + report.Visible(string(data[start:offset]))
	return before + report.Visible(string(data[offset:end])) + suffix, text.StringWidthWithoutEscSequences(before)
}
