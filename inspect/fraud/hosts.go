package fraud

import "strings"

// hostOf returns the host of a URL, or of a text that begins with one, as senders write it into
// fields for domains. It is "" if there is none. The case of letters stays.
func hostOf(url string) string {
	switch {
	case strings.HasPrefix(url, "https://"):
		url = url[len("https://"):]
	case strings.HasPrefix(url, "http://"):
		url = url[len("http://"):]
	case strings.HasPrefix(url, "//"):
		url = url[len("//"):]
	default:
		if i := strings.Index(url, "://"); i >= 0 && i < len("chrome-extension") {
			url = url[i+len("://"):]
		}
	}
	for i := 0; i < len(url); i++ {
		if !hostEnds[url[i]] {
			continue
		}
		if url[i] != '@' {
			url = url[:i]
			break
		}
		url, i = url[i+1:], -1 // what was before is a user
	}
	host := strings.TrimSuffix(url, ".")
	if strings.IndexByte(host, '.') < 0 {
		return ""
	}
	return host
}

// hostEnds are the characters that follow a host, and the one before it.
var hostEnds = [256]bool{'@': true, '/': true, '?': true, '#': true, ':': true}

// shortLabel is how long the label before the last one is where names are registered below it, as in
// co.uk and com.au. Longer ones are somebody's name.
const shortLabel = 3

// related reports whether two hosts are likely to be of one owner: they end in the same registered
// name, as far as that can be told without a list of all registries.
func related(a, b string) bool {
	i, j, dots := len(a), len(b), 0
	for i > 0 && j > 0 && lower(a[i-1]) == lower(b[j-1]) {
		i, j = i-1, j-1
		if a[i] == '.' {
			dots++
		}
	}
	if i == 0 && j == 0 {
		return true
	}
	if dots == 0 || dots == 1 && a[i] == '.' {
		return false // they share no more than the last label
	}
	return strings.EqualFold(registered(a), registered(b))
}

// lower returns the lower case of an ASCII letter, and other bytes of a host as they are.
func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// registered returns the last two labels of a host, or the last three if the one before the last is
// short. It returns the host if it has no more.
func registered(host string) string {
	last := dotBefore(host, len(host))
	second := dotBefore(host, last)
	if second < 0 {
		return host
	}
	third := dotBefore(host, second)
	if last-second-1 > shortLabel || host[third+1:second] == "www" { // in www.bbc.com the short label is the name
		return host[second+1:]
	}
	return host[third+1:]
}

// dotBefore returns the place of the last dot before a place, -1 if there is none.
func dotBefore(host string, end int) int {
	for end--; end >= 0 && host[end] != '.'; end-- {
	}
	return max(end, -1)
}
