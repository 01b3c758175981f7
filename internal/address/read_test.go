package address

import (
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

// readForms are spellings of addresses, and what they mean; "" for none.
var readForms = map[string]string{
	"3.5.6.7": "3.5.6.7", "03.5.6.7": "3.5.6.7", "3.5.1543": "3.5.6.7", "3.329223": "3.5.6.7", "50660871": "3.5.6.7", "0x3.5.6.7": "3.5.6.7",
	"0X03050607": "3.5.6.7", "010.0.0.1": "8.0.0.1", "3.5.6.7:80": "3.5.6.7", "3.5.6.7%eth0": "3.5.6.7", "[3.5.6.7]:80": "3.5.6.7", " 3.5.6.7\t": "3.5.6.7",
	"3.5.6.7\x00x": "3.5.6.7", "3.5.6.7 x": "3.5.6.7", "::ffff:3.5.6.7": "3.5.6.7", "[::ffff:3.5.6.7]": "3.5.6.7", "[2600::1]:443": "2600::1", "fe80::1%25eth0": "fe80::1",
	"[fe80::1%1]:80": "fe80::1", "64:ff9b::3.5.6.7": "64:ff9b::305:607", "0": "0.0.0.0", "4294967295": "255.255.255.255", "0377.0377.0377.0377": "255.255.255.255",
	"::3.5.6.7": "::305:607", "::ffff:03.5.6.7": "3.5.6.7", "::ffff:3.5.6.7:80": "3.5.6.7", "::ffff:0x3.5.1543": "3.5.6.7", "[::ffff:3.5.6.0000007]:80": "3.5.6.7", "::ffff:0:3.5.6.7": "::ffff:0:305:607",
	"\u00a03.5.6.7": "3.5.6.7", "3.5.6.7\ufeff": "3.5.6.7", "\u2003::ffff:3.5.6.7\x1f": "3.5.6.7", "::ffff:15432": "", "1:2:3:4:5:6:3.5.6.7:80": "1:2:3:4:5:6:305:607", "3.5.6.7::": "", "::ffff:3.5.6.7:80:80": "",
	"": "", "4294967296": "", "08.1.1.1": "", "0x": "", "0xg": "", "1.2.3.256": "", "1.2.65536": "", "256.1": "", "1.2.3.4.5": "", "1..2": "", "1.": "", ".1": "", "+1": "",
	"1_0": "", "1.2.3.4:": "", "1.2.3.4:x": "", "[1.2.3.4": "", "1.2.3.4]": "", "[::1]x": "", "[::1]80": "", "::1:": "", "unknown": "", "[]": "", "%": "", "\x00": "", "0b1": "", "1e3": "",
}

func TestRead(t *testing.T) {
	for text, want := range readForms {
		a, ok := Read(text)
		if got := a.String(); ok != (want != "") || ok && got != want {
			t.Errorf("Read(%q) = %s, %v, want %q", text, got, ok, want)
		}
		checkRead(t, text)
	}
	if n := testkit.Allocs(func() { Read("[0x3.5.1543%eth0]:80") }); n != 0 && !testkit.Race {
		t.Errorf("%v allocations", n)
	}
}

var (
	decorated = regexp.MustCompile(`^[ \t-\r]*(\[)?([^]\[%\x00 \t-\r]*)(%[^]\x00 \t-\r]*)?(\])?(:[0-9]+)?(?s:[\x00 \t-\r].*)?$`)
	dotted    = regexp.MustCompile(`^[0-9a-fA-FxX]+(\.[0-9a-fA-FxX]+){0,3}$`)
	withPort  = regexp.MustCompile(`^([^:]*|.*\..*):[0-9]+$`)
	dottedEnd = regexp.MustCompile(`^(.*:)([^:]*\.[^:]*)$`)
)

// slowRead is the reference for Read: regular expressions and strconv.
func slowRead(s string) (netip.Addr, bool) {
	const spaces = "\t\n\v\f\r\x1c\x1d\x1e\x1f \u0085\u00a0\u1680\u180e\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a" +
		"\u200b\u200c\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff"
	if a, err := netip.ParseAddr(s); err == nil && a.Zone() == "" {
		return a.Unmap(), true
	}
	m := decorated.FindStringSubmatch(strings.Trim(s, spaces))
	if m == nil || (m[1] == "") != (m[4] == "") || m[5] != "" && m[4] == "" && m[3] == "" && strings.Contains(m[2], ":") {
		if m == nil || m[1] != "" || m[4] != "" {
			return netip.Addr{}, false
		}
		m[2], m[5] = m[2]+m[5], "" // an IPv6 address that ends in digits has no port
	}
	if m[3] != "" && m[4] == "" {
		m[5] = "" // it is a part of the zone
	}
	text := m[2]
	if port := withPort.FindStringSubmatch(text); port != nil {
		text = port[1]
	}
	if strings.Contains(text, ":") {
		if end := dottedEnd.FindStringSubmatch(text); end != nil {
			v4, ok := slowAton(end[2])
			if !ok {
				return netip.Addr{}, false
			}
			text = end[1] + v4.String()
		}
		a, err := netip.ParseAddr(text)
		return a.Unmap(), err == nil
	}
	return slowAton(text)
}

// slowAton is the reference for aton.
func slowAton(text string) (netip.Addr, bool) {
	if !dotted.MatchString(text) {
		return netip.Addr{}, false
	}
	parts := strings.Split(text, ".")
	var b [4]byte
	for i, part := range parts {
		bits := 8
		if i == len(parts)-1 {
			bits = 8 * (5 - len(parts))
		}
		if strings.ContainsAny(strings.ToLower(part), "_ob") && !strings.HasPrefix(strings.ToLower(part), "0x") {
			return netip.Addr{}, false
		}
		n, err := strconv.ParseUint(part, 0, bits)
		if err != nil {
			return netip.Addr{}, false
		}
		for j := range bits / 8 {
			b[i+j] = byte(n >> (bits - 8 - 8*j))
		}
	}
	return netip.AddrFrom4(b), true
}

func checkRead(t *testing.T, s string) {
	t.Helper()
	got, ok := Read(s)
	want, wantOK := slowRead(s)
	if ok != wantOK || ok && got != want {
		t.Fatalf("Read(%q) = %v, %v; the reference says %v, %v", s, got, ok, want, wantOK)
	}
}

// TestReadRandomly compares Read with its reference on texts of the parts of addresses.
func TestReadRandomly(t *testing.T) {
	random := testkit.Rand(2)
	parts := []string{
		"0", "1", "9", "00", "010", "0x", "0xff", "0Xa", "08", "255", "256", "65535", "65536", "16777215", "16777216", "4294967295", "4294967296", "99999999999999999999",
		".", ".", ".", ".", ":", "::", ":80", "[", "]", "%", "%eth0", " ", "\t", "\x00", "ffff", "x", "_", "+", "0b1", "0o7", "64:ff9b::", "::ffff:", "\u00a0", "\x1d", "\u2060",
	}
	for range testkit.Scale(t, 20_000, 200_000, 10_000_000) {
		text := ""
		for range random.IntN(9) {
			text += parts[random.IntN(len(parts))]
		}
		checkRead(t, text)
	}
}

// FuzzRead compares Read with its reference.
func FuzzRead(f *testing.F) {
	for text := range readForms {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, s string) { checkRead(t, s) })
}

var (
	prefix6to4   = netip.MustParsePrefix("2002::/16")
	prefixTeredo = netip.MustParsePrefix("2001::/32")
	prefixNAT64  = netip.MustParsePrefix("64:ff9b::/96")

	prefixLocalNAT64 = netip.MustParsePrefix("64:ff9b:1::/48")
	prefixSIIT       = netip.MustParsePrefix("::ffff:0:0:0/96")
	prefixCompatible = netip.MustParsePrefix("::/96")
)

// slowInside is the reference for Inside.
func slowInside(a netip.Addr) (netip.Addr, bool) {
	b := a.As16()
	switch {
	case a.Is4():
		return a, true
	case prefix6to4.Contains(a):
		return netip.AddrFrom4([4]byte{b[2], b[3], b[4], b[5]}), true
	case prefixTeredo.Contains(a) && [4]byte(b[12:]) != [4]byte{}: // not truncated
		return netip.AddrFrom4([4]byte{^b[12], ^b[13], ^b[14], ^b[15]}), true
	case prefixNAT64.Contains(a), prefixSIIT.Contains(a), prefixLocalNAT64.Contains(a) && [4]byte(b[12:]) != [4]byte{}, prefixCompatible.Contains(a) && b[12] != 0:
		return netip.AddrFrom4([4]byte{b[12], b[13], b[14], b[15]}), true
	}
	return netip.Addr{}, false
}

// TestInside compares addresses inside others with the prefixes of net/netip, at the ends of the
// prefixes and beside them.
func TestInside(t *testing.T) {
	r := testkit.Rand(3)
	check := func(a netip.Addr) {
		t.Helper()
		got, bits, ok := Inside(a)
		want, is := slowInside(a)
		if ok != is || ok && got != want {
			t.Fatalf("%v has %v, %v in it; want %v, %v", a, got, ok, want, is)
		}
		if ok && a.Is6() && !((bits == 16 && prefix6to4.Contains(a)) || bits == 96) {
			t.Fatalf("%v has %v after %d bits", a, got, bits)
		}
	}
	for _, p := range []netip.Prefix{prefix6to4, prefixTeredo, prefixNAT64, prefixLocalNAT64, prefixSIIT, prefixCompatible} {
		last := p.Addr().As16()
		for i := p.Bits(); i < 128; i++ {
			last[i/8] |= 0x80 >> (i % 8)
		}
		end := netip.AddrFrom16(last)
		for _, a := range []netip.Addr{p.Addr(), p.Addr().Prev(), p.Addr().Next(), end, end.Prev(), end.Next()} {
			check(a)
		}
		for range 2000 {
			b := p.Addr().As16()
			for i := range b {
				if i >= p.Bits()/8 || r.IntN(40) == 0 {
					b[i] = byte(r.Uint32())
				}
			}
			check(netip.AddrFrom16(b).Unmap())
		}
	}
	for range 5000 {
		check(netip.AddrFrom4([4]byte{8, 8, byte(r.IntN(3)), byte(r.IntN(256))}))
	}
}
