package coder

import (
	"bytes"
	"testing"

	"github.com/rtbwire/rtbwire/wire"
)

// TestPlace reads documents whose members are all taken for ext, and those of the objects in "in"
// too, as a type that contains itself does. Only the document's own count.
func TestPlace(t *testing.T) {
	for _, c := range []struct {
		doc      string
		from, to int
	}{
		{`{}`, 0, 0},
		{`{"e":{}}`, 5, 7},
		{` { "e" : 7 } `, 9, 10},
		{`{"e":null}`, -1, -1},
		{`{"e":null,"e":{}}`, -1, -1},
		{`{"e":{},"e":{}}`, -1, -1},
		{`{"e":1,"e":2,"e":3}`, -1, -1},
		{`{"in":{"e":1}}`, 0, 0},
		{`{"in":{"e":1},"e":22}`, 18, 20},
		{`{"e":22,"in":{"e":1,"e":null}}`, 5, 7},
	} {
		var r Reader
		for range 2 { // the second time after a reset
			data := []byte(c.doc)
			if err := r.End(readExts(&r, r.Begin(data), r.Depth())); err != nil {
				t.Fatal(err)
			}
			brace := bytes.LastIndexByte(data, '}')
			if got, want := r.Place(data), (Place{brace, c.from, c.to}); got != want {
				t.Errorf("%s: %+v, want %+v", c.doc, got, want)
			}
			for name, other := range map[string][]byte{"a copy": bytes.Clone(data), "a part": data[:len(data)-1], "nothing": nil} {
				if got := r.Place(other); got != (Place{}) {
					t.Errorf("%s: %+v for %s", c.doc, got, name)
				}
			}
			r.Refuse(wire.CodeType, 1)
			if got := r.Place(data); got != (Place{}) {
				t.Errorf("%s: %+v after a refusal", c.doc, got)
			}
			if r.Reset(); r.Place(data) != (Place{}) || r.Document() != nil {
				t.Errorf("%s: a place after Reset", c.doc)
			}
		}
	}
}

// readExts reads the members of an object; p is the position after its brace.
func readExts(r *Reader, p, depth int) int {
	if p == 0 {
		return 0
	}
	p, more := r.First(p)
	for more {
		name, value := r.Key(p)
		if name == "in" {
			p = readExts(r, value+1, depth-1)
		} else if _, p = r.RawExt(value, depth-1); p < 0 {
			p = -p
		}
		if p == 0 {
			return 0
		}
		p, more = r.Member(p)
	}
	return r.Closed(p, depth)
}
