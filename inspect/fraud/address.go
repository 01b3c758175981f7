package fraud

import (
	"net/netip"

	"github.com/rtbwire/rtbwire/inspect/lookup"
	"github.com/rtbwire/rtbwire/internal/address"
)

// address looks at the addresses of the device.
func (s *scorer) address() {
	s.ip = s.addressAt(s.device.IP, "/device/ip")
	s.ipv6 = s.addressAt(s.device.IPv6, "/device/ipv6")
	if s.data.Geo != nil && (s.on(addressCountry) || s.on(addressDataCenter) || s.on(addressProxy)) {
		s.database(s.ip, "/device/ip")
		s.database(s.ipv6, "/device/ipv6")
	}
	if !s.ip.IsValid() || !s.ipv6.IsValid() {
		// one is enough for most devices
	} else if s.on(addressMismatch) && differ(s.ip, s.ipv6) {
		s.hit(addressMismatch, "/device/ipv6")
	}
	if s.direct && s.on(addressPeer) {
		s.peer()
	}
}

// addressAt reads an address and looks at it alone. It returns the zero address for a text that is
// not an address.
func (s *scorer) addressAt(text, path string) netip.Addr {
	if text == "" {
		return netip.Addr{}
	}
	a, ok := address.Read(text)
	if !ok {
		s.hit(addressForm, path)
		return netip.Addr{}
	}
	s.alone(a, path)
	if v4, _, ok := address.Inside(a); ok && v4 != a && !v4.IsUnspecified() { // truncated addresses have zeros
		s.alone(v4, path)
	}
	return a
}

// alone looks at an address, or at the one inside it.
func (s *scorer) alone(a netip.Addr, path string) {
	switch address.ClassOf(a) {
	case address.Public:
		if l := s.data.DataCenters; l != nil && s.on(addressDataCenter) && l.Contains(a) {
			s.hit(addressDataCenter, path)
		}
		if l := s.data.Proxies; l != nil && s.on(addressProxy) && l.Contains(a) {
			s.hit(addressProxy, path)
		}
	case address.Private:
		s.hit(addressPrivate, path)
	case address.Documentation:
		s.hit(addressDocumentation, path)
	case address.Reserved:
		s.hit(addressReserved, path)
	case address.Multicast:
		s.hit(addressMulticast, path)
	}
}

// database asks the user's database about an address of the device.
func (s *scorer) database(a netip.Addr, path string) {
	if !a.IsValid() || address.ClassOf(a) != address.Public {
		return
	}
	record, found := s.data.Geo.Lookup(a)
	if !found {
		return
	}
	if record.Traits&lookup.Hosting != 0 {
		s.hit(addressDataCenter, path)
	}
	// A relay of a browser or system hides the address, but not that there is a person.
	if record.Traits&(lookup.Anonymous|lookup.VPN|lookup.Proxy|lookup.Residential|lookup.Tor) != 0 && record.Traits&lookup.Relay == 0 {
		s.hit(addressProxy, path)
	}
	if s.device.Geo == nil || !record.Country.Assigned() || record.Traits&(lookup.Satellite|lookup.Anycast) != 0 {
		return
	}
	declared, ok := lookup.ParseCountry(s.device.Geo.Country)
	if !ok || !declared.Assigned() {
		return
	}
	if country := sovereign(declared); country != sovereign(record.Country) && country != sovereign(record.Registered) {
		s.hit(addressCountry, "/device/geo/country")
	}
}

// sovereign returns the country that a territory with a code of its own belongs to: of two sources,
// one often has the territory and the other the country.
func sovereign(c lookup.Country) lookup.Country {
	switch string(c[:]) {
	case "PR", "GU", "VI", "AS", "MP", "UM":
		return lookup.Country{'U', 'S'}
	case "RE", "GP", "MQ", "GF", "YT", "PM", "BL", "MF", "NC", "PF", "WF", "TF":
		return lookup.Country{'F', 'R'}
	case "JE", "GG", "IM", "GI", "BM", "KY", "VG", "TC", "FK", "AI", "MS", "SH", "PN", "IO", "GS":
		return lookup.Country{'G', 'B'}
	case "AW", "CW", "SX", "BQ":
		return lookup.Country{'N', 'L'}
	case "GL", "FO":
		return lookup.Country{'D', 'K'}
	case "HK", "MO":
		return lookup.Country{'C', 'N'}
	case "AX":
		return lookup.Country{'F', 'I'}
	case "SJ", "BV":
		return lookup.Country{'N', 'O'}
	case "CX", "CC", "NF", "HM":
		return lookup.Country{'A', 'U'}
	case "CK", "NU", "TK":
		return lookup.Country{'N', 'Z'}
	}
	return c
}

// differ reports whether two public addresses can't be of one device: the IPv6 address has another
// IPv4 address in it. Requests may have truncated addresses.
func differ(ip, ipv6 netip.Addr) bool {
	if address.ClassOf(ip) != address.Public || address.ClassOf(ipv6) != address.Public || !ip.Is4() {
		return false
	}
	inside, _, ok := address.Inside(ipv6)
	if !ok {
		return false
	}
	p, err := inside.Prefix(peerBits4)
	return err == nil && !p.Contains(ip)
}

// How much of an address is compared with the connection's. Requests may have truncated addresses.
const (
	peerBits4 = 24
	peerBits6 = 56
)

// peer compares the device's address with the one that the request came from: the first address
// that a trusted proxy has seen, or that of the connection.
func (s *scorer) peer() {
	peer := s.in.Facts.Peer
	if f := s.in.Facts.Forwarded; len(f) > 0 {
		peer = f[0]
	}
	own, bits, path := s.ip, peerBits4, "/device/ip"
	if peer = peer.Unmap(); peer.Is6() {
		own, bits, path = s.ipv6, peerBits6, "/device/ipv6"
	}
	if !own.IsValid() || !peer.IsValid() || own.Is4() != peer.Is4() || address.ClassOf(own) != address.Public {
		return // an address that is not public is another signal, and can't be the connection's
	}
	if p, err := peer.WithZone("").Prefix(bits); err == nil && !p.Contains(own) {
		s.hit(addressPeer, path)
	}
}
