package coder

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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

// TestSuitePlaces has the documents of the suite as values of each kind, held against the twin.
func TestSuitePlaces(t *testing.T) {
	rs := readers()
	for _, data := range suite(t) {
		if len(data) > 50_000 {
			continue
		}
		against(t, rs, data, scalar((*Reader).AnyString))
		for _, place := range []string{`{"v":?}`, `{"x":?}`, `{"x":[0,?]}`, `{"v":"",?}`, `{?}`, `{"v":""}?`, `?{"v":""}`} {
			doc := []byte(strings.Replace(place, "?", string(data), 1))
			against(t, rs, doc, scalar((*Reader).AnyString))
			against(t, rs, doc, scalar(plainInt))
			against(t, rs, doc, rawMessage)
		}
	}
}
