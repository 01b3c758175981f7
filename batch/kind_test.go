package batch

import (
	"os"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/inspect/schema"
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
		for i, line := range linesTwin(string(text)) {
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
