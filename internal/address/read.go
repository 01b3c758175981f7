package address

import (
	"encoding/binary"
	"net/netip"
	"strings"

	"github.com/rtbwire/rtbwire/internal/blank"
)

// Read reads an address as lenient readers do, so that a sender can't hide one from a list by its
// spelling. It accepts everything that [Parse] accepts, and
//
//   - the numbers of inet_aton: one to four, decimal, octal (010) or hexadecimal (0x10), of which
//     the last one fills the bytes that are left: 3.5.1543 is 3.5.6.7, ::ffff:03.5.6.7 too;
//   - a port, brackets and a zone, which are cut off: 192.0.2.1:80, [2001:db8::1]:80, fe80::1%eth0;
//   - white space around it, as [blank.Trim] removes it, and all that comes after a NUL or white
//     space inside.
//
// IPv4 addresses that are written as IPv6 (::ffff:192.0.2.1) are IPv4. For other addresses with an
// IPv4 address inside see [Inside]. Read allocates nothing.
func Read(s string) (a netip.Addr, ok bool) {
	if a, ok = Parse(s); !ok {
		a, ok = readLoose(s)
	}
	return a.Unmap(), ok
}

// readLoose is Read for what Parse refuses.
func readLoose(s string) (netip.Addr, bool) {
	s = blank.Trim(s)
	if i := strings.IndexAny(s, spaces+"\x00"); i >= 0 {
		s = s[:i]
	}
	if inside, port, found := strings.Cut(s, "]"); found {
		if s, found = strings.CutPrefix(inside, "["); !found || port != "" && !isPort(port) {
			return netip.Addr{}, false
		}
	}
	s, _, _ = strings.Cut(s, "%")
	if i := strings.LastIndexByte(s, ':'); i >= 0 && isPort(s[i:]) && (i == strings.IndexByte(s, ':') || strings.IndexByte(s[:i], '.') >= 0) {
		s = s[:i]
	}
	if strings.IndexByte(s, ':') >= 0 {
		a, ok := parse6(s, aton)
		return netip.AddrFrom16(a), ok
	}
	v4, ok := aton(s)
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], v4)
	return netip.AddrFrom4(b), ok
}

// spaces are the bytes that isspace of C accepts.
const spaces = " \t\n\v\f\r"

// isPort reports whether s is a colon and digits.
func isPort(s string) bool {
	return len(s) > 1 && s[0] == ':' && strings.Trim(s[1:], "0123456789") == ""
}

// aton reads the numbers of inet_aton (POSIX). A number that does not fit is refused, as by glibc.
func aton(s string) (address uint32, ok bool) {
	const parts = 4
	for i := range parts {
		part, rest, more := strings.Cut(s, ".")
		n, ok := atonNumber(part)
		switch {
		case !ok:
			return 0, false
		case !more: // it fills the bytes that are left
			return address | n, uint64(n) < 1<<(8*(parts-i))
		case n > 0xff:
			return 0, false
		}
		address |= n << (8 * (parts - 1 - i))
		s = rest
	}
	return 0, false
}

// atonNumber reads a decimal, octal or hexadecimal number.
func atonNumber(s string) (uint32, bool) {
	base := 10
	if len(s) > 1 && s[0] == '0' {
		if base, s = 8, s[1:]; s[0]|0x20 == 'x' {
			base, s = 16, s[1:]
		}
	}
	if s == "" {
		return 0, false
	}
	var n uint64
	for i := range len(s) {
		d := uint64(hexDigits[s[i]])
		if n = n*uint64(base) + d; d >= uint64(base) || n > 0xffff_ffff {
			return 0, false
		}
	}
	return uint32(n), true
}

// The prefixes of addresses with an IPv4 address inside.
const (
	sixToFour  = 0x2002                // RFC 3056, /16
	teredo     = 0x2001_0000           // RFC 4380, /32
	nat64High  = 0x0064_ff9b_0000_0000 // RFC 6052, /96
	localNAT64 = 0x0064_ff9b_0001      // RFC 8215, /48
	translated = 0xffff_0000           // RFC 2765, after 8 zeros, /96
	v4In6to4   = 2                     // offset in bytes
	v4InSuffix = 12
)

// Inside returns the IPv4 address that an IPv6 address was made from (6to4, Teredo, the prefixes
// of NAT64, ::ffff:, ::ffff:0:, and :: alone unless 0 follows), and how many bits are in front of
// it. An IPv4 address has itself inside. An address of Teredo or local NAT64 that was truncated has
// none.
func Inside(a netip.Addr) (v4 netip.Addr, bits int, ok bool) {
	if a = a.Unmap(); a.Is4() {
		return a, 0, true
	}
	if !a.IsValid() {
		return netip.Addr{}, 0, false
	}
	b := a.As16()
	const byteBits = 8
	high, middle := binary.BigEndian.Uint64(b[:]), binary.BigEndian.Uint32(b[8:])
	truncated := binary.BigEndian.Uint32(b[v4InSuffix:]) == 0
	switch {
	case binary.BigEndian.Uint16(b[:]) == sixToFour:
		return netip.AddrFrom4([4]byte(b[v4In6to4:])), v4In6to4 * byteBits, true
	case binary.BigEndian.Uint32(b[:]) == teredo && !truncated:
		for i := range b[v4InSuffix:] {
			b[v4InSuffix+i] ^= 0xff // Teredo hides it from careless translators
		}
		return netip.AddrFrom4([4]byte(b[v4InSuffix:])), v4InSuffix * byteBits, true
	case high == nat64High && middle == 0, high>>16 == localNAT64 && !truncated,
		high == 0 && (middle == translated || middle == 0 && b[v4InSuffix] != 0):
		return netip.AddrFrom4([4]byte(b[v4InSuffix:])), v4InSuffix * byteBits, true
	}
	return netip.Addr{}, 0, false
}
