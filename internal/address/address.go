// Package address reads the text of IP addresses, and knows which of them are not those of devices
// on the internet.
package address

import (
	"encoding/binary"
	"net/netip"
	"strings"
)

// Parse is [netip.ParseAddr] for addresses without zone. It allocates nothing when it fails.
func Parse(s string) (netip.Addr, bool) {
	if strings.IndexByte(s, ':') < 0 {
		a, ok := parse4(s)
		return netip.AddrFrom4(a), ok
	}
	a, ok := parse6(s)
	return netip.AddrFrom16(a), ok
}

// parse4 reads four decimal numbers without leading zeros.
func parse4(s string) (a [4]byte, ok bool) {
	var all uint32 // the numbers before this one
	n, start, dots := uint32(0), 0, 0
	for i := range len(s) {
		c := s[i]
		if d := c - '0'; d <= 9 {
			if n == 0 && i > start { // after a zero
				return a, false
			}
			if n = n*10 + uint32(d); n > 255 {
				return a, false
			}
			continue
		}
		if c != '.' || i == start || dots == 3 {
			return a, false
		}
		all, n, start = all<<8|n, 0, i+1
		dots++
	}
	binary.BigEndian.PutUint32(a[:], all<<8|n)
	return a, dots == 3 && start < len(s)
}

// parse6 reads the text forms of RFC 4291, section 2.2.
func parse6(s string) (a [16]byte, ok bool) {
	gap := -1 // where :: is
	at := 0
	if strings.HasPrefix(s, "::") {
		gap, s = 0, s[2:]
	}
	for len(s) > 0 {
		if at == len(a) {
			return a, false
		}
		n, i := 0, 0
		for ; i < len(s) && i < 4; i++ {
			d := hexDigits[s[i]]
			if d == 0xff {
				break
			}
			n = n<<4 | int(d)
		}
		if i == 0 {
			return a, false
		}
		if i < len(s) && s[i] == '.' { // an IPv4 address at the end
			v4, is := parse4(s)
			if !is || at > len(a)-len(v4) || gap < 0 && at != len(a)-len(v4) {
				return a, false
			}
			at += copy(a[at:], v4[:])
			break
		}
		a[at], a[at+1] = byte(n>>8), byte(n)
		at += 2
		if s = s[i:]; s == "" {
			break
		}
		if s[0] != ':' || len(s) == 1 {
			return a, false
		}
		if s = s[1:]; s[0] == ':' {
			if gap >= 0 {
				return a, false
			}
			gap, s = at, s[1:]
		}
	}
	if gap < 0 {
		return a, at == len(a)
	}
	if at == len(a) {
		return a, false // the gap stands for no group
	}
	tail := at - gap
	copy(a[len(a)-tail:], a[gap:at])
	clear(a[gap : len(a)-tail])
	return a, true
}

// hexDigits are the values of hexadecimal digits; 0xff is for all other bytes.
var hexDigits = func() (t [256]byte) {
	for i := range t {
		t[i] = 0xff
	}
	for i, c := range "0123456789abcdef" {
		t[c] = byte(i)
	}
	for i, c := range "ABCDEF" {
		t[c] = byte(10 + i)
	}
	return t
}()
