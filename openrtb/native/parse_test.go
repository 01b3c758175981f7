package native_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/openrtb/native"
	"github.com/rtbwire/rtbwire/wire"
)

// TestWrapper parses both forms, and texts that look like the other form.
func TestWrapper(t *testing.T) {
	for _, c := range []struct {
		text string
		form native.Wrapper
		ver  string
	}{
		{`{"ver":"1.2"}`, native.Bare, "1.2"},
		{`{"native":{"ver":"1.0"}}`, native.Wrapped, "1.0"},
		{" {\n\"native\" : { \"ver\" : \"1.0\" } } ", native.Wrapped, "1.0"},
		{`{"\u006eative":{"ver":"1.0"}}`, native.Wrapped, "1.0"},
		{`{"native":{}}`, native.Wrapped, ""},
		{`{"native":null,"ver":"1.1"}`, native.Bare, "1.1"},                        // null is absent
		{`{"native":{"ver":"1.0"},"native":{"ver":"1.1"}}`, native.Wrapped, "1.1"}, // the last wins
		{`{"ver":"1.2","native":{"ver":"1.0"},"x":1}`, native.Wrapped, "1.0"},
		{`{"Native":{"ver":"1.0"},"ver":"1.2"}`, native.Bare, "1.2"}, // names are exact
		{`{"native":{"native":{"ver":"1.0"}}}`, native.Wrapped, ""},  // one layer is taken off
	} {
		req, form, err := native.ParseRequest(c.text)
		if err != nil || form != c.form || req.Ver != c.ver {
			t.Errorf("request %s: %+v, %v, %v", c.text, req, form, err)
		}
		resp, form, err := native.ParseResponse(c.text)
		if err != nil || form != c.form || resp.Ver != c.ver {
			t.Errorf("response %s: %+v, %v, %v", c.text, resp, form, err)
		}
	}
	for ver, want := range map[string]native.Wrapper{"1.0": native.Wrapped, "1": native.Wrapped, "1.1": native.Bare, "1.2": native.Bare, "2.0": native.Bare, "": native.Bare, "x": native.Bare} {
		if got := native.WrapperOf(ver); got != want {
			t.Errorf("WrapperOf(%q) = %v, want %v", ver, got, want)
		}
	}
	if native.Bare.String() != "bare" || native.Wrapped.String() != "wrapped" {
		t.Error("the names of the forms are wrong")
	}
}

// TestOf checks that errors of RequestOf and ResponseOf name the field that had the text.
func TestOf(t *testing.T) {
	r, w, err := native.RequestOf(&openrtb.Native{Request: `{"native":{"seq":3}}`})
	if err != nil || w != native.Wrapped || *r.Seq != 3 {
		t.Errorf("%+v, %v, %v", r, w, err)
	}
	a, w, err := native.ResponseOf(&openrtb.Bid{AdM: `{"link":{"url":"u"}}`})
	if err != nil || w != native.Bare || a.Link.URL != "u" {
		t.Errorf("%+v, %v, %v", a, w, err)
	}

	for name, err := range map[string]error{
		"no object":  third(native.RequestOf(nil)),
		"no request": third(native.RequestOf(&openrtb.Native{})),
		"no bid":     third(native.ResponseOf(nil)),
		"no adm":     third(native.ResponseOf(&openrtb.Bid{})),
	} {
		if !errors.Is(err, wire.CodeEmpty) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var e *wire.Error
	err = third(native.RequestOf(&openrtb.Native{Request: `{"assets":1}`}))
	if !errors.As(err, &e) || e.Offset != 10 || e.Path != "/assets" || err.Error() != "native: in the text of native.request: /assets (byte 10): expected array, found number" {
		t.Errorf("request: %v", err)
	}
	err = third(native.ResponseOf(&openrtb.Bid{AdM: "<b>"}))
	if !errors.Is(err, wire.CodeSyntax) || !strings.HasPrefix(err.Error(), "native: in the text of adm: document (byte 0): ") {
		t.Errorf("response: %v", err)
	}
}

// third returns the error.
func third[T any](_ *T, _ native.Wrapper, err error) error { return err }

// TestOptions passes each kind of option.
func TestOptions(t *testing.T) {
	for _, c := range []struct {
		name string
		text string
		opt  wire.Option
		code wire.Code // 0: accepted with the option, and refused without
	}{
		{"strict", `{"ver":"1.1","ver":"1.2"}`, wire.Strict(), wire.CodeDuplicate},
		{"depth", `{"native":{"ext":{}}}`, wire.MaxDepth(2), wire.CodeDepth},
		{"size", `{"ver":"1.2"}`, wire.MaxSize(12), wire.CodeSize},
		{"elements", `{"assets":[{},{},{}]}`, wire.MaxElements(2), wire.CodeElements},
		{"memory", `{"assets":[{},{},{},{},{},{},{},{}]}`, wire.MaxMemory(1, 0), wire.CodeMemory},
		{"lenient", `{"assets":[{"id":"1","required":true}]}`, wire.Lenient(), 0},
	} {
		_, _, with := native.ParseRequest(c.text, c.opt)
		_, _, without := native.ParseRequest(c.text)
		if c.code == 0 && (with != nil || without == nil) || c.code != 0 && (!errors.Is(with, c.code) || without != nil) {
			t.Errorf("%s: with the option %v, without %v", c.name, with, without)
		}
	}
	// Options of one call do not apply to the next.
	if _, _, err := native.ParseRequest(`{"ver":"1.2"}`); err != nil {
		t.Error(err)
	}
	r, _, err := native.ParseResponse(`{"native":{"assets":{"id":"1","title":{"text":7}}}}`, wire.Lenient())
	if err != nil || *r.Assets[0].ID != 1 || r.Assets[0].Title.Text != "7" {
		t.Errorf("lenient: %+v, %v", r, err)
	}
}

// TestAsset finds assets by their id.
func TestAsset(t *testing.T) {
	req := native.Request{Assets: []native.AssetRequest{{}, {ID: new(0)}, {ID: new(7)}}}
	resp := native.Response{Assets: []native.AssetResponse{{}, {ID: new(0)}, {ID: new(7)}}}
	for id, i := range map[int]int{0: 1, 7: 2} {
		if req.Asset(id) != &req.Assets[i] || resp.Asset(id) != &resp.Assets[i] {
			t.Errorf("Asset(%d) returns another asset", id)
		}
	}
	if req.Asset(1) != nil || resp.Asset(1) != nil {
		t.Error("Asset(1) returns an asset, want nil")
	}
}

// TestResultsAreApart parses one text after another: a result must not change with the next call,
// which uses the same decoder.
func TestResultsAreApart(t *testing.T) {
	texts := []string{
		`{"native":{"ver":"1.0\n","assets":[{"id":1,"title":{"len":25}},{"id":2,"data":{"type":1}}]}}`,
		`{"ver":"9.9\t","assets":[{"id":901,"title":{"len":925}},{"id":902,"data":{"type":12}}],"ext":{"a":"b"}}`,
	}
	first, _, err := native.ParseRequest(texts[0])
	if err != nil {
		t.Fatal(err)
	}
	want, err := first.Encode(native.Bare)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		for _, text := range texts {
			if _, _, err := native.ParseRequest(text); err != nil {
				t.Fatal(err)
			}
		}
		_, _, _ = native.ParseRequest(`{"assets":[{"id":`) // refused halfway
	}
	if got, err := first.Encode(native.Bare); err != nil || got != want {
		t.Errorf("the first result became %s, %v; it was %s", got, err, want)
	}
}

// TestNoMarshalers: these methods of a type would change what encoding/json and other libraries do
// with it.
func TestNoMarshalers(t *testing.T) {
	for _, typ := range []reflect.Type{reflect.TypeFor[*native.Request](), reflect.TypeFor[*native.Response]()} {
		for _, name := range []string{"UnmarshalJSON", "MarshalJSON", "UnmarshalText", "MarshalText"} {
			if _, ok := typ.MethodByName(name); ok {
				t.Errorf("%v has a method %s", typ, name)
			}
		}
	}
}
