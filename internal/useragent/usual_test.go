package useragent

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/guardpage"
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// usualUAs have the forms that usual.go recognizes.
var usualUAs = []string{
	uaPixel, uaGalaxy, uaReduced, uaOppo, uaFireTV, uaIPhone, uaIPhone26, uaIPad, uaMacOrPad, uaMac, uaWindows, uaLinux,
	"Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148",
	"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)",
	"Mozilla/5.0 (Linux; Android 10; K; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/137.0.0.0 Mobile Safari/537.36",
	"Mozilla/5.0 (Linux; Android 12; SM-T500) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36",
	"Mozilla/5.0 (Linux; Android 9; CUBOT_NOTE_7 Build/PPR1.180610.011) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/8 Safari/537.36",
	"Mozilla/5.0 (Linux; Android 9; ExampleBot/1) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/83.0.4103.106 Safari/537.36",
}

func isUsual(ua string) bool {
	var f found
	return f.usual(mem.TextOf(mem.Bytes(ua)), len(ua))
}

// compareForms fails for a text that means something else where its form is recognized.
func compareForms(tb testing.TB, ua string) {
	tb.Helper()
	got := Parse(ua)
	var want Claims
	parse(&want, ua)
	if got != want {
		tb.Fatalf("%q, usual: %t\n   Parse: %s %+v\nanything: %s %+v", ua, isUsual(ua), describe(got), got, describe(want), want)
	}
}

func TestUsual(t *testing.T) {
	for _, ua := range usualUAs {
		if !isUsual(ua) {
			t.Errorf("not recognized: %q", ua)
		}
		compareForms(t, ua)
		for n := range len(ua) {
			compareForms(t, ua[:n])
			compareForms(t, ua[:n]+"x"+ua[n:])
			compareForms(t, ua[:n]+" Silk"+ua[n:])
			compareForms(t, ua[:n]+ua[n+1:])
		}
	}
	for n := range 2 * TextMax {
		compareForms(t, strings.Replace(uaGalaxy, " Build", strings.Repeat("x", n)+" Build", 1))
	}
	// Most of what occurs in the corpus.
	usual, all := 0, 0
	for _, d := range devices(t) {
		if strings.HasPrefix(d.UA, "Mozilla/5.0 (") {
			all++
			if isUsual(d.UA) {
				usual++
			}
		}
	}
	if usual*2 < all {
		t.Errorf("%d of %d user agents of the corpus are recognized", usual, all)
	}
}

// TestUsualRandom changes bytes of such user agents.
func TestUsualRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range testkit.Scale(t, 2_000, 30_000, 3_000_000) {
		b := []byte(usualUAs[r.IntN(len(usualUAs))])
		for range 1 + r.IntN(2) {
			at := r.IntN(len(b))
			switch b[at] = byte(r.IntN(256)); r.IntN(4) {
			case 0:
				b[at] = "()/;., _9bBcCsS+\x00"[r.IntN(17)]
			case 1:
				b = append(b[:at], b[at+1:]...)
			}
		}
		compareForms(t, string(b))
	}
}

// TestUsualGuarded puts user agents before an unreadable page, cut off at every length.
func TestUsualGuarded(t *testing.T) {
	buffer := guardpage.New(t, 512)
	for _, ua := range usualUAs {
		for n := range len(ua) + 1 {
			guarded := mem.String(buffer.Back([]byte(ua[:n])))
			c := Parse(guarded)
			if want := Parse(strings.Clone(ua[:n])); describe(c) != describe(want) {
				t.Errorf("%q: %s, want %s", ua[:n], describe(c), describe(want))
			}
		}
	}
}
