package fraud

import "strings"

// hostOf returns the host of a URL, or of a text that begins with one, as senders write it into
// fields for domains. It is "" if there is none. The case of letters stays.
func hostOf(url string) string {
	if i := strings.Index(url, "://"); i >= 0 && i < len("chrome-extension") {
		url = url[i+len("://"):]
	} else {
		url = strings.TrimPrefix(url, "//")
	}
	for i := range len(url) {
		if c := url[i]; c == '/' || c == '?' || c == '#' || c == ':' {
			url = url[:i]
			break
		}
	}
	if at := strings.LastIndexByte(url, '@'); at >= 0 {
		url = url[at+1:]
	}
	url = strings.TrimSuffix(url, ".")
	if strings.IndexByte(url, '.') < 0 {
		return ""
	}
	return url
}

// shortLabel is how long the label before the last one is where names are registered below it, as in
// co.uk and com.au. Longer ones are somebody's name.
const shortLabel = 3

// related reports whether two hosts are likely to be of one owner: they end in the same registered
// name, as far as that can be told without a list of all registries.
func related(a, b string) bool {
	if len(a) == len(b) {
		if strings.EqualFold(a, b) {
			return true
		}
	}
	name := registered(a)
	return strings.EqualFold(name, registered(b)) && name != ""
}

// registered returns the last two labels of a host, or the last three if the one before the last is
// short. It returns the host if it has no more.
func registered(host string) string {
	last := strings.LastIndexByte(host, '.')
	if last < 0 {
		return host
	}
	second := strings.LastIndexByte(host[:last], '.')
	if second < 0 {
		return host
	}
	if last-second-1 > shortLabel {
		return host[second+1:]
	}
	third := strings.LastIndexByte(host[:second], '.')
	if host[third+1:second] == "www" { // www.bbc.com: the short label is the name itself
		return host[second+1:]
	}
	return host[third+1:]
}
