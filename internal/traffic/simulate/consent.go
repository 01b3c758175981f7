package simulate

// Consent strings. Their form follows the IAB's specifications: TCF 2.2, the GPP with its sections
// for TCF and for the national US privacy string, and the older US privacy string.

const base64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// bitWriter writes a string of bits in base64url, six at a time.
type bitWriter struct {
	dst  []byte
	word uint64
	n    int // bits in word
}

// put appends the low bits of a number, at most 48.
func (b *bitWriter) put(value uint64, width int) {
	b.word = b.word<<width | value&(1<<width-1)
	for b.n += width; b.n >= 6; {
		b.n -= 6
		b.dst = append(b.dst, base64URL[b.word>>b.n&63])
	}
}

// end fills the string up to whole bytes, and the last digit.
func (b *bitWriter) end(total int) []byte {
	if rest := total % 8; rest != 0 {
		b.put(0, 8-rest)
	}
	if b.n > 0 {
		b.put(0, 6-b.n)
	}
	return b.dst
}

// Consent was given in the first half of 2025: no clock is read.
const (
	consentOldest = 17_356_896_000 // 2025-01-01, in tenths of a second
	consentDays   = 150
	vendorList    = 112
	vendorMax     = 160 // vendors up to this id, as a field of bits
)

// appendTCF appends a TCF 2.2 string with a core segment.
func appendTCF(dst []byte, u *user) []byte {
	s := source{hash(u.key, 11)}
	day := consentOldest + uint64(s.below(consentDays))*864_000
	b := bitWriter{dst: dst}
	b.put(2, 6) // version
	b.put(day, 36)
	b.put(day, 36)
	b.put(uint64(10+s.below(290)), 12) // consent management platform
	b.put(uint64(1+s.below(40)), 12)   // its version
	b.put(1, 6)                        // screen
	code := u.language.code
	b.put(uint64(code[0]-'a'), 6)
	b.put(uint64(code[1]-'a'), 6)
	b.put(vendorList, 12)
	b.put(5, 6) // policy version
	b.put(1, 1) // service specific
	b.put(0, 1) // no stacks of the publisher's own
	purposes, interest, features := uint64(0), uint64(0), uint64(0)
	if u.consents {
		purposes, interest, features = 0xffe000, 0x7fe000, 1 // 11 purposes; 7 to 11 of them by interest
	}
	b.put(features<<11, 12)
	b.put(purposes, 24)
	b.put(interest&0x03e000, 24)
	b.put(0, 1) // purpose 1 is asked for
	country := u.country.store
	b.put(uint64(country[0]-'a'), 6)
	b.put(uint64(country[1]-'a'), 6)
	total := 213
	// Vendors with consent, then those with an interest: the largest id, and a field of bits.
	for range 2 {
		if !u.consents {
			b.put(0, 16+1)
			total += 17
			continue
		}
		b.put(vendorMax, 16)
		b.put(0, 1)
		for range vendorMax / 32 {
			first, second := s.next(), s.next()
			b.put(first|second, 32) // three of four vendors
		}
		total += 17 + vendorMax
	}
	b.put(0, 12) // restrictions of the publisher
	return b.end(total + 12)
}

// The headers of GPP strings with one section, by the specification's Fibonacci code: 2 is TCF, 7
// the national string of the United States.
const (
	gppHeaderTCF = "DBABMA~"
	gppHeaderUS  = "DBABLA~"
)

// appendGPP appends a GPP string for the law of the user's country.
func appendGPP(dst []byte, u *user) []byte {
	if u.country.law == lawGDPR {
		return appendTCF(append(dst, gppHeaderTCF...), u)
	}
	b := bitWriter{dst: append(dst, gppHeaderUS...)}
	b.put(1, 6) // version
	optOut := uint64(2)
	if u.limits {
		optOut = 1
	}
	for range 6 { // notices were given, where they apply
		b.put(1, 2)
	}
	for range 3 { // sale, sharing, targeted advertising
		b.put(optOut, 2)
	}
	b.put(0, 24) // sensitive data
	b.put(0, 4)  // children
	b.put(0, 2)
	b.put(1, 2) // covered by the multi-state agreement
	b.put(2, 2)
	b.put(2, 2)
	dst = b.end(60)
	if u.limits {
		return append(dst, ".YA"...) // global privacy control: on
	}
	return append(dst, ".QA"...)
}

// appendUSPrivacy appends a US privacy string.
func appendUSPrivacy(dst []byte, u *user) []byte {
	if u.limits {
		return append(dst, "1YYN"...)
	}
	return append(dst, "1YNN"...)
}
