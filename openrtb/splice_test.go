package openrtb_test

import (
	"bytes"
	"testing"

	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/splice"
)

// TestSpliceOfAnotherText asks a value for edits to a text that it was not decoded from, of the
// same length, and to its own text in other memory.
func TestSpliceOfAnotherText(t *testing.T) {
	own, other := []byte(`{"id":"1","ext":{"a":1}}`), []byte(`{"ext":{},"abc":{"a":1}}`)
	if len(own) != len(other) {
		t.Fatal("the texts differ in length")
	}
	r, err := openrtb.ParseFastArena(own)
	if err != nil {
		t.Fatal(err)
	}
	defer openrtb.ReleaseArena(r)
	for _, data := range [][]byte{own, bytes.Clone(own), other, own[:len(own)-1], append(bytes.Clone(own), ' '), nil} {
		for _, edits := range [][]wire.Edit{{wire.Set("/ext/b", []byte("2"))}, {wire.Remove("/ext/eid")}} {
			want, wantErr := splice.Apply(nil, data, edits...)
			got, err := r.Splice(nil, data, edits...)
			if string(got) != string(want) || (err == nil) != (wantErr == nil) {
				t.Errorf("%s, %v: %s, %v, want %s, %v", data, edits, got, err, want, wantErr)
			}
		}
	}
}

// TestDecoderSplice edits what a decoder has decoded last.
func TestDecoderSplice(t *testing.T) {
	d := openrtb.NewDecoder(wire.Lenient())
	edit := wire.Set("/ext/a", []byte("1"))
	if out, err := d.Splice([]byte("<"), edit); err == nil || string(out) != "<" {
		t.Errorf("without a document: %s, %v", out, err)
	}
	for _, c := range []struct{ doc, want string }{
		{`{"id":"1"}`, `{"id":"1","ext":{"a":1}}`},
		{`{"id":1,"tmax":"80"} `, `{"id":1,"tmax":"80","ext":{"a":1}} `}, // accepted by lenient mode alone
		{`{"ext":{"b":[]},"id":2}`, `{"ext":{"b":[],"a":1},"id":2}`},
		{`{"id":`, ""},
	} {
		_, err := d.Decode([]byte(c.doc))
		out, spliceErr := d.Splice(nil, edit)
		if string(out) != c.want || (err == nil) != (spliceErr == nil) {
			t.Errorf("%s: %s, %v, want %s", c.doc, out, spliceErr, c.want)
		}
	}
	d.Reset()
	if out, err := d.Splice(nil, edit); err == nil {
		t.Errorf("after Reset: %s", out)
	}
}

// TestSpliceDoesNotAllocate holds for every way with a list of edits that is made once and enough
// room in dst.
func TestSpliceDoesNotAllocate(t *testing.T) {
	if !mem.ZeroCopy || testkit.Race {
		t.Skip("such builds allocate")
	}
	edits := []wire.Edit{wire.Set("/ext/a", []byte("1")), wire.Set("/ext/b", []byte(`{"c":[]}`))}
	for _, doc := range []string{`{"id":"1"}`, `{"id":"1","ext":{"x":1}}`, `{"ext":{"x":1},"id":"1"}`, `{"ext":{},"ext":{}}`} {
		data := []byte(doc)
		r, err := openrtb.ParseFastArena(data)
		if err != nil {
			t.Fatal(err)
		}
		fast, err := openrtb.ParseFast(data)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range []*openrtb.BidRequest{r, fast, nil} {
			dst := make([]byte, 0, 1000)
			if n := testing.AllocsPerRun(100, func() { dst, err = v.Splice(dst[:0], data, edits...) }); n != 0 || err != nil {
				t.Errorf("%s: %v allocations, %v", doc, n, err)
			}
		}
		openrtb.ReleaseArena(r)
	}
	data := []byte(`{"id":"1"}`)
	dst, value := make([]byte, 0, 1000), []byte("1")
	if n := testing.AllocsPerRun(100, func() {
		dst, _ = splice.Apply(dst[:0], data, wire.Set("/a", value), wire.Set("/ext/a", value)) // a list on the stack
	}); n != 0 {
		t.Errorf("%v allocations for a list of edits", n)
	}
}
