package schema

import (
	"testing"
)

func TestCurrencies(t *testing.T) {
	if len(currencyCodes)%3 != 0 {
		t.Fatal("not codes of three letters")
	}
	listed := map[string]bool{}
	last := ""
	for i := 0; i < len(currencyCodes); i += 3 {
		code := currencyCodes[i : i+3]
		if code <= last {
			t.Errorf("%s comes after %s", code, last)
		}
		listed[code], last = true, code
	}
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			for c := 'A'; c <= 'Z'; c++ {
				if code := string([]rune{a, b, c}); formatIso4217Code(code) != listed[code] {
					t.Errorf("%s: %v", code, !listed[code])
				}
			}
		}
	}
}
