package supply

import (
	"errors"
	"testing"

	"github.com/rtbwire/rtbwire/internal/filewatch"
)

// FuzzAdsTxt compares an ads.txt file with its reference.
func FuzzAdsTxt(f *testing.F) {
	for _, c := range adsCases {
		if len(c.text) < 1000 {
			f.Add(c.text, "exchange.com", "1")
		}
	}
	f.Fuzz(func(t *testing.T, text, system, seller string) {
		if len(text) > 10_000 {
			return // has more entries than these tests allow
		}
		compareAds(t, text, account{system, seller})
	})
}

// FuzzSellers compares a sellers.json file with its reference. An error of JSON names a line.
func FuzzSellers(f *testing.F) {
	for _, c := range sellersCases {
		if len(c.text) < 2000 {
			f.Add(c.text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		compareSellers(t, text)
		_, _, err := parseSellers(text)
		var line *filewatch.LineError
		if err != nil && !errors.As(err, &line) && !errors.Is(err, errNoSellers) && !errors.Is(err, errAllBad) {
			t.Errorf("%v, want the error of a line", err)
		}
	})
}
