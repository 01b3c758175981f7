package schema

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// TestEmbedded compares with the scanner, which is the reference, on objects that are changed at
// random and on nested ones around the limit.
func TestEmbedded(t *testing.T) {
	c := strict(t)
	if text := []byte(`{"":{"a":[1,"x"]}}`); !c.json.isMember(text, len(`{"":`)) {
		t.Error("the decoder's reader refuses an object")
	}
	objects, all := 0, 0
	same := func(text string) {
		t.Helper()
		s := scanner([]byte(text))
		s.Space()
		object := s.Peek() == '{'
		want := s.Document()
		value, isJSON, isObject := c.json.read(text)
		if isJSON != want || isObject != (want && object) || string(value) != text {
			t.Fatalf("%.200q: %v and %v, want %v and %v", text, isJSON, isObject, want, want && object)
		}
		if isObject {
			objects++
		}
		all++
	}
	for levels := grammar.DepthMax - 3; levels < grammar.DepthMax+3; levels++ {
		same(strings.Repeat(`{"a":`, levels) + "1" + strings.Repeat("}", levels))
		same(`{"a":` + strings.Repeat("[", levels) + strings.Repeat("]", levels) + "}")
	}
	const alphabet = "{}[]:,\"\\u0a1e+-. \n\x00\x80\xffnultrefs"
	seeds := []string{
		`{"native":{"ver":"1.1","assets":[{"id":1,"required":1,"title":{"len":90}}]}}`, `{}`, ` {"a":[1,-2.5e+3,true,null,"\u00e9\ud83d\ude00"]} `,
		"\ufeff{}", "[]", "1", `"x"`, "null", "true", "", " ", "}", "1}", `1,"a":2`, "{\"a\":\"\xff\"}", `{"a":"\ud800"}`, `{"a":1,"a":2}`,
	}
	random := rand.New(rand.NewPCG(13, 14))
	for range testkit.Scale(t, 2_000, 50_000, 1_000_000) {
		text := []byte(seeds[random.IntN(len(seeds))])
		for range random.IntN(3) {
			i := random.IntN(len(text) + 1)
			switch b := alphabet[random.IntN(len(alphabet))]; {
			case random.IntN(2) == 0 || i == len(text):
				text = append(text[:i:i], append([]byte{b}, text[i:]...)...)
			default:
				text[i] = b
			}
		}
		same(string(text))
	}
	if objects == 0 || objects == all {
		t.Errorf("%d of %d texts are objects", objects, all)
	}
}

// TestHasKey compares with a search that knows every key.
func TestHasKey(t *testing.T) {
	for _, object := range []string{
		``, `{}`, ` { } `, `[]`, `"consent"`, `{"consent":1}`, `{"a":"consent"}`, `{"a":{"consent":1}}`, `{"conse\u006et":1}`,
		`{"a":"\\","b":1}`, `{"a":1,"consent":null}`, `{"consent2":1}`, `{"Consent":1}`, `{"a":"\"","consent":{}}`, `{"a":`, "\t{\"consent\":2}",
	} {
		want := false
		eachMember([]byte(object), func(key, _ []byte) bool {
			want = want || string(key) == "consent"
			return true
		})
		if got := hasKey([]byte(object), "consent"); got != want {
			t.Errorf("%s: %v, want %v", object, got, want)
		}
	}
}
