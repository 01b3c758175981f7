package batch

import (
	"strings"
	"testing"
)

// TestObjectsEnd compares with the byte-by-byte splitter: on every text, every damage of one
// byte, and every place of an object in its blocks.
func TestObjectsEnd(t *testing.T) {
	slow := func(text string) int {
		s := valueSplitter{start: -1}
		found, _ := s.inside([]byte(text), s.begin('{', 0), true, nil)
		if len(found) == 0 || len(s.stack) > 0 || s.start >= 0 {
			return 0
		}
		return found[0].end
	}
	const alphabet = "{}[]\"\\\n\t ,:1ay_Y\x7f\x01"
	answers := 0
	for _, doc := range []string{
		`{}`, `{"a":1}`, valid, `{"a":"\\\"{","b":["]",{"}":"\\"}]}`, "{\n  \"a\": [\n    1\n  ]\n}", `{"a":{"b":{"c":[[[{"d":"[[["}]]]}}}`,
		`{"a":"}","b":["}]"]}`, "{" + strings.Repeat(`"a":[[{`, 30) + strings.Repeat("}]]", 30) + "}",
		strings.Repeat(`{"a":`, 63) + "1" + strings.Repeat("}", 63), strings.Repeat(`{"a":`, 70) + "1" + strings.Repeat("}", 70),
		`{"long":"` + strings.Repeat("x{", 100) + `","y":` + strings.Repeat(" ", 130) + "1}",
	} {
		for damage := range len(doc) * len(alphabet) {
			damaged := []byte(doc)
			damaged[damage/len(alphabet)] = alphabet[damage%len(alphabet)]
			text := string(damaged) + strings.Repeat(` , {"next": [1]}`, 20)
			want := slow(text)
			for _, before := range []int{0, 1, 62, 63, 64} {
				x := objects{}
				full := []byte(strings.Repeat(" ", before) + text)
				x.index(full, 0)
				got := x.end(full, before)
				if got > 0 {
					answers++
					got -= before
				} else if string(damaged) == doc && strings.Count(doc, "{")+strings.Count(doc, "[") < 64 {
					t.Errorf("no answer for %q", doc)
				}
				if damaged[0] == '{' && got > 0 && got != want {
					t.Fatalf("end(%q) = %d, want %d", text, got, want)
				}
			}
		}
	}
	if answers < 1000 {
		t.Errorf("%d answers, that is not worth the trouble", answers)
	}
}
