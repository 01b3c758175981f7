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
