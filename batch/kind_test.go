package batch

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

func TestDetectType(t *testing.T) {
	for _, tt := range []struct {
		name caseName
		in   string
		want schema.Doc
	}{
		{name("imp"), `{"id":"1","imp":[]}`, schema.Request},
		{name("a request without imp"), `{"id":"1","device":{}}`, schema.Request},
		{name("imp after vendor members"), `{"x":{"seatbid":[1,"}",{}]},"y":"\"seatbid\":","imp":[]}`, schema.Request},
		{name("seatbid"), `{"id":"1","seatbid":[]}`, schema.Response},
		{name("nbr"), ` { "nbr" : 2 } `, schema.Response},
		{name("bidid"), `{"bidid":"1"}`, schema.Response},
		{name("customdata"), `{"customdata":"1"}`, schema.Response},
		{name("the first decides"), `{"id":"1","seatbid":[],"imp":[]}`, schema.Response},
		{name("the first decides, the other way around"), `{"imp":[],"seatbid":[]}`, schema.Request},
		{name("an empty no-bid"), `{}`, schema.Response},
		{name("a no-bid with an id"), `{"id":"1","cur":"USD","ext":{"imp":[]}}`, schema.Response},
		{name("vendor members only"), `{"id":"1","x":1}`, schema.Request},
		{name("case counts"), `{"SEATBID":[]}`, schema.Request},
		{name("an array"), `[{"seatbid":[]}]`, schema.Request},
		{name("nothing"), ``, schema.Request},
		{name("cut after a brace"), `{`, schema.Request},
		{name("cut in a key"), `{"seatbi`, schema.Request},
		{name("cut after a key"), `{"seatbid"`, schema.Response},
		{name("cut after a colon"), `{"seatbid":`, schema.Response},
		{name("cut in a value"), `{"id":{"a":[`, schema.Request},
		{name("cut after an escape"), `{"id":"\`, schema.Request},
		{name("cut after a value"), `{"id":"1"`, schema.Request},
		{name("no quotes"), `{seatbid:[]}`, schema.Request},
		{name("a name with escapes"), `{"\u0073eatbid":[]}`, schema.Response},
		{name("names with escapes that don't decide"), `{"\u0069d":"1"}`, schema.Response},
		{name("a response with a wrong number"), `{"id":01,"seatbid":[{"bid":[{"adm":"\"imp\""}]}]}`, schema.Response},
		{name("a response with a line end in a string"), "{\"id\":\"a\nb\",\"seatbid\":[]}", schema.Response},
		{name("a response without a comma"), `{"id":"1" "seatbid":[]}`, schema.Response},
		{name("a request without a comma"), `{"id":"1" "imp":[{"ext":{"seatbid":1}}]}`, schema.Request},
		{name("a request without a closing quote"), `{"id":"1,"imp":[]}`, schema.Request},
		{name("too deep for the check"), `{"x":` + strings.Repeat("[", 1024) + strings.Repeat("]", 1024) + `,"seatbid":[]}`, schema.Response},
	} {
		if got := DetectType([]byte(tt.in)); got != tt.want {
			t.Errorf("%s: %s: got %v, want %v", tt.name.where, tt.name.text, got, tt.want)
		}
	}
}

// TestDetectTypeCorpus decides about every document of the corpus, and in no time.
func TestDetectTypeCorpus(t *testing.T) {
	for file, want := range map[string]schema.Doc{"requests": schema.Request, "responses": schema.Response} {
		text, err := os.ReadFile("../testdata/corpus/" + file + ".ndjson")
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range linesRef(string(text)) {
			got := DetectType([]byte(line))
			if got != want && !(want == schema.Request && strings.Trim(line, "{}") == "") {
				t.Errorf("%s.ndjson:%d is taken for a %v", file, i+1, got)
			}
		}
	}
	doc := []byte(valid)
	if n := testing.AllocsPerRun(100, func() { DetectType(doc) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestQuickType compares the quick way with the slow one: on documents of the corpus, cut off and
// with one byte changed, and on strings of every length with every byte in every place.
func TestQuickType(t *testing.T) {
	quick := 0
	compare := func(doc []byte) {
		t.Helper()
		got, ok := quickType(doc)
		if want := slowType(doc); ok && got != want {
			t.Fatalf("%q: got %v, want %v", doc, got, want)
		}
		quick += btoi(ok)
	}
	for _, file := range []string{"requests", "responses"} {
		text, err := os.ReadFile("../testdata/corpus/" + file + ".ndjson")
		if err != nil {
			t.Fatal(err)
		}
		lines := linesRef(string(text))
		quick = 0
		for _, line := range lines {
			compare([]byte(line))
		}
		if quick < len(lines)/2 {
			t.Errorf("%s.ndjson: %d of %d documents take the quick way", file, quick, len(lines))
		}
		rng := testkit.Rand(testkit.Seed(t))
		for range testkit.Scale(t, 20_000, 200_000, 5_000_000) {
			doc := []byte(lines[rng.IntN(len(lines))])
			doc = doc[:min(len(doc), 20+rng.IntN(100))]
			doc[rng.IntN(min(len(doc), 40))] = byte(rng.IntN(256))
			compare(doc)
		}
	}
	for n := range 20 {
		for _, form := range []string{`{"id":"%s","seatbid":[]}    `, `{"%s":"1","seatbid":[]}     `} {
			doc := fmt.Appendf(nil, form, strings.Repeat("i", n))
			at := bytes.Index(doc, []byte(strings.Repeat("i", n)+`"`))
			for i := range n {
				for b := range 256 {
					doc[at+i] = byte(b)
					compare(doc)
				}
				doc[at+i] = 'i'
			}
		}
	}
}
