package batch

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/grammar"
)

// splitCases feed the unit test, the readers' test and the fuzzer.
var splitCases = []struct {
	name   caseName
	in     string
	layout Layout // what detection has to find
	want   []string
}{
	{name("empty"), "", LayoutLines, []string{}},
	{name("white space only"), " \r\n\n\t", LayoutLines, []string{}},
	{name("one line"), "{}", LayoutLines, []string{"{}"}},
	{name("lines"), "{\"a\":1}\n{\"b\":2}\n", LayoutLines, []string{`{"a":1}`, `{"b":2}`}},
	{name("no line end at the end"), "{}\n{\"b\":2}", LayoutLines, []string{"{}", `{"b":2}`}},
	{name("CRLF and blank lines"), "\r\n{}\r\n\r\n  {\"b\":2} \r\n", LayoutLines, []string{"{}", `{"b":2}`}},
	{name("garbage line first"), "not json\n{}\n", LayoutLines, []string{"not json", "{}"}},
	{name("a line with something after it"), "{} x\n{}\n", LayoutLines, []string{"{} x", "{}"}},
	{name("a line cut in a string, then lines"), "{\"id\":\"1\n{\"id\":\"2\"}\n", LayoutLines, []string{`{"id":"1`, `{"id":"2"}`}},
	{name("a line cut between brackets, then lines"), "{\"imp\":[\n{\"id\":\"2\"}\n{}\n", LayoutLines, []string{`{"imp":[`, `{"id":"2"}`, "{}"}},
	{name("a scalar line first"), "1\n{\"a\":[\n1]}", LayoutLines, []string{"1", `{"a":[`, "1]}"}},

	{name("an indented document"), "{\n  \"a\": [\n    1\n  ]\n}\n", LayoutValues, []string{"{\n  \"a\": [\n    1\n  ]\n}"}},
	{name("elements on lines of their own"), "{\"imp\":[\n{\"id\":\"1\"},\n{\"id\":\"2\"}\n]}\n", LayoutValues, []string{"{\"imp\":[\n{\"id\":\"1\"},\n{\"id\":\"2\"}\n]}"}},
	{name("two indented documents"), "{\n\"a\":1\n}\n{\n\"b\":2\n}", LayoutValues, []string{"{\n\"a\":1\n}", "{\n\"b\":2\n}"}},
	{name("two documents on a line"), `{"a":1} {"b":2}{"c":3}`, LayoutValues, []string{`{"a":1}`, `{"b":2}`, `{"c":3}`}},
	{name("an array"), `[{"a":1},{"b":[2,"]"]} , {} ]`, LayoutValues, []string{`{"a":1}`, `{"b":[2,"]"]}`, "{}"}},
	{name("an empty array"), "[ ]", LayoutValues, []string{}},
	{name("arrays one after the other"), "[{}]\n[{\"a\":1}]{}\n", LayoutValues, []string{"{}", `{"a":1}`, "{}"}},
	{name("an array of all types"), `[1, "a,]", null, [2,[3]], true]`, LayoutValues, []string{"1", `"a,]"`, "null", "[2,[3]]", "true"}},
	{name("escapes"), `["\"]", "\\", {"\\\"":"\\"}]`, LayoutValues, []string{`"\"]"`, `"\\"`, `{"\\\"":"\\"}`}},
	{name("values of all types"), "[]1 \"a b\"\"c\" null{}", LayoutValues, []string{"1", `"a b"`, `"c"`, "null", "{}"}},

	// What follows is not JSON: everything has to come out, and the rest be found.
	{name("nothing before a comma"), "[,{}]", LayoutValues, []string{",", "{}"}},
	{name("two commas"), "[{},,{}]", LayoutValues, []string{"{}", ",", "{}"}},
	{name("a comma at the end"), "[{},]", LayoutValues, []string{"{}", "]"}},
	{name("no comma"), "[{} {},{}]", LayoutValues, []string{"{} {}", "{}"}},
	{name("an array without an end"), "[{},{}", LayoutValues, []string{"{}", "{}", ""}},
	{name("an array cut in an element"), `[{},{"a":"b`, LayoutValues, []string{"{}", `{"a":"b`}},
	{name("an array cut after a comma"), "[{},", LayoutValues, []string{"{}", ""}},
	{name("just a bracket"), "[", LayoutValues, []string{""}},
	{name("a bracket missing in an element"), `[{"a":[1},{}]`, LayoutValues, []string{`{"a":[1}`, "{}"}},
	{name("a brace missing at an array's end"), `[{"a":{"b":1}][{}]`, LayoutValues, []string{`{"a":{"b":1}`, "{}"}},
	{name("a bracket too many"), `[{"a":1]},{}]`, LayoutValues, []string{`{"a":1`, "},", "{}", "]"}},
	{name("a brace too many"), `[{"a":1}},{}]`, LayoutValues, []string{`{"a":1}}`, "{}"}},
	{name("a stray brace"), "[]} {}", LayoutValues, []string{"}", "{}"}},
	{name("a string without an end"), "[{\"a\":\"b},\n{}]", LayoutValues, []string{"{\"a\":\"b},\n{}"}},
	{
		name("a document without an end in an indented array"),
		"[\n  {\n    \"a\": [\n  },\n  {\n    \"b\": {\n  },\n  {\n    \"c\": 3\n  }\n]\n", LayoutValues,
		[]string{"{\n    \"a\": [\n  }", "{\n    \"b\": {\n  }", "{\n    \"c\": 3\n  }"},
	},
	{
		name("a document without an end among indented ones"),
		"{\n  \"a\": 1\n}\n{\n  \"b\": {\n}\n{\n  \"c\": 3\n}\n", LayoutValues,
		[]string{"{\n  \"a\": 1\n}", "{\n  \"b\": {\n}", "{\n  \"c\": 3\n}"},
	},
}

func TestSplit(t *testing.T) {
	for _, tt := range splitCases {
		t.Run(tt.name.text, func(t *testing.T) {
			if got := detectLayout([]byte(tt.in), true); got != tt.layout {
				t.Errorf("%s: detectLayout = %v, want %v", tt.name.where, got, tt.layout)
			}
			docs, err := readAll(t, From("", strings.NewReader(tt.in)), Options{})
			if got := texts(docs); err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("%s: got %q, %v, want %q", tt.name.where, got, err, tt.want)
			}
		})
	}
}

// TestSplitHoweverItArrives cuts the input and the chunks at every place.
func TestSplitHoweverItArrives(t *testing.T) {
	for _, tt := range splitCases {
		for how, reader := range readers {
			for _, live := range []bool{false, true} {
				for _, size := range []int{1, 2, 3, 7, 16, 64} {
					in := From("", reader(strings.NewReader(tt.in)))
					in.Live = live
					docs, err := readAll(t, in, Options{Layout: tt.layout, ChunkSize: size})
					if got := texts(docs); err != nil || !slices.Equal(got, tt.want) {
						t.Errorf("%s: %s, live %v, chunks of %d: got %q, %v, want %q", tt.name.where, how, live, size, got, err, tt.want)
					}
				}
			}
		}
	}
}

// TestSplitRandom compares values of every shape with the reference.
func TestSplitRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	space := func() string { return []string{"", "", "", " ", "\n", "\r\n\t "}[random.IntN(6)] }
	var value func(depth int) string
	list := func(depth int, open, end string, key bool) string {
		b := open + space()
		for i := range random.IntN(4) {
			if i > 0 {
				b += "," + space()
			}
			if key {
				b += value(0) + space() + ":" + space()
			}
			b += value(1+random.IntN(depth)) + space()
		}
		return b + end
	}
	value = func(depth int) string {
		if kind := random.IntN(4); depth > 1 && kind < 2 {
			return list(depth-1, "{["[kind:kind+1], "}]"[kind:kind+1], kind == 0)
		} else if depth == 1 && kind == 2 {
			return []string{"1", "-2.5e3", "true", "null"}[random.IntN(4)]
		}
		text := ""
		for range random.IntN(30) {
			text += []string{"a", "b", "{", "}", "[", "]", ",", ":", `\\`, `\"`, `\n`, "ä"}[random.IntN(12)]
		}
		return `"` + text + `"`
	}
	for range 2000 {
		text := space()
		for range 1 + random.IntN(4) {
			text += list(4, "{", "}", true) + space() + list(4, "[", "]", false) + space()
		}
		want, _, err := valuesRef(text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		docs, err := readAll(t, From("", strings.NewReader(text)), Options{Layout: LayoutValues, ChunkSize: 1 + random.IntN(1<<random.IntN(14))})
		if got := texts(docs); err != nil || !slices.Equal(got, want) {
			t.Fatalf("%q: got %q, %v, want %q", text, got, err, want)
		}
	}
}

// TestPlaces compares the places of documents with what counting from the start gives.
func TestPlaces(t *testing.T) {
	for _, in := range []string{
		"{}\n\n  {\"ä\":\"€\"}\r\n{}\n",
		"[{\"ä\":1}, {\"b\":2},\n {\"€\":\"😀\"}, {}]",
		"{\n  \"a\": 1\n}\n{\n  \"b\": 2\n} {}",
	} {
		for _, size := range []int{1, 3, 8, 1 << 10} {
			docs, err := readAll(t, From("", strings.NewReader(in)), Options{ChunkSize: size})
			if err != nil || len(docs) < 2 {
				t.Fatalf("%q: %d documents, %v", in, len(docs), err)
			}
			for i, d := range docs {
				before := in[:d.Offset]
				line := 1 + strings.Count(before, "\n")
				column := 1 + len([]rune(before[strings.LastIndexByte(before, '\n')+1:]))
				if int(d.Line) != line || int(d.Column) != column || d.Number != int64(i+1) || !strings.HasPrefix(in[d.Offset:], string(d.Data)) {
					t.Errorf("%q, chunks of %d: document %d is number %d at %d:%d (offset %d), want %d:%d",
						in, size, i+1, d.Number, d.Line, d.Column, d.Offset, line, column)
				}
			}
		}
	}
}

// TestTooLarge gives up documents that exceed the limit and continues after them.
func TestTooLarge(t *testing.T) {
	big := `{"a":"` + strings.Repeat("x", 300) + "\",\n\"b\":[{}]}"
	for _, tt := range []struct {
		name   string
		in     string
		layout Layout
		want   string // one letter per document: l is large, s is small
	}{
		{"lines", "{}\n" + strings.ReplaceAll(big, "\n", "") + "\n{}\n", LayoutLines, "sls"},
		{"a last line", "{}\n" + strings.ReplaceAll(big, "\n", ""), LayoutLines, "sl"},
		{"only a large line", strings.ReplaceAll(big, "\n", ""), LayoutLines, "l"},
		{"an array", "[{}," + big + "," + big + ",{}]{}", LayoutValues, "sllss"},
		{"values", big + "{}\n" + big + " {}", LayoutValues, "lsls"},
		{"a value without an end", "{}" + big[:len(big)-2], LayoutValues, "sl"},
		{"indented values without an end", "{\n" + big + "\n{\n}\n{\n}", LayoutValues, "slss"},
	} {
		for _, size := range []int{5, 64, 200, 1 << 10} {
			docs, err := readAll(t, From("", strings.NewReader(tt.in)), Options{Layout: tt.layout, ChunkSize: size, MaxDocument: 100})
			got := ""
			for _, d := range docs {
				got += map[bool]string{true: "l", false: "s"}[d.TooLarge]
				before := tt.in[:d.Offset]
				if line := 1 + strings.Count(before, "\n"); int(d.Line) != line {
					t.Errorf("%s, chunks of %d: document %d is in line %d, want %d", tt.name, size, d.Number, d.Line, line)
				}
			}
			if err != nil || got != tt.want {
				t.Errorf("%s, chunks of %d: got %q, %v, want %q", tt.name, size, got, err, tt.want)
			}
		}
	}
}

// TestDetectLayoutWaits makes sure that a live input is not judged before its first line.
func TestDetectLayoutWaits(t *testing.T) {
	for text, want := range map[string]Layout{
		"":                              LayoutAuto,
		" \n":                           LayoutAuto,
		`{"a":`:                         LayoutAuto,
		`{"a":1}`:                       LayoutAuto, // something may follow on the line
		"{\"a\":1}\n":                   LayoutLines,
		"{\n":                           LayoutAuto,
		"{\n}":                          LayoutValues,
		"[":                             LayoutValues,
		"x":                             LayoutLines,
		"{\"a\":1}{":                    LayoutAuto,
		"{\"a\":1}{\n":                  LayoutValues,
		"{\"a\":[\n{\"b\":1}\n{\"c\"\n": LayoutAuto,
	} {
		if got := detectLayout([]byte(text), false); got != want {
			t.Errorf("detectLayout(%q, false) = %v, want %v", text, got, want)
		}
	}
}

// FuzzSplit compares both splitters with their references, and each with itself when the
// same text arrives in other pieces.
func FuzzSplit(f *testing.F) {
	for _, tt := range splitCases {
		f.Add(tt.in, uint8(3))
		f.Add(tt.in+strings.Repeat(tt.in, 200/(1+len(tt.in))), uint8(200))
	}
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		whole := map[Layout][]string{}
		for _, layout := range []Layout{LayoutLines, LayoutValues} {
			opts := Options{Layout: layout, ChunkSize: 1 << 14}
			docs, err := readAll(t, Input{Open: From("", strings.NewReader(text)).Open}, opts)
			if err != nil {
				t.Skip(err) // compressed data, or a byte order mark
			}
			whole[layout] = texts(docs)
			checkSpans(t, text, docs)
			opts.ChunkSize = 1 + int(size)
			docs, err = readAll(t, From("", strings.NewReader(text)), opts)
			if got := texts(docs); err != nil || !slices.Equal(got, whole[layout]) {
				t.Errorf("%v: chunks of %d give %q, %v; one chunk gives %q", layout, opts.ChunkSize, got, err, whole[layout])
			}
		}
		if strings.HasPrefix(text, grammar.BOM) {
			return
		}
		if want := linesRef(text); !slices.Equal(whole[LayoutLines], want) {
			t.Errorf("lines: got %q, want %q", whole[LayoutLines], want)
		}
		if want, touching, err := valuesRef(text); err == nil && !touching && !slices.Equal(whole[LayoutValues], want) {
			t.Errorf("values: got %q, want %q", whole[LayoutValues], want)
		}
	})
}

// checkSpans demands that documents are in order, that they don't overlap, and that nothing
// but white space, commas and brackets is between them.
func checkSpans(t *testing.T, text string, docs []Document) {
	t.Helper()
	at := 0
	for _, d := range docs {
		start := int(d.Offset)
		if start < at || start+len(d.Data) > len(text) || text[start:start+len(d.Data)] != string(d.Data) {
			t.Fatalf("document %d of %q is not in its place: %q at %d, the last one ended at %d", d.Number, text, d.Data, start, at)
		}
		if between := strings.TrimPrefix(text[at:start], grammar.BOM); strings.Trim(between, " \t\r\n[],") != "" {
			t.Fatalf("%q of %q is in no document", between, text)
		}
		at = start + len(d.Data)
	}
	if rest := text[at:]; strings.Trim(rest, " \t\r\n[],\xef\xbb\xbf") != "" {
		t.Fatalf("%q at the end of %q is in no document", rest, text)
	}
}
