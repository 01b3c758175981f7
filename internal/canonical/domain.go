// Package canonical normalises domains and app ids for comparison. docs/policy.md describes the
// forms.
package canonical

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"github.com/rtbwire/rtbwire/internal/mem"
)

// The limits of a domain name (RFC 1035, section 2.3.4).
const (
	DomainMax = 253
	LabelMax  = 63
)

// domainBytes maps the bytes of domain names to their canonical form; 0 is for all others. The
// underscore is not allowed in host names (RFC 1123), but names in use have it.
var domainBytes = func() (t [256]byte) {
	for c := '0'; c <= '9'; c++ {
		t[c] = byte(c)
	}
	for c := 'a'; c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = byte(c), byte(c)
	}
	t['-'], t['_'] = '-', '_'
	return t
}()

// canonicalBytes has 0 for the bytes of labels in canonical form, and 1 for all others.
var canonicalBytes = func() (t [256]byte) {
	for i := range t {
		if c := byte(i); domainBytes[c] != c || c == 0 {
			t[i] = 1
		}
	}
	return t
}()

// Labels are where the labels of a domain name in canonical form begin, but for the first one. The
// name itself is not kept here: it may be in a buffer on the stack.
type Labels struct {
	N      int // with the first one
	starts [DomainMax/2 + 1]uint8
}

// Split finds the labels of a canonical name. It reports false for every other text.
func (l *Labels) Split(s string) bool {
	if len(s) == 0 || len(s) > DomainMax {
		return false
	}
	n, start := 0, 0
	for i := range len(s) {
		if canonicalBytes[s[i]] == 0 {
			continue
		}
		if s[i] != '.' || i == start || i-start > LabelMax {
			return false
		}
		start = i + 1
		l.starts[n] = uint8(start)
		n++
	}
	l.N = n + 1
	return start < len(s) && len(s)-start <= LabelMax
}

// Last returns the last n of the labels of the name.
func (l *Labels) Last(name string, n int) string {
	if n == l.N {
		return name
	}
	return name[l.starts[l.N-n-1]:]
}

// Host returns the host of a URL and of a host with a port, and other texts as they are. It reads
// them as browsers do (WHATWG URL, section 4.4, for special schemes), and a text without a scheme as
// what follows the slashes. What is no valid host there is no domain here. Host allocates only where
// a host has percent signs, tabs or line breaks.
func Host(s string) string {
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

// isBreak reports whether c is one of the characters that browsers remove from URLs.
func isBreak(c byte) bool { return c == '\t' || c == '\n' || c == '\r' }

// authority returns what follows the scheme of a URL and its slashes. Only special schemes need none.
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
		if c := s[i]; (domainBytes[c] == 0 || c == '_') && c != '+' && c != '.' && !isBreak(c) {
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
		scheme = append(scheme, domainBytes[s[i]])
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
const decodedMax = utf8.UTFMax * DomainMax

// decoded returns a host without line breaks, with its percent signs decoded once; "" if that is no
// domain.
func decoded(s string) string {
	n := 0
	for c, rest, more := nextDecoded(s); more; c, rest, more = nextDecoded(rest) {
		if n++; n > decodedMax || c < utf8.RuneSelf && domainBytes[c] == 0 && c != '.' && c != '*' {
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

// AllDigits reports whether s has digits only.
func AllDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// AppendDomain appends the canonical form of a domain name: lower case, IDNA, without dots at the
// end, and without the "*." or "." at the start that means subdomains elsewhere.
func AppendDomain(dst []byte, s string) ([]byte, bool) {
	if s = strings.TrimPrefix(s, "*."); s != "" && s[0] == '.' {
		s = s[1:]
	}
	if !IsASCII(s) {
		var ok bool
		if s, ok = toASCII(s); !ok {
			return dst, false
		}
	}
	s = strings.TrimRight(s, ".")
	if len(s) == 0 || len(s) > DomainMax {
		return dst, false
	}
	for i := range len(s) {
		c := domainBytes[s[i]]
		if s[i] == '.' {
			c = '.'
		}
		if c == 0 {
			return dst, false
		}
		dst = append(dst, c)
	}
	return dst, true
}

// IsASCII reports whether s is ASCII.
func IsASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// profile is IDNA as browsers apply it to hosts (UTS 46, nontransitional), without its rules about
// hyphens and underscores: names in use break them.
var profile = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false), idna.CheckHyphens(false))

// toASCII returns the ASCII form of a name with other letters. It allocates. Punycode takes time
// quadratic in the length of a label, so labels that are too long for it are refused before: at
// first as they are, as no label of 63 bytes has more code points, and again after the mapping, in
// which one code point can become 18.
func toASCII(s string) (string, bool) {
	if len(s) > utf8.UTFMax*DomainMax || !utf8.ValidString(s) {
		return "", false // IDNA would put other characters where UTF-8 is broken
	}
	if !shortLabels(s) {
		return "", false
	}
	s, err := profile.ToUnicode(s)
	if err != nil || !shortLabels(s) {
		return "", false
	}
	ascii := make([]byte, 0, len(s)+DomainMax)
	for rest, more := s, true; more; {
		var label string
		label, rest, more = strings.Cut(rest, ".")
		if !IsASCII(label) {
			if label, err = idna.Punycode.ToASCII(label); err != nil {
				return "", false
			}
		}
		if len(label) > LabelMax {
			return "", false // the other labels need not be encoded
		}
		if ascii = append(ascii, label...); more {
			ascii = append(ascii, '.')
		}
	}
	return string(ascii), true
}

// shortLabels reports whether all labels have at most LabelMax code points.
func shortLabels(s string) bool {
	label := 0
	for _, r := range s {
		if label++; r == '.' || r == '\u3002' || r == '\uff0e' || r == '\uff61' {
			label = 0
		}
		if label > LabelMax {
			return false
		}
	}
	return true
}

// Domain returns the canonical form of a domain name, and whether it is one. The result is s, or is
// in buf. Unlike an entry of a list, a name does not begin with "*." or a dot. Domain allocates
// only for names that are not in ASCII.
func Domain(buf *[DomainMax]byte, s string) (string, bool) {
	if IsDomain(s) {
		return s, true
	}
	if s == "" || s[0] == '.' || s[0] == '*' {
		return "", false
	}
	text, ok := AppendDomain(buf[:0], s)
	if name := mem.String(text); ok && IsDomain(name) {
		return name, true
	}
	return "", false
}

// IsDomain reports whether s is a domain name in canonical form.
func IsDomain(s string) bool {
	start := 0
	for i := range len(s) {
		if canonicalBytes[s[i]] == 0 {
			continue
		}
		if s[i] != '.' || i == start || i-start > LabelMax {
			return false
		}
		start = i + 1
	}
	return start < len(s) && len(s)-start <= LabelMax && len(s) <= DomainMax
}
