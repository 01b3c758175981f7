// Package consent parses the headers of TCF and GPP strings: as many bits as tell what a string is,
// and never more than its own length.
package consent

import (
	"math/bits"
	"strings"
)

// bitReader reads a text in base64url, whose digits are 6 bits each. After the end, and at a
// character that is not a digit, it reads zeros and has failed.
type bitReader struct {
	text   string
	window uint64 // the next bits, from the highest on; zeros after them
	left   int    // how many
	failed bool
}

const digitBits = 6

// fill reads digits as long as the window has room for one.
func (r *bitReader) fill() {
	for r.left <= 64-digitBits && r.text != "" {
		d := base64Digits[r.text[0]]
		if d == notDigit {
			return
		}
		r.text = r.text[1:]
		r.left += digitBits
		r.window |= uint64(d) << (64 - r.left)
	}
}

// number reads a number of a few bits.
func (r *bitReader) number(n int) uint {
	if r.left < n {
		r.fill()
	}
	value := uint(r.window >> (64 - n))
	r.drop(n)
	return value
}

// drop takes bits from the window.
func (r *bitReader) drop(n int) {
	if r.left < n {
		r.failed = true
	}
	r.window <<= n
	r.left = max(r.left-n, 0)
}

// fibonacci reads a positive number in Fibonacci coding: the last of its bits is the second 1 in a
// row. No number of a GPP header is longer than longest bits.
func (r *bitReader) fibonacci() (n uint) {
	const longest = 24
	if r.left < longest {
		r.fill()
	}
	size := bits.LeadingZeros64(r.window&(r.window<<1)) + 2
	if size > longest {
		r.drop(longest)
		r.failed = true
		return 0
	}
	number := r.window &^ (1 << (64 - size)) // without the second 1
	a, b := uint(1), uint(2)
	for range size - 1 {
		n += a & -uint(number>>63)
		a, b, number = b, a+b, number<<1
	}
	r.drop(size)
	return n
}

// notDigit is for characters that are not digits in base64Digits.
const notDigit = 0xff

// base64Digits are the values of the digits of base64url.
var base64Digits = func() (table [256]uint8) {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	for i := range table {
		table[i] = notDigit
	}
	for i := range len(digits) {
		table[digits[i]] = uint8(i)
	}
	return table
}()

// Sections calls a function with the ids that the header of a GPP string lists, in order, until
// it returns false. It reports whether the header can be read.
func Sections(header string, visit func(id int) bool) bool {
	const (
		headerType, headerVersion = 3, 1
		countBits                 = 12
		sectionMax                = 1 << 10 // ids, and sections in a string
	)
	r := bitReader{text: header}
	if r.number(digitBits) != headerType || r.number(digitBits) != headerVersion {
		return false
	}
	id, total := 0, 0
	for n := r.number(countBits); n > 0; n-- {
		isRange := r.number(1) == 1
		id += int(r.fibonacci())
		last := id
		if isRange {
			last += int(r.fibonacci())
		}
		if total += last - id + 1; r.failed || last > sectionMax || total > sectionMax {
			return false
		}
		for ; id <= last; id++ {
			if !visit(id) {
				return true
			}
		}
		id = last
	}
	return !r.failed
}

// GPP reports whether a GPP string has a header, and as many sections as it lists.
func GPP(gpp string) bool {
	header, rest, more := strings.Cut(gpp, "~")
	sections := 0
	if more {
		sections = 1 + strings.Count(rest, "~")
	}
	return Sections(header, func(int) bool { sections--; return true }) && sections == 0
}

// Section returns one section of a GPP string.
func Section(gpp string, id int) (section string, found bool) {
	header, rest, more := strings.Cut(gpp, "~")
	Sections(header, func(next int) bool {
		if !more {
			return false
		}
		section, rest, more = strings.Cut(rest, "~")
		found = next == id
		return !found
	})
	if !found {
		section = ""
	}
	return section, found
}

// Header reports whether a consent string begins like one of TCF version 2, with the digits that
// every such string has. Its time does not depend on the string: what follows is not read.
func Header(consent string) bool {
	return len(consent) >= coreMin && base64Digits[consent[0]] == tcfVersion && allDigits(consent[:coreMin])
}

const (
	tcfVersion = 2
	coreBits   = 213 // version, times, CMP, screen, language, vendor list, policy, purposes, publisher
	coreMin    = (coreBits + digitBits - 1) / digitBits
)

// TCF reports whether a consent string begins with the fields that every string of TCF
// version 2 has in front of its lists of vendors.
func TCF(consent string) bool {
	core, _, _ := strings.Cut(consent, ".")
	return Header(core) && allDigits(core)
}

// allDigits reports whether a text has digits of base64url alone.
func allDigits(s string) bool {
	for i := range len(s) {
		if base64Digits[s[i]] == notDigit {
			return false
		}
	}
	return true
}
