package splice_test

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/splice"
)

// TestSpliceWithin checks that editing an object by its place in the document gives the same as
// editing it by its path. Inserting one member has a path of its own.
func TestSpliceWithin(t *testing.T) {
	for _, object := range []string{`{}`, `{ }`, `{"a":1}`, `{"a":1 }`, "{\n\"a\" : \"x\"\n}", `{"ab":"b"}`, `{"a":"\"b\""}`, `{"\u0062":1}`, `{"b":1,"b":2}`, `{"a":{"b":2}}`, `{"a":{"b":2},"b":3}`, `{"b~":1}`, `{  }`, `{"a":[7]}`} {
		for _, edits := range [][]wire.Edit{
			{wire.Set("/x/e/a/b/c", []byte("1"))}, {wire.Set("/x/e/ab/b", []byte("1")), wire.Set("/x/e/n", []byte("1"))}, {wire.Set("/x/e/n", []byte("1")), wire.Set("/x/e/n", []byte("2"))},
			{wire.Set("/x/e/b", []byte("5"))}, {wire.Set("/x/e/b", []byte(` {"c":[]} `))}, {wire.Remove("/x/e/b")}, {wire.Set("/x/e/b~0", []byte("1"))}, {wire.Set("/x/e/b/c", []byte("1"))},
			{wire.Set("/x/e/b", []byte("5")), wire.Set("/x/e/c", []byte("6"))}, {wire.Set("/x/e/b", []byte("{"))}, {wire.Set("/x/e/b", []byte{})}, {wire.Set("/x/e/", []byte("1"))}, {wire.Set("/x/e/é", []byte("1"))},
		} {
			doc := []byte(`{"b":0,"x":{"d":1,"e":` + object + ` },"y":"b"}`)
			at := bytes.Index(doc, []byte(object))
			want, wantErr := splice.Apply([]byte("<"), doc, edits...)
			got, ok, err := splice.Within([]byte("<"), doc, doc[at:at+len(object)], "/x/e", edits...)
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
	if !mem.ZeroCopy {
		return
	}
	broken := []byte(`{"x":{"a":[7],"b":01}}`)
	_, _, err := splice.Within(nil, broken, broken[5:21], "/x", wire.Remove("/x/c"))
	if want := "/x/b (byte 19): invalid number (want no leading zero)"; err == nil || err.Error() != want {
		t.Errorf("%v, want %v: offset and path should refer to the document", err, want)
	}
	doc := []byte(`{"x":{"a":1}}`)
	for name, part := range map[string][]byte{"a copy": []byte(`{"a":1}`), "nothing": nil, "empty": doc[5:5], "after": append(doc, "{}"...)[len(doc):]} {
		if out, ok, err := splice.Within(nil, doc, part, "/x", wire.Set("/x/b", []byte("1"))); ok || out != nil || err != nil {
			t.Errorf("%s: %s, %v, %v", name, out, ok, err)
		}
	}
	for _, path := range []string{"/x", "/xy/b", "/y/b", ""} {
		if _, ok, _ := splice.Within(nil, doc, doc[5:12], "/x", wire.Set(path, []byte("1"))); ok {
			t.Errorf("Within accepts %q as a path below /x", path)
		}
	}
}
