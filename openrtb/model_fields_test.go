package openrtb_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/spec"
	"github.com/rtbwire/rtbwire/wire"
)

// The tests of model_fields_*_test.go decode every field of the specification at its place in a
// message: in the forms that a sender may write, with values that it must not have, and cut off at
// every byte. The expectations come from the specification's data (typeFaults) and from
// encoding/json, which reads the same types by the same rules if keys are spelled exactly and come
// once.

// TestEveryFieldDecodes writes each field in each form.
func TestEveryFieldDecodes(t *testing.T) {
	eachField(t, func(o *spec.Object, f *spec.Field, p place) {
		name := o.Name + "." + f.JSON
		values := []string{value(f, 0), value(f, 1), value(f, 2), value(f, 3), "null"}
		if f.Array {
			values = append(values, `[]`, ` [ ] `, `[null]`, `[`+sample(f, 0)+` , null ,`+sample(f, 1)+`]`)
		}
		// All values of a form come after each other: the decoder has learned the order of keys.
		for _, form := range forms(f) {
			learn(t, p.document(name, strings.Replace(form, "%s", values[0], 1)))
			for _, v := range values {
				d := p.document(name, strings.Replace(form, "%s", v, 1))
				want := reference(t, d)
				if got, err := decodeAll(t, d); err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("%s: %s\ngot  %+v, %v\nwant %+v", name, d.Text, got, err, want)
				}
			}
		}
	})
}

// TestEveryFieldIsReplaced writes each member twice: the last value wins whole.
func TestEveryFieldIsReplaced(t *testing.T) {
	eachField(t, func(o *spec.Object, f *spec.Field, p place) {
		name := o.Name + "." + f.JSON
		for _, v := range []string{value(f, 0), value(f, 2), "null"} {
			once := p.document(name, `{"`+f.JSON+`":`+v+`}`)
			twice := p.document(name, `{"`+f.JSON+`":`+value(f, 1)+`,"`+f.JSON+`":`+v+`}`)
			want := reference(t, once)
			if got, err := decodeAll(t, twice); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %s\ngot  %+v, %v\nwant %+v", name, twice.Text, got, err, want)
			}
		}
	})
}

// TestEveryFieldRefuses gives each field values of other types.
func TestEveryFieldRefuses(t *testing.T) {
	eachField(t, func(o *spec.Object, f *spec.Field, p place) {
		name := o.Name + "." + f.JSON
		values := []string{`"7"`, `7`, `7.5`, `true`, `{}`, `[]`, `[[]]`, `[{},7]`, `["7",7]`, `[7,"7"]`, `99999999999999999999`, `[7,99999999999999999999]`, `7e2`, `-`, `.5`, `nul`, `"\x"`}
		form := `{"` + f.JSON + `":%s,` + tail + `}`
		learn(t, p.document(name, strings.Replace(form, "%s", value(f, 0), 1)))
		for _, v := range values {
			d := p.document(name, strings.Replace(form, "%s", v, 1))
			got, err := decodeAll(t, d)
			if !json.Valid(d.Text) {
				if err == nil {
					t.Errorf("%s: accepts %s", name, d.Text)
				}
				continue
			}
			faults := typeFaults(t, d)
			if (err == nil) != (len(faults) == 0) {
				t.Errorf("%s: %s: %v, want a refusal at one of the wrong types %v", name, d.Text, err, faults)
			}
			if err == nil {
				if want := reference(t, d); !reflect.DeepEqual(got, want) {
					t.Errorf("%s: %s\ngot  %+v\nwant %+v", name, d.Text, got, want)
				}
				continue
			}
			var e *wire.Error
			if !errors.As(err, &e) || !faults[e.Path] {
				t.Errorf("%s: %s: %v, want a refusal at one of the wrong types %v", name, d.Text, err, faults)
			} else if e.Code != wire.CodeType && e.Code != wire.CodeInteger && e.Code != wire.CodeRange {
				t.Errorf("%s: %s: code %s", name, d.Text, e.Code.String())
			}
		}
	})
}

// TestEveryFieldCut cuts a message off at every byte of each field: no prefix is accepted.
func TestEveryFieldCut(t *testing.T) {
	eachField(t, func(o *spec.Object, f *spec.Field, p place) {
		name := o.Name + "." + f.JSON
		d := p.document(name, `{"`+f.JSON+`":`+value(f, 0)+`,`+tail+`}`)
		learn(t, d)
		for n := len(p.pre); n < len(d.Text); n++ {
			if _, err := decodeAll(t, testkit.Document{Name: name, Text: d.Text[:n], Response: d.Response}); err == nil {
				t.Fatalf("%s: accepts %s", name, d.Text[:n])
			}
		}
	})
}
