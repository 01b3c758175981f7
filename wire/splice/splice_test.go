package splice

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/internal/testenv"
	"github.com/rtbwire/rtbwire/wire"
)

// spliced applies edits written as "path=value" or "-path".
func spliced(t testing.TB, doc string, edits ...string) (string, error) {
	t.Helper()
	var list []wire.Edit
	for _, e := range edits {
		if path, ok := strings.CutPrefix(e, "-"); ok {
			list = append(list, wire.Remove(path))
			continue
		}
		path, value, _ := strings.Cut(e, "=")
		list = append(list, wire.Set(path, []byte(value)))
	}
	out, err := Apply([]byte("<"), []byte(doc), list...)
	if err != nil && string(out) != "<" {
		t.Errorf("%s, %q: dst is %q after an error", doc, edits, out)
	}
	return strings.TrimPrefix(string(out), "<"), err
}

// TestSplice shows what each kind of edit does to the text.
func TestSplice(t *testing.T) {
	for _, c := range []struct {
		doc   string
		edits []string
		want  string
	}{
		{` {"a" : 1.50 } `, nil, ` {"a" : 1.50 } `},
		// Replacing.
		{`{"a":1,"b":2}`, []string{"/a=3"}, `{"a":3,"b":2}`},
		{`{ "a" : 1 , "b" : 2 }`, []string{"/b=\"x\""}, `{ "a" : 1 , "b" : "x" }`},
		{`{"a":{"b":[1,{"c":2}]}}`, []string{"/a/b/1/c=9"}, `{"a":{"b":[1,{"c":9}]}}`},
		{`{"a":1,"b":2,"a":3}`, []string{"/a=4"}, `{"a":1,"b":2,"a":4}`},
		{`{"\u0061":1}`, []string{"/a=2"}, `{"\u0061":2}`},
		{`{"a/b":1,"m~n":2}`, []string{"/a~1b=3", "/m~0n=4"}, `{"a/b":3,"m~n":4}`},
		{`{"":{"":1}}`, []string{"//=2"}, `{"":{"":2}}`},
		// Inserting.
		{`{}`, []string{"/a=1"}, `{"a":1}`},
		{`{ }`, []string{"/a=1"}, `{"a":1 }`},
		{`{"a":1}`, []string{"/b=2", "/c=3"}, `{"a":1,"b":2,"c":3}`},
		{"{\n  \"a\": 1\n}", []string{"/b=2"}, "{\n  \"a\": 1,\"b\":2\n}"},
		{`{"a":1}`, []string{"/ext/x=2", "/ext/y/z=3"}, `{"a":1,"ext":{"x":2,"y":{"z":3}}}`},
		{`{"ext":null}`, []string{"/ext/x=2"}, `{"ext":{"x":2}}`},
		{`{"a":{"b":1},"a":{"c":2}}`, []string{"/a/d=3"}, `{"a":{"b":1},"a":{"c":2,"d":3}}`},
		{`{}`, []string{"/a\"\n=1"}, `{"a\"\n":1}`},
		{`{"a":[]}`, []string{"/a/-=1"}, `{"a":[1]}`},
		{`{"a":[0]}`, []string{"/a/-=1"}, `{"a":[0,1]}`},
		{`{}`, []string{"/a/-/b=1"}, `{"a":[{"b":1}]}`},
		// Removing.
		{`{"a":1}`, []string{"-/a"}, `{}`},
		{`{"a":1,"b":2,"c":3}`, []string{"-/a"}, `{"b":2,"c":3}`},
		{`{"a":1,"b":2,"c":3}`, []string{"-/b"}, `{"a":1,"c":3}`},
		{`{"a":1,"b":2,"c":3}`, []string{"-/c"}, `{"a":1,"b":2}`},
		{`{"a":1,"b":2,"c":3}`, []string{"-/b", "-/c"}, `{"a":1}`},
		{`{"a":1,"b":2,"c":3}`, []string{"-/a", "-/b", "-/c"}, `{}`},
		{`{"a":1,"b":2,"c":3}`, []string{"-/a", "-/c"}, `{"b":2}`},
		{`{"a":1,"b":2,"a":3}`, []string{"-/a"}, `{"b":2}`},
		{`{ "a" : 1 , "b" : 2 }`, []string{"-/b"}, `{ "a" : 1 }`},
		{`{ "a" : 1 , "b" : 2 }`, []string{"-/a"}, `{ "b" : 2 }`},
		{`{"a":[1,2,3]}`, []string{"-/a/0", "-/a/2"}, `{"a":[2]}`},
		{`{"a":1}`, []string{"-/b", "-/b2/c", "-/a/c"}, `{"a":1}`},
		{`{"a":[1]}`, []string{"-/a/5"}, `{"a":[1]}`},
		{`{"a":{"x":1},"a":{"x":2,"y":3}}`, []string{"-/a/x"}, `{"a":{},"a":{"y":3}}`},
		{`{"a":{"x":1},"a":{"x":2}}`, []string{"-/a/x", "/a/y=4"}, `{"a":{},"a":{"y":4}}`},
		{`{"a":[{"x":1}],"a":5,"a":{"0":{"x":1,"z":2}}}`, []string{"-/a/0/x", "/a/0/q=1"}, `{"a":[{}],"a":5,"a":{"0":{"z":2,"q":1}}}`},
		{`{"id":1}`, []string{"/w/-=2", "-/w/0"}, `{"id":1,"w":[2]}`},
		// Both at once.
		{`{"a":1,"b":2}`, []string{"-/a", "/c=3", "-/b"}, `{"c":3}`},
		{`{"a":1,"b":2,"c":{"d":4}}`, []string{"/b=5", "-/a", "/c/e=6", "-/c/d"}, `{"b":5,"c":{"e":6}}`},
		{`{"imp":[{"id":"1"},{"id":"2"}]}`, []string{"/imp/1/bidfloor=0.5", "/imp/0/id=\"x\"", "/imp/-={}"}, `{"imp":[{"id":"x"},{"id":"2","bidfloor":0.5},{}]}`},
		{`{"a":[1,2]}`, []string{"-/a/1", "/a/-=3"}, `{"a":[1,3]}`},
	} {
		got, err := spliced(t, c.doc, c.edits...)
		if err != nil || got != c.want {
			t.Errorf("%s, %q: %s, %v, want %s", c.doc, c.edits, got, err, c.want)
		}
	}
}

// TestSpliceErrors checks that nothing is written when an edit, or the document, is no good.
func TestSpliceErrors(t *testing.T) {
	for _, c := range []struct {
		doc    string
		edits  []string
		code   wire.Code
		path   string
		offset int
	}{
		{`{"a":1}`, []string{"=1"}, wire.CodePath, "", -1},
		{`{"a":1}`, []string{"a=1"}, wire.CodePath, "a", -1},
		{`{"a":1}`, []string{"/a~2=1"}, wire.CodePath, "/a~2", -1},
		{`{"a":1}`, []string{"/a~=1"}, wire.CodePath, "/a~", -1},
		{`{"a":1}`, []string{"/a/b=1"}, wire.CodePath, "/a", 5},
		{`{"a":"x"}`, []string{"/a/b/c=1"}, wire.CodePath, "/a", 5},
		{`{"a":[1]}`, []string{"/a/1=1"}, wire.CodePath, "/a/1", 5},
		{`{"a":[1]}`, []string{"/a/x=1"}, wire.CodePath, "/a/x", 5},
		{`{"a":[1]}`, []string{"/a/00=1"}, wire.CodePath, "/a/00", 5},
		{`{"a":[1]}`, []string{"/a/0/b=1"}, wire.CodePath, "/a/0", 6},
		{`{"a":1}`, []string{"/imp/0/id=1"}, wire.CodePath, "/imp/0", -1},
		{`{"imp":null}`, []string{"/imp/0/id=1"}, wire.CodePath, "/imp/0", -1},
		{`{"a":1}`, []string{"/w/-=1", "/w/x=1"}, wire.CodePath, "/w/x", -1},
		{`{"a":1}`, []string{"/\xff=1"}, wire.CodePath, "/\xff", -1},
		{`{"a":1}`, []string{"/a=1", "/a=2"}, wire.CodeConflict, "/a", -1},
		{`{"a":1}`, []string{"/a=1", "/a/b=2"}, wire.CodeConflict, "/a/b", -1},
		{`{"a":1}`, []string{"/a/b=1", "-/a"}, wire.CodeConflict, "/a", -1},
		{`{"a":1}`, []string{"/a="}, wire.CodeEmpty, "/a", 0},
		{`{"a":1}`, []string{"/a=1 2"}, wire.CodeTrailing, "/a", 2},
		{`{"a":1}`, []string{`/a={"b":01}`}, wire.CodeNumber, "/a", 6},
		{`{"a":1`, []string{"/a=2"}, wire.CodeTruncated, "", 6},
		{`{"a":1}}`, []string{"/a=2"}, wire.CodeTrailing, "", 7},
		{`{"a":1,}`, []string{"/a=2"}, wire.CodeSyntax, "", 7},
		{`{"a":01,"b":2}`, []string{"/b=3"}, wire.CodeNumber, "/a", 6},
		{`[{"a":1}]`, []string{"/0/a=2"}, wire.CodeType, "", 0},
		{"{\"a\":\"\xff\"}", []string{"/b=1"}, wire.CodeUTF8, "/a", 6},
	} {
		_, err := spliced(t, c.doc, c.edits...)
		var e *wire.Error
		if !errors.As(err, &e) || e.Code != c.code || e.Path != c.path || e.Offset != c.offset {
			t.Errorf("%s, %q: %v, want %s at %d in %q", c.doc, c.edits, err, c.code, c.offset, c.path)
		}
	}
}

// model is a document decoded with its order and duplicates: what edits are applied to in a clear and slow way.
type model struct {
	kind    byte // '{', '[' or 0 for everything else
	text    string
	keys    []string
	members []*model
	behind  *model // what "-" names in an array

	from, to int // where it stands in the text
}

func parseTree(d *json.Decoder, all string) *model {
	from := int(d.InputOffset())
	from += len(all[from:]) - len(strings.TrimLeft(all[from:], " \t\r\n,:"))
	tok, err := d.Token()
	if err != nil {
		panic(err)
	}
	open, ok := tok.(json.Delim)
	if !ok {
		text, err := json.Marshal(tok)
		if n, isNumber := tok.(json.Number); isNumber {
			text = []byte(n)
		}
		if err != nil {
			panic(err)
		}
		return &model{text: string(text), from: from, to: int(d.InputOffset())}
	}
	out := &model{kind: byte(open), from: from}
	for d.More() {
		key := ""
		if open == '{' {
			tok, err := d.Token()
			if err != nil {
				panic(err)
			}
			key, _ = tok.(string)
		}
		out.keys, out.members = append(out.keys, key), append(out.members, parseTree(d, all))
	}
	if _, err := d.Token(); err != nil {
		panic(err)
	}
	out.to = int(d.InputOffset())
	return out
}

func treeOf(text string) *model {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return parseTree(d, text)
}

func (n *model) last(key string) int {
	for i, k := range slices.Backward(n.keys) {
		if k == key {
			return i
		}
	}
	return -1
}

var errOracle = errors.New("can't be applied")

// set is Set on the model. Indexes are those of the document before any edit.
func (n *model) set(path []string, value *model) error {
	name, rest := path[0], path[1:]
	var child *model
	switch n.kind {
	case '{':
		i := n.last(name)
		if i < 0 {
			i = len(n.members)
			n.keys, n.members = append(n.keys, name), append(n.members, nil)
		}
		if len(rest) == 0 {
			n.members[i] = value
			return nil
		}
		if n.members[i] == nil || n.members[i].text == "null" {
			n.members[i] = made(rest)
		}
		child = n.members[i]
	case '[':
		place := &n.behind
		if name != "-" {
			i := grammar.PointerIndex(name)
			if i < 0 || i >= len(n.members) {
				return errOracle
			}
			place = &n.members[i]
		}
		if len(rest) == 0 {
			*place = value
			return nil
		}
		if *place == nil || (*place).text == "null" {
			*place = made(rest)
		}
		child = *place
	default:
		return errOracle
	}
	return child.set(rest, value)
}

// made is the parent that is created for what is to stand at a path.
func made(rest []string) *model {
	if len(rest) > 0 && rest[0] == "-" {
		return &model{kind: '['}
	}
	return &model{kind: '{'}
}

// remove is Remove on the model; a removed element leaves a nil, so that indexes stay what they are.
func (n *model) remove(path []string) {
	for i := len(n.members) - 1; i >= 0; i-- {
		if n.members[i] == nil || n.kind == '{' && n.keys[i] != path[0] || n.kind == '[' && strconv.Itoa(i) != path[0] {
			continue
		}
		if len(path) == 1 {
			n.members[i] = nil
			continue
		}
		n.members[i].remove(path[1:])
	}
}

func (n *model) write(b *strings.Builder) {
	if n.kind == 0 {
		b.WriteString(n.text)
		return
	}
	b.WriteByte(n.kind)
	first := true
	for i, m := range append(slices.Clip(n.members), n.behind) {
		if m == nil {
			continue
		}
		if !first {
			b.WriteByte(',')
		}
		first = false
		if n.kind == '{' {
			key, _ := json.Marshal(n.keys[i])
			b.Write(key)
			b.WriteByte(':')
		}
		m.write(b)
	}
	b.WriteByte(n.kind + 2)
}

func (n *model) String() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

// compact writes a text as trees are written.
func compact(text string) string { return treeOf(text).String() }

// checkSplice applies edits to the text and to the model and compares; see checkBytes for the bytes.
func checkSplice(t testing.TB, doc string, edits []wire.Edit) {
	t.Helper()
	out, err := Apply(nil, []byte(doc), edits...)
	want := treeOf(doc)
	var oracle error
	for _, e := range edits { // removals first, which leave indexes as they are: paths are those of the document
		if e.Value == nil {
			want.remove(tokens(e.Path))
		}
	}
	for _, e := range edits {
		if e.Value != nil && oracle == nil {
			oracle = want.set(tokens(e.Path), treeOf(string(e.Value)))
		}
	}
	if e := (*wire.Error)(nil); errors.As(err, &e) && e.Code == wire.CodeConflict {
		return // the model has no opinion
	}
	if (err != nil) != (oracle != nil) {
		t.Fatalf("%s, %s: error %v, the model has %v", doc, show(edits), err, oracle)
	}
	if err != nil {
		return
	}
	if got := compact(string(out)); got != want.String() {
		t.Fatalf("%s, %s:\n%s, the model has\n%s", doc, show(edits), out, want)
	}
}

// checkBytes applies one edit and checks that every byte outside of the place stays: around a value that is replaced,
// all of them where something is inserted, and what is left where something is removed.
func checkBytes(t testing.TB, doc string, edit wire.Edit) {
	t.Helper()
	out, err := Apply(nil, []byte(doc), edit)
	if err != nil {
		return
	}
	front := 0
	for front < min(len(doc), len(out)) && doc[front] == out[front] {
		front++
	}
	back := 0
	for back < min(len(doc), len(out)) && doc[len(doc)-1-back] == out[len(out)-1-back] {
		back++
	}
	n, unique := treeOf(doc).at(tokens(edit.Path))
	switch {
	case edit.Value == nil && unique:
		if front+back < len(out) {
			t.Fatalf("%s, %s=: %s has other bytes", doc, edit.Path, out)
		}
	case edit.Value != nil && n != nil:
		if want := doc[:n.from] + string(edit.Value) + doc[n.to:]; want != string(out) {
			t.Fatalf("%s, %s=%s: %s, want %s", doc, edit.Path, edit.Value, out, want)
		}
	case edit.Value != nil && !strings.Contains(doc, "null"): // which may be an absent parent, and is replaced
		if front+back < len(doc) {
			t.Fatalf("%s, %s=%s: %s has other bytes", doc, edit.Path, edit.Value, out)
		}
	}
}

// at returns what stands at a path, or nil, and whether no key on the way comes twice.
func (n *model) at(path []string) (found *model, unique bool) {
	unique = true
	for _, name := range path {
		i := -1
		switch n.kind {
		case '{':
			i = n.last(name)
			unique = unique && i == slices.Index(n.keys, name)
		case '[':
			i = grammar.PointerIndex(name)
		}
		if i < 0 || i >= len(n.members) {
			return nil, unique
		}
		n = n.members[i]
	}
	return n, unique
}

func tokens(path string) (out []string) {
	for _, s := range strings.Split(path, "/")[1:] {
		name, _ := grammar.UnescapePointer(s)
		out = append(out, name)
	}
	return out
}

func show(edits []wire.Edit) string {
	var b strings.Builder
	for _, e := range edits {
		fmt.Fprintf(&b, "%s=%s ", e.Path, e.Value)
	}
	return b.String()
}

// randomEdits picks places in the document, and next to them.
func randomEdits(r *rand.Rand, doc *model) []wire.Edit {
	values := []string{"1", "null", `"x"`, `{"n":[1,2]}`, "[]", " {} "}
	var edits []wire.Edit
	for range 1 + r.IntN(4) {
		n, path := doc, ""
		for range 5 {
			var name string
			switch {
			case len(n.members) > 0 && r.IntN(5) > 0:
				i := r.IntN(len(n.members))
				if name = strconv.Itoa(i); n.kind == '{' {
					name = n.keys[i]
				}
				n = n.members[i]
			case n.kind == '[':
				name = []string{"-", "0", "7", "x"}[r.IntN(4)]
				n = &model{kind: '{'}
			default:
				name = []string{"ext", "new", "", "a/b~c", "id"}[r.IntN(5)]
				n = &model{kind: '{'}
			}
			path += "/" + grammar.EscapePointer(name)
			if r.IntN(3) == 0 {
				break
			}
		}
		if r.IntN(3) == 0 {
			edits = append(edits, wire.Remove(path))
		} else {
			edits = append(edits, wire.Set(path, []byte(values[r.IntN(len(values))])))
		}
	}
	return edits
}

// TestSpliceAgainstTree applies random edits to real requests.
func TestSpliceAgainstTree(t *testing.T) {
	data, err := os.ReadFile("../../testdata/corpus/requests.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(7, 0))
	docs := strings.Split(strings.TrimSpace(string(data)), "\n")
	n := 4
	if testing.Short() {
		n = 1
	}
	for _, doc := range docs {
		if !json.Valid([]byte(doc)) || doc[0] != '{' {
			continue
		}
		model := treeOf(doc)
		for range n {
			edits := randomEdits(r, model)
			checkSplice(t, doc, edits)
			checkBytes(t, doc, edits[0])
		}
	}
}

// FuzzSplice applies edits made from a seed to any document.
func FuzzSplice(f *testing.F) {
	for _, doc := range []string{`{}`, `{"a":1,"a":{"b":[1,{"c":null}]}}`, ` { "a" : [ ] , "\u0062" : { } } `, `{"x":[[[0]]],"y":"\"\\"}`} {
		for seed := range uint64(4) {
			f.Add(doc, seed)
		}
	}
	f.Fuzz(func(t *testing.T, doc string, seed uint64) {
		if !json.Valid([]byte(doc)) || strings.TrimLeft(doc, " \t\r\n")[0] != '{' {
			return
		}
		if _, err := Apply(nil, []byte(doc), wire.Remove("/no such member")); err != nil {
			return // a limit, or text that encoding/json repairs
		}
		edits := randomEdits(rand.New(rand.NewPCG(seed, 1)), treeOf(doc))
		checkSplice(t, doc, edits)
		for _, e := range edits {
			checkBytes(t, doc, e)
		}
	})
}

// TestSpliceKeepsBytes checks that what no edit is about is byte for byte the same: white space, numbers, escapes.
func TestSpliceKeepsBytes(t *testing.T) {
	doc := "\t{ \"a\" : 1.500e+0 ,\r\n \"b\\u0062\":[ 1 , 2 ], \"c\": { } , \"d\":\"\\/\" } \n"
	for at, edit := range map[string]wire.Edit{
		"1.500e+0": wire.Set("/a", []byte("2")), "[ 1 , 2 ]": wire.Set("/bb", []byte("2")), "{ }": wire.Set("/c", []byte("2")), `"\/"`: wire.Set("/d", []byte("2")),
	} {
		out, err := Apply(nil, []byte(doc), edit)
		if want := strings.Replace(doc, at, "2", 1); err != nil || string(out) != want {
			t.Errorf("%s: %q, %v, want %q", edit.Path, out, err, want)
		}
	}
}

// TestSpliceAppends checks that dst keeps what it has, and that its memory is used: by builds that can tell whether the
// text is there too.
func TestSpliceAppends(t *testing.T) {
	dst := append(make([]byte, 0, 100), "before "...)
	out, err := Apply(dst, []byte(`{"a":1}`), wire.Set("/b", []byte("2")))
	if err != nil || string(out) != `before {"a":1,"b":2}` || mem.ZeroCopy && &out[0] != &dst[0] {
		t.Errorf("%q, %v", out, err)
	}
	doc, edits := []byte(`{"a":{"b":1}}`), []wire.Edit{wire.Set("/a/b", []byte("2")), wire.Remove("/x")}
	if n := testing.AllocsPerRun(100, func() { dst, _ = Apply(dst[:0], doc, edits...) }); n != 0 && mem.ZeroCopy && !testenv.Race {
		t.Errorf("%v allocations", n)
	}
	same := slices.Clone(doc)
	if out, err := Apply(nil, doc); err != nil || !bytes.Equal(out, same) || !reflect.DeepEqual(doc, same) {
		t.Errorf("%q, %v", out, err)
	}
}

// TestSpliceWithin checks that editing one object of a document by its offset is the same as finding it, for inserting
// one member too, which has a way of its own.
func TestSpliceWithin(t *testing.T) {
	for _, object := range []string{`{}`, `{ }`, `{"a":1}`, `{"a":1 }`, "{\n\"a\" : \"x\"\n}", `{"ab":"b"}`, `{"a":"\"b\""}`, `{"\u0062":1}`, `{"b":1,"b":2}`, `{"a":{"b":2}}`, `{"a":{"b":2},"b":3}`, `{"b~":1}`} {
		for _, edits := range [][]wire.Edit{
			{wire.Set("/x/e/b", []byte("5"))}, {wire.Set("/x/e/b", []byte(` {"c":[]} `))}, {wire.Remove("/x/e/b")}, {wire.Set("/x/e/b~0", []byte("1"))}, {wire.Set("/x/e/b/c", []byte("1"))},
			{wire.Set("/x/e/b", []byte("5")), wire.Set("/x/e/c", []byte("6"))}, {wire.Set("/x/e/b", []byte("{"))}, {wire.Set("/x/e/b", []byte{})}, {wire.Set("/x/e/", []byte("1"))}, {wire.Set("/x/e/é", []byte("1"))},
		} {
			doc := []byte(`{"b":0,"x":{"d":1,"e":` + object + ` },"y":"b"}`)
			at := bytes.Index(doc, []byte(object))
			want, wantErr := Apply([]byte("<"), doc, edits...)
			got, ok, err := Within([]byte("<"), doc, doc[at:at+len(object)], "/x/e", edits...)
			if !mem.ZeroCopy {
				if ok || string(got) != "<" {
					t.Fatalf("%s, %s: %s, %v", doc, show(edits), got, ok)
				}
				continue
			}
			if !ok || string(got) != string(want) || !reflect.DeepEqual(err, wantErr) {
				t.Errorf("%s, %s:\n%s %v, want\n%s %v", doc, show(edits), got, err, want, wantErr)
			}
		}
	}
	doc := []byte(`{"x":{"a":1}}`)
	for name, part := range map[string][]byte{"a copy": []byte(`{"a":1}`), "nothing": nil, "empty": doc[5:5], "behind": append(doc, "{}"...)[len(doc):]} {
		if out, ok, err := Within(nil, doc, part, "/x", wire.Set("/x/b", []byte("1"))); ok || out != nil || err != nil {
			t.Errorf("%s: %s, %v, %v", name, out, ok, err)
		}
	}
	for _, path := range []string{"/x", "/xy/b", "/y/b", ""} {
		if _, ok, _ := Within(nil, doc, doc[5:12], "/x", wire.Set(path, []byte("1"))); ok {
			t.Errorf("%q is taken for a path below /x", path)
		}
	}
}

// TestSpliceMany edits many members and elements at once, which are found by other means than a few.
func TestSpliceMany(t *testing.T) {
	for _, n := range []int{manyChildren - 1, manyChildren, manyChildren + 1, 300} {
		var doc, list strings.Builder
		var edits []wire.Edit
		for i := range n {
			fmt.Fprintf(&doc, `"k%d":%d,`, i, i)
			fmt.Fprintf(&list, `,{"x":%d}`, i)
			edits = append(edits, wire.Set(fmt.Sprintf("/k%d", i), []byte("-1")))
			if i%3 == 0 {
				edits = append(edits, wire.Remove(fmt.Sprintf("/imp/%d/x", i)))
			} else {
				edits = append(edits, wire.Set(fmt.Sprintf("/imp/%d/y", i), []byte("[]")))
			}
		}
		text := "{" + doc.String() + `"imp":[` + list.String()[1:] + "]}"
		checkSplice(t, text, edits)
		slices.Reverse(edits)
		checkSplice(t, text, edits)
		var paths []string
		for i := range n {
			paths = append(paths, fmt.Sprintf("/imp/%d/x", n-1-i), fmt.Sprintf("/k%d", i))
		}
		found, err := Find([]byte(text), paths...)
		if err != nil || len(found) != 2*n {
			t.Errorf("%d of %d found, %v", len(found), 2*n, err)
		}
	}
}

// TestSpliceOverlap writes the result over what it is made of.
func TestSpliceOverlap(t *testing.T) {
	const doc = `{"a":1,"ext":{"k":1},"imp":[{"id":"a","bidfloor":0}],"b":"text"}`
	for _, edits := range [][]wire.Edit{
		{wire.Set("/ext/score", []byte("12"))}, {wire.Set("/imp/0/bidfloor", []byte("0.75")), wire.Remove("/a")}, {wire.Remove("/ext")}, {wire.Set("/b", []byte(`"longer text than before"`))},
	} {
		want, err := Apply(nil, []byte(doc), edits...)
		if err != nil {
			t.Fatal(err)
		}
		for _, shift := range []int{0, 1, 5, 30, 200} {
			buf := make([]byte, shift+len(doc), 1000)
			copy(buf[shift:], doc)
			if got, err := Apply(buf[:0], buf[shift:], edits...); err != nil || string(got) != string(want) {
				t.Errorf("shift %d: %s, %v, want %s", shift, got, err, want)
			}
			copy(buf[shift:], doc)
			at := bytes.Index(buf, []byte(`{"k":1}`))
			if got, ok, err := Within(buf[:0], buf[shift:], buf[at:at+7], "/ext", edits...); ok && (err != nil || string(got) != string(want)) {
				t.Errorf("within, shift %d: %s, %v, want %s", shift, got, err, want)
			}
		}
		buf := append(make([]byte, 0, 1000), "12345"...)
		if got, err := Apply(buf[:0], []byte(doc), wire.Set("/a", buf)); err != nil || !bytes.Contains(got, []byte(`{"a":12345,`)) {
			t.Errorf("%s, %v", got, err)
		}
	}
}
