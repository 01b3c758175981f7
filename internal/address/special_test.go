package address

import (
	"math/rand/v2"
	"net/netip"
	"testing"
)

// slowClass asks every prefix.
func slowClass(a netip.Addr) Class {
	for _, row := range special {
		for _, p := range row.prefixes {
			if netip.MustParsePrefix(p).Contains(a.Unmap()) {
				return row.class
			}
		}
	}
	return Public
}

func TestClassOf(t *testing.T) {
	for text, want := range map[string]Class{
		"8.8.8.8": Public, "2600::1": Public, "::ffff:8.8.8.8": Public, "1.0.0.1": Public, "223.255.255.255": Public,
		"192.168.1.1": Private, "::ffff:192.168.1.1": Private, "::1": Private, "fd00::1": Private, "169.254.1.1": Private,
		"192.0.2.7": Documentation, "2001:db8::1": Documentation, "::": Reserved, "0.0.0.0": Reserved, "255.255.255.255": Reserved,
		"224.0.0.1": Multicast, "ff02::1": Multicast, "::2": Public,
	} {
		if got := ClassOf(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s has the class %d, want %d", text, got, want)
		}
	}
	if ClassOf(netip.Addr{}) != Reserved {
		t.Error("the zero address is not reserved")
	}
	for _, row := range special { // both ends of each prefix, and the neighbours
		for _, text := range row.prefixes {
			first := netip.MustParsePrefix(text).Addr()
			last := first.As16()
			bits := netip.MustParsePrefix(text).Bits() + 128 - first.BitLen()
			for i := bits; i < 128; i++ {
				last[i/8] |= 0x80 >> (i % 8)
			}
			end := netip.AddrFrom16(last).Unmap()
			for _, a := range []netip.Addr{first, first.Prev(), end, end.Next()} {
				if a.IsValid() && ClassOf(a) != slowClass(a) {
					t.Errorf("%v has the class %d, want %d", a, ClassOf(a), slowClass(a))
				}
			}
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 100_000 {
		var b [16]byte
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		for _, a := range []netip.Addr{netip.AddrFrom4([4]byte(b[:4])), netip.AddrFrom16(b)} {
			class := ClassOf(a)
			if class != slowClass(a) {
				t.Fatalf("%v has the class %d, want %d", a, class, slowClass(a))
			}
			// What net/netip calls private, local or multicast is not public.
			if class == Public && (a.IsPrivate() || a.IsLoopback() || a.IsMulticast() || a.IsLinkLocalUnicast() || a.IsUnspecified()) {
				t.Fatalf("%v is public", a)
			}
		}
	}
}
