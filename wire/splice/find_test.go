package splice

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/wire"
)

// TestFind finds values, and refuses bad paths and bad documents.
func TestFind(t *testing.T) {
	const doc = ` {"a":1.50,"b":{"c":[{"d":"x"},{"e":2},null,{"d":[3]}],"~/":true},"a":{"z":0},"n":null}`
	for _, c := range []struct {
		paths []string
		want  []string
	}{
		{[]string{"/a"}, []string{"/a", `{"z":0}`}},
		{[]string{"/a/z", "/b/~0~1"}, []string{"/a/z", "0", "/b/~0~1", "true"}},
		{[]string{"/b/c/*/d"}, []string{"/b/c/0/d", `"x"`, "/b/c/3/d", "[3]"}},
		{[]string{"/b/c/1", "/b/c/1/e", "/b/c/9", "/b/c/x"}, []string{"/b/c/1", `{"e":2}`, "/b/c/1/e", "2"}},
		{[]string{"/b/c/*", "/b/c/*/d/*"}, []string{"/b/c/0", `{"d":"x"}`, "/b/c/1", `{"e":2}`, "/b/c/2", "null", "/b/c/3", `{"d":[3]}`, "/b/c/3/d/0", "3"}},
		{[]string{"/n", "/n/x", "/missing", "/*"}, []string{"/n", "null"}},
		{[]string{"/*/c", "/b/*"}, nil}, // an object has no elements
		{nil, nil},
	} {
		found, err := Find([]byte(doc), c.paths...)
		var got []string
		for _, f := range found {
			got = append(got, f.Path, string(f.Value))
		}
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, %v, want %q", c.paths, got, err, c.want)
		}
	}
	for path, code := range map[string]wire.Code{"": wire.CodePath, "a": wire.CodePath, "/a~": wire.CodePath} {
		if _, err := Find([]byte(doc), path); !errors.Is(err, code) {
			t.Errorf("%q: %v", path, err)
		}
	}
	for text, code := range map[string]wire.Code{"": wire.CodeEmpty, "[]": wire.CodeType, `{"a":}`: wire.CodeSyntax, `{"a":[}`: wire.CodeSyntax, `{"a":1`: wire.CodeTruncated, `{"a":{}`: wire.CodeTruncated, `{"a":{"b":[{]}}`: wire.CodeSyntax} {
		if _, err := Find([]byte(text), "/a/b/*"); !errors.Is(err, code) {
			t.Errorf("%q: %v, want %v", text, err, code)
		}
	}
}

// TestPathIsCut: errors hold at most PathMax bytes of a path, whatever is wrong with it.
func TestPathIsCut(t *testing.T) {
	long := strings.Repeat("x", 5000)
	doc := []byte(`{"a":1,"b":[1]}`)
	for name, call := range map[string]func() error{
		"a bad escape":    func() error { _, err := Apply(nil, doc, wire.Remove("/"+long+"~")); return err },
		"a bad value":     func() error { _, err := Apply(nil, doc, wire.Set("/"+long, []byte("x"))); return err },
		"an index":        func() error { _, err := Apply(nil, doc, wire.Set("/b/"+long, []byte("1"))); return err },
		"a conflict":      func() error { _, err := Apply(nil, doc, wire.Remove("/"+long), wire.Remove("/"+long)); return err },
		"no slash":        func() error { _, err := Apply(nil, doc, wire.Remove(long)); return err },
		"not UTF-8":       func() error { _, err := Apply(nil, doc, wire.Remove(strings.Repeat("\x80", 5000))); return err },
		"a path of Find":  func() error { _, err := Find(doc, long); return err },
		"through a value": func() error { _, err := Apply(nil, doc, wire.Set("/a/"+long, []byte("1"))); return err },
	} {
		var e *wire.Error
		if err := call(); !errors.As(err, &e) || len(e.Path) > wire.PathMax || len(e.Error()) > 6*wire.PathMax {
			t.Errorf("%s: %.200v", name, err)
		}
	}
}
