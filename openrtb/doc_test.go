package openrtb_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// The tests of this file hold the sentences of doc.go that no other test holds: about what is
// absent, lists, ext, and other libraries.

// TestDocEncoding: what AppendJSON leaves out, and what encoding/json does.
func TestDocEncoding(t *testing.T) {
	for _, c := range []struct {
		v            openrtb.BidRequest
		want, stdlib string
	}{
		{openrtb.BidRequest{}, `{}`, `{}`},
		{openrtb.BidRequest{At: new(adcom.AuctionType(0)), Test: new(0)}, `{"test":0,"at":0}`, `{"test":0,"at":0}`},
		{openrtb.BidRequest{ID: "", Cur: []string{}}, `{"cur":[]}`, `{}`},
		{openrtb.BidRequest{Cur: nil, Imp: nil, Site: nil, Ext: nil}, `{}`, `{}`},
		{openrtb.BidRequest{Imp: []openrtb.Imp{}}, `{"imp":[]}`, `{}`},
		{openrtb.BidRequest{Cur: []string{""}, Imp: []openrtb.Imp{{}}}, `{"imp":[{}],"cur":[""]}`, `{"imp":[{}],"cur":[""]}`},
		{openrtb.BidRequest{Site: &openrtb.Site{}}, `{"site":{}}`, `{"site":{}}`},
		{openrtb.BidRequest{Ext: json.RawMessage{}}, `{}`, `{}`},
		{openrtb.BidRequest{Ext: json.RawMessage(`null`)}, `{"ext":null}`, `{"ext":null}`},
	} {
		got, err := c.v.AppendJSON(nil)
		if err != nil || string(got) != c.want {
			t.Errorf("%+v is written as %s, %v; want %s", c.v, got, err, c.want)
		}
		if got, err := json.Marshal(&c.v); err != nil || string(got) != c.stdlib {
			t.Errorf("%+v is written by encoding/json as %s, %v; want %s", c.v, got, err, c.stdlib)
		}
	}
}

// TestDocDecoding: what is absent, unknown, null and of another case; what is shape and what is
// sense.
func TestDocDecoding(t *testing.T) {
	for _, c := range []struct {
		text string
		want openrtb.BidRequest
		code wire.Code
	}{
		{`{}`, openrtb.BidRequest{}, 0},
		{`{"id":null,"imp":null,"at":null,"site":null,"cur":null,"ext":null}`, openrtb.BidRequest{}, 0},
		{`{"ID":"1","Imp":7,"unknown":{"a":[]}}`, openrtb.BidRequest{}, 0},
		{`{"id":"","cur":[],"at":0}`, openrtb.BidRequest{Cur: []string{}, At: new(adcom.AuctionType(0))}, 0},
		{`{"imp":[{"bidfloor":-1}]}`, openrtb.BidRequest{Imp: []openrtb.Imp{{BidFloor: new(-1.0)}}}, 0},
		{`{"at":12345,"test":-1}`, openrtb.BidRequest{At: new(adcom.AuctionType(12345)), Test: new(-1)}, 0},
		{`{"ext": { "b" : 1.00, "a":"\u0041" } }`, openrtb.BidRequest{Ext: json.RawMessage(`{ "b" : 1.00, "a":"\u0041" }`)}, 0},
		{`{"ext":7}`, openrtb.BidRequest{Ext: json.RawMessage(`7`)}, 0},
		{`{"ext":{"a":01}}`, openrtb.BidRequest{}, wire.CodeNumber},
		{`{"id":1}`, openrtb.BidRequest{}, wire.CodeType},
	} {
		v, err := openrtb.Parse([]byte(c.text))
		if c.code != 0 {
			var e *wire.Error
			if !errors.As(err, &e) || e.Code != c.code || e.Path == "" {
				t.Errorf("%s: %v, want %s", c.text, err, c.code.String())
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(*v, c.want) {
			t.Errorf("%s is %+v, %v; want %+v", c.text, v, err, c.want)
		}
	}
	for code, want := range map[adcom.AuctionType]bool{0: false, 1: true, 2: true, 3: false, 499: false, 500: true, 12345: true} {
		if code.Valid() != want {
			t.Errorf("AuctionType(%d).Valid() is %v", code, !want)
		}
	}
}

// TestDocTypes: which Go types stand for which of the specification.
func TestDocTypes(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var visit func(reflect.Type)
	visit = func(object reflect.Type) {
		if seen[object] {
			return
		}
		seen[object] = true
		for f := range object.Fields() {
			name, typ := object.Name()+"."+f.Name, f.Type
			switch {
			case typ == reflect.TypeFor[json.RawMessage](), typ.Kind() == reflect.String:
			case typ.Kind() == reflect.Slice:
				switch e := typ.Elem(); e.Kind() { //nolint:exhaustive // the rest is refused
				case reflect.Struct:
					visit(e)
				case reflect.String, reflect.Int, reflect.Float64:
				default:
					t.Errorf("%s is an array of %s", name, e)
				}
			case typ.Kind() == reflect.Pointer:
				switch e := typ.Elem(); e.Kind() { //nolint:exhaustive // the rest is refused
				case reflect.Struct:
					visit(e)
				case reflect.Int:
					if e != reflect.TypeFor[int]() && !strings.HasSuffix(e.PkgPath(), "/adcom") {
						t.Errorf("%s is a *%s", name, e)
					}
				case reflect.Float64:
				default:
					t.Errorf("%s is a *%s", name, e)
				}
			default:
				t.Errorf("%s is a %s", name, typ)
			}
			if tag := f.Tag.Get("json"); !strings.HasSuffix(tag, ",omitempty") {
				t.Errorf("%s has the tag %q", name, tag)
			}
		}
		for _, method := range []string{"MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText", "Equal"} {
			if _, has := reflect.PointerTo(object).MethodByName(method); has {
				t.Errorf("%s has the method %s, which other libraries call", object, method)
			}
		}
	}
	visit(reflect.TypeFor[openrtb.BidRequest]())
	visit(reflect.TypeFor[openrtb.BidResponse]())
	if len(seen) < 35 {
		t.Errorf("only %d types", len(seen))
	}
}
