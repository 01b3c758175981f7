package openrtb_test

import (
	"bytes"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// FuzzRoundTrip decodes a text, encodes it and decodes it again. The value stays the same, and
// encoding/json reads the same value. Encoding it again, into a buffer of any size, gives the same
// text.
func FuzzRoundTrip(f *testing.F) {
	for i, d := range testkit.Documents(f) {
		if i%40 == 0 {
			f.Add(d.Text, d.Response)
		}
	}
	f.Add([]byte(`{"id":"\u0000\"\\\u2028é😀","ext":{"a":[1e5,"\u0041"]},"bcat":[],"cur":["",null]}`), false)
	f.Add([]byte(`{"seatbid":[{"bid":[{"price":1e-7,"adm":"<VAST version=\"4.0\">\n"}]}],"nbr":0}`), true)
	f.Fuzz(func(t *testing.T, data []byte, response bool) {
		var v message
		var err error
		if response {
			v, err = openrtb.ParseResponse(data)
		} else {
			v, err = openrtb.Parse(data)
		}
		if err != nil {
			return
		}
		out := roundTrip(t, v)
		for _, room := range []int{1, len(out) / 2, len(out), len(out) + 1} {
			again, err := v.AppendJSON(make([]byte, 0, room))
			if err != nil || !bytes.Equal(again, out) {
				t.Fatalf("room %d: %s, %v, want %s", room, again, err, out)
			}
		}
		if _, err := v.AppendJSONWith(nil, wire.EncodeOptions{EscapeHTML: true, RefuseInvalidUTF8: true}); err != nil {
			t.Fatal(err)
		}
	})
}
