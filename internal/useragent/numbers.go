package useragent

import (
	"strings"

	"github.com/rtbwire/rtbwire/internal/mem"
)

// digitsMax is how many digits of a number are read. A longer one is read as versionMax.
const (
	digitsMax  = 4
	versionMax = 9999
)

// versionAt reads "13", " 13.4" or "/13_4_1" at t[at]. What is not there is -1. next is where the
// first number ends.
func versionAt(t mem.Text, at int) (major, minor int16, next int) {
	if classes[t.At(at)]&joint != 0 {
		at++
	}
	major, next = numberAt(t, at)
	if major < 0 || t.At(next) != '.' && t.At(next) != '_' {
		return major, -1, next
	}
	minor, _ = numberAt(t, next+1)
	return major, minor, next
}

// majorAt is versionAt for the first number.
func majorAt(t mem.Text, at int) int16 {
	if classes[t.At(at)]&joint != 0 {
		at++
	}
	major, _ := numberAt(t, at)
	return major
}

// numberAt reads a number, or -1. The text ends before t does.
func numberAt(t mem.Text, at int) (n int16, next int) {
	value, digits := 0, 0
	word := t.Word(at)
	for word&0xff-'0' <= 9 && digits <= digitsMax {
		value = 10*value + int(word&0xff-'0')
		word >>= 8
		digits++
	}
	switch digits {
	case 0:
		return -1, at
	case digitsMax + 1:
		value = versionMax
	}
	return int16(value), at + digits
}

// modelAt returns where the model begins in the text of an Android device, given the place after
// the version of Android: "Android 13; en-us; Pixel 7 Build/". It is 0 without one. reduced means
// that there is the letter that browsers send for every model.
func modelAt(t mem.Text, at int) (model int, reduced bool) {
	const versionLongest = 12
	for end := at + versionLongest; t.At(at) != ';'; at++ {
		if t.At(at) == ')' || t.At(at) == 0 || at == end {
			return 0, false
		}
	}
	at = afterSpace(t, at+1)
	if isLocale(t, at) {
		for at += 2; t.At(at) != ';'; at++ {
		}
		at = afterSpace(t, at+1)
	}
	switch t.At(at) {
	case 'K':
		if classes[t.At(at+1)]&(letter|digit) == 0 && t.At(at+1) != '-' && t.At(at+1) != '_' {
			return 0, true
		}
	case 'M', 'T':
		if foldedIs(t, at, "mobile") || foldedIs(t, at, "tablet") || foldedIs(t, at, "tv;") {
			return 0, false
		}
	case 'r', 'w':
		if foldedIs(t, at, "rv:") || foldedIs(t, at, "wv)") {
			return 0, false
		}
	case 'H':
		if foldedIs(t, at, "harmonyos; ") {
			return at + len("harmonyos; "), false
		}
	case ')', ';', 0:
		return 0, false
	}
	return at, false
}

func afterSpace(t mem.Text, at int) int {
	if t.At(at) == ' ' {
		at++
	}
	return at
}

// isLocale reports whether there is at t[at] "en;", "en-us;" or "en_US;".
func isLocale(t mem.Text, at int) bool {
	small := func(i int) bool { return t.At(at+i)-'a' <= 'z'-'a' }
	isLetter := func(i int) bool { return classes[t.At(at+i)]&letter != 0 }
	if !small(0) || !small(1) {
		return false
	}
	sign := t.At(at + 2)
	return sign == ';' || (sign == '-' || sign == '_') && isLetter(3) && isLetter(4) && t.At(at+5) == ';'
}

// samsungPrefix is what Samsung's browser writes before the model.
const samsungPrefix = "SAMSUNG "

// Model returns the model of an Android device as the text has it: "Pixel 7". It is empty where the
// text has none or the letter K, which browsers send for every model.
func (c *Claims) Model() string {
	if c.model == 0 {
		return ""
	}
	s := c.text[c.model-1 : min(len(c.text), TextMax)]
	if i := strings.IndexByte(s, ')'); i >= 0 {
		s = s[:i]
	}
	if i := strings.IndexByte(s, ';'); i >= 0 {
		s = s[:i]
	}
	if i := strings.Index(s, " Build"); i >= 0 {
		s = s[:i]
	}
	return strings.TrimPrefix(strings.TrimSpace(s), samsungPrefix)
}
