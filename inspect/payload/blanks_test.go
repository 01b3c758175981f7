package payload

import (
	"bytes"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

var (
	closing  = regexp.MustCompile(`(?:[^"\\]|\\"?)*`) // the content of a string whose escapes are \"
	squeezed = regexp.MustCompile(`[\t\n\r]|  `)
)

// squeezesText reports whether a segment has white space to squeeze and anything that valid JSON
// does not have between strings.
func squeezesText(body []byte) bool {
	for len(body) > 0 {
		segment := closing.Find(body)
		if squeezed.Match(segment) && bytes.ContainsFunc(segment, func(r rune) bool { return r > 0x7f || !isBare[r] }) {
			return true
		}
		body = body[min(len(body), len(segment)+1):]
	}
	return false
}

func TestOnlyIndented(t *testing.T) {
	indented, err := os.ReadFile(testkit.Path(t, "testdata/bench/app_indented.json"))
	if err != nil {
		t.Fatal(err)
	}
	for before := range 200 {
		// Long enough that an escaped quote comes at each place around the first block of a chunk.
		start := strings.Repeat("1", before) + strings.Repeat(`{"a b":"c\"d",`+"\n  ", 80)
		for _, c := range []struct {
			end  string
			want bool
		}{
			{string(indented), true}, {`"a b"  :` + "\r\n\t" + `[true, "\" \""]`, true}, {`"a"`, true},
			{`"a  b"`, false}, {"\"a\nb\"", false}, {"\"a\tb\"", false}, {`"a\"  "`, false}, {"x  y", false}, {`"a", x`, false},
		} {
			if got := onlyIndented([]byte(start + c.end)); got != c.want {
				t.Errorf("%d times, then %.20q: %v", before, c.end, got)
			}
		}
	}
}

// TestOnlyIndentedRandom scans documents of pieces that decide.
func TestOnlyIndentedRandom(t *testing.T) {
	pieces := []string{`"`, `"`, `\"`, " ", "  ", "\n", "\t", ",", ":", "12", "x", "é", strings.Repeat(" ", 60), strings.Repeat("1", 61)}
	r := rand.New(rand.NewPCG(1, 2))
	indented := 0
	for range testkit.Scale(t, 20000, 100000, 1000000) {
		var body []byte
		for range r.IntN(40) {
			body = append(body, pieces[r.IntN(len(pieces))]...)
		}
		if !onlyIndented(body) {
			continue
		}
		if squeezesText(body) {
			t.Fatalf("%q has more than indentation", body)
		}
		if squeezed.Match(body) {
			indented++
		}
	}
	if indented < 50 {
		t.Errorf("only %d documents are indented: the test shows too little", indented)
	}
}
