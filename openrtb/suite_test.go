package openrtb_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/twin"
)

// suiteFile is one document of testdata/jsontestsuite with what two other parsers make of it.
type suiteFile struct {
	File     string
	Class    string
	JSONText bool `json:"jsontext"` // it refuses what is not UTF-8, half surrogates and keys that come twice
	text     []byte
}

func suite(tb testing.TB) (files []suiteFile) {
	tb.Helper()
	const dir = "../testdata/jsontestsuite"
	manifest, err := os.ReadFile(filepath.Join(dir, "manifest.jsonl"))
	if err != nil {
		tb.Fatal(err)
	}
	for line := range bytes.Lines(manifest) {
		var f suiteFile
		if err := json.Unmarshal(line, &f); err != nil {
			tb.Fatal(err)
		}
		if f.text, err = os.ReadFile(filepath.Join(dir, f.File)); err != nil {
			tb.Fatal(err)
		}
		files = append(files, f)
	}
	if len(files) < 400 {
		tb.Fatalf("%d files", len(files))
	}
	return files
}

// TestJSONTestSuite decodes every document of the suite where a value may stand, and bare.
func TestJSONTestSuite(t *testing.T) {
	list := entries()
	for i, f := range suite(t) {
		// What the RFC leaves open is as in jsontext: numbers of any size, UTF-8 and whole pairs only. Default mode
		// takes a key that comes twice besides.
		strict := f.Class == "y" || f.Class == "i"
		if f.Class == "i" {
			strict = f.JSONText
		}
		ok := strict
		if twice := strings.Contains(f.File, "same_key") || strings.Contains(f.File, "duplicated_key"); twice {
			strict, ok = false, true
		}
		object := bytes.HasPrefix(bytes.TrimLeft(f.text, " \t\r\n"), []byte("{"))
		for position, wrap := range []string{
			"?", `{"ext":?}`, `{"imp":[{"ext":?}]}`, `{"x":?}`, `{"x":[0,?,""]}`, ` { "x" : { "y" : ? } , "id" : "1" } `, `{"seatbid":[{"bid":[{"ext":?}]}]}`,
		} {
			data := []byte(strings.Replace(wrap, "?", string(f.text), 1))
			if position > 0 && i%2 == 1 { // another place in the blocks of the index
				data = append(bytes.Repeat([]byte(" "), 7*i%64), data...)
			}
			everywhere(t, list, data)
			for _, e := range list {
				want := ok
				if e.mode == twin.Strict {
					want = strict
				}
				if e.mode == twin.Lenient && f.Class == "i" {
					continue // the twin has the details
				}
				want = want && (position > 0 || object)
				if got := e.accepts(data); got != want {
					t.Errorf("%s, class %s, as %s: %s accepts it: %v", f.File, f.Class, wrap, e.name, got)
				}
			}
		}
	}
}
