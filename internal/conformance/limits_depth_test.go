package conformance

import (
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/oracle"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/wire"
)

// TestDepth shows where the limit on depth refuses.
func TestDepth(t *testing.T) {
	for _, c := range []struct {
		name caseName
		max  int
		in   string
		path string
		code wire.Code
	}{
		{name: name("an object of scalars"), max: 1, in: `{"id":"1","at":1,"ext":"x","x":null}`},
		{name: name("empty, with white space"), max: 1, in: ` { } `},
		{name: name("null is a scalar"), max: 1, in: `{"imp":null,"site":null,"cur":null,"x":null}`},
		{name: name("an empty array"), max: 1, in: `{"cur":‸[]}`, code: wire.CodeDepth, path: "/cur"},
		{name: name("an array of integers"), max: 2, in: `{"imp":[‸{}]}`, code: wire.CodeDepth, path: "/imp/0"},
		{name: name("an empty array of objects"), max: 1, in: `{"imp":‸[]}`, code: wire.CodeDepth, path: "/imp"},
		{name: name("an object"), max: 1, in: `{"site":‸{}}`, code: wire.CodeDepth, path: "/site"},
		{name: name("ext"), max: 1, in: `{"ext":‸{}}`, code: wire.CodeDepth, path: "/ext"},
		{name: name("unknown"), max: 1, in: `{"x":‸[]}`, code: wire.CodeDepth, path: "/x"},
		{name: name("strings at 2"), max: 2, in: `{"cur":["USD"],"site":{"id":"1"},"ext":{"a":1},"x":[1]}`},
		{name: name("unknown at 2"), max: 2, in: `{"x":[1,‸[]]}`, code: wire.CodeDepth, path: "/x/1"},
		{name: name("known at 3"), max: 2, in: `{"site":{"publisher":‸{}}}`, code: wire.CodeDepth, path: "/site/publisher"},
		{name: name("objects in an array are two levels"), max: 3, in: `{"imp":[{"id":"1"}]}`},
		{name: name("one more"), max: 3, in: `{"imp":[{"banner":‸{}}]}`, code: wire.CodeDepth, path: "/imp/0/banner"},
		{name: name("unknown in a known object"), max: 4, in: `{"imp":[{"banner":{"x":‸[]}}]}`, code: wire.CodeDepth, path: "/imp/0/banner/x"},
		{name: name("ext in a known object"), max: 4, in: `{"imp":[{"banner":{"ext":1}}]}`},
		{name: name("0 is 1"), max: 0, in: `{"site":‸{}}`, code: wire.CodeDepth, path: "/site"},
		{name: name("a negative limit is 1"), max: -5, in: `{"id":"1"}`},
		{name: name("too deep, and cut off"), max: 1, in: `{"x":‸[[[[[`, code: wire.CodeDepth, path: "/x"},
	} {
		refusedAs(t, c.name, c.in, c.code, c.path, wire.MaxDepth(c.max))
	}

	// Real documents, for every limit below 10.
	docs := testkit.Requests(t)
	for depth := 1; depth < 10; depth++ {
		e := decoderEntry(oracle.Default, wire.MaxDepth(depth))
		for i := 0; i < len(docs); i += 37 {
			against(t, e, docs[i], oracle.Options{Depth: depth})
		}
	}
}

// TestDepthDefault decodes documents of exactly 1,024 levels, and of one more.
func TestDepthDefault(t *testing.T) {
	list := entries()
	for _, place := range []struct {
		before, after, path string
		levels              int // around the nested value
	}{
		{`{"ext":`, `}`, "/ext", 1},
		{`{"x":`, `}`, "/x", 1},
		{`{"imp":[{"ext":`, `}]}`, "/imp/0/ext", 3},
		{`{"imp":[{"banner":{"x":`, `}}]}`, "/imp/0/banner/x", 4},
	} {
		for _, brackets := range []struct{ open, close, element string }{{"[", "]", "/0"}, {`{"a":`, "}", "/a"}, {` [ { "a" : `, " } ] ", "/0/a"}} {
			per := strings.Count(brackets.element, "/")
			n := (1024 - place.levels) / per
			nested := func(n int) []byte {
				return []byte(place.before + strings.Repeat(brackets.open, n) + "0" + strings.Repeat(brackets.close, n) + place.after)
			}
			everywhere(t, list, nested(n))
			everywhere(t, list, nested(n+1))
			for _, e := range list {
				if e.response {
					continue
				}
				if err := e.refusal(nested(n)); err != nil {
					t.Errorf("%s: %d levels: %v", e.name, place.levels+per*n, err)
				}
				err := e.refusal(nested(n + 1))
				if err == nil || err.Code != wire.CodeDepth.String() {
					t.Errorf("%s: %d levels%s%s: %v", e.name, place.levels+per*(n+1), place.path, brackets.element, err)
					continue
				}
				if !strings.HasPrefix(err.Path, place.path+brackets.element) {
					t.Errorf("%s: path %.60q, want it below %q", e.name, err.Path, place.path)
				}
			}
		}
	}
	refusedAs(t, name("a limit above the largest is the largest"), `{"x":`+strings.Repeat("[", 1023)+mark+"[", wire.CodeDepth, "/x"+strings.Repeat("/0", 508)+"/0/...", wire.MaxDepth(1<<20))
}
