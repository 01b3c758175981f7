package schema

import "net/netip"

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

// isPublic reports whether an address can be that of a device on the internet. An IPv4 address that
// is written as IPv6 is judged as IPv4.
func isPublic(address string) bool {
	a, err := netip.ParseAddr(address)
	if err != nil {
		return false
	}
	a = a.Unmap()
	for _, p := range notPublic {
		if p.Contains(a) {
			return false
		}
	}
	return true
}
