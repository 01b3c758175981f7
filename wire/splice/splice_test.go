package splice

import (
	"errors"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/wire"
)

// spliced applies edits that are written as "path=value" or "-path".
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
		{`{"a":{"b":1},"a":null}`, []string{"/a/b=3"}, `{"a":{"b":1},"a":{"b":3}}`},
		{`{"a":{"b":5},"a":{"b":{"c":1}}}`, []string{"/a/b/c=3"}, `{"a":{"b":5},"a":{"b":{"c":3}}}`},
		{`{"a":[],"a":{"0":1}}`, []string{"/a/0=3"}, `{"a":[],"a":{"0":3}}`},
		{`{"a":{}}`, []string{"/a/0=3", "/a/-=4"}, `{"a":{"0":3,"-":4}}`},
		{`{"a":1}`, []string{"/b/1a=3", "/b/--=4"}, `{"a":1,"b":{"1a":3,"--":4}}`},
		{`{"a":{  }}`, []string{"/a/b=3"}, `{"a":{"b":3  }}`},
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
		{`{"a":{"b":1},"a":null}`, []string{"-/a/b"}, `{"a":{},"a":null}`},
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

// TestSpliceErrors refuses bad edits and bad documents, and writes nothing then.
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
		{`{"a":1}`, []string{"/imp/00=1"}, wire.CodePath, "/imp/00", -1},
		{`{"a":1}`, []string{"/imp/-1=1"}, wire.CodePath, "/imp/-1", -1},
		{`{"a":1}`, []string{"/imp/0=1"}, wire.CodePath, "/imp/0", -1},
		{`{"imp":[]}`, []string{"/imp/0=1"}, wire.CodePath, "/imp/0", 7},
		{`{"imp":null}`, []string{"/imp/1234567890123=1"}, wire.CodePath, "/imp/1234567890123", -1},
		{`{"b":{"a":{"c":0},"a":5}}`, []string{"/b/a/c=1"}, wire.CodePath, "/b/a", 22},
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

// TestErrorTexts checks that errors say what is wrong with the document, the path or the value.
func TestErrorTexts(t *testing.T) {
	for _, c := range []struct {
		doc  string
		edit string
		want string
	}{
		{`{"a":"s3cr3t"}`, "/a/b=1", "/a (byte 5): path leads through a string"},
		{`{"a":[true]}`, "/a/0/b=1", "/a/0 (byte 6): path leads through a boolean"},
		{`{"a":[1]}`, "/a/1=1", "/a/1 (byte 5): path can't be followed (want index of an element, or -)"},
		{`{}`, "/a/0=1", "/a/0: path can't be followed (want index of an element, or -)"},
		{`{}`, "a=1", "a: path can't be followed (want JSON Pointer)"},
		{`{}`, "/a~2=1", "/a~2: path can't be followed (want JSON Pointer)"},
		{`{}`, "=1", "document: path can't be followed (want path of a value in the document)"},
		{`{}`, "/a=", "/a (byte 0): empty value"},
		{`{}`, "/a=1 2", "/a (byte 2): expected end of value, found number"},
		{`{}`, "/a=[1", "/a (byte 2): expected ',' or ']', found end of value"},
		{`[]`, "/a=1", "document (byte 0): expected object, found array"},
		{`{"b":1 2}`, "/a=1", "document (byte 7): expected ',' or '}', found number"},
	} {
		if _, err := spliced(t, c.doc, c.edit); err == nil || err.Error() != c.want {
			t.Errorf("%s, %q: %v, want %s", c.doc, c.edit, err, c.want)
		}
	}
	if _, err := spliced(t, `{}`, "/a=1", "/a=2"); err == nil || err.Error() != "/a: conflicts with another edit" {
		t.Error(err)
	}
	for path, want := range map[string]string{
		"a": "a: path can't be followed (want JSON Pointer)",
		"":  "document: path can't be followed (want path of a value in the document)",
	} {
		if _, err := Find([]byte(`{}`), path); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", path, err, want)
		}
	}
	// An error within an object is about the document.
	doc := []byte(`{"a":{"b":01}}`)
	_, ok, err := Within(nil, doc, doc[5:13], "/a", wire.Set("/a/c/d", []byte("1")))
	if want := "/a/b (byte 11): invalid number (want no leading zero)"; ok && (err == nil || err.Error() != want) { // without unsafe code it is not ok
		t.Errorf("%v, want %s", err, want)
	}
}
