package native_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/openrtb/native"
)

// TestSpecExamples parses the examples of Native 1.2, section 6, and encodes them again.
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
		// The specification prints one body without a wrapper: the one that assetsurl refers to.
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

// difference returns the JSON Pointer of the first member of a that b lacks or changes.
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
