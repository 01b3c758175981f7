package literals

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
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
	Portable: []Level{simd.Reference},
	Assembly: assembly,
	Levels:   Levels,
	SetLevel: SetLevel,
	Read: func(text []byte) {
		var dst [1]Block
		NewTable(Window{"x"}).Find(dst[:], text, 0, false)
	},
}

func TestDispatch(t *testing.T) { kernel.TestDispatch(t) }

// tables have windows of all kinds: whole ones and short ones, single bytes, classes and bytes
// above 0x7f.
var tables = func() []*Table {
	list := []*Table{
		NewTable(Window{"x", "y", "z", "!"}),
		NewTable(Window{"x"}, Window{"y", "z"}, Window{"\xef", "\xbc\xbd"}, Window{"%", "0123456789", "abcdef"}),
		NewTable(Window{"\x00", "\x00", "\x00", "\x00"}, Window{"\xff", "\xff", "\xff", "\xff"}),
	}
	set, err := Compile([]string{"xyz!", "javascript:", "alert(1", "zz", `a"b`})
	if err != nil {
		panic(err)
	}
	list = append(list, set.table)
	for _, t := range list {
		t.mark, t.pass = 'm', 'x'
	}
	return list
}()

// naive is Find, one position at a time, from the tables of nibbles.
func naive(t *Table, dst []Block, text []byte, from int, stop bool) (count, next int, marked bool) {
	whole := len(text) - (WindowSize - 1)
	for at := from; at < whole; at += blockSize {
		block := Block{At: uint64(at)}
		for i := at; i < min(at+blockSize, whole); i++ {
			if stop && stopsAt(t, text, i) {
				return count, at, true
			}
			hit := byte(0xff)
			for k, c := range text[i : i+WindowSize] {
				hit &= t.low[k][c&15] & t.high[k][c>>4]
			}
			if hit != 0 {
				block.Bits |= 1 << (i - at)
			}
		}
		if block.Bits != 0 {
			dst[count] = block
			if count++; count == len(dst) && at+blockSize < whole {
				return count, at + blockSize, false
			}
		}
	}
	for i := max(from, whole); i < len(text); i++ {
		marked = marked || stop && stopsAt(t, text, i)
	}
	return count, len(text), marked
}

// stopsAt reports whether there is a mark that counts.
func stopsAt(t *Table, text []byte, i int) bool {
	return text[i] == t.mark && !bytes.HasPrefix(text[i+1:], []byte{t.pass})
}

const roomMax = 5 // blocks

// newCheck returns a function that compares Find at every level with naive.
func newCheck(tb testing.TB, size int) func(text []byte) {
	checker := simdtest.NewChecker[Block](tb, kernel, size, roomMax)
	var want [roomMax]Block
	// A text is checked with one of these, the next one with the next.
	ways, way := []struct{ from, room int }{{0, roomMax}, {0, 1}, {1, roomMax}, {64, 1}, {65, roomMax}}, 0
	return func(text []byte) {
		tb.Helper()
		w := ways[way%len(ways)]
		way++
		w.from = min(w.from, len(text))
		for i, table := range tables {
			for _, stop := range []bool{false, true} {
				count, next, marked := naive(table, want[:w.room], text, w.from, stop)
				checker.Check(text, w.room, func(l Level, out []Block, text []byte) {
					gotCount, gotNext, gotMarked := table.Find(out, text, w.from, stop)
					if gotCount != count || gotMarked != marked || gotNext != next || !slices.Equal(out[:count], want[:count]) {
						tb.Fatalf("%v, table %d: Find(%d blocks, %.300q, %d, %v) = %d, %d, %v %v, want %d, %d, %v %v",
							l, i, w.room, text, w.from, stop, gotCount, gotNext, gotMarked, out, count, next, marked, want[:count])
					}
				})
			}
		}
	}
}

func TestFindEveryLengthAndPosition(t *testing.T) {
	longest := 140
	if testing.Short() {
		longest = 70
	}
	check := newCheck(t, longest)
	simdtest.EachPosition(longest, '.', []string{"xyz!", "x", "yz", "m", "\xef\xbc\x9c"}, check)
}

func TestFindRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	check := newCheck(t, 400)
	for range 2000 {
		text := make([]byte, r.IntN(400))
		few := []byte("xyz!z.%0a\xef\xbc\x00\xffm\xff\x00")
		for i := range text {
			if text[i] = few[r.IntN(len(few))]; r.IntN(4) == 0 {
				text[i] = byte(r.IntN(256))
			}
			if text[i] == 'm' && r.IntN(20) > 0 {
				text[i] = '.'
			}
		}
		check(text)
	}
}

// TestFindBytes puts every byte at every place of a window.
func TestFindBytes(t *testing.T) {
	simdtest.EachLevel(t, kernel, func(t *testing.T) {
		var dst, want [1]Block
		for _, table := range tables {
			for place := range WindowSize {
				for c := range 256 {
					text := bytes.Repeat([]byte("xyz!"), 30)
					text[60+place] = byte(c)
					count, _, _ := table.Find(dst[:], text, 0, false)
					wantCount, _, _ := naive(table, want[:], text, 0, false)
					if count != wantCount || dst != want {
						t.Fatalf("with %#x at place %d: %v, want %v", c, place, dst, want)
					}
				}
			}
		}
	})
}

func TestFindWithoutRoom(t *testing.T) {
	if count, next, marked := tables[0].Find(nil, []byte("wxyz!"), 1, true); count != 0 || next != 1 || marked {
		t.Errorf("Find = %d, %d, %v", count, next, marked)
	}
}

func TestNoAllocation(t *testing.T) {
	set := compile(t, "javascript:", "alert(1")
	text := []byte(strings.Repeat("some text; ", 40) + "JavaScript:alert(1)")
	seen, hits := make([]uint64, set.Words()), make([]Hit, 0, 2)
	kernel.NoAllocation(t, func() {
		seen[0] = 0
		hits = set.Search(hits[:0], &Query{Text: text, Seen: seen})
		if len(hits) != 2 || !set.MayHold(text) {
			t.Errorf("%d hits", len(hits))
		}
	})
}

func compile(tb testing.TB, list ...string) *Set {
	tb.Helper()
	set, err := Compile(list)
	if err != nil {
		tb.Fatal(err)
	}
	return set
}

// search returns all hits in order.
func (s *Set) search(q Query) []Hit {
	if q.Seen == nil {
		q.Seen = make([]uint64, s.Words())
	}
	hits := s.Search(nil, &q)
	slices.SortFunc(hits, func(a, b Hit) int { return cmp.Compare(a.Literal, b.Literal) })
	return hits
}

// naiveSearch is search, one literal and one position at a time.
func naiveSearch(list []string, q Query) (hits []Hit) {
	text := foldASCII(string(q.Text))
	for i, literal := range list {
		if q.Seen != nil && q.Seen[i/64]>>(i%64)&1 != 0 || q.Quoted && strings.Contains(literal, `"`) {
			continue
		}
		folded := foldASCII(literal)
		for at := 0; at+len(literal) <= len(text); at++ {
			if !strings.HasPrefix(text[at:], folded) {
				continue
			}
			skipped := slices.ContainsFunc(q.Skip, func(s Span) bool { return s.From <= at && at < s.To })
			if !skipped {
				hits = append(hits, Hit{i, at})
				break
			}
		}
	}
	return hits
}

func foldASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// TestSearchRandom has few letters and short literals: overlaps, literals inside literals, equal
// literals, and more near-misses than the budget allows.
func TestSearchRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	rounds := 150
	if testing.Short() {
		rounds = 30
	}
	simdtest.EachLevel(t, kernel, func(t *testing.T) {
		for range rounds {
			letters := `aAbB"[{@`[:2+r.IntN(7)]
			word := func(longest int) string {
				b := make([]byte, 1+r.IntN(longest))
				for i := range b {
					b[i] = letters[r.IntN(len(letters))]
				}
				return string(b)
			}
			list := make([]string, 1+r.IntN(80))
			longest := 1 + r.IntN(12)
			for i := range list {
				list[i] = word(longest)
			}
			set := compile(t, list...)
			for range 10 {
				q := Query{Text: []byte(word(600)), Quoted: r.IntN(2) == 0}
				if r.IntN(3) == 0 {
					from := r.IntN(len(q.Text))
					q.Skip = []Span{{0, from / 3}, {from / 2, from}}
				}
				if r.IntN(3) == 0 {
					q.Seen = []uint64{r.Uint64(), r.Uint64()}[:set.Words()]
				}
				want := naiveSearch(list, Query{q.Text, slices.Clone(q.Seen), q.Quoted, q.Skip})
				if got := set.search(q); !slices.Equal(got, want) {
					t.Fatalf("%q in %q, %+v: %v, want %v", list, q.Text, q, got, want)
				}
			}
		}
	})
}

// TestSearchEveryOffset puts literals of every length at every place of two blocks.
func TestSearchEveryOffset(t *testing.T) {
	var list []string
	for n := 1; n <= LengthMax; n++ {
		list = append(list, strings.Repeat("<", n-1)+">")
	}
	list = append(list, "javascript:", `alert("`, "${jndi:")
	set := compile(t, list...)
	simdtest.EachLevel(t, kernel, func(t *testing.T) {
		for at := range 140 {
			for _, literal := range list[60:] {
				for _, after := range []int{0, 1, 70} {
					q := Query{Text: []byte(strings.Repeat("z", at) + strings.ToUpper(literal) + strings.Repeat("z", after))}
					if got, want := set.search(q), naiveSearch(list, q); !slices.Equal(got, want) {
						t.Fatalf("in %q: %v, want %v", q.Text, got, want)
					}
				}
			}
		}
	})
}

// TestSearchNearMisses has a text that uses up the budget before the literal.
func TestSearchNearMisses(t *testing.T) {
	list := []string{"<script", "a<script", "<scripts", "pt<s"}
	set := compile(t, list...)
	for _, n := range []int{10, 100, 1000, 5000} {
		for _, end := range []string{"<script", "a<scripts", "<SCRIPTS", "pt<s"} {
			q := Query{Text: []byte(strings.Repeat("<scrip", n) + end)}
			if got, want := set.search(q), naiveSearch(list, q); !slices.Equal(got, want) {
				t.Errorf("%d near-misses and %s: %v, want %v", n, end, got, want)
			}
		}
	}
}

// TestSearchBudgetEndsAnywhere has near-misses with the window of the literal, so many that for
// some number of them the budget ends at the literal itself.
func TestSearchBudgetEndsAnywhere(t *testing.T) {
	const literal = "banner<x>" // requests have "bann" and "anne"
	set := compile(t, literal)
	if set.windowLast == 0 {
		t.Fatal("the window is at the beginning of the literal, so that this test shows nothing")
	}
	for n := range 300 {
		q := Query{Text: []byte(strings.Repeat(literal[set.windowLast:][:WindowSize], n) + literal)}
		if got, want := set.search(q), []Hit{{0, n * WindowSize}}; !slices.Equal(got, want) {
			t.Fatalf("%d near-misses: %v, want %v", n, got, want)
		}
	}
}

func TestMayHold(t *testing.T) {
	set := compile(t, "javascript:")
	simdtest.EachLevel(t, kernel, func(t *testing.T) {
		for _, c := range []struct {
			text string
			want bool
		}{
			{"", false}, {"java", false}, {"JavaScript:", true}, {`\`, true}, {`abc\`, true}, {strings.Repeat("a", 100), false},
			{strings.Repeat("a", 100) + `\`, true}, {strings.Repeat("a", 97) + `\aa`, true}, {`\` + strings.Repeat("a", 97), true},
		} {
			if got := set.MayHold([]byte(c.text)); got != c.want {
				t.Errorf("MayHold(%q) = %v", c.text, got)
			}
		}
	})
	set = compile(t, `alert("`, `a"b"c`, `c\"d`)
	simdtest.EachLevel(t, kernel, func(t *testing.T) {
		for before := range 140 {
			for _, c := range []struct {
				text string
				want bool
			}{
				{`\"`, false}, {`alert(\"`, true}, {`A\"b\"C`, true}, {`a\"b"c`, false}, {`\\"`, true}, {`\/`, true}, {`\"\`, true},
			} {
				text := strings.Repeat("-", before) + c.text
				if got := set.MayHold([]byte(text)); got != c.want {
					t.Errorf("MayHold(%q) = %v", text, got)
				}
				if got := set.MayHold([]byte(text + strings.Repeat("-", 70))); got != c.want {
					t.Errorf("MayHold(%q and more) = %v", text, got)
				}
			}
		}
	})
	if !compile(t, "abc").MayHold([]byte("a")) {
		t.Error("a set with short literals says that it knows")
	}
}

func TestCompileRefuses(t *testing.T) {
	long := strings.Repeat("a", LengthMax+1)
	for _, c := range []struct {
		list []string
		want string
	}{
		{nil, "0 literals"},
		{make([]string, CountMax+1), "4097 literals"},
		{[]string{"a", ""}, "literal 1 has 0 bytes"},
		{[]string{long}, "literal 0 has 65 bytes (want 1 to 64)"},
		{[]string{"a", "b\u00e9"}, "literal 1 has a byte at 1 that is not ASCII"},
		{slices.Repeat([]string{long[1:]}, 1024), "more than 65534 bytes"},
	} {
		if _, err := Compile(c.list); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d literals: %v, want %q", len(c.list), err, c.want)
		}
	}
	if set := compile(t, slices.Repeat([]string{long[1:]}, 1023)...); set.Len() != 1023 || set.Words() != 16 {
		t.Errorf("%d literals, %d words", set.Len(), set.Words())
	}
}

func TestFoldWord(t *testing.T) {
	for c := range 256 {
		for i := range 8 {
			word := uint64(0x5a41405b617a7f80)
			word = word&^(0xff<<(8*i)) | uint64(c)<<(8*i)
			want := uint64(0)
			for k := range 8 {
				want |= uint64(folded[byte(word>>(8*k))]) << (8 * k)
			}
			if got := Fold(word); got != want {
				t.Fatalf("Fold(%#x) = %#x, want %#x", word, got, want)
			}
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, text := range []string{"xyz!", strings.Repeat("a", 62) + "xyz!" + strings.Repeat("\xff", 70), "m"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) { newCheck(t, len(text))(text) })
}

func FuzzSearch(f *testing.F) {
	f.Add("javascript:\nalert(1\nab", []byte("JavaScript:alert(1)"), true)
	f.Add("a\naa\n\"", []byte(`aaaaaaaaaaaaa"`), false)
	f.Fuzz(func(t *testing.T, text string, in []byte, quoted bool) {
		list := strings.Split(text, "\n")
		set, err := Compile(list)
		if err != nil {
			return
		}
		q := Query{Text: in, Quoted: quoted}
		want := naiveSearch(list, q)
		for _, l := range Levels() {
			previous := SetLevel(l)
			got := set.search(q)
			SetLevel(previous)
			if !slices.Equal(got, want) {
				t.Fatalf("%v: %q in %q: %v, want %v", l, list, in, got, want)
			}
		}
	})
}

func BenchmarkFind(b *testing.B) {
	text := []byte(strings.Repeat(`"name":"value-0123456789.example",`, 2000))
	set := compile(b, "<script", "javascript:", "union select", "alert(1", "../../../", "/etc/passwd")
	for _, size := range []int{16, 67, 256, 804, 4378, 65536} {
		b.Run(fmt.Sprintf("size=%d", size), func(b *testing.B) {
			simdtest.EachLevel(b, kernel, func(b *testing.B) {
				b.SetBytes(int64(size))
				for b.Loop() {
					if set.MayHold(text[:size]) {
						b.Fatal("found")
					}
				}
			})
		})
	}
}
