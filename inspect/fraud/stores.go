package fraud

import (
	"cmp"
	"strings"
)

// system is the operating system that a device names, as far as stores of apps differ by it.
type system uint8

const (
	systemOther system = iota
	systemAndroid
	systemApple
)

// systemOf reads the name of an operating system in the spellings that are in use.
func systemOf(os string) system {
	switch len(os) {
	case len("android"):
		if strings.EqualFold(os, "android") {
			return systemAndroid
		}
	case len("ios"), len("tvos"), len("ipados"), len("iphone os"):
		for _, name := range [...]string{"ios", "tvos", "ipados", "iphone os"} {
			if strings.EqualFold(os, name) {
				return systemApple
			}
		}
	}
	return systemOther
}

// bundleFits reports whether a bundle can be the id of an app in a store of the system. Android has
// packages, and Amazon's store has ids of its own; Apple has numbers, and many senders write the
// name of the bundle. Of other systems, televisions most of all, the characters alone are
// looked at.
func bundleFits(bundle string, s system) bool {
	switch s {
	case systemAndroid:
		return isPackage(bundle) || isASIN(bundle)
	case systemApple:
		return isNumber(strings.TrimPrefix(bundle, "id")) || isPackage(bundle)
	default:
		for i := range len(bundle) {
			if idChars[bundle[i]]&anyID == 0 {
				return false
			}
		}
		return true
	}
}

// The sets of characters of ids.
const (
	idDigit = 1 << iota // 0-9
	idUpper             // A-Z
	idPart              // letters, digits, _ and -
	anyID               // what ids of any store have
)

var idChars = func() (t [256]uint8) {
	set := func(from, to byte, sets uint8) {
		for c := int(from); c <= int(to); c++ {
			t[c] |= sets
		}
	}
	set('0', '9', idDigit|idPart|anyID)
	set('A', 'Z', idUpper|idPart|anyID)
	set('a', 'z', idPart|anyID)
	set('_', '_', idPart|anyID)
	set('-', '-', idPart|anyID)
	set('.', '.', anyID)
	set(':', ':', anyID)
	return t
}()

// isPackage reports whether a text has the form com.example.app.
func isPackage(s string) bool {
	parts, from := 1, 0
	for i := range len(s) {
		switch c := s[i]; {
		case idChars[c]&idPart != 0:
		case c == '.' && i > from:
			parts, from = parts+1, i+1
		default:
			return false
		}
	}
	return parts > 1 && from < len(s)
}

// isNumber reports whether a text is a number of Apple's store.
func isNumber(s string) bool {
	const longest = 12
	for i := range len(s) {
		if idChars[s[i]]&idDigit == 0 {
			return false
		}
	}
	return s != "" && len(s) <= longest
}

// isASIN reports whether a text has the form of Amazon's ids: B and nine letters or digits.
func isASIN(s string) bool {
	const length = 10
	if len(s) != length || s[0] != 'B' {
		return false
	}
	for i := range len(s) {
		if idChars[s[i]]&(idDigit|idUpper) == 0 {
			return false
		}
	}
	return true
}

// storeFits reports whether the address in a store can be that of an app on a system. Stores that
// are not known fit everything.
func storeFits(url, bundle string, s system) bool {
	host := hostOf(url)
	switch {
	case strings.EqualFold(host, "play.google.com"):
		return s != systemApple && sameID(cmp.Or(after(url, "?id=", "&#"), after(url, "&id=", "&#")), bundle, isPackage)
	case strings.EqualFold(host, "apps.apple.com"), strings.EqualFold(host, "itunes.apple.com"):
		return s != systemAndroid && sameID(after(url, "/id", "?#/&"), strings.TrimPrefix(bundle, "id"), isNumber)
	case strings.EqualFold(host, "channelstore.roku.com"):
		return sameID(after(url, "/details/", "/?#:"), bundle, isNumber)
	case strings.EqualFold(registered(host), "amazon.com"):
		return s != systemApple && sameID(after(url, "/dp/", "/?#"), bundle, isASIN)
	}
	return true
}

// sameID compares an id out of a store's address with a bundle, if both are of the store's form.
// Some senders change the case of letters.
func sameID(id, bundle string, form func(string) bool) bool {
	return strings.EqualFold(id, bundle) || !form(id) || !form(bundle)
}

// after returns what follows the last occurrence of a mark, up to one of the ends.
func after(url, mark, ends string) string {
	i := strings.LastIndex(url, mark)
	if i < 0 {
		return ""
	}
	url = url[i+len(mark):]
	if end := strings.IndexAny(url, ends); end >= 0 {
		url = url[:end]
	}
	return url
}
