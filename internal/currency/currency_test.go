package currency

import (
	"testing"

	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

func TestCanonical(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "USD": "USD", "usd": "USD", "uSd": "USD", " USD\t": "USD", "\nusd": "USD", "usd\x00eur": "USD", " ": "", "\x00usd": "", "US": "US", "usdt": "usdt",
		"u\u017fd": "u\u017fd", "us ": "us", "u{d": "U{D", "\u212a": "\u212a",
	} {
		var buf [Len]byte
		if got := Canonical(&buf, in); got != want {
			t.Errorf("Canonical(%q) = %q, want %q", in, got, want)
		}
		if n := testkit.Allocs(func() { Canonical(&buf, in) }); n != 0 && mem.ZeroCopy && !testkit.Race {
			t.Errorf("Canonical(%q) allocates %v times", in, n)
		}
	}
}
