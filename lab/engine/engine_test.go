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

// The types that engines share have no method that changes how a library treats them.
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

// The binary with the other engines does not link engines that need a separate one.
func TestBinaryIsClean(t *testing.T) {
	packages, err := exec.Command("go", "list", "-deps", "..").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	if !strings.Contains(string(packages), "bytedance/sonic") {
		t.Fatalf("these are not the packages of the lab:\n%s", packages)
	}
	for name := range strings.Lines(string(packages)) {
		if strings.Contains(name, "mailru/easyjson") {
			t.Errorf("linked in: %s", strings.TrimSpace(name))
		}
	}
}

// encoding/json runs no code of another library: a profile of it has no symbol of one.
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
		for _, other := range []string{"bytedance", "goccy", "json-iterator", "segmentio", "easyjson", "valyala", "buger", "minio/", "tidwall", "rtbwire/wire"} {
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
			t.Errorf("%q: it has the name of another engine, or no description", e.Name)
		}
		seen[e.Name] = true
	}
}

// What an engine says about itself is true.
func TestClaims(t *testing.T) {
	for _, e := range engine.All() {
		if e.Warm != nil {
			if _, err := e.Warm(); err != nil {
				t.Fatal(err)
			}
		}
		if err := engine.CheckClaims(&e); err != nil {
			t.Error(err)
		}
	}
}

// A wrong claim is found, whichever it is about.
func TestWrongClaims(t *testing.T) {
	for _, name := range []string{"encoding-json", "rtbwire-fast", "sonic-fastest"} {
		for _, spoil := range []func(s *engine.Safety) *engine.Answer{
			func(s *engine.Safety) *engine.Answer { return &s.Copies },
			func(s *engine.Safety) *engine.Answer { return &s.UTF8 },
			func(s *engine.Safety) *engine.Answer { return &s.CaseSensitive },
		} {
			e, ok := engine.Find(engine.All(), name)
			if !ok {
				t.Fatalf("no engine %s", name)
			}
			claim := spoil(&e.Safety)
			if *claim == engine.Yes {
				*claim = engine.No
			} else {
				*claim = engine.Yes
			}
			if engine.CheckClaims(&e) == nil {
				t.Errorf("%s may say %+v", name, e.Safety)
			}
		}
	}
}
