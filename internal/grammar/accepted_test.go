package grammar_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/grammar"
)

// randomValue returns the text of a random JSON value, with white space.
func randomValue(r *rand.Rand, depth int) string {
	space := strings.Repeat(" \t\n\r", 2)[:r.IntN(3)]
	kinds := 7
	if depth == 0 {
		kinds = 5
	}
	switch r.IntN(kinds) {
	case 0:
		return "null"
	case 1:
		return fmt.Sprint(r.Int64N(1e6) - 5e5)
	case 2:
		return fmt.Sprintf("%.3e", r.NormFloat64())
	case 3, 4:
		text, _ := json.Marshal(strings.Repeat([]string{"a", `\`, `"`, "]}", "é\x01"}[r.IntN(5)], r.IntN(9)))
		return string(text)
	case 5:
		var list []string
		for range r.IntN(4) {
			list = append(list, space+randomValue(r, depth-1)+space)
		}
		return "[" + space + strings.Join(list, ",") + "]"
	}
	var list []string
	for i := range r.IntN(4) {
		list = append(list, fmt.Sprintf(`%s"%d\""%s:%s%s`, space, i, space, space, randomValue(r, depth-1)))
	}
	return "{" + space + strings.Join(list, ",") + space + "}"
}

// TestValueEnd finds the ends of random values where encoding/json finds them, in strings and in
// bytes, and stays inside text that is cut off or damaged.
func TestValueEnd(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		value := randomValue(r, 4)
		if !json.Valid([]byte(value)) {
			t.Fatalf("the test makes invalid text: %s", value)
		}
		for _, before := range []string{"", " ", "[", `{"a":`} {
			for _, after := range []string{"", ",", "]", "}", " \n"} {
				text, want := before+value+after, len(before)+len(value)
				if got := grammar.ValueEnd(text, len(before)); got != want {
					t.Fatalf("%q from %d: ends at %d, want %d", text, len(before), got, want)
				}
				if got := grammar.ValueEnd([]byte(text), len(before)); got != want {
					t.Fatalf("%q from %d, as bytes: ends at %d, want %d", text, len(before), got, want)
				}
			}
		}
		damaged := []byte(value)[:r.IntN(len(value)+1)]
		if len(damaged) > 0 {
			damaged[r.IntN(len(damaged))] = `"\{}[], a`[r.IntN(9)]
		}
		for p := range len(damaged) + 1 {
			end, space := grammar.ValueEnd(damaged, p), grammar.SpaceEnd(damaged, p)
			if end < 0 || end > len(damaged) || end != 0 && end <= p || space < p || space > len(damaged) {
				t.Fatalf("%q from %d: value ends at %d, space at %d", damaged, p, end, space)
			}
			if end != grammar.ValueEnd(string(damaged), p) {
				t.Fatalf("%q from %d: strings and bytes differ", damaged, p)
			}
		}
	}
}
