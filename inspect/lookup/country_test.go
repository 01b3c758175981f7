package lookup

import (
	"slices"
	"strings"
	"testing"
)

func TestParseCountry(t *testing.T) {
	for in, want := range map[string]string{
		"DEU": "DE", "deu": "DE", "USA": "US", "GBR": "GB", "AFG": "AF", "ZWE": "ZW", "CHE": "CH", "AUT": "AT", "AUS": "AU", "XKX": "XK", "XKK": "XK",
		"DE": "DE", "us": "US", "EU": "EU",
		"": "", "D": "", "D1": "", "ABC": "", "ZZZ": "", "AAA": "", "DEU ": "", "Germany": "", "ÜK": "", "12": "", "D\x00": "",
	} {
		got, ok := ParseCountry(in)
		if got.String() != want || ok != (want != "") {
			t.Errorf("%q: %q, %v; want %q", in, got, ok, want)
		}
	}
	if s := (Country{'a', 'b'}).String(); s != "" {
		t.Errorf("%q", s)
	}
}

// TestCountryTable checks what holds for ISO 3166-1: each code is there once, in the order that the
// search needs.
func TestCountryTable(t *testing.T) {
	const assigned = 249 // besides, XKX and XKK are XK
	var threes, twos []string
	for i := 0; i < len(alpha3); i += 5 {
		entry := alpha3[i : i+5]
		if strings.Trim(entry, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
			t.Errorf("%q", entry)
		}
		threes, twos = append(threes, entry[:3]), append(twos, entry[3:])
		if c, ok := ParseCountry(entry[:3]); !ok || c.String() != entry[3:] {
			t.Errorf("%s: %v, %v", entry, c, ok)
		}
	}
	if len(threes) != assigned+2 || !slices.IsSorted(threes) || len(slices.Compact(slices.Clone(threes))) != len(threes) {
		t.Errorf("%d codes of three letters: %v", len(threes), threes)
	}
	slices.Sort(twos)
	if n := len(slices.Compact(twos)); n != assigned+1 {
		t.Errorf("%d codes of two letters", n)
	}
	for a := byte('A'); a <= 'Z'; a++ {
		for b := byte('A'); b <= 'Z'; b++ {
			if got := (Country{a, b}).String(); got != string([]byte{a, b}) {
				t.Errorf("%c%c is %q", a, b, got)
			}
		}
	}
}

func TestTraits(t *testing.T) {
	for traits, want := range map[Traits]string{0: "", Tor: "tor", Anonymous | Hosting | Anycast: "anonymous,hosting,anycast"} {
		if got := traits.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if n := len(names); 1<<(n-1) != Anycast {
		t.Errorf("%d names", n)
	}
}
