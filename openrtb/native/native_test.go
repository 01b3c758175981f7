package native_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/openrtb/native"
	"github.com/rtbwire/rtbwire/wire"
)

// full returns a value with every field set, so that none is forgotten on the way.
func full[T any](tb testing.TB) *T {
	tb.Helper()
	v := new(T)
	fill(tb, reflect.ValueOf(v).Elem())
	return v
}

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
		tb.Fatalf("a field of type %v", v.Type())
	}
}

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

// TestEncode shows the text itself: markup is not escaped, absent fields are left out.
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
		{"an explicit zero stays", func() (string, error) { return (&native.Request{Privacy: new(0)}).Encode(native.Bare) }, `{"privacy":0}`, ""},
		{"so does an empty array", func() (string, error) {
			return (&native.Request{Assets: []native.AssetRequest{}}).Encode(native.Bare)
		}, `{"assets":[]}`, ""},
		{"ext stays as it is", func() (string, error) {
			return (&native.Request{Ext: json.RawMessage("{ \"a\" : 1.0 ,\"b\":\"<\"}")}).Encode(native.Bare)
		}, "{\"ext\":{ \"a\" : 1.0 ,\"b\":\"<\"}}", ""},
		{"ext is not JSON", func() (string, error) {
			return (&native.Response{Ext: json.RawMessage("{")}).Encode(native.Bare)
		}, "", `native: wire: the document ends too early at byte 1 in "/ext"`},
		{"nil request", func() (string, error) { return (*native.Request)(nil).Encode(native.Bare) }, "", "native: Encode of a nil *Request"},
		{"nil response", func() (string, error) { return (*native.Response)(nil).Encode(native.Wrapped) }, "", "native: Encode of a nil *Response"},
	} {
		got, err := c.encode()
		if got != c.want || (err == nil) != (c.wantErr == "") || err != nil && err.Error() != c.wantErr {
			t.Errorf("%s: %s, %v", c.name, got, err)
		}
	}
}

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
			t.Errorf("WrapperOf(%q) = %v, expected %v", ver, got, want)
		}
	}
	if native.Bare.String() != "bare" || native.Wrapped.String() != "wrapped" {
		t.Error("the names of the forms are wrong")
	}
}

// errorCases are refused by requests and responses alike, except where the field says.
var errorCases = []struct {
	name   string
	text   string
	code   wire.Code
	offset int
	path   string
	of     string // "request" or "response" where the other one has no such field
}{
	{"empty", "", wire.CodeEmpty, 0, "", ""},
	{"white space", " \n", wire.CodeEmpty, 2, "", ""},
	{"HTML", "<div>", wire.CodeSyntax, 0, "", ""},
	{"VAST", `<VAST version="4.0"></VAST>`, wire.CodeSyntax, 0, "", ""},
	{"placeholder", `{"native":{ ... }}`, wire.CodeSyntax, 12, "/native", ""},
	{"cut", `{"native":{"assets":[{"id":1}`, wire.CodeTruncated, 29, "/native/assets", ""},
	{"followed by something", `{"ver":"1.2"} x`, wire.CodeTrailing, 14, "", ""},
	{"two objects", `{"ver":"1.2"}{}`, wire.CodeTrailing, 13, "", ""},
	{"array", `[{"ver":"1.2"}]`, wire.CodeType, 0, "", ""},
	{"string", `"{}"`, wire.CodeType, 0, "", ""},
	{"null", `null`, wire.CodeType, 0, "", ""},
	{"wrapped string", `{"native":"{\"ver\":\"1.2\"}"}`, wire.CodeType, 10, "/native", ""},
	{"number for a string", `{"ver":1.2}`, wire.CodeType, 7, "/ver", ""},
	{"string for an integer", `{"assets":[{"id":1},{"id":"2"}]}`, wire.CodeType, 26, "/assets/1/id", ""},
	{"fraction", `{"native":{"assets":[{"id":1.5}]}}`, wire.CodeInteger, 27, "/native/assets/0/id", ""},
	{"too large", `{"assets":[{"id":99999999999999999999}]}`, wire.CodeRange, 17, "/assets/0/id", ""},
	{"object for an array", `{"assets":{}}`, wire.CodeType, 10, "/assets", ""},
	{"array for an object", `{"assets":[{"title":[]}]}`, wire.CodeType, 20, "/assets/0/title", ""},
	{"not UTF-8", "{\"ver\":\"\xff\"}", wire.CodeUTF8, 8, "/ver", ""},
	{"half a pair", `{"ver":"\ud800"}`, wire.CodeSurrogate, 8, "/ver", ""},
	{"control character", "{\"ver\":\"\n\"}", wire.CodeControl, 8, "/ver", ""},
	{"fault in an unknown member", `{"eventrackers":[01]}`, wire.CodeNumber, 18, "/eventrackers/0", ""},
	{"privacy is a flag in requests", `{"privacy":"https://a.example"}`, wire.CodeType, 11, "/privacy", "request"},
	{"and a URL in responses", `{"privacy":1}`, wire.CodeType, 11, "/privacy", "response"},
	{"code that is no number", `{"eventtrackers":[{"event":"1"}]}`, wire.CodeType, 27, "/eventtrackers/0/event", ""},
	{"methods", `{"eventtrackers":[{"methods":[1,"2"]}]}`, wire.CodeType, 32, "/eventtrackers/0/methods/1", "request"},
	{"clicktrackers", `{"link":{"clicktrackers":["a",1]}}`, wire.CodeType, 30, "/link/clicktrackers/1", "response"},
	{"beside the wrapper", `{"native":{},"assets":1}`, wire.CodeType, 22, "/assets", ""},
	{"too deep", strings.Repeat(`{"ext":`, 2) + strings.Repeat("[", wire.DepthDefault) + strings.Repeat("]", wire.DepthDefault) + "}}", wire.CodeDepth, 14 + wire.DepthDefault - 2, "", ""},
}

func TestErrors(t *testing.T) {
	for _, c := range errorCases {
		_, _, reqErr := native.ParseRequest(c.text)
		_, _, respErr := native.ParseResponse(c.text)
		for kind, err := range map[string]error{"request": reqErr, "response": respErr} {
			if c.of != "" && c.of != kind {
				if err != nil {
					t.Errorf("%s: %s: %v", c.name, kind, err)
				}
				continue
			}
			var e *wire.Error
			if !errors.As(err, &e) || !errors.Is(err, c.code) || e.Offset != c.offset {
				t.Errorf("%s: %s: %v, expected %v at byte %d", c.name, kind, err, c.code, c.offset)
				continue
			}
			if e.Path != c.path && c.code != wire.CodeDepth { // a path of a thousand levels is its own test in package wire
				t.Errorf("%s: %s: path %q, expected %q", c.name, kind, e.Path, c.path)
			}
		}
	}
}

// TestOf checks what RequestOf and ResponseOf add: where the text was.
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
	if !errors.As(err, &e) || e.Offset != 10 || e.Path != "/assets" || !strings.HasPrefix(err.Error(), "native: in the text of native.request: wire: ") {
		t.Errorf("request: %v", err)
	}
	err = third(native.ResponseOf(&openrtb.Bid{AdM: "<b>"}))
	if !errors.Is(err, wire.CodeSyntax) || !strings.HasPrefix(err.Error(), "native: in the text of adm: wire: ") {
		t.Errorf("response: %v", err)
	}
}

func third[T any](_ *T, _ native.Wrapper, err error) error { return err }

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
	// An option of one call is not that of the next.
	if _, _, err := native.ParseRequest(`{"ver":"1.2"}`); err != nil {
		t.Error(err)
	}
	r, _, err := native.ParseResponse(`{"native":{"assets":{"id":"1","title":{"text":7}}}}`, wire.Lenient())
	if err != nil || *r.Assets[0].ID != 1 || r.Assets[0].Title.Text != "7" {
		t.Errorf("lenient: %+v, %v", r, err)
	}
}

func TestAsset(t *testing.T) {
	req := native.Request{Assets: []native.AssetRequest{{}, {ID: new(0)}, {ID: new(7)}}}
	resp := native.Response{Assets: []native.AssetResponse{{}, {ID: new(0)}, {ID: new(7)}}}
	for id, i := range map[int]int{0: 1, 7: 2} {
		if req.Asset(id) != &req.Assets[i] || resp.Asset(id) != &resp.Assets[i] {
			t.Errorf("asset %d is another one", id)
		}
	}
	if req.Asset(1) != nil || resp.Asset(1) != nil {
		t.Error("found an asset that is not there")
	}
}

// TestResultsAreApart parses one text after another: what one call returned must not change
// with the next, though both used the same working memory.
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

// TestSpecExamples reads the examples of Native 1.2, section 6.
func TestSpecExamples(t *testing.T) {
	files, err := filepath.Glob("../../testdata/spec-examples/fragments/native-*.json")
	if err != nil || len(files) != 7 {
		t.Fatalf("%d examples: %v", len(files), err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		base := filepath.Base(name)
		// The body that assetsurl leads to is the one that is printed without a wrapper.
		want := native.Wrapper(!strings.Contains(base, "assetsurl"))
		var form native.Wrapper
		var again string
		if strings.HasSuffix(base, "request.json") {
			var r *native.Request
			if r, form, err = native.ParseRequest(string(data)); err == nil {
				if len(r.Assets) == 0 || r.Ver != "1.2" {
					t.Errorf("%s: %+v", base, r)
				}
				again, err = r.Encode(form)
			}
		} else {
			var r *native.Response
			if r, form, err = native.ParseResponse(string(data)); err == nil {
				if len(r.Assets) == 0 || r.Link == nil && bool(form) {
					t.Errorf("%s: %+v", base, r)
				}
				again, err = r.Encode(form)
			}
		}
		if err != nil || form != want {
			t.Errorf("%s: %v, %v", base, form, err)
			continue
		}
		if lost := difference(t, data, []byte(again)); lost != "" && lost != "/native/eventrackers" && lost != "/native/assets/0/video/linearity" {
			t.Errorf("%s: %s is lost or changed", base, lost)
		}
	}
}

// difference returns the pointer to the first member that two texts do not share.
func difference(t *testing.T, a, b []byte) string {
	t.Helper()
	var x, y any
	if err := errors.Join(json.Unmarshal(a, &x), json.Unmarshal(b, &y)); err != nil {
		t.Fatal(err)
	}
	var walk func(path string, x, y any) string
	walk = func(path string, x, y any) string {
		switch x := x.(type) {
		case map[string]any:
			y, ok := y.(map[string]any)
			if !ok {
				return path
			}
			for key := range x {
				if _, ok := y[key]; !ok {
					return path + "/" + key
				}
			}
			for key := range x {
				if d := walk(path+"/"+key, x[key], y[key]); d != "" {
					return d
				}
			}
		case []any:
			y, ok := y.([]any)
			if !ok || len(x) != len(y) {
				return path
			}
			for i := range x {
				if d := walk(path+"/"+string(rune('0'+i)), x[i], y[i]); d != "" {
					return d
				}
			}
		default:
			if x != y {
				return path
			}
		}
		return ""
	}
	return walk("", x, y)
}

// TestNoMarshalers: a type with these methods changes what encoding/json and every other
// library do with it.
func TestNoMarshalers(t *testing.T) {
	for _, typ := range []reflect.Type{reflect.TypeFor[*native.Request](), reflect.TypeFor[*native.Response]()} {
		for _, name := range []string{"UnmarshalJSON", "MarshalJSON", "UnmarshalText", "MarshalText"} {
			if _, ok := typ.MethodByName(name); ok {
				t.Errorf("%v has a method %s", typ, name)
			}
		}
	}
}

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
		// Strict accepts less than the default, lenient more, and neither panics.
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

// roundTrip writes a value, reads it with this package and with encoding/json, and wants the
// same value from both, and the same text again.
func roundTrip[T any](t *testing.T, v *T, w native.Wrapper, parse parser[T], encode func(*T, native.Wrapper) (string, error)) {
	t.Helper()
	text, err := encode(v, w)
	if err != nil {
		t.Fatalf("what was read can't be written: %v", err)
	}
	again, form, err := parse(text)
	if err != nil || form != w {
		t.Fatalf("what was written can't be read: %v, %v: %s", form, err, text)
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
