package openrtb_test

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/internal/twin"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// This file is about what is refused for its size: depth, bytes, elements, memory; and about the time that hostile
// documents take.

// refusedAs decodes a marked text with options and compares the refusal. Code 0 means accepted.
func refusedAs(t *testing.T, n caseName, in string, code wire.Code, path string, options ...wire.Option) {
	t.Helper()
	data, marks := unmark(in)
	e := decoderEntry(twin.Default, options...)
	got := e.refusal(data)
	switch {
	case code == 0 && got != nil:
		t.Errorf("%v: refused: %v", n, got)
	case code == 0:
	case got == nil:
		t.Errorf("%v: accepted, want %s", n, code.String())
	case *got != wire.Error{Code: code, Offset: marks[0], Path: path}:
		t.Errorf("%v: %s at %d in %q, want %s at %d in %q", n, got.Code.String(), got.Offset, got.Path, code.String(), marks[0], path)
	}
}

func TestDepth(t *testing.T) {
	for _, c := range []struct {
		name caseName
		max  int
		in   string
		path string
		code wire.Code
	}{
		{name: name("an object of scalars"), max: 1, in: `{"id":"1","at":1,"ext":"x","x":null}`},
		{name: name("empty, with white space"), max: 1, in: ` { } `},
		{name: name("null is a scalar"), max: 1, in: `{"imp":null,"site":null,"cur":null,"x":null}`},
		{name: name("an empty array"), max: 1, in: `{"cur":‸[]}`, code: wire.CodeDepth, path: "/cur"},
		{name: name("an array of integers"), max: 2, in: `{"imp":[‸{}]}`, code: wire.CodeDepth, path: "/imp/0"},
		{name: name("an empty array of objects"), max: 1, in: `{"imp":‸[]}`, code: wire.CodeDepth, path: "/imp"},
		{name: name("an object"), max: 1, in: `{"site":‸{}}`, code: wire.CodeDepth, path: "/site"},
		{name: name("ext"), max: 1, in: `{"ext":‸{}}`, code: wire.CodeDepth, path: "/ext"},
		{name: name("unknown"), max: 1, in: `{"x":‸[]}`, code: wire.CodeDepth, path: "/x"},
		{name: name("strings at 2"), max: 2, in: `{"cur":["USD"],"site":{"id":"1"},"ext":{"a":1},"x":[1]}`},
		{name: name("unknown at 2"), max: 2, in: `{"x":[1,‸[]]}`, code: wire.CodeDepth, path: "/x/1"},
		{name: name("known at 3"), max: 2, in: `{"site":{"publisher":‸{}}}`, code: wire.CodeDepth, path: "/site/publisher"},
		{name: name("objects in an array are two levels"), max: 3, in: `{"imp":[{"id":"1"}]}`},
		{name: name("one more"), max: 3, in: `{"imp":[{"banner":‸{}}]}`, code: wire.CodeDepth, path: "/imp/0/banner"},
		{name: name("unknown inside of known"), max: 4, in: `{"imp":[{"banner":{"x":‸[]}}]}`, code: wire.CodeDepth, path: "/imp/0/banner/x"},
		{name: name("ext inside of known"), max: 4, in: `{"imp":[{"banner":{"ext":1}}]}`},
		{name: name("0 is 1"), max: 0, in: `{"site":‸{}}`, code: wire.CodeDepth, path: "/site"},
		{name: name("less than 0 is 1"), max: -5, in: `{"id":"1"}`},
		{name: name("deeper than the document can be judged"), max: 1, in: `{"x":‸[[[[[`, code: wire.CodeDepth, path: "/x"},
	} {
		refusedAs(t, c.name, c.in, c.code, c.path, wire.MaxDepth(c.max))
	}

	// The same on real documents, for every depth, with the twin as judge.
	docs := realDocuments(t).requests
	for depth := 1; depth < 10; depth++ {
		e := decoderEntry(twin.Default, wire.MaxDepth(depth))
		for i := 0; i < len(docs); i += 37 {
			against(t, e, docs[i], twin.Options{Depth: depth})
		}
	}
}

// TestDepthDefault has documents of exactly 1,024 levels and of one more.
func TestDepthDefault(t *testing.T) {
	for _, place := range []struct {
		before, after, path string
		levels              int // around the nested value
	}{
		{`{"ext":`, `}`, "/ext", 1},
		{`{"x":`, `}`, "/x", 1},
		{`{"imp":[{"ext":`, `}]}`, "/imp/0/ext", 3},
		{`{"imp":[{"banner":{"x":`, `}}]}`, "/imp/0/banner/x", 4},
	} {
		for _, brackets := range []struct{ open, close, element string }{{"[", "]", "/0"}, {`{"a":`, "}", "/a"}, {` [ { "a" : `, " } ] ", "/0/a"}} {
			per := strings.Count(brackets.element, "/")
			n := (1024 - place.levels) / per
			nested := func(n int) []byte {
				return []byte(place.before + strings.Repeat(brackets.open, n) + "0" + strings.Repeat(brackets.close, n) + place.after)
			}
			everywhere(t, entries(), nested(n))
			everywhere(t, entries(), nested(n+1))
			for _, e := range entries() {
				if e.response {
					continue
				}
				if err := e.refusal(nested(n)); err != nil {
					t.Errorf("%s: %d levels: %v", e.name, place.levels+per*n, err)
				}
				err := e.refusal(nested(n + 1))
				if err == nil || err.Code != wire.CodeDepth {
					t.Errorf("%s: %d levels%s%s: %v", e.name, place.levels+per*(n+1), place.path, brackets.element, err)
					continue
				}
				if !strings.HasPrefix(err.Path, place.path+brackets.element) {
					t.Errorf("%s: path %.60q, want it below %q", e.name, err.Path, place.path)
				}
			}
		}
	}
	refusedAs(t, name("more than the most is the most"), `{"x":`+strings.Repeat("[", 1023)+mark+"[", wire.CodeDepth, "/x"+strings.Repeat("/0", 508)+"/0/...", wire.MaxDepth(1<<20))
}

func TestSize(t *testing.T) {
	for _, c := range []struct {
		name caseName
		max  int
		in   string
		path string
		code wire.Code
	}{
		{name: name("just fits"), max: 10, in: `{"id":"1"}`},
		{name: name("one too long"), max: 9, in: `{"id":"1"‸}`, code: wire.CodeSize},
		{name: name("white space counts"), max: 10, in: "{\"id\":\"1\"}‸ ", code: wire.CodeSize},
		{name: name("in a value"), max: 20, in: `{"imp":[{},{"id":"12‸3456789"}]}`, code: wire.CodeSize, path: "/imp/1/id"},
		{name: name("what is beyond is not read"), max: 5, in: "{\"x\":‸\xff\x00", code: wire.CodeSize, path: "/x"},
		{name: name("0 is 1"), max: 0, in: `{‸}`, code: wire.CodeSize},
	} {
		refusedAs(t, c.name, c.in, c.code, c.path, wire.MaxSize(c.max))
	}
	docs := realDocuments(t).requests
	for i := 0; i < len(docs); i += 101 {
		size := len(docs[i]) * (i % 7) / 6
		against(t, decoderEntry(twin.Default, wire.MaxSize(size)), docs[i], twin.Options{Size: max(size, 1)})
	}
}

func TestSizeDefault(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes 200 MB of memory")
	}
	data := []byte(`{"x":"` + strings.Repeat("a", wire.SizeDefault-len(`{"x":""}`)) + `"}`)
	if _, err := openrtb.ParseFast(data); err != nil {
		t.Errorf("%d bytes: %v", len(data), err)
	}
	refusedAs(t, name("one too many"), string(data)+mark+" ", wire.CodeSize, "")
}

func TestElements(t *testing.T) {
	two := []wire.Option{wire.MaxElements(2)}
	for _, c := range []struct {
		name    caseName
		options []wire.Option
		in      string
		path    string
		code    wire.Code
	}{
		{name: name("two strings"), options: two, in: `{"cur":["a","b"]}`},
		{name: name("three strings"), options: two, in: `{"id":"1","cur": ‸["a","b","c"]}`, code: wire.CodeElements, path: "/cur"},
		{name: name("three with white space"), options: two, in: `{"cur":‸[ "a" , "b" , "c" ] }`, code: wire.CodeElements, path: "/cur"},
		{name: name("three integers"), options: two, in: `{"imp":[{"banner":{"api":‸[1,2,3]}}]}`, code: wire.CodeElements, path: "/imp/0/banner/api"},
		{name: name("three integers with white space"), options: two, in: `{"imp":[{"banner":{"api":‸[1, 2, 3 ]}}]}`, code: wire.CodeElements, path: "/imp/0/banner/api"},
		{name: name("three objects"), options: two, in: `{"imp":‸[{},{},{}]}`, code: wire.CodeElements, path: "/imp"},
		{name: name("three nulls"), options: two, in: `{"imp":‸[null,null,null]}`, code: wire.CodeElements, path: "/imp"},
		{name: name("two in each"), options: two, in: `{"imp":[{"banner":{"api":[1,2]}},{"banner":{"api":[3,4]}}]}`},
		{name: name("not known, not limited"), options: two, in: `{"x":[1,2,3],"ext":[1,2,3]}`},
		{name: name("none at all"), options: []wire.Option{wire.MaxElements(0)}, in: `{"cur":[],"imp":[]}`},
		{name: name("one is too many"), options: []wire.Option{wire.MaxElements(-1)}, in: `{"cur":‸["a"]}`, code: wire.CodeElements, path: "/cur"},
		{name: name("a bare value counts"), options: []wire.Option{wire.Lenient(), wire.MaxElements(0)}, in: `{"cur":‸"a"}`, code: wire.CodeElements, path: "/cur"},
		{name: name("an error in the array comes first"), options: two, in: `{"cur":["a","b","c",‸5]}`, code: wire.CodeType, path: "/cur/3"},
	} {
		refusedAs(t, c.name, c.in, c.code, c.path, c.options...)
	}
	e := decoderEntry(twin.Default, wire.MaxElements(3))
	for i, d := range realDocuments(t).requests {
		if i%23 == 0 {
			against(t, e, d, twin.Options{Elements: 3})
		}
	}
	many := `{"imp":[{"banner":{"api":` + mark + `[1` + strings.Repeat(",1", wire.ElementsDefault-1)
	refusedAs(t, name("the default"), many+`]}}]}`, 0, "")
	refusedAs(t, name("the default and one"), many+`,1]}}]}`, wire.CodeElements, "/imp/0/banner/api")
}

// family makes hostile documents of about any size.
type family struct {
	name string
	make func(size int) string
}

// repeated is a family of documents with one element again and again.
func repeated(name, head, element, separator, tail string) family {
	return family{name, func(size int) string {
		n := max(0, size-len(head)-len(tail)-len(element)) / (len(element) + len(separator))
		return head + strings.Repeat(element+separator, n) + element + tail
	}}
}

// memoryFamilies make values much larger than their text.
var memoryFamilies = []family{
	repeated("impressions", `{"imp":[`, `{}`, `,`, `]}`),
	repeated("impressions that are null", `{"imp":[`, `null`, `,`, `]}`),
	repeated("impressions with two numbers", `{"imp":[`, `{"secure":1,"instl":1}`, `,`, `]}`),
	repeated("impressions of banners", `{"imp":[`, `{"banner":{}}`, `,`, `]}`),
	repeated("impressions of everything", `{"imp":[`, `{"banner":{},"video":{},"audio":{},"native":{},"pmp":{},"qty":{},"refresh":{}}`, `,`, `]}`),
	repeated("one video after the other", `{"imp":[{`, `"video":{}`, `,`, `}]}`),
	repeated("one site after the other", `{`, `"site":{}`, `,`, `}`),
	repeated("one array after the other", `{`, `"imp":[{},{}]`, `,`, `}`),
	repeated("one small array after the other", `{"imp":[{"banner":{`, `"api":[1]`, `,`, `}}]}`),
	repeated("strings", `{"bcat":[`, `""`, `,`, `]}`),
	repeated("strings with escapes", `{"bcat":[`, `"\n"`, `,`, `]}`),
	repeated("longer strings with escapes", `{"bcat":[`, `"\n`+strings.Repeat("a", 130)+`"`, `,`, `]}`),
	repeated("integers", `{"imp":[{"banner":{"api":[`, `1`, `,`, `]}}]}`),
	repeated("formats", `{"imp":[{"banner":{"format":[`, `{}`, `,`, `]}}]}`),
	repeated("banners in a video", `{"imp":[{"video":{"companionad":[`, `{}`, `,`, `]}}]}`),
	repeated("two in each of many", `{"imp":[`, `{"pmp":{"deals":[{},{}]},"metric":[{},{}]}`, `,`, `]}`),
	repeated("nodes", `{"source":{"schain":{"nodes":[`, `{}`, `,`, `]}}}`),
	repeated("segments", `{"user":{"data":[`, `{"segment":[{},{}]}`, `,`, `]}}`),
	repeated("ids", `{"user":{"eids":[`, `{"uids":[{},{}]}`, `,`, `]}}`),
	repeated("agents", `{"device":{"sua":{"browsers":[`, `{"version":[""]}`, `,`, `]}}}`),
	repeated("single numbers", `{`, `"at":1`, `,`, `}`),
	repeated("unknown objects", `{"x":[`, `{}`, `,`, `]}`),
	repeated("unknown keys", `{`, `"a":{}`, `,`, `}`),
	repeated("keys with escapes", `{`, `"\n":0`, `,`, `}`),
	repeated("ext of objects", `{"ext":[`, `{}`, `,`, `]}`),
	repeated("many ext", `{"imp":[`, `{"ext":{}}`, `,`, `]}`),
	repeated("brackets", `{"x":[`, `[[[[[]]]]]`, `,`, `]}`),
	{"a long key", func(size int) string { return `{"` + strings.Repeat("k", size) + `":1}` }},
	{"a long key of escapes", func(size int) string { return `{"` + strings.Repeat(`\n`, size/2) + `":1}` }},
	{"a long string of escapes", func(size int) string { return `{"id":"` + strings.Repeat(`\n`, size/2) + `"}` }},
	{"deep", func(size int) string {
		one := strings.Repeat("[", 1000) + strings.Repeat("]", 1000)
		return `{"x":[` + strings.Repeat(one+",", size/2001) + `0]}`
	}},
}

// allocated returns how many bytes f allocates.
func allocated(f func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// TestMemory holds the decoder to 64 bytes per byte of input and 64 KiB. What is counted is all that a call allocates,
// garbage included, by a decoder that has no memory yet to work with: the value, the text's copy (Parse), its index, the
// error. What is not counted is the decoder itself, which the pools share.
func TestMemory(t *testing.T) {
	if raceEnabled || !mem.ZeroCopy {
		t.Skip("these builds copy, and allocate more")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it would empty the pools
	sizes := []int{50, 500, 3000, 20_000, 99_000, 400_000}
	if testing.Short() {
		sizes = sizes[:4]
	}
	worst, refused := 0.0, 0
	check := func(what string, data []byte) {
		limit := wire.MemoryPerByteDefault*len(data) + wire.MemoryBaseDefault
		for _, way := range []struct {
			name string
			f    func() error
		}{
			{"Parse", func() error { _, err := openrtb.Parse(data); return err }},
			{"ParseFast", func() error { _, err := openrtb.ParseFast(data); return err }},
		} {
			var err error
			n := allocated(func() { err = way.f() })
			if n > limit {
				t.Errorf("%s: %s of %d bytes allocates %d, the limit is %d (error %v)", what, way.name, len(data), n, limit, err)
			}
			if way.name == "ParseFast" {
				worst = max(worst, float64(n)/float64(limit))
				if err != nil {
					refused++
				}
			}
		}
		cold := openrtb.NewDecoder()
		var err error
		if n := allocated(func() { _, err = cold.Decode(data) }); n > limit {
			t.Errorf("%s: Decode of %d bytes allocates %d, the limit is %d (error %v)", what, len(data), n, limit, err)
		}
	}
	_, _ = openrtb.Parse([]byte(`{}`)) // fills the pool
	for _, f := range memoryFamilies {
		for _, size := range sizes {
			check(f.name, []byte(f.make(size)))
		}
	}
	// Two families in one document, in any proportion: what one does not use, the other may.
	r := newRand(1)
	for range 150 {
		a, b := memoryFamilies[r.IntN(len(memoryFamilies))], memoryFamilies[r.IntN(len(memoryFamilies))]
		size := 1 << (6 + r.IntN(11))
		first, second := a.make(r.IntN(size)), b.make(r.IntN(size))
		check(a.name+" and "+b.name, []byte(first[:len(first)-1]+","+second[1:]))
	}
	t.Logf("at worst %.2f of the limit; %d documents refused", worst, refused)
	if refused == 0 {
		t.Error("no document was refused: the families are too tame")
	}
}

// TestMemoryIsDeterministic decodes the families in arenas in every state: the answer depends on the document alone.
func TestMemoryIsDeterministic(t *testing.T) {
	list := entries()
	for _, f := range memoryFamilies {
		for _, size := range []int{100, 1500, 2500, 12_000, 60_000} {
			data := []byte(f.make(size))
			everywhere(t, list, data)
			cold := decoderEntry(twin.Default)
			first, second := cold.refusal(data), cold.refusal(data)
			cold.accepts([]byte(memoryFamilies[0].make(30_000)))
			third := cold.refusal(data)
			if fmt.Sprint(first) != fmt.Sprint(second) || fmt.Sprint(first) != fmt.Sprint(third) {
				t.Errorf("%s, %d bytes: first %v, then %v, then %v", f.name, len(data), first, second, third)
			}
			if first != nil && *first != (wire.Error{Code: wire.CodeMemory}) {
				t.Errorf("%s, %d bytes: %+v, want a refusal for memory at 0", f.name, len(data), *first)
			}
		}
	}
}

// TestMemoryOption checks the option, and the place where a budget is spent to the byte, with the twin.
func TestMemoryOption(t *testing.T) {
	for _, c := range []struct {
		name          caseName
		perByte, base int
		in            string
		code          wire.Code
	}{
		{name: name("scalars need no budget"), in: `{"id":"1","at":1,"ext":[1],"x":{},"cur":null}`},
		{name: name("an object does"), in: `‸{"site":{}}`, code: wire.CodeMemory},
		{name: name("an array does"), in: `‸{"cur":["a"]}`, code: wire.CodeMemory},
		{name: name("an empty array does not"), in: `{"cur":[]}`},
		{name: name("less than nothing"), perByte: -1, base: -1, in: `‸{"imp":[{}]}`, code: wire.CodeMemory},
		{name: name("as much as an int holds"), perByte: int(^uint(0) >> 1), base: int(^uint(0) >> 1), in: `{"imp":[{}]}`},
		{name: name("more than an int holds"), perByte: int(^uint(0)>>1) / 2, base: 5, in: `{"imp":[{}]}`},
	} {
		refusedAs(t, c.name, c.in, c.code, "", wire.MaxMemory(c.perByte, c.base))
	}
	for i, d := range realDocuments(t).requests {
		if i%20 == 0 {
			perByte, base := 1+i%60, 4<<10+i%4000
			against(t, decoderEntry(twin.Default, wire.MaxMemory(perByte, base)), d, twin.Options{MemoryPerByte: perByte, MemoryBase: base})
		}
	}
}

// timeFamilies are what quadratic parsers choke on.
var timeFamilies = append([]family{
	{"opening brackets", func(n int) string { return `{"x":` + strings.Repeat("[", n) + "}" }},
	{"opening braces", func(n int) string { return strings.Repeat(`{"a":`, n/5) + "}" }},
	{"backslashes", func(n int) string { return `{"id":"` + strings.Repeat(`\\`, n/2) + `"}` }},
	{"backslashes, unknown", func(n int) string { return `{"x":"` + strings.Repeat(`\\`, n/2) + `"}` }},
	{"quotes", func(n int) string { return `{"x":"` + strings.Repeat(`\"`, n/2) + `"}` }},
	{"a long string", func(n int) string { return `{"id":"` + strings.Repeat("a", n) + `"}` }},
	{"a long number", func(n int) string { return `{"imp":[{"bidfloor":0.` + strings.Repeat("1", n) + `}]}` }},
	{"a long integer", func(n int) string { return `{"at":` + strings.Repeat("1", n) + `}` }},
	{"a long number, unknown", func(n int) string { return `{"x":` + strings.Repeat("1", n) + `}` }},
	{"a long exponent", func(n int) string { return `{"imp":[{"bidfloor":0e` + strings.Repeat("1", n) + `}]}` }},
	{"white space", func(n int) string { return strings.Repeat(" ", n/2) + `{` + strings.Repeat("\n", n/2) + `}` }},
	{"white space at the end", func(n int) string { return `{}` + strings.Repeat(" ", n) }},
	{"white space behind each comma", func(n int) string { return `{"cur":[` + strings.Repeat(`"a",`+strings.Repeat(" ", 60), n/64) + `"a"]}` }},
	{"not UTF-8", func(n int) string { return `{"id":"` + strings.Repeat("\xff", n) + `"}` }},
	{"half surrogates", func(n int) string { return `{"cur":["` + strings.Repeat(`\ud800`, n/6) + `"]}` }},
	{"strings for integers", func(n int) string { return `{"imp":[{"banner":{"api":["1"` + strings.Repeat(`,"1"`, n/4) + `]}}]}` }},
	{"wide characters", func(n int) string { return `{"id":"` + strings.Repeat("€", n/3) + `"}` }},
	{"keys of their own", func(n int) string {
		var b strings.Builder
		b.WriteString(`{"x":0`)
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, `,"%x":0`, i)
		}
		return b.String() + "}"
	}},
	{"keys below many arrays", func(n int) string {
		var b strings.Builder
		b.WriteString(`{"x":` + strings.Repeat("[", 1000))
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, `{"%x":0},`, i)
		}
		return b.String() + "0" + strings.Repeat("]", 1000) + "}"
	}},
	{"an error at the very end", func(n int) string { return `{"x":[` + strings.Repeat("0,", n/2) + `]}` }},
	{"errors in nested objects", func(n int) string { return strings.Repeat(`{"site":`, min(n/8, 900)) + strings.Repeat(" ", n) + "}" }},
}, memoryFamilies...)

// TestTimeIsLinear makes documents eight times as long and wants them to take at most twelve times as long, in every
// mode. It counts the processor's time for this thread, with decoders that have no memory yet and the collector asleep:
// what else the machine does, and when memory is collected, is not the decoder's.
func TestTimeIsLinear(t *testing.T) {
	if raceEnabled || testing.Short() {
		t.Skip("times mean nothing here")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	best := func(options []wire.Option, data []byte, runs int) time.Duration {
		least := time.Hour
		for range runs {
			runtime.GC()
			d := openrtb.NewDecoder(options...)
			start := threadTime()
			_, _ = d.Decode(data)
			least = min(least, threadTime()-start)
		}
		return least
	}
	const size = 16 << 10
	for _, m := range modes {
		for _, f := range timeFamilies {
			small, large := []byte(f.make(size)), []byte(f.make(8*size))
			ratio := 0.0
			for try := range 5 { // caches and the kernel are shared all the same
				// What does not grow with the document: a new decoder, and what the clock can't tell.
				const constant = 20 * time.Microsecond
				ratio = float64(best(m.options, large, 1+try*2)) / float64(best(m.options, small, 2+try*4)+constant)
				if ratio <= 12 {
					break
				}
			}
			if ratio > 12 {
				t.Errorf("%s, %v: 8 times the length takes %.1f times as long", f.name, m.mode, ratio)
			}
		}
	}
}
