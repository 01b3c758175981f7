// Package blank removes what readers in other languages take for white space around a value, so
// that a sender can't hide it from a list by a character that others trim.
package blank

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Trim removes white space from both ends: that of ECMAScript's trim and of Python's strip, which
// include that of Unicode, the byte order mark and the separators of ASCII (U+001C to U+001F), and
// the characters without width.
func Trim(s string) string {
	if s == "" || plain(s[0]) && plain(s[len(s)-1]) {
		return s
	}
	return strings.TrimFunc(s, IsSpace)
}

// plain reports whether a byte is neither white space nor a part of another character.
func plain(c byte) bool { return c > ' ' && c < utf8.RuneSelf }

// IsSpace reports whether Trim removes a character.
func IsSpace(r rune) bool {
	const (
		fileSeparator, unitSeparator = 0x1c, 0x1f
		mongolianVowelSeparator      = 0x180e // white space until Unicode 6.3
		zeroWidthSpace               = 0x200b
		zeroWidthJoiner              = 0x200d
		wordJoiner                   = 0x2060
		byteOrderMark                = 0xfeff
	)
	switch r {
	case mongolianVowelSeparator, wordJoiner, byteOrderMark:
		return true
	}
	return unicode.IsSpace(r) || fileSeparator <= r && r <= unitSeparator || zeroWidthSpace <= r && r <= zeroWidthJoiner
}
