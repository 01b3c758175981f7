package grammar

import (
	"unicode/utf16"
	"unicode/utf8"
)

// Letters maps the letter of an escape to the byte it means, 0 for no escape.
var Letters = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// escapeLen is the length of a \u escape.
const escapeLen = len(`\u0000`)

// Unescape returns the content of a string that a Scanner has read, or of the beginning of one:
// s is what is between the quotes. Whatever is not Unicode text becomes U+FFFD.
func Unescape(s []byte) string {
	out := make([]byte, 0, len(s))
	for len(s) > 0 {
		out, s = AppendChar(out, s)
	}
	return string(out)
}

// AppendChar appends the first character of a string's text, and returns what follows it. It takes
// what [Unescape] takes.
func AppendChar(out, s []byte) (longer, rest []byte) {
	switch {
	case s[0] >= utf8.RuneSelf:
		c, n := utf8.DecodeRune(s)
		return utf8.AppendRune(out, c), s[n:]
	case s[0] != '\\' || len(s) < 2:
		return append(out, s[0]), s[1:]
	case s[1] != 'u':
		return append(out, Letters[s[1]]), s[2:]
	}
	c := escapedRune(s)
	s = s[min(len(s), escapeLen):]
	if utf16.IsSurrogate(c) {
		if c = utf16.DecodeRune(c, escapedRune(s)); c != utf8.RuneError {
			s = s[escapeLen:]
		}
	}
	return utf8.AppendRune(out, c), s
}

// escapedRune returns the code of the \u escape that s begins with, and U+FFFD if it begins with
// something else.
func escapedRune(s []byte) (c rune) {
	if len(s) < escapeLen || s[0] != '\\' || s[1] != 'u' {
		return utf8.RuneError
	}
	for _, b := range s[2:escapeLen] {
		digit := HexDigit(b)
		if digit < 0 {
			return utf8.RuneError
		}
		c = c<<4 | digit
	}
	return c
}
