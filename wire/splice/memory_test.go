package splice

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/wire"
)

// TestSpliceKeepsBytes checks that unedited parts keep their bytes: white space, numbers, escapes.
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

// TestSpliceAppends checks that dst keeps its bytes and that its memory is used. Builds without
// unsafe code can't tell whether the text overlaps dst, and allocate.
func TestSpliceAppends(t *testing.T) {
	dst := append(make([]byte, 0, 100), "before "...)
	out, err := Apply(dst, []byte(`{"a":1}`), wire.Set("/b", []byte("2")))
	if err != nil || string(out) != `before {"a":1,"b":2}` || mem.ZeroCopy && &out[0] != &dst[0] {
		t.Errorf("%q, %v", out, err)
	}
	doc, edits := []byte(`{"a":{"b":1}}`), []wire.Edit{wire.Set("/a/b", []byte("2")), wire.Remove("/x")}
	if n := testing.AllocsPerRun(100, func() { dst, _ = Apply(dst[:0], doc, edits...) }); n != 0 && mem.ZeroCopy && !testkit.Race {
		t.Errorf("%v allocations", n)
	}
	same := slices.Clone(doc)
	if out, err := Apply(nil, doc); err != nil || !bytes.Equal(out, same) || !reflect.DeepEqual(doc, same) {
		t.Errorf("%q, %v", out, err)
	}
}

// TestSpliceOverlap writes the result over the document.
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
