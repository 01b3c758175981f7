package openrtb_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// TestErrorTexts: all entry points say the same about a value of the wrong kind, wherever it is.
func TestErrorTexts(t *testing.T) {
	values := map[string]string{"string": `"s3cr3t"`, "number": "31415926", "boolean": "true", "object": `{"s3cr3t":1}`, "array": "[31415926]"}
	for _, place := range []struct{ before, after, path, want string }{
		{``, ``, "document", "object"},
		{`{"id":`, `}`, "/id", "string"},
		{`{"tmax":`, `}`, "/tmax", "integer"},
		{`{"site":`, `}`, "/site", "object"},
		{`{"site":{"publisher":`, `}}`, "/site/publisher", "object"},
		{`{"imp":`, `}`, "/imp", "array"},
		{`{"imp":[{},`, `]}`, "/imp/1", "object"},
		{`{"imp":[{"bidfloor":`, `}]}`, "/imp/0/bidfloor", "number"},
		{`{"imp":[{"banner":{"format":[{},{"w":`, `}]}}]}`, "/imp/0/banner/format/1/w", "integer"},
		{`{"cur":`, `}`, "/cur", "array"},
		{`{"cur":["EUR", `, `]}`, "/cur/1", "string"},
		{`{"imp":[{"banner":{"battr":`, `}}]}`, "/imp/0/banner/battr", "array"},
		{`{"imp":[{"banner":{"battr":[1,`, `]}}]}`, "/imp/0/banner/battr/1", "integer"},
	} {
		for kind, value := range values {
			if kind == place.want || kind == "number" && place.want == "integer" {
				continue
			}
			doc := []byte(place.before + value + place.after)
			want := (&wire.Error{Code: wire.CodeType, Offset: len(place.before), Path: strings.TrimPrefix(place.path, "document"), Expected: place.want, Found: kind}).Error()
			for name, decode := range map[string]func() error{
				"Parse":          func() error { _, err := openrtb.Parse(doc); return err },
				"ParseFast":      func() error { _, err := openrtb.ParseFast(doc); return err },
				"ParseFastArena": func() error { _, err := openrtb.ParseFastArena(doc); return err },
				"Decoder":        func() error { _, err := new(openrtb.Decoder).Decode(doc); return err },
				"strict Decoder": func() error { _, err := openrtb.NewDecoder(wire.Strict()).Decode(doc); return err },
			} {
				if err := decode(); err == nil || err.Error() != want {
					t.Errorf("%s(%s): %v, want %s", name, doc, err, want)
				}
			}
		}
	}
}

// TestEncodeErrorTexts checks what encoders say about values that can't be written.
func TestEncodeErrorTexts(t *testing.T) {
	for want, r := range map[string]*openrtb.BidRequest{
		"/imp/1/bidfloor: expected finite number, found NaN":                        {Imp: []openrtb.Imp{{}, {BidFloor: new(math.NaN())}}},
		"/imp/0/bidfloor: expected finite number, found infinity":                   {Imp: []openrtb.Imp{{BidFloor: new(math.Inf(-1))}}},
		"/ext (byte 1): expected key in double quotes, found end of value":          {Ext: json.RawMessage("{")},
		"/imp/0/ext (byte 5): expected ':', found string":                           {Imp: []openrtb.Imp{{Ext: json.RawMessage(`{"a" "s3cr3t"}`)}}},
		"/ext (byte 6): invalid escape sequence in string (want hexadecimal digit)": {Ext: json.RawMessage(`{"\u00g0":1}`)},
		"/ext (byte 1): invalid UTF-8":                                              {Ext: json.RawMessage("\"\xff\"")},
	} {
		if _, err := r.AppendJSON(nil); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	r := openrtb.BidRequest{ID: "s3cr3t\xff"}
	if _, err := r.AppendJSONWith(nil, wire.EncodeOptions{RefuseInvalidUTF8: true}); err == nil || err.Error() != "/id: invalid UTF-8" {
		t.Error(err)
	}
}
