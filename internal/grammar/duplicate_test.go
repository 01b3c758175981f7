package grammar

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// withKeys writes a random object of few different keys, some of them with escapes. It appends the
// offset of the first repeated key to found.
func withKeys(rnd *rand.Rand, b *strings.Builder, depth, keys int, found *[]int) {
	spelt := []string{`%c`, `\u00%02x`}
	seen := map[int]bool{}
	b.WriteByte('{')
	for i := range rnd.IntN(keys) {
		if i > 0 {
			b.WriteString(", ")
		}
		key := rnd.IntN(keys * keys)
		if seen[key] {
			*found = append(*found, b.Len())
		}
		seen[key] = true
		fmt.Fprintf(b, `"`+spelt[rnd.IntN(2)]+`%d": `, 'k', key)
		switch n := rnd.IntN(4); {
		case n == 0 && depth > 0:
			withKeys(rnd, b, depth-1, keys, found)
		case n == 1 && depth > 0:
			b.WriteString(`[`)
			withKeys(rnd, b, depth-1, keys, found)
			b.WriteString(`,"k1","k1"]`)
		default:
			b.WriteString(`"k1"`)
		}
	}
	b.WriteByte('}')
}

// TestRepeated compares with a map for each object.
func TestRepeated(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 0))
	with := 0
	for i := range 1000 {
		var b strings.Builder
		var want []int
		withKeys(rnd, &b, 2, 2+i%25, &want)
		at, found, ok := Repeated([]byte(b.String()), b.Len())
		if !ok || found != (len(want) > 0) || found && at != want[0] {
			t.Fatalf("%s: %d, %v, want %v", b.String(), at, found, want)
		}
		with += min(len(want), 1)
	}
	if with < 100 || with > 900 {
		t.Errorf("%d of 1000 documents have a repeated key", with)
	}
}

// TestRepeatedMax: only the keys of open objects count, and one too many ends the search.
func TestRepeatedMax(t *testing.T) {
	for _, x := range []struct {
		doc  string
		most int
	}{{`{}`, 0}, {`{"a":1}`, 1}, {`{"a":{"b":1},"c":{"d":2}}`, 3}, {`[{"a":1},{"a":1},{"a":"b"}]`, 1}} {
		for most := range x.most + 2 {
			if at, found, ok := Repeated([]byte(x.doc), most); found || ok != (most >= x.most) {
				t.Errorf("%s, %d keys: %d, %v, %v", x.doc, most, at, found, ok)
			}
		}
	}
}
