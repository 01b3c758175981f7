package utf8check

import (
	"bytes"
	"embed"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/internal/simd"
	"github.com/rtbwire/rtbwire/internal/simd/simdtest"
)

//go:embed *.s
var assembly embed.FS

var kernel = &simdtest.Kernel{
	Portable: []Level{simd.Reference},
	Assembly: assembly,
	Levels:   Levels,
	SetLevel: SetLevel,
	Read:     func(text []byte) { Valid(text) },
}

// checker compares Valid at every level with the standard library.
type checker struct {
	tb                          testing.TB
	*simdtest.Checker[struct{}] // there is no output
}

func newChecker(tb testing.TB, size int) *checker {
	return &checker{tb, simdtest.NewChecker[struct{}](tb, kernel, size, 0)}
}

func (c *checker) check(text []byte) {
	c.tb.Helper()
	want := utf8.Valid(text)
	c.Check(text, 0, func(l Level, _ []struct{}, text []byte) {
		if got := Valid(text); got != want {
			c.tb.Fatalf("%v: Valid(%.300q) = %v, want %v", l, text, got, want)
		}
	})
}

// validCases are the borders of table 3-7 and their neighbours outside it. bad is where the first
// character that is not well-formed begins, or -1.
var validCases = []struct {
	in  string
	bad int
}{
	{"", -1},
	{"a", -1},
	{"\x7f", -1},
	{"\u0080 \u07ff", -1},
	{"\u0800 \u0fff \u1000 \ucfff \ud000 \ud7ff \ue000 \uffff", -1},
	{"\U00010000 \U0003ffff \U00040000 \U000fffff \U00100000 \U0010ffff", -1},
	{"\ufeff{}", -1}, // a byte order mark is well-formed
	{"\x80", 0},
	{"\xbf", 0},
	{"a\xc0\x80", 1}, // two bytes for U+0000
	{"a\xc1\xbf", 1},
	{"\xc2", 0},
	{"\xc2\x41", 0},
	{"\xc2\xc2\x80", 0},
	{"\xdf\xbf\xbf", 2},
	{"\xe0\x80\x80", 0}, // three bytes for U+0000
	{"\xe0\x9f\xbf", 0},
	{"\xe0\xa0", 0},
	{"\xe1\x80", 0},
	{"\xe1\x80\x41", 0},
	{"ab\xed\xa0\x80", 2}, // the surrogate U+D800
	{"ab\xed\xbf\xbf", 2},
	{"\xef\xbf\xbf\x80", 3},
	{"\xf0\x80\x80\x80", 0}, // four bytes for U+0000
	{"\xf0\x8f\xbf\xbf", 0},
	{"\xf0\x90\x80", 0},
	{"\xf0\x90\x80\x41", 0},
	{"\xf3\x80\x80\x80\x80", 4},
	{"\xf4\x8f\xbf\xbf\xf4\x90\x80\x80", 4}, // U+110000
	{"\xf5\x80\x80\x80", 0},
	{"\xf8\x88\x80\x80\x80", 0},
	{"\xfe", 0},
	{"\xff", 0},
}

// TestValid puts each case at every offset in two blocks, with ASCII on both sides and at the end
// of the text.
func TestValid(t *testing.T) {
	c := newChecker(t, 400)
	for _, tc := range validCases {
		if good := max(tc.bad, 0); utf8.ValidString(tc.in) != (tc.bad < 0) || !utf8.ValidString(tc.in[:good]) {
			t.Errorf("%q: the case is wrong about the byte %d", tc.in, tc.bad)
		}
		for offset := range 150 {
			text := append(bytes.Repeat([]byte("a"), offset), tc.in...)
			c.check(text)
			for _, after := range []int{1, 2, 3, 60, 64, 130} {
				c.check(append(text, strings.Repeat("b", after)...))
			}
		}
	}
}

func TestEveryLengthAndPosition(t *testing.T) {
	c := newChecker(t, 200)
	inserts := []string{"é", "€", "😀", "\x80", "\xc2", "\xe1\x80", "\xf1\x80\x80", "\xff"}
	simdtest.EachPosition(200, 'a', inserts, c.check)
}

// TestTwoBytes and TestFourBytes cover all of table 3-7: every pair of bytes, and every first and
// second byte with the borders of what can follow. Each time they are at another place of the
// vectors.
func TestTwoBytes(t *testing.T) {
	simdtest.EachLevel(t, kernel, func(t *testing.T) {
		inASCII(t, func(check func(...byte)) {
			for a := range 256 {
				for b := range 256 {
					check(byte(a), byte(b))
				}
			}
		})
	})
}

func TestFourBytes(t *testing.T) {
	borders := []byte("\x00\x41\x7f\x80\x8f\x90\x9f\xa0\xbf\xc0\xc1\xc2\xdf\xe0\xed\xef\xf0\xf4\xf5\xff")
	simdtest.EachLevel(t, kernel, func(t *testing.T) {
		inASCII(t, func(check func(...byte)) {
			for a := 0xc0; a < 256; a++ {
				for b := range 256 {
					for _, c := range borders {
						check(byte(a), byte(b), c)
						if a < 0xe0 {
							continue
						}
						for _, d := range []byte("\x41\x7f\x80\xbf\xc0") {
							check(byte(a), byte(b), c, d)
						}
					}
				}
			}
		})
	})
}

// inASCII calls body with a function that checks a few bytes between ASCII, at the level that is
// set.
func inASCII(t *testing.T, body func(check func(...byte))) {
	const n = 160
	text := bytes.Repeat([]byte("a"), n)
	at := 0
	body(func(some ...byte) {
		if at++; at > n-len(some) {
			at = 0
		}
		place := text[at:][:len(some)]
		copy(place, some)
		if got, want := Valid(text), utf8.Valid(some); got != want {
			t.Fatalf("Valid with %x at %d of %d = %v, want %v", some, at, n, got, want)
		}
		for i := range place {
			place[i] = 'a'
		}
	})
}

// TestDamage takes real text of every length, whole and with one byte changed, added or lost.
func TestDamage(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	c := newChecker(t, 300)
	for _, l := range languages {
		text := []byte(strings.Repeat(l.text, 5))
		for n := range 260 {
			c.check(text[:n])
			bad := slices.Clone(text[:n+1])
			bad[r.IntN(n+1)] ^= 1 << r.IntN(8)
			c.check(bad)
			i := r.IntN(n + 1)
			c.check(slices.Delete(bad, i, i+1))
			c.check(slices.Insert(bad, i, byte(r.IntN(256))))
		}
	}
}

func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	c := newChecker(t, 400)
	alphabet := []rune("aé€😀\u007f\u0080\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff")
	for range 20000 {
		var text []byte
		for n := r.IntN(300); len(text) < n; {
			text = utf8.AppendRune(text, alphabet[r.IntN(len(alphabet))])
		}
		c.check(text)
		for range r.IntN(3) {
			if len(text) > 0 {
				text[r.IntN(len(text))] = byte(r.IntN(256))
			}
		}
		c.check(text)
	}
}

func TestNoAllocation(t *testing.T) {
	kernel.NoAllocation(t, func() {
		var text [200]byte
		Valid(text[:])
	})
}

func TestDispatch(t *testing.T) { kernel.TestDispatch(t) }

func FuzzValid(f *testing.F) {
	for _, c := range validCases {
		f.Add([]byte(c.in))
		f.Add([]byte(strings.Repeat("a", 62) + c.in + strings.Repeat("b", 70)))
	}
	for _, l := range languages {
		f.Add([]byte(l.text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		newChecker(t, len(text)).check(text)
	})
}
