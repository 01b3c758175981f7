package canonical

import "strings"

// Bundle trims white space, and the "id" before the number of an app in Apple's store. Case is
// kept: Android's package names differ by it.
func Bundle(s string) string {
	s = Trim(s)
	const prefix = "id"
	if len(s) > len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) && AllDigits(s[len(prefix):]) {
		return s[len(prefix):]
	}
	return s
}

// Trim removes white space of ASCII from both ends.
func Trim(s string) string {
	for len(s) > 0 && isSpace(s[0]) {
		s = s[1:]
	}
	for len(s) > 0 && isSpace(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }
