package coder

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/wire"
)

// These tests are about arrays of scalars: brackets, commas, null elements. Ints, Strings and
// Floats have loops of their own for speed; Scalars reads all other types.

// arrayTexts are texts in the position of an array.
var arrayTexts = []string{
	"[]", "[ ]", "[\n\t]", "[0]", "[ 0 ]", "[0,1]", "[0 , 1 ]", "[null]", "[null,null]", "[0,null,1]", "[\r\n0\r\n,\r\n1\r\n]",
	"[", "[0", "[0,", "[0,]", "[,]", "[,0]", "[0,,1]", "[0 1]", "[0;1]", "[0}", "[0,}", "]", "[]]", "[[]]", "[[0]]", "[{}]", "[0,[1]]",
	"0", "null", "nul", "true", "{}", `{"a":[0]}`, `""`, `"0"`, `"[0]"`, "[nul]", "[nulll]", "[n]", "[0,n]", "[ ,0]", "[0 ,]",
	`["a"]`, `["a","b"]`, `["a" , "b"]`, `["a",null,""]`, `["a\n","\u00e9","\ud800"]`, `["a"`, `["a",`, `["a`, `["a",]`, `["a" "b"]`, `["a",0]`, `["a",{}]`, "[\"a\x01\"]", "[\"\xff\"]",
	"[true]", "[true,false]", "[true,null]", "[tru]", "[1.5]", "[1e2,-0]", "[01]", "[1.]", "[1e400]", "[99999999999999999999]", "[128,-129]", `["1","true","x"]`,
}

// arrayHolds decodes a text as an array of each kind and compares with the oracle.
func arrayHolds(t *testing.T, rs [3]*Reader, text string) {
	t.Helper()
	doc := []byte(`{"v":` + text + `}`)
	against(t, rs, doc, func(r *Reader, p, depth int) ([]int, int) { return r.Ints(new(Slab[int]), p, depth) })
	against(t, rs, doc, func(r *Reader, p, depth int) ([]string, int) { return r.Strings(new(Slab[string]), p, depth) })
	against(t, rs, doc, func(r *Reader, p, depth int) ([]float64, int) { return r.Floats(new(Slab[float64]), p, depth) })
	against(t, rs, doc, scalars((*Reader).Bool))
	against(t, rs, doc, scalars((*Reader).Float32))
	against(t, rs, doc, scalars(Integer[int8]))
	against(t, rs, doc, scalars(Integer[uint64]))
	against(t, rs, doc, scalars((*Reader).AnyString))
	against(t, rs, doc, scalars((*Reader).anyInt))
}

// scalars is the reading of an array whose elements a function reads.
func scalars[T any](read func(r *Reader, p int) (T, int)) reading[[]T] {
	return func(r *Reader, p, depth int) ([]T, int) { return Scalars(r, new(Slab[T]), p, depth, read) }
}

// TestArrays decodes arrayTexts with white space in each place.
func TestArrays(t *testing.T) {
	rs := readers()
	for _, text := range arrayTexts {
		for _, blank := range []string{"", strings.Repeat(" ", 57), strings.Repeat("\n", 130)} {
			arrayHolds(t, rs, blank+text)
			arrayHolds(t, rs, text+blank)
			arrayHolds(t, rs, strings.ReplaceAll(text, ",", blank+","+blank))
		}
	}
}

// TestArrayLengths decodes arrays of each length around the chunk sizes of a slab into one slab.
func TestArrayLengths(t *testing.T) {
	var r Reader
	var ints Slab[int]
	var words Slab[string]
	for n := range 70 {
		var numbers, texts []string
		for i := range n {
			numbers = append(numbers, fmt.Sprint(i))
			texts = append(texts, fmt.Sprintf(`"%d"`, i))
		}
		got, err := decodeHolder(&r, []byte(`{"v":[`+strings.Join(numbers, ",")+`]}`), func(r *Reader, p, depth int) ([]int, int) { return r.Ints(&ints, p, depth) })
		if err != nil || len(got.V) != n || got.V == nil || cap(got.V) != n {
			t.Fatalf("%d numbers: %v, %v", n, got.V, err)
		}
		list, err := decodeHolder(&r, []byte(`{"v":[`+strings.Join(texts, ", ")+`]}`), func(r *Reader, p, depth int) ([]string, int) { return r.Strings(&words, p, depth) })
		if err != nil || len(list.V) != n || list.V == nil || cap(list.V) != n {
			t.Fatalf("%d strings: %v, %v", n, list.V, err)
		}
		for i := range n {
			if got.V[i] != i || list.V[i] != fmt.Sprint(i) {
				t.Fatalf("element %d of %d is %d, %q", i, n, got.V[i], list.V[i])
			}
		}
		if n%7 == 0 {
			ints.Reset()
			words.Reset()
		}
	}
}

// TestRefusedStringsAreCleared: strings of an array that is refused halfway do not stay in the
// slab, where they would keep the document alive and show in the next.
func TestRefusedStringsAreCleared(t *testing.T) {
	var r Reader
	for _, text := range []string{`["a","b","c"`, `["a","b",1]`, `["a","b" "c"]`, `["a","b",`, `["a","b","c","d","e","f","g",x]`} {
		var s Slab[string]
		if _, code := refused(&r, text, func(r *Reader, p, depth int) ([]string, int) { return r.Strings(&s, p, depth) }); code == 0 {
			t.Errorf("%s is accepted", text)
		}
		s.Reset()
		for i, left := range s.buf {
			if left != "" {
				t.Errorf("%s: slot %d still holds %q", text, i, left)
			}
		}
	}
}

// TestArrayDepth: an array is one level, for any limit.
func TestArrayDepth(t *testing.T) {
	for depth := 1; depth <= 3; depth++ {
		r := readers(wire.MaxDepth(depth))[0]
		for _, c := range []struct {
			text   string
			levels int
		}{{"0", 1}, {"null", 1}, {"[]", 2}, {"[0]", 2}} {
			_, code := refused(r, c.text, func(r *Reader, p, depth int) ([]int, int) { return r.Ints(new(Slab[int]), p, depth) })
			if (code == wire.CodeDepth) != (c.levels > depth) {
				t.Errorf("%s with a depth of %d: %v", c.text, depth, code)
			}
		}
	}
}
