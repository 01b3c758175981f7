package conformance

import (
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// TestNotesOfEmptyStrings has the two quotes of an empty string at every place around the borders
// of the index's blocks: the decoder notes it wherever it is, and notes none where there is none.
func TestNotesOfEmptyStrings(t *testing.T) {
	d := openrtb.NewDecoder()
	for n := range 200 {
		for value, want := range map[string]bool{`""`: true, `"x"`: false} {
			text := `{"id":"` + strings.Repeat("a", n+1) + `","tmax":1,"cur":["USD"],"user":{"id":` + value + `}}`
			if _, err := d.Decode([]byte(text)); err != nil {
				t.Fatal(err)
			}
			if got := d.Notes()&wire.NoteEmptyString != 0; got != want {
				t.Errorf("%s: notes an empty string: %v", text, got)
			}
		}
	}
}

// TestNotesOfKeyEscapes has escapes in keys: of known objects, and inside ext with the notes of
// duplicates, where a key in two letter cases counts too.
func TestNotesOfKeyEscapes(t *testing.T) {
	d := openrtb.NewDecoder(wire.WatchKeys())
	const escape, duplicate = wire.NoteKeyEscape, wire.NoteDuplicateKey
	for text, want := range map[string]wire.Notes{
		`{"\u0069d":"1"}`: escape, `{"site":{"d\u006fmain":"a.example"}}`: escape, `{"site":{"x\n":1}}`: escape | duplicate,
		`{"ext":{"a":[{"\u0061":1}]}}`: duplicate, `{"x":{"a":[{"\u0061":1}]}}`: duplicate, `{"id":"\u0069d"}`: 0, `{"ext":{"a":"\u0061"}}`: 0,
		`{"ext":{"eids":[],"Eids":[]}}`: duplicate, `{"ext":{"eids":[],"eidſ":[]}}`: duplicate, `{"x":[{"inventorypartnerdomain":1,"INVENTORYPARTNERDOMAIN":2}]}`: duplicate,
		`{"ext":{"a":{"id":1},"b":{"ID":1}}}`: 0, `{"ext":{"ids":1,"id":1}}`: 0,
	} {
		if _, err := d.Decode([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if got := d.Notes() & (escape | duplicate); got != want {
			t.Errorf("%s: notes %v, want %v", text, got, want)
		}
	}
}

// TestNotesOfNUL has a NUL in strings and keys; other escapes, and texts that look like one, are no
// NUL.
func TestNotesOfNUL(t *testing.T) {
	d := openrtb.NewDecoder()
	for text, want := range map[string]bool{
		`{"id":"\u0000"}`: true, `{"cur":["USD","x\u0000y"]}`: true, `{"id\u0000":"1"}`: true, `{"site":{"x\u0000":1}}`: true, `{"ext":{"a":["\u0000"]}}`: true, `{"x":"\u0000"}`: true,
		`{"id":"\\u0000\u0001\u0030"}`: false, `{"id\u0001":"1"}`: false, `{"id":"1"}`: false,
	} {
		if _, err := d.Decode([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if got := d.Notes()&wire.NoteNUL != 0; got != want {
			t.Errorf("%s: notes a NUL: %v", text, got)
		}
	}
}
