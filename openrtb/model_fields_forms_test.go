package openrtb_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/spec"
)

// place is the text around an object of some type in a message.
type place struct {
	pre, post string
	response  bool
}

// places finds the nearest place of each object of the specification.
func places(t *testing.T) map[string]place {
	t.Helper()
	s := spec.OpenRTB()
	out := map[string]place{"BidRequest": {}, "BidResponse": {response: true}}
	for queue := []string{"BidRequest", "BidResponse"}; len(queue) > 0; queue = queue[1:] {
		at := out[queue[0]]
		for _, f := range s.Object(queue[0]).Fields {
			name := f.ObjectName()
			if _, seen := out[name]; name == "" || seen {
				continue
			}
			p := place{at.pre + `{"` + f.JSON + `":`, "}" + at.post, at.response}
			if f.Array {
				p.pre, p.post = p.pre+"[", "]"+p.post
			}
			out[name] = p
			queue = append(queue, name)
		}
	}
	if len(out) != len(s.Objects) {
		t.Fatalf("%d of %d objects have a place in a message", len(out), len(s.Objects))
	}
	return out
}

// document returns a message with the object in the place.
func (p place) document(name, object string) testkit.Document {
	return testkit.Document{Name: name, Text: []byte(p.pre + object + p.post), Response: p.response}
}

// sample returns the text of a valid value for a field, or for an element of an array field.
func sample(f *spec.Field, n int) string {
	switch {
	case f.ObjectName() != "":
		return []string{`{"ext":{"n":1}}`, `{}`, ` { "unknown" : [ ] , "ext" : 2.50 } `}[n%3]
	case f.Type == "ext":
		return []string{`{"a":[1,{"b":null}]}`, `"text"`, ` [ 1.0 , -2e5 ] `, `12`}[n%4]
	case f.Type == "string":
		return []string{`"text"`, `"a \"longer\" text, with \u00e9scapes and more than one block of sixty-four bytes"`, `""`, `"` + strings.Repeat("x", 130) + `"`}[n%4]
	case f.Type == "float":
		return []string{`1.5`, `0`, `-0.25e-3`, `123456789012345678`}[n%4]
	}
	return []string{`7`, `0`, `-3`, `1234567890`}[n%4]
}

// value returns the text of a valid value for a field.
func value(f *spec.Field, n int) string {
	if f.Array {
		return "[" + sample(f, n) + "," + sample(f, n+1) + "]"
	}
	return sample(f, n)
}

// tail is an unknown member. With it after a field, the field is far from the end of the document,
// near which a decoder may not read ahead.
const tail = `"unknown":"` + "0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz" + `"`

// forms returns the ways to write a member, with %s for the value.
func forms(f *spec.Field) []string {
	key, esc := f.JSON, fmt.Sprintf(`\u%04x`, f.JSON[0])+f.JSON[1:]
	return []string{
		`{"` + key + `":%s}`,
		`{"` + key + `":%s,` + tail + `}`,
		"{ \"" + key + "\"\t:\n%s\r}",
		"{\"" + key + "\": %s , " + tail + "}",
		`{"` + esc + `":%s}`,
		`{"unknown":{"` + key + `":[]},"` + key + `":%s}`,
		`{"` + key + `":%s,"` + strings.ToUpper(key) + `2":1,"` + key + `s_":[],"":0}`,
	}
}

// eachField calls fn with every field of the specification.
func eachField(t *testing.T, fn func(o *spec.Object, f *spec.Field, p place)) {
	t.Helper()
	at := places(t)
	n := 0
	for _, o := range spec.OpenRTB().Objects {
		for _, f := range o.Fields {
			fn(o, f, at[o.Name])
			n++
		}
	}
	if want := spec.OpenRTB().Counts.Fields; n != want {
		t.Errorf("%d fields, want %d", n, want)
	}
}
