package schema

import (
	"encoding/binary"
	"net/netip"
)

// notPublic are the prefixes that no device on the internet has, after the registries of special
// addresses of IANA (RFC 6890) and multicast. Those for documentation are left out: no device has
// them either, but examples and tests do, and a warning about each of them would help nobody.
var notPublic = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
	"192.0.0.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
	"224.0.0.0/4", "240.0.0.0/4",
	"::/127", "64:ff9b:1::/48", "100::/64", "2001:2::/48", "5f00::/16",
	"fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
)

func prefixes(list ...string) (out []netip.Prefix) {
	for _, p := range list {
		out = append(out, netip.MustParsePrefix(p))
	}
	return out
}

// masked is a prefix of the first 64 bits of an address; IPv4 addresses are the upper half.
type masked struct{ bits, mask uint64 }

// The prefixes of notPublic by version, except for ::/127, which is longer than 64 bits.
var notPublic4, notPublic6 = func() (v4, v6 []masked) {
	for _, p := range notPublic {
		m := masked{mask: ^uint64(0) << (64 - min(p.Bits(), 64))}
		switch a := p.Addr(); {
		case a.Is4():
			b := a.As4()
			m.bits = uint64(binary.BigEndian.Uint32(b[:])) << 32
			v4 = append(v4, m)
		case p.Bits() <= 64:
			b := a.As16()
			m.bits = binary.BigEndian.Uint64(b[:])
			v6 = append(v6, m)
		}
	}
	return v4, v6
}()

// special4 and special6 say which first bytes of an address are those of a prefix, wholly or in
// part: no other address needs a closer look.
var special4, special6 = specialBytes(notPublic4), specialBytes(notPublic6)

func specialBytes(list []masked) (special [256]bool) {
	const shift = 64 - 8
	for i := range special {
		for _, m := range list {
			if mask := m.mask >> shift << shift; uint64(i)<<shift&mask == m.bits&mask {
				special[i] = true
			}
		}
	}
	return special
}

// isPublic4 reports whether an IPv4 address can be that of a device on the internet.
func isPublic4(address uint32) bool {
	return !special4[address>>24] || !within(notPublic4, uint64(address)<<32)
}

// isPublic6 is isPublic4 for the text of an IPv6 address. An IPv4 address that is written as IPv6
// is judged as IPv4.
func isPublic6(address string) bool {
	a, err := netip.ParseAddr(address)
	if err != nil {
		return false
	}
	if a = a.Unmap(); a.Is4() {
		b := a.As4()
		return isPublic4(binary.BigEndian.Uint32(b[:]))
	}
	b := a.As16()
	first := binary.BigEndian.Uint64(b[:])
	if first == 0 && binary.BigEndian.Uint64(b[8:]) <= 1 {
		return false // unspecified, loopback
	}
	return !special6[b[0]] || !within(notPublic6, first)
}

// within reports whether the first 64 bits of an address have one of the prefixes.
func within(list []masked, first uint64) bool {
	for _, m := range list {
		if first&m.mask == m.bits {
			return true
		}
	}
	return false
}
