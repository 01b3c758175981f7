package openrtb_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/spec"
)

// write returns the text of an object with all of its fields and theirs, in some order of keys.
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

// orders are orders of keys. A sender uses one of them for many messages.
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

// TestFullMessages decodes messages with every field of the specification, in several orders of the
// keys, twice each.
func TestFullMessages(t *testing.T) {
	s := spec.OpenRTB()
	for _, root := range []string{"BidRequest", "BidResponse"} {
		for range 2 {
			for _, order := range orders {
				n := 0
				d := testkit.Document{Name: order.name, Text: []byte(write(s, s.Object(root), order.of, &n)), Response: root == "BidResponse"}
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

// unset lists the exported fields of a value that are zero. Of arrays it looks at the first
// element.
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
			if f := v.Type().Field(i); f.IsExported() && f.Type.Kind() != reflect.String { // some samples are empty
				out = append(out, unset(v.Field(i), path+"."+f.Name)...)
			}
		}
	}
	return out
}

// TestCloneIsApart overwrites the text of a message: the clone must not change.
func TestCloneIsApart(t *testing.T) {
	s := spec.OpenRTB()
	for _, root := range []string{"BidRequest", "BidResponse"} {
		n := 0
		text := []byte(write(s, s.Object(root), orders[0].of, &n))
		want := reference(t, testkit.Document{Name: root, Text: slices.Clone(text), Response: root == "BidResponse"})
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
			t.Errorf("the %s did not change with the text: ParseFast copied it", root)
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
