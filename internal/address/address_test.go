package address

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

// TestParse holds Parse to net/netip on every form of an address.
func TestParse(t *testing.T) {
	for _, s := range addressForms {
		checkAddr(t, s)
		for i := range len(s) { // and on every fault of one byte
			checkAddr(t, s[:i]+s[i+1:])
			for _, c := range []byte("0:.fg1") {
				checkAddr(t, s[:i]+string(c)+s[i:])
				checkAddr(t, s[:i]+string(c)+s[i+1:])
			}
		}
	}
}

var addressForms = []string{
	"", ":", "::", ":::", "1::", "::1", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "1::8", "1:2:3:4:5:6:7:8:9", "1::2::3",
	"::ffff:1.2.3.4", "1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:7:1.2.3.4", "::1.2.3.4", "1::1.2.3.4", "1:2:3:4:5::1.2.3.4", "::1.2.3.4:5", "::1.2.3", "12345::",
	"0001::", "1.2.3.4", "255.255.255.255", "256.1.1.1", "01.2.3.4", "0.0.0.0", "1.2.3", "1.2.3.4.5", "1.2.3.4 ", "1..2.3", "g::", "ABCD::abcd", "1:2:3:4:5:6:7:", "1:",
	"::1%eth0", "1:2:3:4:5:6::1.2.3.4", "::0:0:0:0:0:0:0",
}

func checkAddr(t *testing.T, s string) {
	t.Helper()
	want, err := netip.ParseAddr(s)
	wantOK := err == nil && want.Zone() == ""
	got, ok := Parse(s)
	if ok != wantOK || ok && got != want {
		t.Errorf("Parse(%q) = %v, %v; net/netip: %v, %v", s, got, ok, want, err)
	}
}

// TestParseRandomly compares what is an address with netip.
func TestParseRandomly(t *testing.T) {
	check := func(text string) {
		want, err := netip.ParseAddr(text)
		got, ok := Parse(text)
		if ok != (err == nil && want.Zone() == "") || ok && got != want {
			t.Fatalf("%q: %v, %v; netip says %v, %v", text, got, ok, want, err)
		}
	}
	random := testkit.Rand(1)
	parts := []string{"0", "1", "9", "00", "01", "25", "99", "100", "255", "256", "300", "1000", "", ".", ".", ".", ".", "..", "a", "/", ":", "-1", " ", "%x", "ffff", "::"}
	for range testkit.Scale(t, 10_000, 100_000, 10_000_000) {
		text := ""
		for range random.IntN(9) {
			text += parts[random.IntN(len(parts))]
		}
		check(text)
		var b [4]string
		for i := range b {
			b[i] = parts[random.IntN(11)]
		}
		check(strings.Join(b[:], "."))
	}
}

// FuzzParse compares what is an address with netip.
func FuzzParse(f *testing.F) {
	for _, form := range addressForms {
		f.Add(form)
	}
	f.Fuzz(func(t *testing.T, s string) { checkAddr(t, s) })
}
