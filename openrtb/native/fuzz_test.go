package native_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/rtbwire/rtbwire/openrtb/native"
	"github.com/rtbwire/rtbwire/wire"
)

// FuzzParse encodes what it parses and parses it again, and compares the modes.
func FuzzParse(f *testing.F) {
	for _, c := range errorCases {
		f.Add(c.text)
	}
	for _, w := range []native.Wrapper{native.Bare, native.Wrapped} {
		req, _ := full[native.Request](f).Encode(w)
		resp, _ := full[native.Response](f).Encode(w)
		f.Add(req)
		f.Add(resp)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if r, w, err := native.ParseRequest(text); err == nil {
			roundTrip(t, r, w, native.ParseRequest, (*native.Request).Encode)
		}
		if r, w, err := native.ParseResponse(text); err == nil {
			roundTrip(t, r, w, native.ParseResponse, (*native.Response).Encode)
		}
		// Strict mode accepts less than default mode, lenient mode more.
		_, _, strict := native.ParseRequest(text, wire.Strict())
		_, _, normal := native.ParseRequest(text)
		_, _, lenient := native.ParseRequest(text, wire.Lenient())
		if strict == nil && normal != nil || normal == nil && lenient != nil {
			t.Errorf("strict: %v, default: %v, lenient: %v", strict, normal, lenient)
		}
	})
}

// parser is ParseRequest or ParseResponse.
type parser[T any] func(text string, opts ...wire.Option) (*T, native.Wrapper, error)

// roundTrip encodes a value and decodes it, with this package and with encoding/json. Both must
// give the same value, and encoding it again the same text.
func roundTrip[T any](t *testing.T, v *T, w native.Wrapper, parse parser[T], encode func(*T, native.Wrapper) (string, error)) {
	t.Helper()
	text, err := encode(v, w)
	if err != nil {
		t.Fatalf("can't encode a parsed value: %v", err)
	}
	again, form, err := parse(text)
	if err != nil || form != w {
		t.Fatalf("can't parse an encoded value: %v, %v: %s", form, err, text)
	}
	if second, err := encode(again, w); err != nil || second != text {
		t.Fatalf("first %s, then %s, %v", text, second, err)
	}
	bare, err := encode(v, native.Bare)
	if err != nil {
		t.Fatal(err)
	}
	other := new(T)
	if err := json.Unmarshal([]byte(bare), other); err != nil || !reflect.DeepEqual(again, other) {
		t.Fatalf("encoding/json reads %s differently: %+v, %v", bare, other, err)
	}
}
