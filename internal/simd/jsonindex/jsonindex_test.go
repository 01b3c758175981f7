package jsonindex

import (
	"bytes"
	"embed"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
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
	Read:     func(text []byte) { Index(make([]Block, BlockCount(len(text))), text) },
}

// checker compares Index at every level with the reference.
type checker struct {
	tb testing.TB
	*simdtest.Checker[Block]
	want []Block
}

func newChecker(tb testing.TB, size int) *checker {
	n := BlockCount(size)
	return &checker{tb, simdtest.NewChecker[Block](tb, kernel, size, n), make([]Block, n)}
}

func (c *checker) check(text []byte) {
	c.tb.Helper()
	want := c.want[:BlockCount(len(text))]
	wantHigh := indexRef(want, text)
	c.Check(text, len(want), func(l Level, dst []Block, text []byte) {
		if high := Index(dst, text); high != wantHigh {
			c.tb.Fatalf("%v: Index(%.300q) = %v, want %v", l, text, high, wantHigh)
		}
		for i, b := range dst {
			if b != want[i] {
				c.tb.Fatalf("%v: Index(%.300q): block %d is\n%v, want\n%v", l, text, i, b, want[i])
			}
		}
	})
}

func (b Block) String() string {
	return fmt.Sprintf("quote %064b\nspecial %062b\nspace %064b",
		bits.Reverse64(b.Quote), bits.Reverse64(b.Special), bits.Reverse64(b.Space))
}

// indexCases say what each mask means, with one character per byte of in, '|' for a set bit.
var indexCases = []struct {
	name, in, quote, special, space string
	nonASCII                        bool
}{
	{name: "empty"},
	{
		name:    "an object",
		in:      `{"id": "a"}`,
		quote:   ` |  |  | | `,
		special: `           `,
		space:   `      |    `,
	},
	{
		name:    "one backslash hides a quote, two do not, three do",
		in:      `\""\\""\\\""`,
		quote:   `  |  ||    |`,
		special: `|  ||  |||  `,
		space:   `            `,
	},
	{
		name:    "a backslash before something else",
		in:      `"\n"\/"`,
		quote:   `|  |  |`,
		special: ` |  |  `,
		space:   `       `,
	},
	{
		name:    "white space and other control characters",
		in:      "\x00\x08\t\n\v\f\r\x1f \x7f",
		quote:   `          `,
		special: `||||||||  `,
		space:   `  ||  | | `,
	},
	{
		name:    "neighbours of the special bytes, with and without the top bit",
		in:      "!#[]\xa0\xa2\xdc\x89\x8a\x8d\x9f\xff",
		quote:   `            `,
		special: `            `,
		space:   `            `, nonASCII: true,
	},
	{name: "U+0085 and U+00A0 are not white space here", in: "\u0085\u00a0", quote: `    `, special: `    `, space: `    `, nonASCII: true},
	{
		name:    "an escape across two blocks",
		in:      strings.Repeat("x", 63) + `\""`,
		quote:   strings.Repeat(" ", 63) + `  |`,
		special: strings.Repeat(" ", 63) + `|  `,
		space:   strings.Repeat(" ", 63) + `   `,
	},
	{
		name:    "an odd run over three blocks",
		in:      strings.Repeat("x", 60) + strings.Repeat(`\`, 71) + `""`,
		quote:   strings.Repeat(" ", 60) + strings.Repeat(" ", 71) + ` |`,
		special: strings.Repeat(" ", 60) + strings.Repeat("|", 71) + `  `,
		space:   strings.Repeat(" ", 60) + strings.Repeat(" ", 71) + `  `,
	},
}

func TestIndex(t *testing.T) {
	drawn := func(dst []Block, n int, field func(Block) uint64) string {
		var s strings.Builder
		for i := range n {
			s.WriteByte(" |"[field(dst[i/64])>>(i%64)&1])
		}
		return s.String()
	}
	simdtest.EachLevel(t, kernel, func(t *testing.T) {
		for _, c := range indexCases {
			dst := make([]Block, BlockCount(len(c.in)))
			if high := Index(dst, []byte(c.in)); high != c.nonASCII {
				t.Errorf("%s: Index = %v, want %v", c.name, high, c.nonASCII)
			}
			for _, m := range []struct {
				name, want string
				field      func(Block) uint64
			}{
				{"Quote", c.quote, func(b Block) uint64 { return b.Quote }},
				{"Special", c.special, func(b Block) uint64 { return b.Special }},
				{"Space", c.space, func(b Block) uint64 { return b.Space }},
			} {
				if got := drawn(dst, len(c.in), m.field); got != m.want {
					t.Errorf("%s: %s of %q is\n%q, want\n%q", c.name, m.name, c.in, got, m.want)
				}
			}
		}
	})
}

// interesting has the bytes that set a bit and their neighbours.
const interesting = "\"\\\x00\x1f !#[]\x08\t\n\v\f\r\x7f\x80\x89\xa0\xa2\xdc\xff"

func TestEveryLengthAndPosition(t *testing.T) {
	c := newChecker(t, 200)
	simdtest.EachPosition(200, 'a', simdtest.Bytes("\"\\\x00\x1f !\n\x80"), c.check) // TestOneKindOnly has all
}

// TestOneKindOnly fills texts of every length with one byte, so that all bits of a mask are set at
// once.
func TestOneKindOnly(t *testing.T) {
	c := newChecker(t, 300)
	for n := range 301 {
		for b := range 256 {
			c.check(bytes.Repeat([]byte{byte(b)}, n))
		}
	}
}

// TestRuns has runs of backslashes of every length, at every offset in a block, before a quote. In
// some texts another quote follows, which is not escaped exactly when the first one is.
func TestRuns(t *testing.T) {
	c := newChecker(t, 300)
	for offset := range 64 {
		for run := range 131 {
			text := strings.Repeat("x", offset) + strings.Repeat(`\`, run) + `"`
			c.check([]byte(text))
			c.check([]byte(text + `"`))
			c.check([]byte(text + strings.Repeat(`"`, 70)))
		}
	}
}

// TestRunsByCounting compares the result with the definition, counting backwards from each quote.
func TestRunsByCounting(t *testing.T) {
	simdtest.EachLevel(t, kernel, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		dst := make([]Block, BlockCount(400))
		for range 2000 {
			text := randomText(r, `\\\\\\"`, r.IntN(400))
			Index(dst, text)
			for i, b := range text {
				before := len(text[:i]) - len(bytes.TrimRight(text[:i], `\`))
				want := b == '"' && before%2 == 0
				if got := dst[i/64].Quote>>(i%64)&1 == 1; got != want {
					t.Fatalf("Index(%q): quote at %d is %v, want %v", text, i, got, want)
				}
			}
		}
	})
}

// TestNonASCIIAnywhere has texts that take several rounds of each kernel's fastest loop: the result
// must remember the first round.
func TestNonASCIIAnywhere(t *testing.T) {
	c := newChecker(t, 600)
	for _, n := range []int{255, 256, 257, 384, 511, 512, 600} {
		text := bytes.Repeat([]byte("a"), n)
		for i := range text {
			text[i] = 0x80
			c.check(text)
			text[i] = 'a'
		}
	}
}

func TestRandom(t *testing.T) {
	var all [256]byte
	for i := range all {
		all[i] = byte(i)
	}
	alphabets := []string{
		string(all[:]),
		interesting,
		`{}[]:,"\ aAbB01`,
		`aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"\`, // fast and slow blocks in turn
		strings.Repeat("a", 100) + "\n",
	}
	r := rand.New(rand.NewPCG(3, 4))
	c := newChecker(t, 1000)
	for range 1500 {
		for _, a := range alphabets {
			c.check(randomText(r, a, r.IntN(1000)))
		}
	}
}

func randomText(r *rand.Rand, alphabet string, n int) []byte {
	text := make([]byte, n)
	for i := range text {
		text[i] = alphabet[r.IntN(len(alphabet))]
	}
	return text
}

func TestBlockCount(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 1, 63: 1, 64: 1, 65: 2, 128: 2, 129: 3, 1 << 30: 1 << 24, int(^uint(0) >> 1): int(^uint(0)>>1)/64 + 1} {
		if got := BlockCount(n); got != want {
			t.Errorf("BlockCount(%d) = %d, want %d", n, got, want)
		}
	}
}

func TestShortDst(t *testing.T) {
	simdtest.EachLevel(t, kernel, func(t *testing.T) {
		canary := Block{Quote: 0x0123456789abcdef, Special: 0xfedcba9876543210, Space: 0xa5a5a5a55a5a5a5a}
		backing := slices.Repeat([]Block{canary}, 4)
		for _, n := range []int{1, 64, 65, 200} {
			dst := backing[:BlockCount(n)-1] // the capacity would do
			if !simdtest.Panics(func() { Index(dst, make([]byte, n)) }) {
				t.Errorf("Index of %d bytes did not panic", n)
			}
		}
		for i, b := range backing {
			if b != canary {
				t.Errorf("Index wrote to block %d before the panic", i)
			}
		}
	})
}

func TestNoAllocation(t *testing.T) {
	kernel.NoAllocation(t, func() {
		var dst [4]Block
		var text [200]byte
		Index(dst[:], text[:])
	})
}

func TestDispatch(t *testing.T) { kernel.TestDispatch(t) }

func FuzzIndex(f *testing.F) {
	for _, c := range indexCases {
		f.Add([]byte(c.in))
	}
	f.Add([]byte(strings.Repeat(`\`, 127) + `"`))
	f.Add([]byte(strings.Repeat("a", 63) + `\`))
	f.Add([]byte(strings.Repeat(" ", 64) + "\x80"))
	f.Add(benchText(f, "compact", 804))
	f.Add(benchText(f, "escaped", 300))
	f.Fuzz(func(t *testing.T, text []byte) {
		newChecker(t, len(text)).check(text)
	})
}
