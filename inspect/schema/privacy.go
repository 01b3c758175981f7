package schema

import (
	"strings"

	"github.com/rtbwire/rtbwire/adcom"
)

// This file reads the headers of privacy strings: as many bits as tell what a string is, and never
// more than its own length.

// gppTCF is the section of a GPP string, and the entry of gpp_sid, for TCF in the EU.
const gppTCF = adcom.GPPSectionTCFEUV2

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

// gppSections calls a function with the ids that the header of a GPP string lists, in order, until
// it returns false. It reports whether the header can be read.
func gppSections(header string, visit func(id int) bool) bool {
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

// gppParses reports whether a GPP string has a header, and as many sections as it lists.
func gppParses(gpp string) bool {
	header, rest, more := strings.Cut(gpp, "~")
	sections := 0
	if more {
		sections = 1 + strings.Count(rest, "~")
	}
	return gppSections(header, func(int) bool { sections--; return true }) && sections == 0
}

// gppSectionOf returns one section of a GPP string.
func gppSectionOf(gpp string, id int) (section string, found bool) {
	header, rest, more := strings.Cut(gpp, "~")
	gppSections(header, func(next int) bool {
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

// tcfHeader reports whether a consent string begins with the fields that every string of TCF
// version 2 has in front of its lists of vendors.
func tcfHeader(consent string) bool {
	const (
		version  = 2
		coreBits = 213 // version, times, CMP, screen, language, vendor list, policy, purposes, publisher
	)
	core, _, _ := strings.Cut(consent, ".")
	r := bitReader{text: core}
	return r.number(digitBits) == version && len(core)*digitBits >= coreBits && base64URL.all(core)
}
