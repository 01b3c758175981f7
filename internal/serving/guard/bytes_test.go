package guard

import (
	"bytes"
	"net/netip"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

// TestControl wants every byte to be found or not at every place.
func TestControl(t *testing.T) {
	for n := range 40 {
		for at := range n {
			for c := range 256 {
				b := bytes.Repeat([]byte("a"), n)
				b[at] = byte(c)
				checkControl(t, b)
			}
		}
	}
	r := testkit.Rand(testkit.Seed(t))
	for range 20000 {
		b := make([]byte, r.IntN(40))
		for i := range b {
			b[i] = "ab-.:/0_ \t\r%\x7f\x80\xe1\xad"[r.IntN(16)]
		}
		checkControl(t, b)
	}
}

func checkControl(t *testing.T, b []byte) {
	t.Helper()
	if got, want := control(b), firstControl(b); got != want {
		t.Fatalf("control(%q) = %d, want %d", b, got, want)
	}
}

func TestIPv6(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	parts := []string{":", ":", "::", "0", "1", "ffff", "12345", "g", ".", "1.2.3.4", "255", "256", "01", "1.2.3", "1.2.3.4.5", "", "0:0:0:0:0:0", "1:2:3:4:5:6:7"}
	valid := 0
	for range 200000 {
		s := ""
		for range r.IntN(10) {
			s += parts[r.IntN(len(parts))]
		}
		a, err := netip.ParseAddr(s)
		want := err == nil && a.Is6()
		if got := validIPv6([]byte(s)); got != want {
			t.Fatalf("validIPv6(%q) = %t, want %t", s, got, want)
		}
		if want {
			valid++
		}
	}
	if valid < 100 {
		t.Errorf("only %d valid addresses", valid)
	}
}
