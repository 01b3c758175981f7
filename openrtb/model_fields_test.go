package openrtb_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/spec"
	"github.com/rtbwire/rtbwire/wire"
)

// This file decodes every field of the specification, each at its place in a message: in the
// forms a sender may write it, with the values it may not have, and cut off at every byte.
// What to expect says the specification's data (typeFaults) and encoding/json, which reads
// the same types by the same rules as long as keys are spelled exactly and come once.

// decoders are the ways to decode a request or a response; the results own their memory.
var decoders = []struct {
	name     string
	request  func(text []byte) (*openrtb.BidRequest, error)
	response func(text []byte) (*openrtb.BidResponse, error)
}{
	{"Parse", openrtb.Parse, openrtb.ParseResponse},
	{"ParseFast", openrtb.ParseFast, openrtb.ParseResponseFast},
	{
		"ParseFastArena",
		func(text []byte) (*openrtb.BidRequest, error) {
			r, err := openrtb.ParseFastArena(text)
			if err != nil {
				return nil, err
			}
			defer openrtb.ReleaseArena(r)
			return r.Clone(), nil
		},
		func(text []byte) (*openrtb.BidResponse, error) {
			r, err := openrtb.ParseResponseFastArena(text)
			if err != nil {
				return nil, err
			}
			defer openrtb.ReleaseResponseArena(r)
			return r.Clone(), nil
		},
	},
	{
		"Decoder",
		func(text []byte) (*openrtb.BidRequest, error) {
			r, err := requestDecoder.Decode(text)
			if err != nil {
				return nil, err
			}
			return r.Clone(), nil
		},
		func(text []byte) (*openrtb.BidResponse, error) {
			r, err := responseDecoder.Decode(text)
			if err != nil {
				return nil, err
			}
			return r.Clone(), nil
		},
	},
}

// One decoder reads the documents of all tests, in which nothing of an earlier one may show.
var (
	requestDecoder  = openrtb.NewDecoder()
	responseDecoder = openrtb.NewResponseDecoder()
)

// decodeAll decodes a document in all ways, which have to agree, and returns the value or the
// error.
func decodeAll(t *testing.T, d document) (any, error) {
	t.Helper()
	var first any
	var firstErr error
	for i, dec := range decoders {
		var v any
		var err error
		if d.response {
			v, err = dec.response(d.text)
		} else {
			v, err = dec.request(d.text)
		}
		if i == 0 {
			first, firstErr = v, err
			continue
		}
		if !reflect.DeepEqual(err, firstErr) || err == nil && !reflect.DeepEqual(v, first) {
			t.Errorf("%s: %s\n%s: %+v, %v\n%s: %+v, %v", d.name, d.text, decoders[0].name, first, firstErr, dec.name, v, err)
		}
	}
	return first, firstErr
}

// nullExt finds an ext of null: it is absent as every null is, where encoding/json keeps it.
var nullExt = regexp.MustCompile(`"(?:e|\\u0065)xt"\s*:\s*null`)

// reference decodes a document with encoding/json.
func reference(t *testing.T, d document) any {
	t.Helper()
	var v any = new(openrtb.BidRequest)
	if d.response {
		v = new(openrtb.BidResponse)
	}
	if err := json.Unmarshal(nullExt.ReplaceAll(d.text, []byte(`"x":null`)), v); err != nil {
		t.Fatalf("%s: encoding/json: %v", d.name, err)
	}
	return v
}

// place is where objects of a type stand in a message: the text around one.
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
		t.Fatalf("%d of %d objects are part of a message", len(out), len(s.Objects))
	}
	return out
}

func (p place) document(name, object string) document {
	return document{name, []byte(p.pre + object + p.post), p.response}
}

// learn decodes a document as often as it takes to guess the order of its keys.
func learn(t *testing.T, d document) {
	t.Helper()
	for range 12 {
		for _, dec := range decoders {
			var err error
			if d.response {
				_, err = dec.response(d.text)
			} else {
				_, err = dec.request(d.text)
			}
			if err != nil {
				t.Fatalf("%s: %s: %v", d.name, d.text, err)
			}
		}
	}
}

// sample returns the text of a valid value of a field's elements.
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

// value returns the text of a valid value of a field.
func value(f *spec.Field, n int) string {
	if f.Array {
		return "[" + sample(f, n) + "," + sample(f, n+1) + "]"
	}
	return sample(f, n)
}

// tail is an unknown member. With it behind a field, the field is not near the end of the
// document, where a decoder that reads ahead would have to be more careful.
const tail = `"unknown":"` + "0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz" + `"`

// forms are the ways in which a member may be written: with %s for the value.
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
		t.Errorf("%d fields, expected %d", n, want)
	}
}

func TestEveryFieldDecodes(t *testing.T) {
	eachField(t, func(o *spec.Object, f *spec.Field, p place) {
		name := o.Name + "." + f.JSON
		values := []string{value(f, 0), value(f, 1), value(f, 2), value(f, 3), "null"}
		if f.Array {
			values = append(values, `[]`, ` [ ] `, `[null]`, `[`+sample(f, 0)+` , null ,`+sample(f, 1)+`]`)
		}
		// One value after the other in the same form: what the decoder has learned of the order
		// of keys holds for all but the first.
		for _, form := range forms(f) {
			learn(t, p.document(name, strings.Replace(form, "%s", values[0], 1)))
			for _, v := range values {
				d := p.document(name, strings.Replace(form, "%s", v, 1))
				want := reference(t, d)
				if got, err := decodeAll(t, d); err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("%s: %s\ngot  %+v, %v\nwant %+v", name, d.text, got, err, want)
				}
			}
		}
	})
}

// TestEveryFieldIsReplaced has each member twice: the last one wins, whole.
func TestEveryFieldIsReplaced(t *testing.T) {
	eachField(t, func(o *spec.Object, f *spec.Field, p place) {
		name := o.Name + "." + f.JSON
		for _, v := range []string{value(f, 0), value(f, 2), "null"} {
			once := p.document(name, `{"`+f.JSON+`":`+v+`}`)
			twice := p.document(name, `{"`+f.JSON+`":`+value(f, 1)+`,"`+f.JSON+`":`+v+`}`)
			want := reference(t, once)
			if got, err := decodeAll(t, twice); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %s\ngot  %+v, %v\nwant %+v", name, twice.text, got, err, want)
			}
		}
	})
}

// TestEveryFieldRefuses gives each field the values of other types.
func TestEveryFieldRefuses(t *testing.T) {
	eachField(t, func(o *spec.Object, f *spec.Field, p place) {
		name := o.Name + "." + f.JSON
		values := []string{`"7"`, `7`, `7.5`, `true`, `{}`, `[]`, `[[]]`, `[{},7]`, `["7",7]`, `[7,"7"]`, `99999999999999999999`, `[7,99999999999999999999]`, `7e2`, `-`, `.5`, `nul`, `"\x"`}
		form := `{"` + f.JSON + `":%s,` + tail + `}`
		learn(t, p.document(name, strings.Replace(form, "%s", value(f, 0), 1)))
		for _, v := range values {
			d := p.document(name, strings.Replace(form, "%s", v, 1))
			got, err := decodeAll(t, d)
			if !json.Valid(d.text) {
				if err == nil {
					t.Errorf("%s: accepted %s", name, d.text)
				}
				continue
			}
			faults := typeFaults(t, d)
			if (err == nil) != (len(faults) == 0) {
				t.Errorf("%s: %s: %v, but the places with a wrong type are %v", name, d.text, err, faults)
			}
			if err == nil {
				if want := reference(t, d); !reflect.DeepEqual(got, want) {
					t.Errorf("%s: %s\ngot  %+v\nwant %+v", name, d.text, got, want)
				}
				continue
			}
			var e *wire.Error
			if !errors.As(err, &e) || !faults[e.Path] {
				t.Errorf("%s: %s: %v, but the places with a wrong type are %v", name, d.text, err, faults)
			} else if e.Code != wire.CodeType && e.Code != wire.CodeInteger && e.Code != wire.CodeRange {
				t.Errorf("%s: %s: code %s", name, d.text, e.Code.String())
			}
		}
	})
}

// TestEveryFieldCut cuts a message with each field at every byte of that field: a part of a
// message is never accepted.
func TestEveryFieldCut(t *testing.T) {
	eachField(t, func(o *spec.Object, f *spec.Field, p place) {
		name := o.Name + "." + f.JSON
		d := p.document(name, `{"`+f.JSON+`":`+value(f, 0)+`,`+tail+`}`)
		learn(t, d)
		for n := len(p.pre); n < len(d.text); n++ {
			if _, err := decodeAll(t, document{name, d.text[:n], d.response}); err == nil {
				t.Fatalf("%s: accepted %s", name, d.text[:n])
			}
		}
	})
}

// write returns an object with all of its fields, nested as deep as it goes, in some order.
func write(s *spec.Spec, o *spec.Object, order func(keys []*spec.Field) []*spec.Field, n *int) string {
	var b strings.Builder
	b.WriteByte('{')
	for i, f := range order(o.Fields) {
		if i > 0 {
			b.WriteByte(',')
		}
		*n++
		elem := func() string {
			if name := f.ObjectName(); name != "" {
				return write(s, s.Object(name), order, n)
			}
			return sample(f, *n)
		}
		fmt.Fprintf(&b, "%q:", f.JSON)
		if f.Array {
			fmt.Fprintf(&b, "[%s,%s]", elem(), elem())
		} else {
			b.WriteString(elem())
		}
	}
	b.WriteByte('}')
	return b.String()
}

// orders are orders of keys: senders choose one, and keep it for a while.
var orders = []struct {
	name string
	of   func(fields []*spec.Field) []*spec.Field
}{
	{"specification", func(f []*spec.Field) []*spec.Field { return f }},
	{"reversed", func(f []*spec.Field) []*spec.Field { f = slices.Clone(f); slices.Reverse(f); return f }},
	{"alphabetical", func(f []*spec.Field) []*spec.Field {
		return slices.SortedFunc(slices.Values(f), func(a, b *spec.Field) int { return strings.Compare(a.JSON, b.JSON) })
	}},
	{"every other", func(f []*spec.Field) (out []*spec.Field) {
		for i := range f {
			out = append(out, f[(i*2)%len(f)+(i*2/len(f))*(1-len(f)%2)])
		}
		return out
	}},
}

// TestFullMessages decodes messages with every field of the specification, in several orders
// of the keys one after the other, twice each.
func TestFullMessages(t *testing.T) {
	s := spec.OpenRTB()
	for _, root := range []string{"BidRequest", "BidResponse"} {
		for range 2 {
			for _, order := range orders {
				n := 0
				d := document{order.name, []byte(write(s, s.Object(root), order.of, &n)), root == "BidResponse"}
				want := reference(t, d)
				got, err := decodeAll(t, d)
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("%s in the order %s: %v, or another value than encoding/json", root, order.name, err)
				}
				for _, zero := range unset(reflect.ValueOf(got).Elem(), root) {
					t.Errorf("%s in the order %s: %s is not set", root, order.name, zero)
				}
			}
		}
	}
}

// unset lists the exported fields of a value that are zero, at the first place of each.
func unset(v reflect.Value, path string) (out []string) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return []string{path}
		}
		return unset(v.Elem(), path)
	case reflect.Slice:
		if v.Len() == 0 {
			return []string{path}
		}
		if v.Type().Elem().Kind() == reflect.Struct {
			return unset(v.Index(0), path+"[0]")
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Type.Kind() != reflect.String { // a sample is empty
				out = append(out, unset(v.Field(i), path+"."+f.Name)...)
			}
		}
	}
	return out
}

// TestCloneIsApart changes the text under a decoded message: the clone must not notice.
func TestCloneIsApart(t *testing.T) {
	s := spec.OpenRTB()
	for _, root := range []string{"BidRequest", "BidResponse"} {
		n := 0
		text := []byte(write(s, s.Object(root), orders[0].of, &n))
		want := reference(t, document{root, slices.Clone(text), root == "BidResponse"})
		var clone, other any
		if root == "BidRequest" {
			r, err := openrtb.ParseFast(text)
			if err != nil {
				t.Fatal(err)
			}
			clone, other = r.Clone(), r
		} else {
			r, err := openrtb.ParseResponseFast(text)
			if err != nil {
				t.Fatal(err)
			}
			clone, other = r.Clone(), r
		}
		clear(text)
		if !reflect.DeepEqual(clone, want) {
			t.Errorf("the clone of a %s has changed with the text", root)
		}
		if reflect.DeepEqual(other, want) {
			t.Errorf("the %s was expected to change with the text; did ParseFast copy it?", root)
		}
		if shared := sharedMemory(reflect.ValueOf(clone), reflect.ValueOf(other), root); shared != "" {
			t.Errorf("the clone and the %s share %s", root, shared)
		}
	}
	if c := (&openrtb.BidRequest{}).Clone(); !reflect.DeepEqual(c, &openrtb.BidRequest{}) {
		t.Errorf("the clone of an empty request is %+v", c)
	}
}

// sharedMemory returns the path of the first pointer or array that two values have in common.
func sharedMemory(a, b reflect.Value, path string) string {
	switch a.Kind() {
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			return ""
		}
		if a.Pointer() == b.Pointer() {
			return path
		}
		return sharedMemory(a.Elem(), b.Elem(), path)
	case reflect.Slice:
		if a.Len() > 0 && b.Len() > 0 && a.Pointer() == b.Pointer() {
			return path
		}
		for i := range min(a.Len(), b.Len()) {
			if p := sharedMemory(a.Index(i), b.Index(i), fmt.Sprintf("%s[%d]", path, i)); p != "" {
				return p
			}
		}
	case reflect.Struct:
		for i := range a.NumField() {
			if f := a.Type().Field(i); f.IsExported() {
				if p := sharedMemory(a.Field(i), b.Field(i), path+"."+f.Name); p != "" {
					return p
				}
			}
		}
	}
	return ""
}

// TestLenientAcceptsMore: what the default accepts, lenient mode reads in the same way.
func TestLenientAcceptsMore(t *testing.T) {
	for _, d := range corpus(t) {
		want, err := decodeAll(t, d)
		if err != nil {
			continue
		}
		var got any
		if d.response {
			var r *openrtb.BidResponse
			dec := openrtb.NewResponseDecoder(wire.Lenient())
			if r, err = dec.Decode(d.text); err == nil {
				got = r.Clone()
			}
			if n := len(dec.Saved()); n > 0 {
				t.Errorf("%s: lenient mode has put %d things right where nothing was wrong", d.name, n)
			}
		} else {
			var r *openrtb.BidRequest
			dec := openrtb.NewDecoder(wire.Lenient())
			if r, err = dec.Decode(d.text); err == nil {
				got = r.Clone()
			}
			if n := len(dec.Saved()); n > 0 {
				t.Errorf("%s: lenient mode has put %d things right where nothing was wrong", d.name, n)
			}
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: lenient: %v, or another value", d.name, err)
		}
	}
}

// TestLenientPerField gives each field what real senders write instead of its type. Every
// value that is saved is reported with the path of the field or of its element.
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
			if d.response {
				_, err = responses.Decode(d.text)
				saved = responses.Saved()
			} else {
				_, err = requests.Decode(d.text)
				saved = requests.Saved()
			}
			if (err == nil) != ok {
				t.Errorf("%s: %s: lenient mode: %v, expected accepted: %v", d.name, d.text, err, ok)
			}
			if ok && (len(saved) == 0 || !strings.Contains(saved[0].Path, "/"+f.JSON)) {
				t.Errorf("%s: %s: saved %v", d.name, d.text, saved)
			}
		}
	})
}

// lenientSamples has values that the default refuses, and whether lenient mode reads them.
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
		out[v] = ok // one bare value, put right twice
	}
	out[sample(f, 0)] = true
	return out
}
