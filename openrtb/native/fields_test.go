package native_test

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/openrtb/native"
	"github.com/rtbwire/rtbwire/spec"
)

// TestEveryField decodes each field of the specification at its place, bare and wrapped, with valid
// and invalid values. It compares with encoding/json, which reads the types by the same rules if
// keys are spelled exactly and come once.
func TestEveryField(t *testing.T) {
	s := spec.Native()
	fields := 0
	for _, root := range []string{"NativeRequest", "NativeResponse"} {
		type place struct{ object, pre, post string }
		seen := map[string]bool{root: true}
		for queue := []place{{root, "", ""}}; len(queue) > 0; queue = queue[1:] {
			at := queue[0]
			for _, f := range s.Object(at.object).Fields {
				fields++
				for _, v := range nativeSamples(f) {
					text := at.pre + `{"` + f.JSON + `":` + v + `}` + at.post
					if root == "NativeRequest" {
						checkText(t, text, native.ParseRequest)
					} else {
						checkText(t, text, native.ParseResponse)
					}
				}
				name := f.ObjectName()
				if name == "" || name == "any" || seen[name] {
					continue
				}
				seen[name] = true
				next := place{name, at.pre + `{"` + f.JSON + `":`, "}" + at.post}
				if f.Array {
					next.pre, next.post = next.pre+"[", "]"+next.post
				}
				queue = append(queue, next)
			}
		}
	}
	if fields != 79 {
		t.Errorf("%d fields, want 79", fields)
	}
}

// nativeSamples returns texts of valid and invalid values for a field.
func nativeSamples(f *spec.Field) []string {
	scalars := []string{`7`, `-7`, `0`, `7.5`, `99999999999999999999`, `"text"`, `"\u00e9\n"`, `""`, `true`, `null`, `{}`, `{"ext":{"a":1.0}}`, `[]`}
	out := scalars
	for _, v := range scalars {
		out = append(out, "["+v+"]", "["+v+","+v+"]")
	}
	return out
}

// nullExt finds raw members that are null. They are absent, but encoding/json keeps them, so for it
// they are replaced by an unknown member.
var nullExt = regexp.MustCompile(`"(?:ext|customdata)":null`)

// checkText parses a text bare and wrapped. It does so several times, so that later rounds guess
// the order of keys.
func checkText[T any](t *testing.T, text string, parse parser[T]) {
	t.Helper()
	want := new(T)
	wantErr := json.Unmarshal([]byte(nullExt.ReplaceAllString(text, `"x":null`)), want)
	for _, form := range []string{"%s", `{"native":%s}`, "{ \"unknown\" : [ 1 ] ,\n\"native\" : %s , \"x\" : \"" + strings.Repeat("x", 100) + "\" }"} {
		whole := strings.Replace(form, "%s", text, 1)
		for range 3 {
			got, wrapper, err := parse(whole)
			if (err == nil) != (wantErr == nil) {
				t.Errorf("%s: %v; encoding/json: %v", whole, err, wantErr)
				return
			}
			if err == nil && (bool(wrapper) != (form != "%s") || !reflect.DeepEqual(got, want)) {
				t.Errorf("%s: got %+v, %v, want %+v", whole, got, wrapper, want)
				return
			}
		}
	}
}
