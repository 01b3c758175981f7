package conformance

import (
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/oracle"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// refusedAs decodes a marked text with options and compares the refusal. Code 0 means accepted.
func refusedAs(t *testing.T, n caseName, in string, code wire.Code, path string, options ...wire.Option) {
	t.Helper()
	data, marks := unmark(in)
	got := decoderEntry(oracle.Default, options...).refusal(data)
	switch {
	case code == 0 && got != nil:
		t.Errorf("%v: refused for %v, want no error", n, *got)
	case code != 0 && got == nil:
		t.Errorf("%v: accepted, want %s", n, code.String())
	case code != 0 && *got != fault(code, marks[0], path):
		t.Errorf("%v: refused for %v, want %v", n, *got, fault(code, marks[0], path))
	}
}

// TestSize shows where the limit on size refuses.
func TestSize(t *testing.T) {
	for _, c := range []struct {
		name caseName
		max  int
		in   string
		path string
		code wire.Code
	}{
		{name: name("just fits"), max: 10, in: `{"id":"1"}`},
		{name: name("one too long"), max: 9, in: `{"id":"1"‸}`, code: wire.CodeSize},
		{name: name("white space counts"), max: 10, in: "{\"id\":\"1\"}‸ ", code: wire.CodeSize},
		{name: name("in a value"), max: 20, in: `{"imp":[{},{"id":"12‸3456789"}]}`, code: wire.CodeSize, path: "/imp/1/id"},
		{name: name("text beyond the limit is not read"), max: 5, in: "{\"x\":‸\xff\x00", code: wire.CodeSize, path: "/x"},
		{name: name("0 is 1"), max: 0, in: `{‸}`, code: wire.CodeSize},
	} {
		refusedAs(t, c.name, c.in, c.code, c.path, wire.MaxSize(c.max))
	}
	docs := testkit.Requests(t)
	for i := 0; i < len(docs); i += 101 {
		size := len(docs[i]) * (i % 7) / 6
		against(t, decoderEntry(oracle.Default, wire.MaxSize(size)), docs[i], oracle.Options{Size: max(size, 1)})
	}
}

// TestSizeDefault decodes a document of exactly the default limit, and one byte more.
func TestSizeDefault(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes 200 MB of memory")
	}
	data := []byte(`{"x":"` + strings.Repeat("a", wire.SizeDefault-len(`{"x":""}`)) + `"}`)
	if _, err := openrtb.ParseFast(data); err != nil {
		t.Errorf("%d bytes: %v", len(data), err)
	}
	refusedAs(t, name("one too many"), string(data)+mark+" ", wire.CodeSize, "")
}

// TestElements shows where the limit on elements refuses.
func TestElements(t *testing.T) {
	two := []wire.Option{wire.MaxElements(2)}
	for _, c := range []struct {
		name    caseName
		options []wire.Option
		in      string
		path    string
		code    wire.Code
	}{
		{name: name("two strings"), options: two, in: `{"cur":["a","b"]}`},
		{name: name("three strings"), options: two, in: `{"id":"1","cur": ‸["a","b","c"]}`, code: wire.CodeElements, path: "/cur"},
		{name: name("three with white space"), options: two, in: `{"cur":‸[ "a" , "b" , "c" ] }`, code: wire.CodeElements, path: "/cur"},
		{name: name("three integers"), options: two, in: `{"imp":[{"banner":{"api":‸[1,2,3]}}]}`, code: wire.CodeElements, path: "/imp/0/banner/api"},
		{name: name("three integers with white space"), options: two, in: `{"imp":[{"banner":{"api":‸[1, 2, 3 ]}}]}`, code: wire.CodeElements, path: "/imp/0/banner/api"},
		{name: name("three objects"), options: two, in: `{"imp":‸[{},{},{}]}`, code: wire.CodeElements, path: "/imp"},
		{name: name("three nulls"), options: two, in: `{"imp":‸[null,null,null]}`, code: wire.CodeElements, path: "/imp"},
		{name: name("two in each"), options: two, in: `{"imp":[{"banner":{"api":[1,2]}},{"banner":{"api":[3,4]}}]}`},
		{name: name("unknown arrays and ext have no limit"), options: two, in: `{"x":[1,2,3],"ext":[1,2,3]}`},
		{name: name("only empty arrays"), options: []wire.Option{wire.MaxElements(0)}, in: `{"cur":[],"imp":[]}`},
		{name: name("one is too many"), options: []wire.Option{wire.MaxElements(-1)}, in: `{"cur":‸["a"]}`, code: wire.CodeElements, path: "/cur"},
		{name: name("a bare value counts"), options: []wire.Option{wire.Lenient(), wire.MaxElements(0)}, in: `{"cur":‸"a"}`, code: wire.CodeElements, path: "/cur"},
		{name: name("an error in the array comes first"), options: two, in: `{"cur":["a","b","c",‸5]}`, code: wire.CodeType, path: "/cur/3"},
	} {
		refusedAs(t, c.name, c.in, c.code, c.path, c.options...)
	}
	e := decoderEntry(oracle.Default, wire.MaxElements(3))
	for i, d := range testkit.Requests(t) {
		if i%23 == 0 {
			against(t, e, d, oracle.Options{Elements: 3})
		}
	}
	many := `{"imp":[{"banner":{"api":` + mark + `[1` + strings.Repeat(",1", wire.ElementsDefault-1)
	refusedAs(t, name("the default"), many+`]}}]}`, 0, "")
	refusedAs(t, name("the default and one"), many+`,1]}}]}`, wire.CodeElements, "/imp/0/banner/api")
}
