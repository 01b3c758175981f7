package engine_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/lab/engine"
	"github.com/rtbwire/rtbwire/lab/partial"
	"github.com/rtbwire/rtbwire/openrtb"
)

// The types that engines share have no method that changes what a library does with them.
func TestTypesHaveNoJSONMethods(t *testing.T) {
	foreign := []string{
		"MarshalJSON", "UnmarshalJSON", "MarshalJSONTo", "UnmarshalJSONFrom", "MarshalEasyJSON", "UnmarshalEasyJSON",
		"MarshalText", "UnmarshalText", "MarshalJSONBuf", "UnmarshalJSONFFLexer", "AppendText",
	}
	seen := map[reflect.Type]bool{}
	var walk func(ty reflect.Type)
	walk = func(ty reflect.Type) {
		if seen[ty] || ty == reflect.TypeFor[json.RawMessage]() {
			return
		}
		seen[ty] = true
		for _, with := range []reflect.Type{ty, reflect.PointerTo(ty)} {
			for _, name := range foreign {
				if _, has := with.MethodByName(name); has {
					t.Errorf("%s has the method %s", with, name)
				}
			}
		}
		switch ty.Kind() {
		case reflect.Pointer, reflect.Slice:
			walk(ty.Elem())
		case reflect.Struct:
			for f := range ty.Fields() {
				if f.IsExported() {
					walk(f.Type)
				}
			}
		}
	}
	walk(reflect.TypeFor[openrtb.BidRequest]())
	walk(reflect.TypeFor[openrtb.BidResponse]())
	walk(reflect.TypeFor[partial.Request]())
	if len(seen) < 50 {
		t.Errorf("looked at %d types only", len(seen))
	}
}

// The binary with the other engines links none of those that need one of their own.
func TestBinaryIsClean(t *testing.T) {
	packages, err := exec.Command("go", "list", "-deps", "..").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	if !strings.Contains(string(packages), "bytedance/sonic") {
		t.Fatalf("these are not the packages of the lab:\n%s", packages)
	}
	for name := range strings.Lines(string(packages)) {
		if strings.Contains(name, "mailru/easyjson") || strings.Contains(name, "lab/easy") || strings.Contains(name, "pquerna/ffjson") {
			t.Errorf("linked in: %s", strings.TrimSpace(name))
		}
	}
}

// What encoding/json runs is its own: a profile of it has no symbol of another library.
func TestStandardLibraryIsPure(t *testing.T) {
	folder := t.TempDir()
	e, _ := engine.Find(engine.All(), "encoding-json")
	file := filepath.Join(folder, "cpu.pprof")
	profile(t, file, func() {
		v, err := e.Request.Decode([]byte(request))
		if err == nil {
			_, err = e.Request.Encode(nil, v)
		}
		if err != nil {
			t.Error(err)
		}
	})
	top, err := exec.Command("go", "tool", "pprof", "-top", "-nodecount=1000", file).CombinedOutput()
	if err != nil {
		t.Skipf("go tool pprof: %v: %s", err, top)
	}
	if !strings.Contains(string(top), "encoding/json") {
		t.Fatalf("no sample in encoding/json:\n%s", top)
	}
	for line := range strings.Lines(string(top)) {
		for _, other := range []string{"bytedance", "goccy", "json-iterator", "segmentio", "easyjson", "ffjson", "valyala", "buger", "minio/", "tidwall", "rtbwire/wire"} {
			if strings.Contains(line, other) {
				t.Errorf("in the profile of encoding/json: %s", strings.TrimSpace(line))
			}
		}
	}
}

const request = `{"id":"1","imp":[{"id":"1","bidfloor":0.5,"banner":{"w":300,"h":250,"battr":[1,2]}}],"device":{"ua":"x","geo":{"lat":1.5}},"cur":["USD"]}`

func TestNamesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range engine.All() {
		if seen[e.Name] || e.Config == "" || e.Safety == (engine.Safety{}) {
			t.Errorf("%q: a second one of that name, or without a description", e.Name)
		}
		seen[e.Name] = true
	}
}

// What an engine says about copying is true.
func TestCopies(t *testing.T) {
	for _, e := range engine.All() {
		if e.Request.Decode == nil {
			continue
		}
		if e.Warm != nil {
			if err := e.Warm(); err != nil {
				t.Fatal(err)
			}
		}
		text := []byte(request)
		v, err := e.Request.Decode(text)
		if err != nil {
			t.Fatal(err)
		}
		r := v.(*openrtb.BidRequest)
		for i := range text {
			text[i] = '#'
		}
		if copied := r.Device.UA == "x" && r.Cur[0] == "USD"; copied != (e.Safety.Copies == engine.Yes) {
			t.Errorf("%s: copies strings: %t, it says %s", e.Name, copied, e.Safety.Copies)
		}
	}
}

// What an engine says about the case of keys and about UTF-8 is true.
func TestCaseAndUTF8(t *testing.T) {
	for _, e := range engine.All() {
		if e.Request.Decode == nil {
			continue
		}
		v, err := e.Request.Decode([]byte(`{"ID":"1"}`))
		if err != nil {
			t.Fatal(err)
		}
		if sensitive := v.(*openrtb.BidRequest).ID == ""; sensitive != (e.Safety.CaseSensitive == engine.Yes) {
			t.Errorf("%s: case-sensitive: %t, it says %s", e.Name, sensitive, e.Safety.CaseSensitive)
		}
		v, err = e.Request.Decode([]byte("{\"id\":\"a\xffb\"}"))
		got := engine.No
		if err != nil {
			got = engine.Yes
		} else if v.(*openrtb.BidRequest).ID == "a\ufffdb" {
			got = engine.Repairs
		}
		if got != e.Safety.UTF8 {
			t.Errorf("%s: checks UTF-8: %s, it says %s", e.Name, got, e.Safety.UTF8)
		}
	}
}
