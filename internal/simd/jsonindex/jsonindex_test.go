package jsonindex

import (
	"bytes"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"runtime"
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

// checker holds Index at every level against the reference. It puts the text against an unreadable page, first on the
// one side and then on the other, and canaries around the blocks.
type checker struct {
	tb        testing.TB
	levels    []Level
	guard     *guardpage.Buffer
	want, got []Block
}

const canaries = 2 // blocks on either side of dst

var canary = Block{Quote: 0x0123456789abcdef, Special: 0xfedcba9876543210, Space: 0xa5a5a5a55a5a5a5a}

func newChecker(tb testing.TB, size int) *checker {
	n := BlockCount(size)
	return &checker{tb, Levels(), guardpage.New(tb, size), make([]Block, n), make([]Block, n+2*canaries)}
}

func (c *checker) check(text []byte) {
	c.tb.Helper()
	n := BlockCount(len(text))
	want := c.want[:n]
	wantHigh := indexRef(want, text)
	got := c.got[:n+2*canaries]
	defer SetLevel(level)
	for _, flush := range []func([]byte) []byte{c.guard.Back, c.guard.Front} {
		guarded := flush(text)
		for _, l := range c.levels {
			for i := range got {
				got[i] = canary
			}
			SetLevel(l)
			if high := Index(got[canaries:canaries+n], guarded); high != wantHigh {
				c.tb.Fatalf("%v: Index(%.300q) = %v, want %v", l, text, high, wantHigh)
			}
			for i, b := range got[canaries : canaries+n] {
				if b != want[i] {
					c.tb.Fatalf("%v: Index(%.300q): block %d is\n%v, want\n%v", l, text, i, b, want[i])
				}
			}
			for _, i := range []int{0, 1, canaries + n, canaries + n + 1} {
				if got[i] != canary {
					c.tb.Fatalf("%v: Index(%.300q) wrote to block %d of %d", l, text, i-canaries, n)
				}
			}
		}
	}
}

func (b Block) String() string {
	return fmt.Sprintf("quote %064b\nspecial %062b\nspace %064b",
		bits.Reverse64(b.Quote), bits.Reverse64(b.Special), bits.Reverse64(b.Space))
}

// indexCases say what each mask means, with one character per byte of in: '|' for a set bit.
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
		name:    "a backslash in front of something else",
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
	{name: "U+0085 and U+00A0 are no white space here", in: "\u0085\u00a0", quote: `    `, special: `    `, space: `    `, nonASCII: true},
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
	eachLevel(t, func(t *testing.T) {
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

// interesting has the bytes that have a bit of their own and the ones just beside them.
const interesting = "\"\\\x00\x1f !#[]\x08\t\n\v\f\r\x7f\x80\x89\xa0\xa2\xdc\xff"

func TestEveryLengthAndPosition(t *testing.T) {
	c := newChecker(t, 200)
	for n := range 201 {
		text := bytes.Repeat([]byte("a"), n)
		c.check(text)
		for i := range text {
			for _, b := range []byte("\"\\\x00\x1f !\n\x80") { // TestOneKindOnly has them all
				text[i] = b
				c.check(text)
			}
			text[i] = 'a'
		}
	}
}

// TestOneKindOnly fills texts of every length with one byte, so that every bit of a mask is seen set at once.
func TestOneKindOnly(t *testing.T) {
	c := newChecker(t, 300)
	for n := range 301 {
		for b := range 256 {
			c.check(bytes.Repeat([]byte{byte(b)}, n))
		}
	}
}

// TestRuns ends runs of backslashes of every length, at every offset in a block, in a quote; the next byte is a quote
// too, so that exactly one of the two is escaped by an odd run.
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

// TestRunsByCounting holds the result against the definition itself, counted backwards from each quote.
func TestRunsByCounting(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
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

func randomText(r *rand.Rand, alphabet string, n int) []byte {
	text := make([]byte, n)
	for i := range text {
		text[i] = alphabet[r.IntN(len(alphabet))]
	}
	return text
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

func TestBlockCount(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 1, 63: 1, 64: 1, 65: 2, 128: 2, 129: 3, 1 << 30: 1 << 24, int(^uint(0) >> 1): int(^uint(0)>>1)/64 + 1} {
		if got := BlockCount(n); got != want {
			t.Errorf("BlockCount(%d) = %d, want %d", n, got, want)
		}
	}
}

func TestShortDst(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		backing := slices.Repeat([]Block{canary}, 4)
		for _, n := range []int{1, 64, 65, 200} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("Index of %d bytes did not panic", n)
					}
				}()
				Index(backing[:BlockCount(n)-1], make([]byte, n)) // the capacity would do
			}()
		}
		for i, b := range backing {
			if b != canary {
				t.Errorf("block %d was written to before the panic", i)
			}
		}
	})
}

func TestNoAllocation(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		n := testing.AllocsPerRun(10, func() {
			var dst [4]Block // stays on the stack
			var text [200]byte
			Index(dst[:], text[:])
		})
		if n != 0 {
			t.Errorf("%v allocations, want none", n)
		}
	})
}

// TestLevels fails, instead of skipping, where the CPU has what a kernel needs and the kernel is not there.
func TestLevels(t *testing.T) {
	want := []Level{simd.Reference, simd.SWAR}
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
		for l, needs := range map[Level]string{simd.AVX2: "avx avx2 bmi1 bmi2", simd.AVX512: "avx avx512f avx512bw bmi1 bmi2"} {
			has := strings.Fields(flags)
			if !slices.ContainsFunc(strings.Fields(needs), func(f string) bool { return !slices.Contains(has, f) }) {
				want = append(want, l)
			}
		}
		slices.Sort(want)
	}
	if got := Levels(); !slices.Equal(got, want) {
		t.Errorf("Levels() = %v, want %v", got, want)
	}
	if best := want[len(want)-1]; level != best {
		t.Errorf("Index uses %v, want %v", level, best)
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
		got := guardpage.Toucher(t, func(b []byte) { Index(make([]Block, BlockCount(len(b))), b) })
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
