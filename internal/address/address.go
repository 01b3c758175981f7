// Package address parses IP addresses, and knows which ones don't belong to devices on the
// internet.
package address

import (
	"encoding/binary"
	"net/netip"
	"strings"
)

// Parse is [netip.ParseAddr] for addresses without zone. It allocates nothing when it fails.
func Parse(s string) (netip.Addr, bool) {
	if strings.IndexByte(s, ':') < 0 {
		a, ok := Parse4(s)
		return netip.AddrFrom4([4]byte{byte(a >> 24), byte(a >> 16), byte(a >> 8), byte(a)}), ok
	}
	a, ok := parse6(s, Parse4)
	return netip.AddrFrom16(a), ok
}

// Parse4 reads an IPv4 address: four decimal numbers without leading zeros. The first number is in
// the highest byte.
func Parse4(s string) (address uint32, ok bool) {
	const parts, largest = 4, 255
	p := 0
	for part := range parts {
		if part > 0 {
			if p >= len(s) || s[p] != '.' {
				return 0, false
			}
			p++
		}
		if p >= len(s) {
			return 0, false
		}
		n := uint32(s[p]) - '0'
		if n > 9 {
			return 0, false
		}
		p++
		for n > 0 && n <= largest/10 && p < len(s) {
			d := uint32(s[p]) - '0'
			if d > 9 {
				break
			}
			n = 10*n + d
			p++
		}
		if n > largest {
			return 0, false
		}
		address = address<<8 | n
	}
	return address, p == len(s)
}

// parse6 reads the text forms of RFC 4291, section 2.2, and an IPv4 address at the end with parse4.
func parse6(s string, parse4 func(string) (uint32, bool)) (a [16]byte, ok bool) {
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
		if i < len(s) && s[i] != ':' && strings.IndexByte(s, '.') >= 0 { // an IPv4 address at the end
			v4, is := parse4(s)
			const size = 4
			if !is || at > len(a)-size || gap < 0 && at != len(a)-size {
				return a, false
			}
			binary.BigEndian.PutUint32(a[at:], v4)
			at += size
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
