// Package urlhost reads the hosts of URLs as browsers do. docs/policy.md describes the spellings.
package urlhost

import (
	"strings"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/internal/mem"
)

// Host returns the host of a URL and of a host with a port, and other texts as they are. It reads
// them as browsers do (WHATWG URL, section 4.4, for special schemes), and a text without a scheme
// as what follows the slashes. What is no valid host there is no domain here. Host allocates only
// where a host has percent signs, tabs or line breaks.
func Host(s string) string {
	if host := plain(s); host != "" {
		return host
	}
	s = authority(TrimControls(s))
	if i := strings.IndexAny(s, `/?#\`); i >= 0 {
		s = s[:i]
	}
	if i := strings.LastIndexByte(s, '@'); i >= 0 {
		s = s[i+1:]
	}
	if i := strings.LastIndexByte(s, ':'); i >= 0 && isPort(s[i+1:]) {
		s = s[:i]
	}
	for i := range len(s) {
		if isBreak(s[i]) || s[i] == '%' {
			return decoded(s)
		}
	}
	return s
}

// plain returns the host of a text as most are written: a name, after https:// or http:// if it is
// a URL, and then the end or a path. It returns "" for any other.
func plain(s string) string {
	rest := strings.TrimPrefix(s, "https://")
	if len(rest) == len(s) {
		rest = strings.TrimPrefix(s, "http://")
	}
	for i := range len(rest) {
		switch c := rest[i]; {
		case inName[c]:
		case c == '/' || c == '?' || c == '#':
			return rest[:i]
		default:
			return ""
		}
	}
	return rest
}

// TrimControls removes control characters of ASCII and spaces from both ends.
func TrimControls(s string) string {
	for len(s) > 0 && s[0] <= ' ' {
		s = s[1:]
	}
	for len(s) > 0 && s[len(s)-1] <= ' ' {
		s = s[:len(s)-1]
	}
	return s
}

// nameMax is the length of the longest domain name, in bytes (RFC 1035, section 2.3.4).
const nameMax = 253

// isName reports whether c may be in a domain name: of ASCII, with the dot and the underscore.
func isName(c byte) bool {
	lower := c | 0x20
	return 'a' <= lower && lower <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_'
}

// inName has isName of every byte.
var inName = func() (table [256]bool) {
	for c := range table {
		table[c] = isName(byte(c))
	}
	return table
}()

// isBreak reports whether c is one of the characters that browsers remove from URLs.
func isBreak(c byte) bool { return c == '\t' || c == '\n' || c == '\r' }

// authority returns what follows the scheme of a URL and its slashes. Only special schemes need
// none.
func authority(s string) string {
	if i := strings.IndexByte(s, ':'); i > 0 && isScheme(s[:i]) {
		rest, slashes := afterSlashes(s[i+1:])
		if slashes > 1 || isSpecial(s[:i]) {
			return rest
		}
		if j := strings.IndexByte(rest, ':'); slashes == 0 && j >= 0 && isSpecial(rest[:j]) { // blob:https://...
			rest, _ = afterSlashes(rest[j+1:])
			return rest
		}
	}
	if rest, slashes := afterSlashes(s); slashes > 1 {
		return rest
	}
	return s
}

// isScheme reports whether s has the form of a scheme (RFC 3986, section 3.1).
func isScheme(s string) bool {
	for i := range len(s) {
		if c := s[i]; c == '_' || !isName(c) && c != '+' && !isBreak(c) {
			return false
		}
	}
	return true
}

// isSpecial reports whether a scheme is one of those that are read alike.
func isSpecial(s string) bool {
	var buf [len("https")]byte
	scheme := buf[:0]
	for i := range len(s) {
		if isBreak(s[i]) {
			continue
		}
		if len(scheme) == len(buf) {
			return false
		}
		scheme = append(scheme, s[i]|0x20)
	}
	switch string(scheme) {
	case "http", "https", "ws", "wss", "ftp":
		return true
	}
	return false
}

// afterSlashes returns what follows the slashes that a text begins with, and how many those are.
func afterSlashes(s string) (rest string, slashes int) {
	for i := range len(s) {
		switch {
		case s[i] == '/' || s[i] == '\\':
			slashes++
		case !isBreak(s[i]):
			return s[i:], slashes
		}
	}
	return "", slashes
}

// isPort reports whether s has nothing but digits, and what browsers remove.
func isPort(s string) bool {
	for i := range len(s) {
		if !isBreak(s[i]) && (s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return true
}

// decodedMax is how long a host may be once it is decoded: no domain is longer.
const decodedMax = utf8.UTFMax * nameMax

// decoded returns a host without line breaks, with its percent signs decoded once; "" if that is no
// domain.
func decoded(s string) string {
	n := 0
	for c, rest, more := nextDecoded(s); more; c, rest, more = nextDecoded(rest) {
		if n++; n > decodedMax || c < utf8.RuneSelf && !isName(c) && c != '*' {
			return ""
		}
	}
	plain := make([]byte, 0, n)
	for c, rest, more := nextDecoded(s); more; c, rest, more = nextDecoded(rest) {
		plain = append(plain, c)
	}
	return mem.String(plain)
}

// nextDecoded returns the next byte of a host, decoded, and what follows it.
func nextDecoded(s string) (c byte, rest string, more bool) {
	for s != "" && isBreak(s[0]) {
		s = s[1:]
	}
	switch {
	case s == "":
		return 0, "", false
	case s[0] == '%':
		c, rest = unescape(s[1:])
		return c, rest, true
	}
	return s[0], s[1:], true
}

// unescape decodes what follows a percent sign. It returns the sign if that is not two hexadecimal
// digits, perhaps with line breaks between them.
func unescape(s string) (c byte, rest string) {
	digits := 0
	for i := range len(s) {
		if isBreak(s[i]) {
			continue
		}
		digit := HexDigit(s[i])
		if digit == NoDigit {
			break
		}
		if c = c<<4 | digit; digits == 1 {
			return c, s[i+1:]
		}
		digits++
	}
	return '%', s
}

// NoDigit is what [HexDigit] returns for bytes that are no digits.
const NoDigit = 16

// HexDigit returns the value of a hexadecimal digit.
func HexDigit(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return NoDigit
}
