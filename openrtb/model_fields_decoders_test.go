package openrtb_test

import (
	"encoding/json"
	"reflect"
	"regexp"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
)

// decoders are the ways to decode a request or a response. The results own their memory.
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

// All tests share these decoders: nothing of an earlier document may show in a later one.
var (
	requestDecoder  = openrtb.NewDecoder()
	responseDecoder = openrtb.NewResponseDecoder()
)

// decodeAll decodes a document in all ways, which must agree, and returns the value or the error.
func decodeAll(t *testing.T, d testkit.Document) (any, error) {
	t.Helper()
	var first any
	var firstErr error
	for i, dec := range decoders {
		var v any
		var err error
		if d.Response {
			v, err = dec.response(d.Text)
		} else {
			v, err = dec.request(d.Text)
		}
		if i == 0 {
			first, firstErr = v, err
			continue
		}
		if !reflect.DeepEqual(err, firstErr) || err == nil && !reflect.DeepEqual(v, first) {
			t.Errorf("%s: %s\n%s: %+v, %v\n%s: %+v, %v", d.Name, d.Text, decoders[0].name, first, firstErr, dec.name, v, err)
		}
	}
	return first, firstErr
}

// nullExt finds an ext of null. It is absent, as every null is, but encoding/json keeps it.
var nullExt = regexp.MustCompile(`"(?:e|\\u0065)xt"\s*:\s*null`)

// reference decodes a document with encoding/json.
func reference(t *testing.T, d testkit.Document) any {
	t.Helper()
	var v any = new(openrtb.BidRequest)
	if d.Response {
		v = new(openrtb.BidResponse)
	}
	if err := json.Unmarshal(nullExt.ReplaceAll(d.Text, []byte(`"x":null`)), v); err != nil {
		t.Fatalf("%s: encoding/json: %v", d.Name, err)
	}
	return v
}

// learn decodes a document until the decoders guess the order of its keys.
func learn(t *testing.T, d testkit.Document) {
	t.Helper()
	for range 12 {
		for _, dec := range decoders {
			var err error
			if d.Response {
				_, err = dec.response(d.Text)
			} else {
				_, err = dec.request(d.Text)
			}
			if err != nil {
				t.Fatalf("%s: %s: %v", d.Name, d.Text, err)
			}
		}
	}
}
