package plaincopy

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

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

// checker holds Copy at every level against the reference. Both texts lie against an unreadable page, first on the one
// side and then on the other; where the destination has room around it, that must not change.
type checker struct {
	tb       testing.TB
	src, dst *guardpage.Buffer
	want     []byte
}

const canary = 0xaa

func newChecker(tb testing.TB, size int) *checker {
	return &checker{tb, guardpage.New(tb, size), guardpage.New(tb, size+64), make([]byte, size)}
}

func (c *checker) check(text []byte) {
	c.tb.Helper()
	want := copyRef(c.want[:len(text)], text)
	defer SetLevel(level)
	around := bytes.Repeat([]byte{canary}, len(text)+64)
	for side, flush := range []func(*guardpage.Buffer, []byte) []byte{(*guardpage.Buffer).Back, (*guardpage.Buffer).Front} {
		src, whole := flush(c.src, text), flush(c.dst, around)
		dst, rest := whole[:len(text)], whole[len(text):] // what is behind it
		if side == 0 {
			dst, rest = whole[64:], whole[:64] // what is in front of it
		}
		for _, l := range Levels() {
			for i := range whole {
				whole[i] = canary
			}
			SetLevel(l)
			if got := Copy(dst, src); got != want {
				c.tb.Fatalf("%v: Copy(%.300q) = %d, want %d", l, text, got, want)
			}
			if !bytes.Equal(dst[:want], text[:want]) {
				c.tb.Fatalf("%v: Copy(%.300q) copied %.300q", l, text, dst[:want])
			}
			for i, b := range rest {
				if b != canary {
					c.tb.Fatalf("%v: Copy(%.300q) wrote to byte %d around the destination", l, text, i)
				}
			}
		}
	}
}

// TestEveryLengthAndPosition puts every byte at every position of every length up to three vectors.
func TestEveryLengthAndPosition(t *testing.T) {
	const longest = 3*32 + 1
	c := newChecker(t, longest)
	step := 1
	if testing.Short() {
		step = 7
	}
	for n := range longest + 1 {
		text := bytes.Repeat([]byte("~"), n)
		c.check(text)
		for at := range n {
			for b := (n + at) % step; b < 256; b += step {
				text[at] = byte(b)
				c.check(text)
			}
			text[at] = '~'
		}
	}
}

// TestTwo has two special bytes: the first one counts.
func TestTwo(t *testing.T) {
	c := newChecker(t, 80)
	special := []byte{0, 0x1f, '"', '\\', 0x80, 0xff}
	for n := range 72 {
		for i := range n {
			for j := i + 1; j < n; j += 3 {
				text := bytes.Repeat([]byte(" "), n)
				text[i], text[j] = special[(i+j)%6], special[(i*j)%6]
				c.check(text)
			}
		}
	}
}

func TestRandom(t *testing.T) {
	const longest = 1000
	c := newChecker(t, longest)
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		text := make([]byte, r.IntN(longest))
		for i := range text {
			text[i] = byte(0x20 + r.IntN(0x60))
			if text[i] == '"' || text[i] == '\\' {
				text[i] = 'x'
			}
		}
		for range r.IntN(3) {
			if len(text) > 0 {
				text[r.IntN(len(text))] = byte(r.Uint32())
			}
		}
		c.check(text)
	}
}

func TestShortDst(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a destination that is too short did not panic")
		}
	}()
	Copy(make([]byte, 3), []byte("1234"))
}

func TestNoAllocation(t *testing.T) {
	text, dst := []byte(strings.Repeat("plain ", 20)), make([]byte, 200)
	eachLevel(t, func(t *testing.T) {
		if n := testing.AllocsPerRun(100, func() { Copy(dst, text) }); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}

func TestLevels(t *testing.T) {
	l := Levels()
	if !slices.IsSorted(l) || l[0] != simd.Reference || assembly != (l[len(l)-1] > simd.SWAR) || level != l[len(l)-1] {
		t.Errorf("levels %v, Copy uses %v, assembly %v", l, level, assembly)
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
		got := guardpage.Toucher(t, func(b []byte) { Copy(make([]byte, len(b)), b) })
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

func FuzzCopy(f *testing.F) {
	for _, s := range []string{"", "a", `a"`, strings.Repeat("x", 31) + "\\", strings.Repeat("x", 33) + "é", "\x00"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		newChecker(t, len(text)).check(text)
	})
}
