package fraud

import (
	"strings"

	"github.com/rtbwire/rtbwire/internal/urlhost"
)

// hostOf returns the host of a URL, or of a text that begins with one, as senders write it into
// fields for domains. The case of letters stays. It is "" if there is none, and if it can't be
// compared: where a URL was escaped as a whole, or where a name is in an alphabet that the other
// side may have in another encoding.
func hostOf(url string) string {
	host := urlhost.Host(url)
	if nameEnd(host) < len(host) {
		return ""
	}
	if host = strings.TrimSuffix(host, "."); strings.IndexByte(host, '.') < 0 {
		return ""
	}
	return host
}

// nameEnd returns the length of the name that a text begins with.
func nameEnd(s string) int {
	for i := range len(s) {
		if !nameChars[s[i]] {
			return i
		}
	}
	return len(s)
}

// nameChars are the characters of host names.
var nameChars = func() (t [256]bool) {
	for _, c := range "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_" {
		t[c] = true
	}
	return t
}()

// Names are registered below the second label in the domains of countries, as in co.uk and com.au.
// A longer second label is somebody's name, and so is every one below the other domains: cnn.com.
const (
	countryLabel = 2 // letters
	shortLabel   = 3 // letters at most
)

// related reports whether two hosts are likely to be of one owner: they end in the same registered
// name, as far as that can be told without a list of all registries, or one is below the other.
func related(a, b string) bool {
	i, j, dots := len(a), len(b), 0
	for i > 0 && j > 0 && lower(a[i-1]) == lower(b[j-1]) {
		i, j = i-1, j-1
		if a[i] == '.' {
			dots++
		}
	}
	switch {
	case i == 0 && j == 0:
		return true
	case i > 0 && j > 0 && (dots == 0 || dots == 1 && a[i] == '.'): // they share no more than the last label
		return false
	}
	ra, rb := registered(a), registered(b)
	return strings.EqualFold(ra, rb) || below(a, rb) || below(b, ra)
}

// lower returns the lower case of an ASCII letter, and other bytes as they are.
func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// below reports whether a host is in a domain.
func below(host, domain string) bool {
	at := len(host) - len(domain)
	return at > 0 && host[at-1] == '.' && strings.EqualFold(host[at:], domain)
}

// registered returns the last two labels of a host, or the last three if the second one may be that
// of a registry. It returns the host if it has no more.
func registered(host string) string {
	last := dotBefore(host, len(host))
	second := dotBefore(host, last)
	if second < 0 {
		return host
	}
	third := dotBefore(host, second)
	if len(host)-last-1 != countryLabel || last-second-1 > shortLabel || host[third+1:second] == "www" { // in www.rp.pl the short label is the name
		return host[second+1:]
	}
	return host[third+1:]
}

// dotBefore returns the place of the last dot before a place, or -1.
func dotBefore(host string, end int) int {
	for end--; end >= 0 && host[end] != '.'; end-- {
	}
	return max(end, -1)
}
