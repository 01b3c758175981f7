package openrtb_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/spec"
	"github.com/rtbwire/rtbwire/wire"
)

// TestLenientAcceptsMore: what default mode accepts, lenient mode reads in the same way.
func TestLenientAcceptsMore(t *testing.T) {
	for _, d := range testkit.Documents(t) {
		want, err := decodeAll(t, d)
		if err != nil {
			continue
		}
		var got any
		if d.Response {
			var r *openrtb.BidResponse
			dec := openrtb.NewResponseDecoder(wire.Lenient())
			if r, err = dec.Decode(d.Text); err == nil {
				got = r.Clone()
			}
			if n := len(dec.Saved()); n > 0 {
				t.Errorf("%s: lenient mode repaired %d things in a correct document", d.Name, n)
			}
		} else {
			var r *openrtb.BidRequest
			dec := openrtb.NewDecoder(wire.Lenient())
			if r, err = dec.Decode(d.Text); err == nil {
				got = r.Clone()
			}
			if n := len(dec.Saved()); n > 0 {
				t.Errorf("%s: lenient mode repaired %d things in a correct document", d.Name, n)
			}
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: lenient: %v, or another value", d.Name, err)
		}
	}
}

// TestLenientPerField gives each field the other types that real senders write. Every repair is
// reported with the path of the field or of its element.
func TestLenientPerField(t *testing.T) {
	requests, responses := openrtb.NewDecoder(wire.Lenient()), openrtb.NewResponseDecoder(wire.Lenient())
	eachField(t, func(o *spec.Object, f *spec.Field, p place) {
		if f.Type == "ext" {
			return
		}
		for v, ok := range lenientSamples(f) {
			d := p.document(o.Name+"."+f.JSON, `{"`+f.JSON+`":`+v+`}`)
			var err error
			var saved []wire.Saved
			if d.Response {
				_, err = responses.Decode(d.Text)
				saved = responses.Saved()
			} else {
				_, err = requests.Decode(d.Text)
				saved = requests.Saved()
			}
			if (err == nil) != ok {
				t.Errorf("%s: %s: lenient mode: %v, want accepted: %v", d.Name, d.Text, err, ok)
			}
			if ok && (len(saved) == 0 || !strings.Contains(saved[0].Path, "/"+f.JSON)) {
				t.Errorf("%s: %s: saved %v", d.Name, d.Text, saved)
			}
		}
	})
}

// lenientSamples returns values that default mode refuses, and whether lenient mode reads them.
func lenientSamples(f *spec.Field) map[string]bool {
	var scalars map[string]bool
	switch {
	case f.ObjectName() != "":
		scalars = map[string]bool{`7`: false, `"7"`: false}
	case f.Type == "string":
		scalars = map[string]bool{`7`: true, `7.50`: true, `true`: true, `{}`: false}
	case f.Type == "float":
		scalars = map[string]bool{`"7.5"`: true, `"x"`: false, `true`: false, `{}`: false, `""`: false}
	default:
		scalars = map[string]bool{`"7"`: true, `7.9`: true, `7e1`: true, `true`: true, `false`: true, `"x"`: false, `{}`: false, `""`: false, `9e99`: false}
	}
	if !f.Array {
		scalars[`[]`] = false
		return scalars
	}
	out := map[string]bool{}
	for v, ok := range scalars {
		out["["+v+"]"] = ok
		out[v] = ok // one bare value: an element, and an array
	}
	out[sample(f, 0)] = true
	return out
}
