package lists

import (
	"net/netip"
	"strings"

	"github.com/rtbwire/rtbwire/internal/address"
)

// parsePrefix reads an entry: a prefix, or an address. The bits after the prefix are set to zero.
func parsePrefix(s string) (netip.Prefix, bool) {
	if strings.IndexByte(s, '/') < 0 {
		a, ok := address.Parse(s)
		a = a.Unmap()
		return netip.PrefixFrom(a, a.BitLen()), ok
	}
	p, err := netip.ParsePrefix(s)
	if err != nil {
		return netip.Prefix{}, false
	}
	const mapped = 96 // bits before an IPv4 address that is written as IPv6
	if a := p.Addr(); a.Is4In6() && p.Bits() >= mapped {
		p = netip.PrefixFrom(a.Unmap(), p.Bits()-mapped)
	}
	return p.Masked(), true
}
