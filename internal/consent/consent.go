// Package consent reads the headers of privacy strings, those of TCF and GPP: as many bits as tell
// what a string is, and never more than its own length.
package consent

import "strings"

// bitReader reads a text in base64url, whose digits are 6 bits each. After the end, and at a
// character that is not a digit, it reads zeros and has failed.
type bitReader struct {
	text   string
	pos    int  // of the next digit
	bits   uint // of the last digit, those that are left
	left   int  // how many
	failed bool
}

const digitBits = 6

func (r *bitReader) bit() uint {
	if r.left == 0 {
		r.next()
	}
	r.left--
	return r.bits >> r.left & 1
}

// next reads a digit.
func (r *bitReader) next() {
	r.bits, r.left = 0, digitBits
	if r.pos < len(r.text) {
		if d := base64Digits[r.text[r.pos]]; d != notDigit {
			r.bits = uint(d)
			r.pos++
			return
		}
	}
	r.pos++
	r.failed = true
}

func (r *bitReader) number(bits int) (n uint) {
	for range bits {
		n = n<<1 | r.bit()
	}
	return n
}

// fibonacci reads a positive number in Fibonacci coding: the last of its bits is the second 1 in a
// row. No number of a GPP header is longer than longest bits.
func (r *bitReader) fibonacci() (n uint) {
	const longest = 24
	a, b := uint(1), uint(2)
	last := uint(0)
	for range longest {
		bit := r.bit()
		if bit == 1 && last == 1 {
			return n
		}
		if bit == 1 {
			n += a
		}
		last, a, b = bit, b, a+b
	}
	r.failed = true
	return 0
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
		isRange := r.bit() == 1
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

// TCF reports whether a consent string begins with the fields that every string of TCF
// version 2 has in front of its lists of vendors.
func TCF(consent string) bool {
	const (
		version  = 2
		coreBits = 213 // version, times, CMP, screen, language, vendor list, policy, purposes, publisher
	)
	core, _, _ := strings.Cut(consent, ".")
	r := bitReader{text: core}
	return r.number(digitBits) == version && len(core)*digitBits >= coreBits && allDigits(core)
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
