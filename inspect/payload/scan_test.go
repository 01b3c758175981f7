package payload

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/internal/cputime"
	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/internal/simd/literals"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// TestNoFalseAlarms scans the requests of the corpus and ordinary sentences.
func TestNoFalseAlarms(t *testing.T) {
	for _, o := range []Options{{}, {Layers: AllLayers}, {Layers: AllLayers, Nested: NestedMax}} {
		s := newScanner(t, o)
		data, err := os.ReadFile(testkit.Path(t, "testdata/corpus/requests.ndjson"))
		if err != nil {
			t.Fatal(err)
		}
		requests := 0
		for line := range strings.Lines(string(data)) {
			if got := s.names(line); got != "" {
				t.Errorf("%s: found %s", line, got)
			}
			requests++
		}
		if requests != 2020 {
			t.Errorf("%d requests", requests)
		}
		for _, row := range table(t, "harmless.tsv") {
			for _, text := range []string{row[1], upper(row[1])} {
				for _, body := range documents(quote(text, false)) {
					if got := s.names(body); got != "" {
						t.Errorf("%s: found %s", body, got)
					}
				}
			}
		}
	}
}

func TestKnownAlarms(t *testing.T) {
	s := newScanner(t, Options{})
	for _, row := range table(t, "alarming.tsv") {
		if got := s.names(quote(row[1], false)); got != row[0] {
			t.Errorf("%s: found %q, want %s", row[1], got, row[0])
		}
	}
}

// TestResponses compares what is found in real responses with the table.
func TestResponses(t *testing.T) {
	data, err := os.ReadFile(testkit.Path(t, "testdata/corpus/responses.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	for i, layers := range []Layers{NoLayers, AllLayers} {
		s := newScanner(t, Options{Layers: layers})
		got := map[string]int{}
		for line := range strings.Lines(string(data)) {
			for id := range strings.FieldsSeq(s.names(line)) {
				got[id]++
			}
		}
		for _, row := range table(t, "responses.tsv") {
			if n := fmt.Sprint(got[row[0]]); n != row[1+i] {
				t.Errorf("layers %v: %s in %s documents, want %s", layers, row[0], n, row[1+i])
			}
			delete(got, row[0])
		}
		if len(got) > 0 {
			t.Errorf("layers %v: also found %v", layers, got)
		}
	}
}

// TestMatches checks order, offsets and flags.
func TestMatches(t *testing.T) {
	s := newScanner(t, Options{Layers: AllLayers, Nested: 2})
	for _, c := range []struct{ body, want string }{
		{`{"a":"x"}`, "clean"},
		{`{"a":"x<script<script"}`, "found xss.script-tag@7"},
		{`{"<script":"a"}`, "found xss.script-tag@2"},
		{`{"a":"<iframe","b":"\u003cscript"}`, "found xss.iframe-tag@6 xss.script-tag@20"},
		{`{"b":"\u003cscript","a":"<iframe","c":"<script"}`, "found xss.script-tag@6 xss.iframe-tag@25"},
		{`{"a":"%3cscript","b":"<iframe"}`, "found xss.iframe-tag@22 xss.script-tag@6+layer"},
		{`{"a":"\ud83d\ude00 java\tscript:"}`, "found url.javascript@19+layer"},
		{`{"a":"{\"b\":\"\\u003Cscript\"}"}`, "found xss.script-tag@15+layer"},
		{`{"a":"\"\\\"\\\\\\\\u003Cscript\\\"\""}`, "found xss.script-tag@18+layer"},
		{`{"a":tru,"b":"<script`, "found xss.script-tag@14"},
		{`{"a":'<script'}`, "found xss.script-tag@6"},
	} {
		matches, verdict := s.Scan(nil, []byte(c.body))
		if got := describe(s, matches, verdict); got != c.want {
			t.Errorf("%s: %s, want %s", c.body, got, c.want)
		}
	}
}

func describe(s *Scanner, matches []Match, verdict Verdict) string {
	text := verdict.String()
	for _, m := range matches {
		text += fmt.Sprintf(" %s@%d", s.Pattern(m.Pattern).ID, m.Offset)
		if m.Layered {
			text += "+layer"
		}
		if m.Nested > 0 {
			text += fmt.Sprintf("+nested%d", m.Nested)
		}
	}
	return text
}

// TestStages needs several steps of the layers, and each kind of squeezing. Layers are on alone or
// together, because a layer must not need another.
func TestStages(t *testing.T) {
	for _, c := range []struct {
		text, want string
		layers     Layers
	}{
		{"%25253cscript", "xss.script-tag", Percent},
		{"%2525253cscript", "", Percent}, // a fourth step
		{"%3Cscript", "xss.script-tag", Percent},
		{"%3gscript %3", "", Percent},
		{"%bcscript", "", Percent},
		{"&amp;lt;script", "xss.script-tag", Entity},
		{"&#0000060script", "xss.script-tag", Entity},
		{"&#x0003C;script", "xss.script-tag", Entity},
		{"&#188;script &#;script &#x;script &script &lscript", "", Entity},
		{"&LTscript", "xss.script-tag", Entity},
		{`\u0026\u004Ct;script`, "xss.script-tag", Entity},
		{"\uff1cscript", "xss.script-tag", Fullwidth},
		{"\uff00script \uff5fscript", "", Fullwidth},
		{`\\u003cscript`, "xss.script-tag", Twice},
		{`\\x3Cscript`, "xss.script-tag", Twice},
		{`\\xbcscript \\u00bcscript \\x3`, "", Twice},
		{`<\\/script`, "xss.script-end", Twice},
		{"union \t\u0000 select", "sqli.union-select", Squeeze},
		{"union/**/select", "sqli.union-select", Squeeze},
		{"union /*a*/ /*b*/ select", "sqli.union-select", Squeeze},
		{"union /*a*/select", "sqli.union-select", Squeeze},
		{"union/*!50000select*/", "sqli.union-select", Squeeze},
		{"un/*!50000ion*/ select", "sqli.union-select", Squeeze},
		{"java\tscript:", "url.javascript", Squeeze},
		{"java\u007fscript:", "url.javascript", Squeeze},
		{"java/*x*/script:", "url.javascript", Squeeze},
		{"java/*script:*/", "url.javascript", Squeeze},
		{"java/*/script:", "", Squeeze},
		{"java script:", "", Squeeze},
		{"java*/script:", "", Squeeze},
		{"%2525u&lt", "", AllLayers},
		{"%26lt;script", "xss.script-tag", Percent | Entity},
		{"union%2f**%2fselect", "sqli.union-select", Percent | Squeeze},
	} {
		for _, layers := range []Layers{c.layers, AllLayers} {
			if c.want == "" && layers != c.layers {
				continue
			}
			body := `{"a":"` + c.text + `"}`
			if got := newScanner(t, Options{Layers: layers}).names(body); got != c.want {
				t.Errorf("%s with %s: found %q, want %q", body, layerNames(layers), got, c.want)
			}
		}
		if got := newScanner(t, Options{}).names(`{"a":"` + c.text + `"}`); got != "" {
			t.Errorf("%s without layers: found %s", c.text, got)
		}
	}
}

// TestCommentsEndInTheirString has the beginning and the end of a comment in different strings.
func TestCommentsEndInTheirString(t *testing.T) {
	s := newScanner(t, Options{Layers: Squeeze})
	if got := s.names(`{"a":"java/*","b":"*/script:"}`); got != "" {
		t.Errorf("found %s", got)
	}
	if got := s.names(`{"a":"/*<ifr","b":"/*c*/ame","c":"union/*x*/select"}`); got != "sqli.union-select" {
		t.Errorf("found %q", got)
	}
	if got := s.names(`{"a":"/*","b":"java*/script:"}`); got != "url.javascript" {
		t.Errorf("found %q", got)
	}
	if got := s.names(`{"a":"x/*","b":"java/*","c":"\t*/script:"}`); got != "" {
		t.Errorf("found %q", got)
	}
}

// TestBrokenEscapes has escapes that do not exist, which must not hide what follows.
func TestBrokenEscapes(t *testing.T) {
	s := newScanner(t, Options{})
	for _, body := range []string{
		`{"a":"\q<script"}`, `{"a":"\<script"}`, `{"a":"\u00<script"}`, `{"a":"\ud83d<script"}`, `{"a":"\ude00<script"}`,
		`{"a":"\ud83d\u003cscript"}`, `{"a":"\ud83d\u00<script"}`, `{"a":"<script\`, `\<script`, `{"a":"x\\","b":"<script"}`,
	} {
		if got := s.names(body); got != "xss.script-tag" {
			t.Errorf("%s: found %q", body, got)
		}
	}
}

// TestSurrogateHalves writes the first and the last characters that need a pair.
func TestSurrogateHalves(t *testing.T) {
	for _, c := range []struct{ raw, want string }{
		{`\ud800\udc00`, "\U00010000"}, {`\udbff\udfff`, "\U0010ffff"}, {`\ud83d\udc00`, "\U0001f400"}, {`\ud7ff\ue000`, "\ud7ff\ue000"},
		{`\ud800x`, "\ufffdx"}, {`\udc00\ud800`, "\ufffd\ufffd"}, {`\ud800\ue000`, "\ufffd\ue000"},
	} {
		if got, _ := appendSegment(nil, []byte(c.raw), 0, true); string(got) != c.want+"\xff" {
			t.Errorf("%s: %q, want %q", c.raw, got, c.want)
		}
	}
}

// TestNested looks into strings of JSON, without the layer that would find the same.
func TestNested(t *testing.T) {
	inner := `{"c":"\u003cscript"}`
	once := `{"b":[` + quote(inner, false) + `,"x"]}`
	twice := `{"a":` + quote(once, false) + `}`
	for _, c := range []struct {
		nested int
		body   string
		want   string
	}{
		{0, inner, "found xss.script-tag@6"},
		{0, once, "clean"},
		{1, once, "found xss.script-tag@16+nested1"},
		{1, twice, "clean"},
		{2, twice, "found xss.script-tag@31+nested2"},
		{2, "[" + quote(`"<a\"<iframe"`, false) + "," + once + "]", "found xss.iframe-tag@10 xss.script-tag@37+nested1"},
	} {
		s := newScanner(t, Options{Nested: c.nested})
		matches, verdict := s.Scan(nil, []byte(c.body))
		if got := describe(s, matches, verdict); got != c.want {
			t.Errorf("%d: %s: %s, want %s", c.nested, c.body, got, c.want)
		}
	}
}

// TestBarePatterns has patterns that valid JSON has outside strings.
func TestBarePatterns(t *testing.T) {
	var patterns []Pattern
	for _, literal := range []string{"null", "999", "},{", " ", "a"} {
		patterns = append(patterns, Pattern{ID: literal, Literal: literal})
	}
	for _, layers := range []Layers{NoLayers, AllLayers} {
		s := newScanner(t, Options{Patterns: patterns, Layers: layers})
		for _, body := range []string{`{"b":null}`, `{"b":1999}`, "[{},{}]", `{"b": 1}`, "[1 ,\t2]"} {
			if got := s.names(body); got != "" {
				t.Errorf("%s: found %s", body, got)
			}
		}
		matches, verdict := s.Scan(nil, []byte(`{ "b" : [ null, 999, {},{} ], "c": "x },{ null" }`))
		if got, want := describe(s, matches, verdict), "found  @37 },{@38 null@42"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if got := s.names(`{"b":null`); got != "null" {
			t.Errorf("in a malformed document: %q", got)
		}
	}
}

// TestFields has fields in which markup is harmless.
func TestFields(t *testing.T) {
	adm := Field{"/seatbid/*/bid/*/adm", []string{"xss.*"}}
	s := newScanner(t, Options{Layers: AllLayers, Nested: 1, Fields: []Field{adm, {"/a~1b", []string{"sqli.*"}}}})
	response := func(adm, other string) string {
		return `{"seatbid":[{"bid":[{"adm":` + adm + `,"id":` + other + `}]}],"a/b":"union select"}`
	}
	for _, c := range []struct{ body, want string }{
		{response(`"<script"`, `"x"`), "clean"},
		{response(`"\u003cscript %3cscript"`, `"x"`), "clean"},
		{response(`"<script"`, `"<script"`), "found xss.script-tag@43"},
		{response(`"<script union select"`, `"x"`), "found sqli.union-select@36"},
		{response(`"{\"a\":\"\\u003cscript ${jndi:\"}"`, `"x"`), "found template.jndi@51"},
		{response(`"<script"`, `"%3cscript"`), "found xss.script-tag@43+layer"},
		{response(`"<script"`, `tru`), "found xss.script-tag@28 sqli.union-select@57"}, // malformed
		{`{"adm":"<script"}`, "found xss.script-tag@8"},
		{`{"a\/b":"union select","c":"<script"}`, "found xss.script-tag@28"},
		{`{"union select":"x"}`, "found sqli.union-select@2"},
	} {
		matches, verdict := s.Scan(nil, []byte(c.body))
		if got := describe(s, matches, verdict); got != c.want {
			t.Errorf("%s: %s, want %s", c.body, got, c.want)
		}
	}
}

func TestWork(t *testing.T) {
	body := []byte(`{"a":"` + strings.Repeat("<script %3ciframe /**/ ", 100) + `"}`)
	exhausted := 0
	for budget := 1; ; budget += 500 {
		s := newScanner(t, Options{Layers: AllLayers, Work: budget})
		matches, verdict := s.Scan(nil, body)
		if verdict == Found {
			if len(matches) != 2 {
				t.Errorf("%d matches", len(matches))
			}
			break
		}
		if verdict != Exhausted {
			t.Fatalf("budget %d: %v", budget, verdict)
		}
		exhausted++
	}
	if exhausted < 20 {
		t.Errorf("only %d budgets were too small", exhausted)
	}
	if _, verdict := newScanner(t, Options{}).Scan(nil, make([]byte, WorkDefault+1)); verdict != Exhausted {
		t.Errorf("a huge document is %v", verdict)
	}
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []struct {
		Options
		want string
	}{
		{Options{Patterns: []Pattern{}}, "no pattern"},
		{Options{Patterns: []Pattern{{"", "x", ""}}}, "pattern 0 has no id"},
		{Options{Patterns: []Pattern{{"a", "x", ""}, {"a", "y", ""}}}, `two patterns have the id "a"`},
		{Options{Patterns: []Pattern{{"a", "", ""}}}, `the literal of pattern "a" has 0 bytes`},
		{Options{Patterns: []Pattern{{"a", "\u00e9", ""}}}, "not ASCII"},
		{Options{Layers: 1 << 5}, "unknown layers 0x20"},
		{Options{Nested: NestedMax + 1}, "Nested is 9"},
		{Options{Work: -1}, "Work is -1"},
		{Options{Fields: []Field{{"a", nil}}}, "does not begin with /"},
		{Options{Fields: []Field{{"/a~2", nil}}}, "an escape other than"},
		{Options{Fields: []Field{{"/a", []string{"xsss.*"}}}}, `no pattern has the id "xsss.*"`},
		{Options{Fields: []Field{{"/a", []string{"["}}}}, "syntax error in pattern"},
	} {
		if _, err := New(c.Options); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	if Clean.String() != "clean" || Verdict(9).String() != "Verdict(9)" {
		t.Error("Verdict.String is wrong")
	}
}

func TestLocate(t *testing.T) {
	for _, c := range []struct {
		body, at string
		want     Place
		ok       bool
	}{
		{`{"a":[1,{"b/c":"HERE"}]}`, "HERE", Place{"/a/1/b~1c", false}, true},
		{`{"a":{},"b":[[],{"HERE":1}]}`, "HERE", Place{"/b/1/HERE", true}, true},
		{`"HERE"`, "HERE", Place{"", false}, true},
		{`{"a":1,"b":"x\qHERE"}`, "HERE", Place{"/b", false}, true},
		{`{"a":1,"b":"HERE`, "HERE", Place{"/b", false}, true},
		{`{"a":tru,"b":"HERE"}`, "HERE", Place{}, false},
		{`{"a":1 HERE`, "HERE", Place{}, false},
		{`{"a" 1,"b":"HERE"}`, "HERE", Place{}, false},
		{strings.Repeat("[", depthMax+1) + `"HERE"`, "HERE", Place{}, false},
		{` HERE`, "HERE", Place{}, false},
		{``, "", Place{}, false},
	} {
		place, ok := Locate([]byte(c.body), strings.Index(c.body, c.at))
		if place != c.want || ok != c.ok {
			t.Errorf("%.60s: %+v, %v", c.body, place, ok)
		}
	}
}

func TestNoAllocation(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector allocates")
	}
	s := newScanner(t, Options{Layers: AllLayers, Nested: 2, Fields: []Field{{"/a/*/b", []string{"xss.*"}}}})
	matches := make([]Match, 0, s.Len())
	for _, body := range []string{
		`{"id":"1","site":{"name":"plain"}}`,
		`{"a":[{"b":"<script"}],"c":"{\"d\":\"%3cscript union/**/select java\\u0000script:\"}"}`,
	} {
		data := []byte(body)
		if n := testing.AllocsPerRun(100, func() { matches, _ = s.Scan(matches[:0], data) }); n != 0 {
			t.Errorf("%s: %v allocations", body, n)
		}
	}
}

// TestLargeBuffersAreDropped scans a large document and looks at what is kept.
func TestLargeBuffersAreDropped(t *testing.T) {
	w := &work{}
	w.levels[0].text = make([]byte, retainedMax+1)
	w.levels[1].text = make([]byte, 10)
	w.trim()
	if cap(w.levels[0].text) != 0 || cap(w.levels[1].text) != 10 {
		t.Error("a large buffer is kept, or a small one is not")
	}
}

// workOf scans a document, and returns how much of the budget that takes.
func (s *Scanner) workOf(body []byte) int {
	w := s.pool.Get().(*work)
	w.scan(body)
	taken := s.work - w.left
	w.trim()
	s.pool.Put(w)
	return taken
}

// TestBound scans documents that are made to be slow, and holds their work to a number of bytes for
// each of their own. With layers it is what lets a document of 128 KiB stay below WorkDefault. With
// -v the test prints what took the most work, and what the most time.
func TestBound(t *testing.T) {
	bounds := map[Layers]int{NoLayers: 6, AllLayers: WorkDefault / (128 << 10)}
	size := testkit.Scale(t, 3000, 20000, 65000)
	d := newDocuments(t, 1)
	units := slices.Concat(d.texts, d.pieces, []string{"a\\n", "\\u0041", "/*a", "/**/ ", "&#0000000", "%25", "&amp;amp;lt;", "<scrip", "%2525253c"})
	near := ""
	for _, p := range defaults {
		near += p.Literal[:len(p.Literal)-1] + "!"
	}
	units = append(units, near)
	for _, layers := range []Layers{NoLayers, AllLayers} {
		s := newScanner(t, Options{Layers: layers})
		s.Scan(nil, append([]byte(`\`), bytes.Repeat([]byte("<scrip"), 1000)...)) // makes the automaton
		for _, level := range literals.Levels() {
			previous := literals.SetLevel(level)
			var slowest, hardest string
			var mostTime, mostWork float64 // for each byte
			for _, unit := range units {
				for _, escaped := range []bool{false, true} {
					text := strings.Repeat(unit, 1+size/len(unit))
					if utf8.ValidString(text) {
						text = quote(text, escaped)
					}
					body := []byte(`{"a":` + text + "}")
					taken := s.workOf(body)
					if taken > bounds[layers]*len(body) {
						t.Errorf("layers %v, %v: %d bytes of work for %d bytes, repetitions of %q", layerNames(layers), level, taken, len(body), unit)
					}
					if n := float64(taken) / float64(len(body)); n > mostWork {
						hardest, mostWork = unit, n
					}
					used := cputime.Of(func() { s.Scan(nil, body) })
					if n := float64(used.Nanoseconds()) / float64(len(body)); n > mostTime {
						slowest, mostTime = unit, n
					}
				}
			}
			literals.SetLevel(previous)
			t.Logf("layers %v, %v: at most %.1f bytes of work a byte, for repetitions of %.20q, and %.1f ns, for %.20q", layerNames(layers), level, mostWork, hardest, mostTime, slowest)
		}
	}
}

// TestCommentsAreSearchedOnce searches for the end of comments that do not end: what one of them
// has searched is not searched again for the next. The text changes meanwhile, to find that out.
func TestCommentsAreSearchedOnce(t *testing.T) {
	text := append([]byte("/*a/*a/*a/*a"), mark)
	var done stepped
	searched := 0
	if n := done.blankRun(text, 0, squeezing{}, &searched); n != 0 || searched < len("/*a/*a/*a/*") {
		t.Fatalf("a comment of %d bytes, %d searched", n, searched)
	}
	copy(text[6:], "*/")
	if n := done.blankRun(text, 3, squeezing{}, &searched); n != 0 {
		t.Errorf("the end was searched again: a comment of %d bytes", n)
	}
	searched = 0
	if n := done.blankRun(text, 3, squeezing{}, &searched); n != len("/*a*/") {
		t.Errorf("a comment of %d bytes", n)
	}
}

// stringsOf returns the texts of all strings of a valid document, by package grammar.
func stringsOf(body []byte) (texts []string) {
	w := grammar.Walk{Scanner: grammar.Scanner{Data: body, Depth: depthMax}}
	w.Text = func(begin, end int, _ bool) bool {
		texts = append(texts, grammar.Unescape(body[begin:end]))
		return true
	}
	if !w.Document() {
		return nil
	}
	return texts
}

// FuzzStrings checks that the scanner's strings of a valid document match the grammar that the
// decoder is held to.
func FuzzStrings(f *testing.F) {
	d := newDocuments(f, 5)
	for range 50 {
		f.Add(d.next())
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if fault, _ := grammar.Check(body, depthMax, false); fault != 0 {
			return
		}
		var want []string
		for _, text := range stringsOf(body) {
			want = append(want, fold(text))
		}
		l := layer{fold: true}
		l.collectStrings(body)
		var got []string
		for _, s := range l.segments {
			text := l.text[s.text:]
			got = append(got, string(text[:slices.Index(text, mark)]))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q: strings %q, want %q", body, got, want)
		}
	})
}

// naivePatterns returns the patterns that occur in the strings of a valid document.
func naivePatterns(body []byte) (numbers []int) {
	texts := stringsOf(body)
	for i, p := range defaults {
		if slices.ContainsFunc(texts, func(text string) bool {
			return strings.Contains(fold(text), p.Literal)
		}) {
			numbers = append(numbers, i)
		}
	}
	return numbers
}

// FuzzScan compares the patterns that are found in valid documents with a naive search, and all
// kernels with each other for any document.
func FuzzScan(f *testing.F) {
	d := newDocuments(f, 6)
	for i := range 50 {
		f.Add(d.next(), i%2 == 0)
	}
	plain, all := newScanner(f, Options{}), newScanner(f, Options{Layers: AllLayers, Nested: 2})
	f.Fuzz(func(t *testing.T, body []byte, layered bool) {
		s := plain
		if layered {
			s = all
		}
		var first string
		for _, level := range literals.Levels() {
			previous := literals.SetLevel(level)
			matches, verdict := s.Scan(nil, body)
			literals.SetLevel(previous)
			got := describe(s, matches, verdict)
			if level != literals.Levels()[0] && got != first {
				t.Fatalf("%v: %q: %s, want %s", level, body, got, first)
			}
			first = got
			var numbers []int
			for _, m := range matches {
				if m.Offset < 0 || m.Offset >= len(body) {
					t.Fatalf("%q: %s", body, got)
				}
				numbers = append(numbers, m.Pattern)
			}
			if fault, _ := grammar.Check(body, depthMax, false); fault == 0 && !layered {
				slices.Sort(numbers)
				if want := naivePatterns(body); !slices.Equal(numbers, want) {
					t.Fatalf("%q: patterns %v, want %v", body, numbers, want)
				}
			}
		}
	})
}

// TestScanRandom is FuzzScan's comparison on documents of the differential test.
func TestScanRandom(t *testing.T) {
	d := newDocuments(t, 7)
	s := newScanner(t, Options{})
	valid := 0
	for range testkit.Scale(t, 500, 5000, 100000) {
		body := d.next()
		if fault, _ := grammar.Check(body, depthMax, false); fault != 0 || !utf8.Valid(body) {
			continue
		}
		valid++
		matches, _ := s.Scan(nil, body)
		var numbers []int
		for _, m := range matches {
			numbers = append(numbers, m.Pattern)
		}
		slices.Sort(numbers)
		if want := naivePatterns(body); !slices.Equal(numbers, want) {
			t.Fatalf("%q: patterns %v, want %v", body, numbers, want)
		}
	}
	if valid < 100 {
		t.Errorf("only %d valid documents", valid)
	}
}

func TestConcurrentScans(t *testing.T) {
	s := newScanner(t, Options{Layers: AllLayers})
	done := make(chan string)
	for g := range 4 {
		go func() {
			r := rand.New(rand.NewPCG(1, uint64(g)))
			for range 200 {
				p := s.Pattern(r.IntN(s.Len()))
				if got := s.names(quote(p.Literal, r.IntN(2) == 0)); !has(got, p.ID) {
					done <- p.ID
					return
				}
			}
			done <- ""
		}()
	}
	for range 4 {
		if id := <-done; id != "" {
			t.Errorf("%s was not found", id)
		}
	}
}

// fold returns text with ASCII letters in lower case.
func fold(text string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r | 0x20
		}
		return r
	}, text)
}

// TestLocateAll finds every byte of some documents in one walk, as Locate finds it alone.
func TestLocateAll(t *testing.T) {
	for _, text := range []string{``, `"a"`, `{"a":["b",{"c~/":"d\u0041"}],"":1,"e":"f"}`, `{"a":"b","c":"d`, `{"a":"b",}`, `[["a"],"b" "c"]`} {
		var offsets []int
		for at := range len(text) + 1 {
			offsets = append(offsets, at, at) // some twice
		}
		got := map[int]Place{}
		LocateAll([]byte(text), offsets, func(n int, p Place) { got[n] = p })
		for n, at := range offsets {
			want, ok := Locate([]byte(text), at)
			if p, found := got[n]; found != ok || p != want {
				t.Errorf("%s, byte %d: %+v, %v; alone %+v, %v", text, at, p, found, want, ok)
			}
		}
	}
	LocateAll([]byte(`{"a":"b"}`), nil, func(int, Place) { t.Error("nothing was wanted") })
}
