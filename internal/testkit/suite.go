package testkit

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
)

// SuiteFile is one document of testdata/jsontestsuite with the verdicts of its manifest.
type SuiteFile struct {
	File  string
	Class string // y: valid, n: invalid, i: left open by RFC 8259
	// JSONText is the verdict of a strict parser, which refuses text that is not UTF-8, half
	// surrogate pairs, and keys that come twice.
	JSONText bool `json:"jsontext"`
	Text     []byte
}

// Suite returns the documents of JSONTestSuite and of the other suites beside it.
func Suite(tb testing.TB) (files []SuiteFile) {
	tb.Helper()
	manifest, err := os.ReadFile(Path(tb, "testdata/jsontestsuite/manifest.jsonl"))
	if err != nil {
		tb.Fatal(err)
	}
	for line := range bytes.Lines(manifest) {
		var f SuiteFile
		if err := json.Unmarshal(line, &f); err != nil {
			tb.Fatal(err)
		}
		if f.Text, err = os.ReadFile(Path(tb, "testdata/jsontestsuite/"+f.File)); err != nil {
			tb.Fatal(err)
		}
		files = append(files, f)
	}
	if len(files) < 400 {
		tb.Fatalf("testdata/jsontestsuite has %d files, want at least 400", len(files))
	}
	return files
}
