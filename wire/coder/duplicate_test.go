package coder

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/wire"
)

// TestDuplicates decodes objects in strict mode that have a key twice, at any depth and in any
// spelling.
func TestDuplicates(t *testing.T) {
	var strict Reader
	strict.Configure(wire.Strict())
	rs := readers()
	for _, c := range []struct {
		name caseName
		in   string // a mark precedes the second key
	}{
		{name("none"), `{"v":"","w":"","x":{"v":"","w":""}}`},
		{name("at the root"), `{"v":"",‸"v":""}`},
		{name("unknown"), `{"x":1,"v":"",‸"x":2}`},
		{name("in an unknown value"), `{"x":{"a":1,‸"a":1}}`},
		{name("in an element"), `{"x":[{"a":1},{"a":1,"b":[{}],‸"a":1}]}`},
		{name("not in the next element"), `{"x":[{"a":1},{"a":1}]}`},
		{name("not in the object around"), `{"a":{"a":{"a":1}}}`},
		{name("after the objects inside"), `{"a":{"b":{"a":1,"c":2}},"c":[{"a":1}],‸"a":0}`},
		{name("escapes"), `{"ab":1,‸"\u0061b":1}`},
		{name("escapes in both"), `{"\u0061b":1,‸"a\u0062":1}`},
		{name("a pair"), `{"😀":1,‸"\ud83d\ude00":1}`},
		{name("a slash"), `{"a/b":1,‸"a\/b":1}`},
		{name("other case"), `{"a":1,"A":1}`},
		{name("prefixes"), `{"a":1,"ab":1,"abc":1,"":1}`},
		{name("empty"), `{"":1,‸"":1}`},
		{name("with white space"), ` { "v" : "" , ‸"v" : "" } `},
		{name("the first of two"), `{"a":1,"b":1,‸"b":1,"a":1}`},
		{name("the inner one comes first"), `{"a":{"b":1,‸"b":1},"a":1}`},
		{name("in an array in an array"), `{"x":[[[{"k":0,‸"k":0}]]]}`},
		{name("values that look like keys"), `{"x":["a","a"],"y":"x"}`},
	} {
		before, after, twice := strings.Cut(c.in, mark)
		doc := []byte(before + after)
		_, err := decodeHolder(&strict, doc, scalar((*Reader).AnyString))
		if twice != (codeOf(err) == wire.CodeDuplicate) || twice && err.(*wire.Error).Offset != len(before) { //nolint:errorlint // an error with a code is a *wire.Error
			t.Errorf("%v: %v", c.name, err)
		}
		against(t, rs, doc, scalar((*Reader).AnyString))
	}
}

// TestManyKeys decodes objects with so many keys that a hash table replaces the linear search,
// beside each other and nested.
func TestManyKeys(t *testing.T) {
	rs := readers()
	object := func(n int, twice int, inner string) string {
		var b strings.Builder
		b.WriteString(`{"inner":` + inner)
		for i := range n {
			fmt.Fprintf(&b, `,"k%d":0`, i)
		}
		if twice >= 0 {
			fmt.Fprintf(&b, `,"k%d":0`, twice)
		}
		return b.String() + "}"
	}
	for n := 16 - 3; n <= 16+3; n++ {
		for twice := -1; twice < n; twice++ {
			for _, doc := range []string{
				object(n, twice, "0"),
				object(n, -1, object(n, twice, "0")),
				object(n, twice, object(n, -1, "0")),
				`{"x":[` + object(n, -1, "0") + "," + object(n, twice, object(n, -1, "0")) + "]}",
			} {
				against(t, rs, []byte(doc), scalar((*Reader).AnyString))
			}
		}
	}
	against(t, rs, []byte(object(3000, 2999, object(3000, 0, "0"))), scalar((*Reader).AnyString))
}

// TestLastWins: except in strict mode, the last of two values wins whole.
func TestLastWins(t *testing.T) {
	rs := readers()
	for _, doc := range []string{`{"v":"a","v":"b"}`, `{"v":"a","v":null}`, `{"v":null,"v":"b"}`, `{"v":"a","\u0076":"c"}`, `{"v":"a","v":1}`} {
		against(t, rs, []byte(doc), scalar((*Reader).AnyString))
	}
	for _, doc := range []string{`{"v":[1,2,3],"v":[4]}`, `{"v":[1],"v":[]}`, `{"v":[1],"v":null}`} {
		against(t, rs, []byte(doc), func(r *Reader, p, depth int) ([]int, int) { return r.Ints(new(Slab[int]), p, depth) })
	}
}
