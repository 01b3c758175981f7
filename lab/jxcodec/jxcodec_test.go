package jxcodec

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/rtbwire/rtbwire/openrtb"
)

// A value that is null or empty is what it is for encoding/json, and is written as it writes it.
func TestEmpty(t *testing.T) {
	for _, text := range []string{
		`{}`, `{"imp":null,"site":null,"cur":null,"at":null,"id":null}`,
		`{"imp":[],"cur":[],"bcat":["a",null,"b"],"site":{},"device":{"geo":{}}}`,
		`{"imp":[{"banner":{"btype":[],"format":[]}},null,{"bidfloor":0,"ext":{"a":[1, 2]}}]}`,
	} {
		want := new(openrtb.BidRequest)
		if err := json.Unmarshal([]byte(text), want); err != nil {
			t.Fatal(err)
		}
		got, err := DecodeRequest([]byte(text))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", text, got, err)
			continue
		}
		back := new(openrtb.BidRequest)
		out := AppendRequest([]byte(nil), got)
		if err := json.Unmarshal(out, back); err != nil {
			t.Errorf("%s is written as %s: %v", text, out, err)
			continue
		}
		plain, err := json.Marshal(want)
		again, err2 := json.Marshal(back)
		if err != nil || err2 != nil || string(again) != string(plain) {
			t.Errorf("%s is written as %s", text, out)
		}
	}
}

// Text after the end is refused, and a text that was cut, wherever it was cut.
func TestEnd(t *testing.T) {
	const text = `{"id":"a\u00e9","imp":[{"id":"1","bidfloor":1.25,"banner":{"w":300}}],"x":[1,{"y":"z"}],"cur":["USD"]}`
	if _, err := DecodeRequest([]byte(text + " \n")); err != nil {
		t.Fatal(err)
	}
	if _, err := DecodeRequest([]byte(text + "}")); err == nil {
		t.Error("text after the end is accepted")
	}
	for i := range text {
		if _, err := DecodeRequest([]byte(text)[:i:i]); err == nil {
			t.Errorf("accepted %s", text[:i])
		}
	}
}
