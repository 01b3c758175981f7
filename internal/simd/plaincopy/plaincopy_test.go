package plaincopy

import (
	"bytes"
	"embed"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/simd"
	"github.com/rtbwire/rtbwire/internal/simd/simdtest"
)

//go:embed *.s
var assembly embed.FS

var kernel = &simdtest.Kernel{
	Portable: []Level{simd.Reference, simd.SWAR},
	Assembly: assembly,
	Levels:   Levels,
	SetLevel: SetLevel,
	Read:     func(text []byte) { Copy(make([]byte, len(text)), text) },
}

// checker compares Copy at every level with the reference.
type checker struct {
	tb testing.TB
	*simdtest.Checker[byte]
	want []byte
}

func newChecker(tb testing.TB, size int) *checker {
	return &checker{tb, simdtest.NewChecker[byte](tb, kernel, size, size), make([]byte, size)}
}

func (c *checker) check(text []byte) {
	c.tb.Helper()
	want := copyRef(c.want[:len(text)], text)
	c.Check(text, len(text), func(l Level, dst, text []byte) {
		if got := Copy(dst, text); got != want {
			c.tb.Fatalf("%v: Copy(%.300q) = %d, want %d", l, text, got, want)
		}
		if !bytes.Equal(dst[:want], text[:want]) {
			c.tb.Fatalf("%v: Copy(%.300q) copied %.300q", l, text, dst[:want])
		}
	})
}

// copyCases say what is copied.
var copyCases = []struct {
	in   string
	want int
}{
	{"", 0},
	{"a", 1},
	{`a"`, 1},
	{"\x00", 0},
	{" !#[]~\x7f", 7}, // the neighbours of the special bytes
	{"ab\x1fcd", 2},
	{`\n`, 0},
	{"1234567\x80", 7},
	{strings.Repeat("x", 31) + `\`, 31},
	{strings.Repeat("x", 33) + "é", 33},
	{strings.Repeat("x", 64) + "\xff", 64},
}

func TestCopy(t *testing.T) {
	simdtest.EachLevel(t, kernel, func(t *testing.T) {
		for _, c := range copyCases {
			dst := make([]byte, len(c.in))
			if got := Copy(dst, []byte(c.in)); got != c.want || string(dst[:c.want]) != c.in[:c.want] {
				t.Errorf("Copy(%q) = %d and copied %q, want %d", c.in, got, dst[:c.want], c.want)
			}
		}
	})
}

// TestEveryLengthAndPosition has every byte at every position of every length up to three vectors.
func TestEveryLengthAndPosition(t *testing.T) {
	const longest = 3*32 + 1
	inserts := simdtest.Bytes("\x00\x01\x0f\x10\x1e\x1f !\"#/?@[\\]\x7f\x80\x81\xa2\xdc\xfe\xff")
	if !testing.Short() {
		inserts = inserts[:0]
		for b := range 256 {
			inserts = append(inserts, string([]byte{byte(b)}))
		}
	}
	simdtest.EachPosition(longest, '~', inserts, newChecker(t, longest).check)
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
	simdtest.EachLevel(t, kernel, func(t *testing.T) {
		backing := []byte("????")
		if !simdtest.Panics(func() { Copy(backing[:3:3], []byte("1234")) }) {
			t.Error("Copy of 4 bytes to 3 did not panic")
		}
		if string(backing) != "????" {
			t.Errorf("Copy wrote %q before the panic", backing)
		}
	})
}

func TestNoAllocation(t *testing.T) {
	kernel.NoAllocation(t, func() {
		var dst, text [200]byte
		for i := range text {
			text[i] = ' '
		}
		Copy(dst[:], text[:])
	})
}

func TestDispatch(t *testing.T) { kernel.TestDispatch(t) }

func FuzzCopy(f *testing.F) {
	for _, c := range copyCases {
		f.Add([]byte(c.in))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		newChecker(t, len(text)).check(text)
	})
}
