// Package currency normalises codes of currencies for comparison.
package currency

import (
	"strings"

	"github.com/rtbwire/rtbwire/internal/blank"
	"github.com/rtbwire/rtbwire/internal/mem"
)

// Len is the length of the codes of ISO 4217.
const Len = 3

// Canonical returns the form in which codes are compared: upper case, without white space around it
// and what comes after a NUL. The result is s, a part of it, or is in buf. Texts that are not three
// bytes long keep their case: they are no codes. Canonical allocates nothing.
func Canonical(buf *[Len]byte, s string) string {
	if isCode(s) || s == "" {
		return s
	}
	s, _, _ = strings.Cut(s, "\x00")
	if s = blank.Trim(s); len(s) != Len || isCode(s) {
		return s
	}
	for i := range buf {
		if buf[i] = s[i]; 'a' <= s[i] && s[i] <= 'z' {
			buf[i] -= 'a' - 'A'
		}
	}
	return mem.String(buf[:])
}

// isCode reports whether s has three capital letters.
func isCode(s string) bool {
	return len(s) == Len && s[0]-'A' < 26 && s[1]-'A' < 26 && s[2]-'A' < 26
}
