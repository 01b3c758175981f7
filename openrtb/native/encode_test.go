package native_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/openrtb/native"
)

// full returns a value with every field set.
func full[T any](tb testing.TB) *T {
	tb.Helper()
	v := new(T)
	fill(tb, reflect.ValueOf(v).Elem())
	return v
}

// fill sets every field of v.
func fill(tb testing.TB, v reflect.Value) {
	tb.Helper()
	switch v.Kind() {
	case reflect.Struct:
		for _, f := range v.Fields() {
			fill(tb, f)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(tb, v.Elem())
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]byte(`{"x":[1.0,"é",null]}`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(tb, v.Index(0))
		fill(tb, v.Index(1))
	case reflect.String:
		v.SetString("<a href=\"x\">\u00e9\u2028\n</a>")
	case reflect.Int:
		v.SetInt(-500)
	default:
		tb.Fatalf("fill does not know type %v", v.Type())
	}
}

// TestRoundTrip encodes values and decodes them again.
func TestRoundTrip(t *testing.T) {
	for _, w := range []native.Wrapper{native.Bare, native.Wrapped} {
		for name, want := range map[string]*native.Request{
			"full":    full[native.Request](t),
			"empty":   {},
			"zeros":   {Seq: new(0), Assets: []native.AssetRequest{{ID: new(0), Required: new(0)}}},
			"private": {Context: new(adcom.NativeContextType(501))},
		} {
			text, err := want.Encode(w)
			if err != nil {
				t.Fatal(err)
			}
			got, form, err := native.ParseRequest(text)
			if err != nil || form != w || !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %v: %s\ngot %+v, %v, %v", name, w, text, got, form, err)
			}
		}
		for name, want := range map[string]*native.Response{
			"full":  full[native.Response](t),
			"empty": {},
			"link":  {Link: &native.Link{URL: "https://a.example/?b=1&c=<2>"}},
		} {
			text, err := want.Encode(w)
			if err != nil {
				t.Fatal(err)
			}
			got, form, err := native.ParseResponse(text)
			if err != nil || form != w || !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %v: %s\ngot %+v, %v, %v", name, w, text, got, form, err)
			}
		}
	}
}

// TestEncode shows the text: markup is not escaped, and absent fields are left out.
func TestEncode(t *testing.T) {
	for _, c := range []struct {
		name    string
		encode  func() (string, error)
		want    string
		wantErr string
	}{
		{"bare request", func() (string, error) { return (&native.Request{Ver: "1.2"}).Encode(native.Bare) }, `{"ver":"1.2"}`, ""},
		{"wrapped request", func() (string, error) { return (&native.Request{Ver: "1.0"}).Encode(native.Wrapped) }, `{"native":{"ver":"1.0"}}`, ""},
		{"wrapped response", func() (string, error) {
			return (&native.Response{JSTracker: "<script>a && b</script>"}).Encode(native.Wrapped)
		}, `{"native":{"jstracker":"<script>a && b</script>"}}`, ""},
		{"an explicit zero is written", func() (string, error) { return (&native.Request{Privacy: new(0)}).Encode(native.Bare) }, `{"privacy":0}`, ""},
		{"an empty array is written", func() (string, error) {
			return (&native.Request{Assets: []native.AssetRequest{}}).Encode(native.Bare)
		}, `{"assets":[]}`, ""},
		{"ext keeps its bytes", func() (string, error) {
			return (&native.Request{Ext: json.RawMessage("{ \"a\" : 1.0 ,\"b\":\"<\"}")}).Encode(native.Bare)
		}, "{\"ext\":{ \"a\" : 1.0 ,\"b\":\"<\"}}", ""},
		{"ext is not JSON", func() (string, error) {
			return (&native.Response{Ext: json.RawMessage("{")}).Encode(native.Bare)
		}, "", `native: /ext (byte 1): expected key in double quotes, found end of value`},
		{"nil request", func() (string, error) { return (*native.Request)(nil).Encode(native.Bare) }, "", "native: Encode of a nil *Request"},
		{"nil response", func() (string, error) { return (*native.Response)(nil).Encode(native.Wrapped) }, "", "native: Encode of a nil *Response"},
	} {
		got, err := c.encode()
		if got != c.want || (err == nil) != (c.wantErr == "") || err != nil && err.Error() != c.wantErr {
			t.Errorf("%s: %s, %v", c.name, got, err)
		}
	}
}
