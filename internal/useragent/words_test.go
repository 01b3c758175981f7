package useragent

import (
	"testing"

	"github.com/rtbwire/rtbwire/internal/mem"
)

// seenIn returns the words of a text.
func seenIn(ua string) (f found) {
	b := make([]byte, before+len(ua)+2*after)
	b[0] = ' '
	f.scan(b, before+copy(b[before:], ua))
	return f
}

// TestWords wants each spelling to be found, whatever others it begins with.
func TestWords(t *testing.T) {
	for _, s := range spellings {
		if f := seenIn(s.text); f.seen&(s.word.bit()|s.also) != s.word.bit()|s.also {
			t.Errorf("%q is not found", s.text)
		}
		if len(s.text) < 4 {
			t.Errorf("%q has fewer bytes than the slot is made from", s.text)
		}
		if f := seenIn(s.text + "abc"); !s.part && f.seen&s.word.bit() != 0 {
			t.Errorf("%q is found in a longer word", s.text)
		}
	}
}

// TestAgents wants each row of the data to be what is claimed.
func TestAgents(t *testing.T) {
	for _, a := range agents[1:] {
		c := Parse(a.token + "1.0 (x)")
		got := map[word]bool{crawler: c.Crawler, headless: c.Headless, app: c.Client == AppClient, library: c.Client == LibraryClient}
		if c.Agent() != a.token || !got[a.kind] {
			t.Errorf("%q: %s", a.token, describe(c))
		}
		if c.Chromium == 1 != a.chromium && a.chromium {
			t.Errorf("%q has no version of Chromium: %s", a.token, describe(c))
		}
	}
}

// TestSlots wants the words of almost every user agent that mean nothing to cost one look, and the
// most frequent words that mean something one comparison.
func TestSlots(t *testing.T) {
	for _, text := range []string{"Mozilla/5.0", "Gecko/20100101", "Build/UD1A", "U; Android", "like Mac", "Intel Mac", "Win64; x64", "x64) Apple", "Pixel 7 Pro", "SM-G960F"} {
		if w := words[slotOf(fold(wordIn(text)))]; w != nil {
			t.Errorf("%q has the slot of %q", text, w.text)
		}
	}
	for _, text := range []string{"Android 13", "Linux; Android", "iPhone; CPU", "AppleWebKit/", "Safari/537", "Version/4", "Mobile/15"} {
		if w := words[slotOf(fold(wordIn(text)))]; w == nil || (w.head^fold(wordIn(text)))&w.mask != 0 {
			t.Errorf("%q is not the first in its slot", text)
		}
	}
}

func TestFoldedIs(t *testing.T) {
	text := mem.TextOf([]byte("aBC-1 and eight more"))
	if !foldedIs(text, 1, "bc-1 ") || foldedIs(text, 1, "bd") {
		t.Error("foldedIs is wrong")
	}
}
