package grammar

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/internal/oracle"
)

// This file compares the reference with encoding/json. Package coder's tests compare the fast one
// against it, and both against internal/oracle.

// suite returns the documents of the shared test suites, by file name.
func suite(t *testing.T) map[string][]byte {
	t.Helper()
	docs := map[string][]byte{}
	for _, pattern := range []string{"*.json", "jsonchecker/*.json"} {
		files, err := filepath.Glob("../../testdata/jsontestsuite/" + pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			docs[filepath.Base(file)] = data
		}
	}
	if len(docs) < 300 {
		t.Fatalf("only %d documents", len(docs))
	}
	return docs
}

// TestCheckSuite: Check and encoding/json accept the same documents, apart from those that are too
// deep or not Unicode text.
func TestCheckSuite(t *testing.T) {
	for file, data := range suite(t) {
		fault, at := Check(data, DepthMax, false)
		valid := json.Valid(data) && utf8.Valid(data)
		switch {
		case fault == Surrogate || fault == Depth:
		case valid != (fault == 0):
			t.Errorf("%s: %v, encoding/json says %v", file, fault, valid)
		}
		if at < 0 || at > len(data) {
			t.Errorf("%s: offset %d of %d", file, at, len(data))
		}
		if tolerant, _ := Check(data, DepthMax, true); json.Valid(data) != (tolerant == 0) && tolerant != Depth {
			t.Errorf("%s: %v when tolerant, encoding/json says %v", file, tolerant, json.Valid(data))
		}
	}
}

// TestPointersAt: a path found for one offset is the one found for it among others.
func TestPointersAt(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 0))
	for range 200 {
		data := []byte(`{"a":` + oracle.RandomJSON(rnd.IntN, 4) + `,"~/":` + oracle.RandomJSON(rnd.IntN, 3) + "}")
		if rnd.IntN(3) == 0 {
			data = data[:rnd.IntN(len(data))]
		}
		var offsets []int
		for at := 0; at <= len(data); at += 1 + rnd.IntN(9) {
			offsets = append(offsets, at)
		}
		for i, path := range pointersAt(data, offsets) {
			if want := PointerAt(data, offsets[i]); path != want {
				t.Fatalf("%s: %q at %d, alone it is %q", data, path, offsets[i], want)
			}
			if !pointsInto(data, path) {
				t.Fatalf("%s: %q at %d points to nothing", data, path, offsets[i])
			}
		}
	}
}

// pointsInto follows a pointer through the value that encoding/json decodes. It returns true if
// that refuses the document.
func pointsInto(data []byte, path string) bool {
	var v any
	if json.Unmarshal(data, &v) != nil || path == "" {
		return true
	}
	for token := range strings.SplitSeq(path[1:], "/") {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		switch at := v.(type) {
		case map[string]any:
			member, ok := at[token]
			if !ok {
				return false
			}
			v = member
		case []any:
			i := 0
			for _, digit := range token {
				i = i*10 + int(digit-'0')
			}
			if i >= len(at) {
				return false
			}
			v = at[i]
		default:
			return false
		}
	}
	return true
}

// TestUnescape holds the slow unescaping of keys against encoding/json.
func TestUnescape(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 0))
	parts := []string{"a", "é", "😀", `\n`, `\"`, `\\`, `\/`, `\u0041`, `\u00e9`, `\ud83d\ude00`, `\ud83d`, `\ude00`, `\uD800`, `\t`}
	for range 20000 {
		var b strings.Builder
		for range rnd.IntN(6) {
			b.WriteString(parts[rnd.IntN(len(parts))])
		}
		var want string
		if err := json.Unmarshal([]byte(`"`+b.String()+`"`), &want); err != nil {
			t.Fatal(err)
		}
		if got := Unescape([]byte(b.String())); got != want {
			t.Errorf("%s is %q, want %q", b.String(), got, want)
		}
	}
	// The beginning of a string, as a pointer that is cut needs it: no cut may read beyond the end.
	text := `é\u00e9\ud83d\ude00\n`
	for cut := range len(text) {
		Unescape([]byte(text[:cut]))
	}
}
