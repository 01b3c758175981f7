// Package visible makes text from outside fit for a terminal.
package visible

import (
	"strconv"
	"unicode"
	"unicode/utf8"
)

// Text returns s with an escape for everything that could move a terminal's cursor or start a new
// line, and cut if it is too long.
func Text(s string) string { return string(Append(nil, s)) }

// Max is the longest name or path that is printed, in bytes; names in paths come from
// documents.
const Max = 300

// Append appends s, with an escape for everything that could move a terminal's cursor
// or start a new line, and cut if it is too long.
func Append(b []byte, s string) []byte {
	if len(s) > Max {
		s = s[:Max]
		return append(Append(b, s), "..."...)
	}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			quoted := strconv.QuoteToASCII(s[i : i+n])
			b = append(b, quoted[1:len(quoted)-1]...)
		} else {
			b = append(b, s[i:i+n]...)
		}
		i += n
	}
	return b
}
