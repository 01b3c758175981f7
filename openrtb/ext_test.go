package openrtb_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/openrtb/native"
	"github.com/rtbwire/rtbwire/wire"
)

// vendorExt is what a program may know of an ext.
type vendorExt struct {
	GPID    string `json:"gpid,omitempty"`
	Prebid  *bool  `json:"prebid,omitempty"`
	Details struct {
		Level int `json:"level"`
	} `json:"details"`
}

func TestExtAs(t *testing.T) {
	for in, want := range map[string]vendorExt{
		"":                           {},
		"null":                       {},
		"{}":                         {},
		`{"gpid":"a","unknown":[1]}`: {GPID: "a"},
		`{"prebid":false}`:           {Prebid: new(false)},
	} {
		if got, err := openrtb.ExtAs[vendorExt](json.RawMessage(in)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q is %+v, %v; want %+v", in, got, err, want)
		}
	}
	if got, err := openrtb.ExtAs[vendorExt](nil); err != nil || !reflect.DeepEqual(got, vendorExt{}) {
		t.Errorf("nil is %+v, %v", got, err)
	}
	if got, err := openrtb.ExtAs[*vendorExt](json.RawMessage(`null`)); err != nil || got != nil {
		t.Errorf("null is the pointer %v, %v", got, err)
	}
	if got, err := openrtb.ExtAs[map[string]int](json.RawMessage(`{"a":1}`)); err != nil || got["a"] != 1 {
		t.Errorf("a map is %v, %v", got, err)
	}
}

// TestExtAsErrors wants an error to say what could not be decoded into what.
func TestExtAsErrors(t *testing.T) {
	got, err := openrtb.ExtAs[vendorExt](json.RawMessage(`{"gpid":"a","details":{"level":"high"}}`))
	var e *json.UnmarshalTypeError
	if !errors.As(err, &e) || e.Field != "details.level" {
		t.Errorf("a wrong type: %v", err)
	}
	for _, part := range []string{"ext", "openrtb_test.vendorExt", "details.level"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not say %q: %v", part, err)
		}
	}
	if !reflect.DeepEqual(got, vendorExt{}) {
		t.Errorf("on failure it returns %+v", got)
	}
	var syntax *json.SyntaxError
	if _, err := openrtb.ExtAs[vendorExt](json.RawMessage(`{`)); !errors.As(err, &syntax) {
		t.Errorf("half an ext: %v", err)
	}
}

// TestExtAsErrorsQuoteNothing decodes values that no log may have, and looks at the whole chain.
func TestExtAsErrorsQuoteNothing(t *testing.T) {
	type target struct {
		Small uint8          `json:"small"`
		Addr  netip.Addr     `json:"addr"`
		Time  time.Time      `json:"time"`
		Map   map[int]string `json:"map"`
		Raw   []byte         `json:"raw"`
	}
	for text, secret := range map[string]string{
		`{"small":4711}`:              "4711",
		`{"small":"4711"}`:            "4711",
		`{"small":47.11}`:             "47.11",
		`{"addr":"192.0.2.4711"}`:     "4711",
		`{"time":"yesterday"}`:        "yesterday",
		`{"map":{"secret":"x"}}`:      "secret",
		`{"map":{"4711000000000":1}}`: "4711",
		`{"raw":"§§"}`:                "§",
		`{"small":§}`:                 "§",
		`{"small":1}@`:                "@",
	} {
		_, err := openrtb.ExtAs[target](json.RawMessage(text))
		if err == nil {
			t.Errorf("%s is read", text)
		}
		for ; err != nil; err = errors.Unwrap(err) {
			if strings.Contains(err.Error(), secret) || strings.Contains(fmt.Sprintf("%+v", err), secret) {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
}

// TestExtOwnsItsMemory changes the text after the ext was decoded and set.
func TestExtOwnsItsMemory(t *testing.T) {
	data := []byte(`{"ext":{"gpid":"abc","keep":1}}`)
	before := string(data)
	v, err := openrtb.ParseFast(data)
	if err != nil {
		t.Fatal(err)
	}
	ext, err := openrtb.ExtAs[vendorExt](v.Ext)
	if err != nil {
		t.Fatal(err)
	}
	if err := openrtb.SetExtMember(&v.Ext, "gpid", "longer than before"); err != nil {
		t.Fatal(err)
	}
	if string(data) != before {
		t.Errorf("setting a member has changed the text: %s", data)
	}
	clear(data)
	if got := string(v.Ext); ext.GPID != "abc" || got != `{"gpid":"longer than before","keep":1}` {
		t.Errorf("after the text has changed: %+v, %s", ext, got)
	}
}

func TestSetExt(t *testing.T) {
	for _, c := range []struct {
		value any
		want  string
	}{
		{vendorExt{GPID: "<&>"}, `{"gpid":"<&>","details":{"level":0}}`},
		{json.RawMessage(`{"a": 1}`), `{"a":1}`},
		{map[string]any{}, `{}`},
		{7, `7`},
		{nil, ``},
		{(*vendorExt)(nil), ``},
	} {
		ext := json.RawMessage(`{"old":1}`)
		if err := openrtb.SetExt(&ext, c.value); err != nil || string(ext) != c.want || (ext == nil) != (c.want == "") {
			t.Errorf("%v: %s, %v; want %s", c.value, ext, err, c.want)
		}
	}
	ext := json.RawMessage(`{"old":1}`)
	if err := openrtb.SetExt(&ext, math.NaN()); err == nil || !strings.Contains(err.Error(), "float64") || string(ext) != `{"old":1}` {
		t.Errorf("NaN: %s, %v", ext, err)
	}
}

func TestSetExtMember(t *testing.T) {
	for _, c := range []struct {
		ext, name string
		value     any
		want      string
	}{
		{``, "a", 1, `{"a":1}`},
		{`null`, "a", 1, `{"a":1}`},
		{`{}`, "a", "<b>", `{"a":"<b>"}`},
		{`{ "x" : 1.0, "a":{"b":2}, "y":"\u0041"}`, "a", true, `{ "x" : 1.0, "a":true, "y":"\u0041"}`},
		{`{"x":1}`, "a/b~c", 2, `{"x":1,"a/b~c":2}`},
		{`{"a/b~c":1}`, "a/b~c", 2, `{"a/b~c":2}`},
		{`{"x":1}`, "", 2, `{"x":1,"":2}`},
		{`{"x":1}`, `"`, 2, `{"x":1,"\"":2}`},
		{`{"a":1,"b":2}`, "a", nil, `{"b":2}`},
		{`{"a":1}`, "a", nil, `{}`},
		{`{"b":1}`, "a", nil, `{"b":1}`},
		{``, "a", nil, ``},
	} {
		var ext json.RawMessage
		if c.ext != "" {
			ext = json.RawMessage(c.ext)
		}
		if err := openrtb.SetExtMember(&ext, c.name, c.value); err != nil || string(ext) != c.want || (ext == nil) != (c.want == "") {
			t.Errorf("%s, member %q as %v: %s, %v; want %s", c.ext, c.name, c.value, ext, err, c.want)
		}
	}
	for _, text := range []string{`[1]`, `"a"`, `{"a":}`} {
		ext := json.RawMessage(text)
		err := openrtb.SetExtMember(&ext, "prebid", 1)
		var e *wire.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), `"prebid"`) || string(ext) != text {
			t.Errorf("%s: %s, %v", text, ext, err)
		}
	}
	ext := json.RawMessage(`{"a":1}`)
	if err := openrtb.SetExtMember(&ext, "b", make(chan int)); err == nil || !strings.Contains(err.Error(), `"b"`) || string(ext) != `{"a":1}` {
		t.Errorf("a channel: %s, %v", ext, err)
	}
}

// TestExtOfOtherPackages uses the ext of a native object: the functions take any raw value.
func TestExtOfOtherPackages(t *testing.T) {
	r := native.Request{}
	if err := openrtb.SetExtMember(&r.Ext, "gpid", "a"); err != nil {
		t.Fatal(err)
	}
	if ext, err := openrtb.ExtAs[vendorExt](r.Ext); err != nil || ext.GPID != "a" {
		t.Errorf("%+v, %v", ext, err)
	}
}
