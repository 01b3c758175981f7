package splice_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/splice"
)

// TestDoors applies random edits to random documents in every way that there is: with the text
// alone, and with each kind of decoded value. All of them must do what the model does. Documents
// have keys twice, keys with escapes, white space everywhere, and null.
func TestDoors(t *testing.T) {
	const bySeed = 1000
	n := testkit.Scale(t, 2*bySeed, 10*bySeed, 10_000*bySeed)
	shards := runtime.GOMAXPROCS(0)
	for shard := range shards {
		t.Run(strconv.Itoa(shard), func(t *testing.T) {
			t.Parallel()
			d := newDoors()
			for seed := shard; seed < n/bySeed && !t.Failed(); seed += shards {
				r := testkit.Rand(uint64(seed))
				for i := range bySeed {
					doc := randomDocument(r)
					edits := randomEdits(r, treeOf(doc))
					if r.IntN(3) > 0 {
						edits = randomExtEdits(r)
					}
					if d.check(t, r, doc, edits); t.Failed() {
						t.Fatalf("document %d of seed %d", i, seed)
					}
				}
			}
		})
	}
}

// TestDoorsOfExt lists what can be wrong about a document's ext, and asks all doors.
func TestDoorsOfExt(t *testing.T) {
	d := newDoors()
	for _, c := range []struct{ doc, edit, want string }{
		// A removed value must be gone from every ext, however its key is written.
		{`{"id":"1","ext":{"eid":"SECRET"},"ext":{"b":2}}`, "-/ext/eid", `{"id":"1","ext":{},"ext":{"b":2}}`},
		{`{"id":"1","e\u0078t":{"eid":"SECRET"},"ext":{"b":2}}`, "-/ext/eid", `{"id":"1","e\u0078t":{},"ext":{"b":2}}`},
		{`{"ext":{"b":2},"\u0065xt":{"\u0065id":"SECRET"}}`, "-/ext/eid", `{"ext":{"b":2},"\u0065xt":{}}`},
		{`{"ext":{"eid":1},"ext":{"eid":2},"ext":{"eid":3}}`, "-/ext/eid", `{"ext":{},"ext":{},"ext":{}}`},
		{`{"ext":{"eid":1},"ext":null}`, "-/ext/eid", `{"ext":{},"ext":null}`},
		{`{"ext":{"eid":1},"ext":7}`, "-/ext/eid", `{"ext":{},"ext":7}`},
		{`{"ext":null,"ext":{"eid":1}}`, "-/ext/eid", `{"ext":null,"ext":{}}`},
		// A new member goes to the ext that counts, which is the last one.
		{`{"ext":{"a":1},"ext":{"b":2}}`, "/ext/a=3", `{"ext":{"a":1},"ext":{"b":2,"a":3}}`},
		{`{"ext":{"a":1},"ext":null}`, "/ext/a=3", `{"ext":{"a":1},"ext":{"a":3}}`},
		{`{"ext":null,"ext":{"a":1}}`, "/ext/b=3", `{"ext":null,"ext":{"a":1,"b":3}}`},
		{`{"user":{"ext":{}},"ext":{"a":1}}`, "/ext/b=3", `{"user":{"ext":{}},"ext":{"a":1,"b":3}}`},
		{`{"ext":{"a":1},"user":{"ext":{}}}`, "/ext/b=3", `{"ext":{"a":1,"b":3},"user":{"ext":{}}}`},
		{`{"ext":{"a":1},"id":",\"ext\":{}}"}`, "/ext/b=3", `{"ext":{"a":1,"b":3},"id":",\"ext\":{}}"}`},
		// There is none.
		{`{}`, "/ext/a=1", `{"ext":{"a":1}}`},
		{"{ \t\r\n} ", "/ext/a=1", "{\"ext\":{\"a\":1} \t\r\n} "},
		{`{"id":"1" } `, "/ext/a=1", `{"id":"1","ext":{"a":1} } `},
		{`{"id":"{"}`, "/ext/a=1", `{"id":"{","ext":{"a":1}}`},
		{`{"x":{"ext":{"a":2}}}`, "/ext/a=1", `{"x":{"ext":{"a":2}},"ext":{"a":1}}`},
		{`{"id":"1"}`, "/ext/a/b/-=1", `{"id":"1","ext":{"a":{"b":[1]}}}`},
		{`{"id":"1"}`, "/ext/-=1", `{"id":"1","ext":[1]}`},
		{`{"id":"1"}`, "/ext/a~1=1", `{"id":"1","ext":{"a/":1}}`},
		{`{"id":"1"}`, "-/ext/a", `{"id":"1"}`},
		// White space in an empty object stays.
		{`{"ext":{  }}`, "/ext/a=1", `{"ext":{"a":1  }}`},
		{"{\"ext\" : {\n} }", "/ext/a=1", "{\"ext\" : {\"a\":1\n} }"},
		{`{"ext":{"b":0  }}`, "/ext/a=1", `{"ext":{"b":0,"a":1  }}`},
	} {
		path, value, set := strings.Cut(c.edit, "=")
		edit := wire.Set(path, []byte(value))
		if !set {
			edit = wire.Remove(path[1:])
		}
		if got, err := splice.Apply(nil, []byte(c.doc), edit); err != nil || string(got) != c.want {
			t.Errorf("%s, %s: %s, %v, want %s", c.doc, c.edit, got, err, c.want)
		}
		for seed := range uint64(20) { // what the caller makes of the value's ext
			d.check(t, testkit.Rand(seed), c.doc, []wire.Edit{edit})
		}
	}
}

// doors are the ways to apply edits, with what they keep from document to document.
type doors struct {
	requests  *openrtb.Decoder
	responses *openrtb.ResponseDecoder
	other     *openrtb.BidRequest // of another text
	buf       []byte
}

func newDoors() *doors {
	other, err := openrtb.ParseFast([]byte(`{"id":"other","ext":{"a":1},"user":{"ext":{}}}`))
	if err != nil {
		panic(err)
	}
	return &doors{openrtb.NewDecoder(), openrtb.NewResponseDecoder(), other, nil}
}

// check compares all doors with Apply, and Apply with the model.
func (d *doors) check(t *testing.T, r *rand.Rand, doc string, edits []wire.Edit) {
	t.Helper()
	checkSplice(t, doc, edits)
	data := []byte(doc)
	want, wantErr := splice.Apply([]byte("<"), data, edits...)
	door := func(name string, apply func(dst, data []byte, edits ...wire.Edit) ([]byte, error)) {
		dst := append(d.buf[:0], '<')
		got, err := apply(dst, data, edits...)
		d.buf = got
		if string(got) != string(want) || !reflect.DeepEqual(err, wantErr) {
			t.Errorf("%s: %s, %s:\n%s, %v, want\n%s, %v", name, doc, show(edits), got, err, want, wantErr)
		}
	}
	door("nil request", (*openrtb.BidRequest)(nil).Splice)
	door("nil response", (*openrtb.BidResponse)(nil).Splice)
	door("another request", d.other.Splice)
	door("an empty request", new(openrtb.BidRequest).Splice)

	request := func(name string, v *openrtb.BidRequest, err error) {
		if err != nil {
			t.Fatalf("%s: %v in %s", name, err, doc)
		}
		door(name, v.Splice)
		if v.Ext = nil; r.IntN(2) == 0 {
			v.Ext = part(r, data)
		}
		door(name+", changed", v.Splice)
		door(name+", a copy", new(*v).Splice)
	}
	v, err := openrtb.Parse(data)
	request("Parse", v, err)
	v, err = openrtb.ParseFast(data)
	request("ParseFast", v, err)
	v, err = openrtb.ParseFastArena(data)
	request("ParseFastArena", v, err)
	openrtb.ReleaseArena(v)
	door("ParseFastArena, released", v.Splice)
	v, err = d.requests.Decode(data)
	request("Decoder", v, err)
	door("Decoder.Splice", func(dst, _ []byte, edits ...wire.Edit) ([]byte, error) { return d.requests.Splice(dst, edits...) })

	response := func(name string, v *openrtb.BidResponse, err error) {
		if err != nil {
			t.Fatalf("%s: %v in %s", name, err, doc)
		}
		door(name, v.Splice)
		if v.Ext = nil; r.IntN(2) == 0 {
			v.Ext = part(r, data)
		}
		door(name+", changed", v.Splice)
	}
	w, err := openrtb.ParseResponse(data)
	response("ParseResponse", w, err)
	w, err = openrtb.ParseResponseFast(data)
	response("ParseResponseFast", w, err)
	w, err = openrtb.ParseResponseFastArena(data)
	response("ParseResponseFastArena", w, err)
	openrtb.ReleaseResponseArena(w)
	w, err = d.responses.Decode(data)
	response("ResponseDecoder", w, err)
	door("ResponseDecoder.Splice", func(dst, _ []byte, edits ...wire.Edit) ([]byte, error) { return d.responses.Splice(dst, edits...) })

	d.within(t, r, doc, edits)
}

// part returns any piece of the text, mostly one that looks like an object.
func part(r *rand.Rand, data []byte) []byte {
	from, to := r.IntN(len(data)), len(data)-r.IntN(3)
	if at := slices.Index(data[from:], '{'); at >= 0 && r.IntN(4) > 0 {
		from += at
		ends := []int{}
		for i := from; i < len(data); i++ {
			if data[i] == '}' {
				ends = append(ends, i+1)
			}
		}
		to = ends[r.IntN(len(ends))]
	}
	return data[from:max(from, to):max(from, to)]
}

// within moves the edits below an object whose path has no key twice, and compares Within, which
// is told where it is, with Apply.
func (d *doors) within(t *testing.T, r *rand.Rand, doc string, edits []wire.Edit) {
	t.Helper()
	root := treeOf(doc)
	path, n := "", root
	for len(n.keys) > 0 && (path == "" || r.IntN(2) == 0) {
		i := r.IntN(len(n.keys))
		if n.members[i].kind != '{' || slices.Index(n.keys, n.keys[i]) != n.last(n.keys[i]) {
			break
		}
		path, n = path+"/"+grammar.EscapePointer(n.keys[i]), n.members[i]
	}
	if path == "" {
		return
	}
	below := slices.Clone(edits)
	for i := range below {
		below[i].Path = path + below[i].Path
	}
	data := []byte(doc)
	want, wantErr := splice.Apply(nil, data, below...)
	got, ok, err := splice.Within(nil, data, data[n.from:n.to], path, below...)
	if ok && (string(got) != string(want) || !reflect.DeepEqual(err, wantErr)) {
		t.Errorf("Within: %s, %s:\n%s, %v, want\n%s, %v", doc, show(below), got, err, want, wantErr)
	}
}

// randomExtEdits are edits of and below ext: those that the doors have ways of their own for.
func randomExtEdits(r *rand.Rand) (edits []wire.Edit) {
	names := []string{"/a", "/b", "/new", "/ext", "/", "/é", "/a~1b", "/-", "/0", "/00", "/a/b", "/new/a", "/ext/a", "/-/a"}
	sets := r.IntN(3) > 0 // sets alone
	for range 1 + r.IntN(4) {
		path := "/ext" + names[r.IntN(len(names))]
		if r.IntN(12) == 0 {
			path = "/ext"
		}
		if !sets && r.IntN(2) == 0 {
			edits = append(edits, wire.Remove(path))
		} else {
			edits = append(edits, wire.Set(path, []byte([]string{"1", `"x"`, `{"a":[2]}`, "[]", "null", "1 ", "bad", ""}[min(r.IntN(40), 7)])))
		}
	}
	if r.IntN(10) == 0 {
		edits = append(edits, wire.Remove("/id"))
	}
	return edits
}

// randomDocument is one that decodes as a request and as a response.
func randomDocument(r *rand.Rand) string {
	g := generator{r: r}
	g.space()
	g.b.WriteByte('{')
	for i := range r.IntN(6) {
		if i > 0 {
			g.b.WriteByte(',')
		}
		switch name := []string{"ext", "ext", "ext", "a", "b", "new", "", "a/b~c", "id", "user", "imp"}[r.IntN(11)]; name {
		case "id": // known to both
			g.key(name)
			g.b.WriteString([]string{`"1"`, `"\u007b\""`, `"{\"ext\":{}"`, "null"}[r.IntN(4)])
		case "user", "imp": // known to a request
			g.key(name)
			open, end := "{", "}"
			if name == "imp" {
				open, end = `[{"id":"1",`, "}]"
			}
			g.b.WriteString(open)
			g.key("ext")
			g.value(2)
			g.b.WriteString(end)
		case "ext":
			g.key(name)
			if r.IntN(4) == 0 {
				g.value(3)
				continue
			}
			g.object(3)
		default:
			g.key(name)
			g.value(3)
		}
		g.space()
	}
	g.space()
	g.b.WriteByte('}')
	g.space()
	return g.b.String()
}

// generator writes random JSON.
type generator struct {
	r *rand.Rand
	b strings.Builder
}

// space writes white space, mostly none.
func (g *generator) space() {
	for g.r.IntN(6) == 0 {
		g.b.WriteByte(" \t\r\n"[g.r.IntN(4)])
	}
}

// key writes a key in any spelling, with its colon.
func (g *generator) key(name string) {
	g.space()
	g.b.WriteByte('"')
	escapes := g.r.IntN(6) == 0
	for _, c := range []byte(name) {
		if escapes && c < utf8.RuneSelf && g.r.IntN(2) == 0 {
			fmt.Fprintf(&g.b, `\u%04x`, c)
		} else {
			g.b.WriteByte(c)
		}
	}
	g.b.WriteByte('"')
	g.space()
	g.b.WriteByte(':')
	g.space()
}

func (g *generator) value(depth int) {
	switch k := g.r.IntN(8); {
	case k < 3 && depth > 0:
		g.object(depth)
	case k == 3 && depth > 0:
		g.b.WriteByte('[')
		g.space()
		for i := range g.r.IntN(4) {
			if i > 0 {
				g.b.WriteByte(',')
				g.space()
			}
			g.value(depth - 1)
			g.space()
		}
		g.b.WriteByte(']')
	default:
		g.b.WriteString([]string{"1", "-0.5e1", "null", "true", `"x"`, `"\"ext\":{"`, `"}"`, `",\\"`, `""`, `"]["`}[g.r.IntN(10)])
	}
}

func (g *generator) object(depth int) {
	g.b.WriteByte('{')
	for i := range g.r.IntN(4) {
		if i > 0 {
			g.b.WriteByte(',')
		}
		g.key([]string{"a", "b", "new", "ext", "", "é", "a/b", "0", "-"}[g.r.IntN(9)])
		g.value(depth - 1)
		g.space()
	}
	g.space()
	g.b.WriteByte('}')
}
