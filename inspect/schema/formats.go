package schema

import (
	"strings"

	"github.com/rtbwire/rtbwire/internal/address"
)

// This file holds the formats of the specification's data as plain code, which is far faster than
// their regular expressions. The tests compare the two.

func formatIso4217(s string) bool        { return len(s) == 3 && upper.three(s) }
func formatIso31661Alpha3(s string) bool { return len(s) == 3 && upper.three(s) }
func formatIso6391(s string) bool        { return len(s) == 2 && letters.has(s[0]) && letters.has(s[1]) }
func formatIso6391OrXx(s string) bool    { return formatIso6391(s) }
func formatSha1Hex(s string) bool        { return len(s) == 40 && hex.all(s) }
func formatMd5Hex(s string) bool         { return len(s) == 32 && hex.all(s) }
func formatFips104(s string) bool        { return len(s) == 4 && upper.all(s[:2]) && upperDigits.all(s[2:]) }
func formatMccMnc(s string) bool {
	return (len(s) == 6 || len(s) == 7) && s[3] == '-' && digits.all(s[:3]) && digits.all(s[4:])
}
func formatUsPrivacy(s string) bool { return len(s) == 4 && s[0] == '1' && privacy.all(s[1:]) }

// formatBcp47 accepts a language of two or three letters, and parts of at most eight after it.
func formatBcp47(s string) bool {
	n := letters.run(s)
	if n < 2 || n > 3 {
		return false
	}
	for s = s[n:]; s != ""; s = s[n:] {
		if s[0] != '-' {
			return false
		}
		s = s[1:]
		if n = alnum.run(s); n < 1 || n > 8 {
			return false
		}
	}
	return true
}

func formatIso31662(s string) bool {
	if len(s) > 3 && s[2] == '-' && upper.all(s[:2]) {
		s = s[3:]
	}
	return len(s) >= 1 && len(s) <= 3 && upperDigits.all(s)
}

func formatGoogleMetroCode(s string) bool { return len(s) >= 1 && len(s) <= 6 && digits.all(s) }

func formatUnLocode(s string) bool {
	if len(s) == 6 && s[2] == ' ' {
		return upper.all(s[:2]) && locode.all(s[3:])
	}
	return len(s) == 5 && upper.all(s[:2]) && locode.all(s[2:])
}

// formatIpv4 accepts four numbers without leading zeros, which some parsers read as octal. It and
// formatIpv6 accept what net/netip accepts, which allocates an error for everything else.
func formatIpv4(s string) bool {
	_, ok := address.Parse4(s)
	return ok
}

// formatIpv6 accepts the text form of RFC 4291, section 2.2: eight groups, of which a run may be
// left out once as "::", and the last two may be written as an IPv4 address.
func formatIpv6(s string) bool {
	groups, short := 0, false
	if len(s) >= 2 && s[0] == ':' && s[1] == ':' {
		if len(s) == 2 {
			return true
		}
		s, short = s[2:], true
	}
	for {
		n := hex.run(s)
		if n < len(s) && s[n] == '.' {
			if !formatIpv4(s) {
				return false
			}
			groups += 2
			break
		}
		if n < 1 || n > 4 {
			return false
		}
		groups++
		if n == len(s) {
			break
		}
		if s[n] != ':' {
			return false
		}
		s = s[n+1:]
		if s != "" && s[0] == ':' {
			if short {
				return false
			}
			short, s = true, s[1:]
			if s == "" {
				break
			}
		}
	}
	return groups == 8 && !short || groups < 8 && short
}

// formatDomain accepts labels of at most 63 characters that neither start nor end with a dash, the
// last one of at least two characters.
func formatDomain(s string) bool {
	const labelMax = 63
	start, underscore := 0, -1 // the current label, the last underscore
	for i := range len(s) {
		if alnum.has(s[i]) {
			continue
		}
		switch s[i] {
		case '.':
			n := i - start
			if n < 1 || n > labelMax || s[start] == '-' || n > 1 && !alnum.has(s[i-1]) {
				return false
			}
			start = i + 1
		case '_':
			underscore = i
		case '-':
		default:
			return false
		}
	}
	n := len(s) - start
	return start > 0 && n >= 2 && n <= labelMax && underscore < start
}

// formatUrl accepts an absolute http or https URL with a host and without white space.
func formatUrl(s string) bool {
	rest, ok := cutPrefixFold(s, "https://")
	if !ok {
		if rest, ok = cutPrefixFold(s, "http://"); !ok {
			return false
		}
	}
	return rest != "" && rest[0] != '/' && rest[0] != '?' && rest[0] != '#' && !hasSpaceOrControl(rest)
}

// formatUrlTemplate is formatUrl for URLs with macros, which may replace the scheme.
func formatUrlTemplate(s string) bool {
	if strings.HasPrefix(s, "${") || strings.HasPrefix(s, "//") {
		return !hasSpaceOrControl(s)
	}
	return formatUrl(s)
}

func hasSpaceOrControl(s string) bool { return !graphic.all(s) }

// cutPrefixFold is strings.CutPrefix without case. prefix is lower case ASCII.
func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) {
		return s, false
	}
	for i := range len(prefix) {
		b := s[i]
		if 'A' <= b && b <= 'Z' {
			b |= 0x20
		}
		if b != prefix[i] {
			return s, false
		}
	}
	return s[len(prefix):], true
}

func formatMimeType(s string) bool {
	n := mimeType.run(s)
	return n > 0 && n+1 < len(s) && s[n] == '/' && mimeSubtype.all(s[n+1:])
}

// formatIsrc accepts two letters, three characters, two digits and five digits, with optional
// dashes between.
func formatIsrc(s string) bool {
	return cut(&s, upper, 2) && cut(&s, upperDigits, 3) && cut(&s, digits, 2) && len(s) == 5 && digits.all(s)
}

// cut takes n characters of a set from the front of s, and a dash after them.
func cut(s *string, of set, n int) bool {
	if len(*s) < n || !of.all((*s)[:n]) {
		return false
	}
	*s = strings.TrimPrefix((*s)[n:], "-")
	return true
}

// formatGpp accepts a header and sections, which are not empty.
func formatGpp(s string) bool {
	if !strings.HasPrefix(s, "DB") {
		return false
	}
	for i := base64URL.run(s); i < len(s); {
		n := 0
		if s[i] == '~' {
			n = gppSection.run(s[i+1:])
		}
		if n == 0 {
			return false
		}
		i += 1 + n
	}
	return true
}

// formatTcfV2 accepts a C and segments with dots between, which are not empty.
func formatTcfV2(s string) bool {
	if len(s) < 2 || s[0] != 'C' {
		return false
	}
	for i := 1; ; i++ {
		n := base64URL.run(s[i:])
		if n == 0 {
			return false
		}
		if i += n; i == len(s) {
			return true
		}
		if s[i] != '.' {
			return false
		}
	}
}

func formatBase85CookieSafe(s string) bool { return cookieSafe.all(s) }

// formatAppStoreId accepts any text, as the data does, because stores keep inventing ids. The rule
// App.bundle.store is stricter.
func formatAppStoreId(s string) bool { return s != "" && strings.IndexByte(s, '\n') < 0 }

func formatMajorMinor(s string) bool {
	n := digits.run(s)
	return n > 0 && n+1 < len(s) && s[n] == '.' && digits.all(s[n+1:])
}

func formatEpochMilliseconds(ms float64) bool { return ms >= 1e12 && ms <= 9999999999999 }

// formatIab1Category accepts IAB1 to IAB26, optionally with a second tier from 1 to 99.
func formatIab1Category(s string) bool {
	if len(s) < 4 || s[:3] != "IAB" {
		return false
	}
	s = s[3:]
	one, n := countingNumber(s)
	if n == 0 || one > 26 || n == len(s) {
		return n != 0 && one <= 26
	}
	_, m := countingNumber(s[n+1:])
	return s[n] == '-' && m != 0 && n+1+m == len(s)
}

// countingNumber reads a number from 1 to 99 without leading zeros from the front of s. It also
// returns its length, or 0.
func countingNumber(s string) (number, n int) {
	if s == "" || s[0]-'1' > 8 {
		return 0, 0
	}
	number = int(s[0] - '0')
	if len(s) == 1 || s[1]-'0' > 9 {
		return number, 1
	}
	return 10*number + int(s[1]-'0'), 2
}
