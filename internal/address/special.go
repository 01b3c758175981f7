package address

import (
	"encoding/binary"
	"net/netip"
)

// Class says what an address is for.
type Class uint8

// The classes.
const (
	Public        Class = iota // it can be that of a device on the internet
	Private                    // of a network that is not on the internet, or of the device itself
	Documentation              // for examples and tests
	Reserved                   // for other protocols, or for nothing yet
	Multicast
)

// special has the prefixes that no device on the internet has, after the registries of special
// addresses of IANA (RFC 6890) and of multicast.
var special = []struct {
	class    Class
	prefixes []string
}{
	{Private, []string{
		"10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16",
		"192.0.0.0/29", // of devices whose carrier has IPv6 alone (RFC 7335)
		"::1/128", "fc00::/7", "fe80::/10", "fec0::/10",
	}},
	{Documentation, []string{"192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20"}},
	{Reserved, []string{
		"0.0.0.0/8", "192.0.0.0/24", "192.88.99.0/24", "198.18.0.0/15", "240.0.0.0/4",
		"::/128", "64:ff9b:1::/48", "100::/64", "2001:2::/48", "5f00::/16",
	}},
	{Multicast, []string{"224.0.0.0/4", "ff00::/8"}},
}

// masked is a prefix of the first 64 bits of an address; IPv4 addresses are the upper half.
type masked struct {
	bits, mask uint64
	class      Class
}

// special4 and special6 are the prefixes by version, except for :: and ::1, which are longer than
// 64 bits.
var special4, special6 = func() (v4, v6 []masked) {
	for _, row := range special {
		for _, text := range row.prefixes {
			p := netip.MustParsePrefix(text)
			m := masked{mask: ^uint64(0) << (64 - min(p.Bits(), 64)), class: row.class}
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
	}
	return v4, v6
}()

// first4 and first6 say which first bytes of an address belong to a prefix, wholly or in part: no
// other address needs a closer look.
var first4, first6 = firstBytes(special4), firstBytes(special6)

func firstBytes(list []masked) (first [256]bool) {
	const shift = 64 - 8
	for i := range first {
		for _, m := range list {
			if mask := m.mask >> shift << shift; uint64(i)<<shift&mask == m.bits&mask {
				first[i] = true
			}
		}
	}
	return first
}

// ClassOf returns the class of an address. An IPv4 address that is written as IPv6 is taken as
// IPv4. The zero address is reserved.
func ClassOf(a netip.Addr) Class {
	if !a.IsValid() {
		return Reserved
	}
	if a = a.Unmap(); a.Is4() {
		b := a.As4()
		return ClassOf4(binary.BigEndian.Uint32(b[:]))
	}
	b := a.As16()
	first := binary.BigEndian.Uint64(b[:])
	if first == 0 {
		switch binary.BigEndian.Uint64(b[8:]) {
		case 0: // unspecified
			return Reserved
		case 1: // loopback
			return Private
		}
	}
	if !first6[b[0]] {
		return Public
	}
	return within(special6, first)
}

// ClassOf4 is [ClassOf] for an IPv4 address.
func ClassOf4(address uint32) Class {
	if !first4[address>>24] {
		return Public
	}
	return within(special4, uint64(address)<<32)
}

// within returns the class of the prefix that the first 64 bits of an address have.
func within(list []masked, first uint64) Class {
	for i := range list {
		if first&list[i].mask == list[i].bits {
			return list[i].class
		}
	}
	return Public
}
