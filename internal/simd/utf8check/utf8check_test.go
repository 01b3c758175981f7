package utf8check

import (
	"bytes"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/internal/guardpage"
	"github.com/rtbwire/rtbwire/internal/simd"
)

// eachLevel runs body once for every level that this CPU and this build have.
func eachLevel[T interface {
	testing.TB
	Run(string, func(T)) bool
}](t T, body func(t T)) {
	for _, l := range Levels() {
		t.Run("level="+l.String(), func(t T) {
			defer SetLevel(SetLevel(l))
			body(t)
		})
	}
}

// checker holds Valid at every level, and FirstInvalid, against the standard library. It puts the text against an
// unreadable page, first on the one side and then on the other.
type checker struct {
	tb     testing.TB
	levels []Level
	guard  *guardpage.Buffer
}

func newChecker(tb testing.TB, size int) *checker {
	return &checker{tb, Levels(), guardpage.New(tb, size)}
}

func (c *checker) check(text []byte) {
	c.tb.Helper()
	want := utf8.Valid(text)
	defer SetLevel(level)
	for _, flush := range []func([]byte) []byte{c.guard.Back, c.guard.Front} {
		guarded := flush(text)
		for _, l := range c.levels {
			SetLevel(l)
			if got := Valid(guarded); got != want {
				c.tb.Fatalf("%v: Valid(%.300q) = %v, want %v", l, text, got, want)
			}
		}
	}
	at := FirstInvalid(c.guard.Back(text))
	if (at == len(text)) != want || !utf8.Valid(text[:at]) {
		c.tb.Fatalf("FirstInvalid(%.300q) = %d, but Valid is %v", text, at, want)
	}
	if !want {
		if r, size := utf8.DecodeRune(text[at:]); r != utf8.RuneError || size != 1 {
			c.tb.Fatalf("FirstInvalid(%.300q) = %d, where %q is well-formed", text, at, r)
		}
	}
}

// utf8Cases are the borders of table 3-7 and what is just outside them. bad is FirstInvalid, or -1.
var utf8Cases = []struct {
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

// TestValid puts each case at every offset in two blocks, between ASCII on both sides and at the end of the text.
func TestValid(t *testing.T) {
	c := newChecker(t, 400)
	for _, tc := range utf8Cases {
		want := tc.bad
		if want < 0 {
			want = len(tc.in)
		}
		if got := FirstInvalid([]byte(tc.in)); got != want {
			t.Errorf("FirstInvalid(%q) = %d, want %d", tc.in, got, want)
		}
		for offset := range 150 {
			text := append(bytes.Repeat([]byte("a"), offset), tc.in...)
			c.check(text)
			for _, behind := range []int{1, 2, 3, 60, 64, 130} {
				c.check(append(text, strings.Repeat("b", behind)...))
			}
		}
	}
}

// TestTwoBytes and TestFourBytes are the whole of table 3-7: every two bytes behind one another, and every first and
// second byte with the borders of what can follow. They are at a different place of the vectors each time.
func TestTwoBytes(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
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
	eachLevel(t, func(t *testing.T) {
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

// inASCII calls body with a function that checks a few bytes in the midst of ASCII, at the level that is set.
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
	eachLevel(t, func(t *testing.T) {
		n := testing.AllocsPerRun(10, func() {
			var text [200]byte
			Valid(text[:])
			FirstInvalid(text[:])
		})
		if n != 0 {
			t.Errorf("%v allocations, want none", n)
		}
	})
}

// TestLevels fails, instead of skipping, where the CPU has what a kernel needs and the kernel is not there.
func TestLevels(t *testing.T) {
	want := []Level{simd.Reference}
	switch {
	case !assembly:
	case runtime.GOARCH == "arm64":
		want = append(want, simd.NEON)
	case runtime.GOARCH == "amd64":
		info, err := os.ReadFile("/proc/cpuinfo")
		if err != nil {
			t.Skip("no way to know what this CPU has")
		}
		_, flags, _ := strings.Cut(string(info), "\nflags")
		flags, _, _ = strings.Cut(flags, "\n")
		if has := strings.Fields(flags); slices.Contains(has, "avx") && slices.Contains(has, "avx2") {
			want = append(want, simd.AVX2)
		}
	}
	if got := Levels(); !slices.Equal(got, want) {
		t.Errorf("Levels() = %v, want %v", got, want)
	}
	if best := want[len(want)-1]; level != best {
		t.Errorf("Valid uses %v, want %v", level, best)
	}
}

// TestKernelsRun checks that a level in assembly is not the reference under another name: what reads the text is the
// kernel of that name.
func TestKernelsRun(t *testing.T) {
	if !guardpage.Enabled {
		t.Skip("no unreadable pages here")
	}
	for _, l := range Levels() {
		previous := SetLevel(l)
		got := guardpage.Toucher(t, func(b []byte) { Valid(b) })
		SetLevel(previous)
		if isKernel := strings.HasSuffix(got, l.String()); got == "" || isKernel != (l > simd.SWAR) {
			t.Errorf("at level %v the text is read by %s", l, got)
		}
	}
}

func TestSetLevel(t *testing.T) {
	start := level
	for _, l := range Levels() {
		before := level
		if got := SetLevel(l); got != before || level != l {
			t.Errorf("SetLevel(%v) = %v and leaves %v, want %v and %v", l, got, level, before, l)
		}
	}
	SetLevel(start)
	defer func() {
		if recover() == nil || level != start {
			t.Error("SetLevel of a level that no CPU has did not panic, or changed the level")
		}
	}()
	SetLevel(200)
}

func FuzzValid(f *testing.F) {
	for _, c := range utf8Cases {
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
