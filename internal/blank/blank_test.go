package blank

import (
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

// spaces is what trim() of ECMAScript 2026 (WhiteSpace and LineTerminator), or str.strip() of
// Python 3.13, removes, and what has no width.
const spaces = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff" +
	"\x1c\x1d\x1e\x1f\u0085" + "\u180e\u200b\u200c\u200d\u2060"

func TestTrim(t *testing.T) {
	for r := rune(0); r <= 0xffff; r++ {
		if r >= 0xd800 && r < 0xe000 {
			continue
		}
		want := "a" + string(r) + "b"
		removed := false
		for _, s := range spaces {
			removed = removed || s == r
		}
		if got := Trim(want); got != want {
			t.Errorf("%q becomes %q", want, got)
		}
		for _, in := range []string{string(r) + "ab", "ab" + string(r), string(r) + " ab " + string(r)} {
			if got := Trim(in); (got == "ab") != removed {
				t.Errorf("%q becomes %q", in, got)
			}
		}
	}
	for _, in := range []string{"", " ", spaces} {
		if got := Trim(in); got != "" {
			t.Errorf("%q becomes %q", in, got)
		}
	}
	for _, in := range []string{"\xff", "\xc2", "a\xe2\x80"} { // not UTF-8
		if got := Trim(in); got != in {
			t.Errorf("%q becomes %q", in, got)
		}
	}
	var trimmed string
	if n := testkit.Allocs(func() { trimmed = Trim("\u00a0ab" + "\ufeff") }); trimmed != "ab" || n != 0 && !testkit.Race {
		t.Errorf("%v allocations", n)
	}
}
