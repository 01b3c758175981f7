package testkit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Path returns the path of a file of the repository, given from the module's root.
func Path(tb testing.TB, name string) string {
	tb.Helper()
	root, err := moduleRoot()
	if err != nil {
		tb.Fatal(err)
	}
	return filepath.Join(root, filepath.FromSlash(name))
}

// moduleRoot is the nearest folder above the test's that has a go.mod.
var moduleRoot = sync.OnceValues(func() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		above := filepath.Dir(dir)
		if above == dir {
			return "", errors.New("no go.mod above the test's folder")
		}
		dir = above
	}
})

// Document is a bid request or a bid response from testdata.
type Document struct {
	Name     string // "corpus/requests.ndjson:7", "spec-examples/requests/6.2.1-simple-banner.json"
	Text     []byte
	Response bool
}

// Example reports whether the document is an example of the specification.
func (d Document) Example() bool { return strings.HasPrefix(d.Name, "spec-examples/") }

// Documents returns the documents of the corpus and the specification's whole examples, requests
// first. The slice and the texts are shared: don't write to them.
func Documents(tb testing.TB) []Document {
	tb.Helper()
	docs, err := documents()
	if err != nil {
		tb.Fatal(err)
	}
	return docs
}

// Requests returns the texts of all requests among [Documents].
func Requests(tb testing.TB) [][]byte {
	tb.Helper()
	return texts(tb, false)
}

// Responses returns the texts of all responses among [Documents].
func Responses(tb testing.TB) [][]byte {
	tb.Helper()
	return texts(tb, true)
}

func texts(tb testing.TB, responses bool) (list [][]byte) {
	tb.Helper()
	for _, d := range Documents(tb) {
		if d.Response == responses {
			list = append(list, d.Text)
		}
	}
	return list
}

var documents = sync.OnceValues(func() (docs []Document, err error) {
	root, err := moduleRoot()
	if err != nil {
		return nil, err
	}
	for _, kind := range []string{"requests", "responses"} {
		start := len(docs)
		response := kind == "responses"
		text, err := os.ReadFile(filepath.Join(root, "testdata", "corpus", kind+".ndjson"))
		if err != nil {
			return nil, err
		}
		n := 0
		for line := range bytes.Lines(text) {
			n++
			name := fmt.Sprintf("corpus/%s.ndjson:%d", kind, n)
			line = bytes.TrimSpace(line)
			docs = append(docs, Document{name, slices.Clip(line), response})
		}
		names, err := filepath.Glob(filepath.Join(root, "testdata", "spec-examples", kind, "*.json"))
		if err != nil {
			return nil, err
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("testdata/spec-examples has no %s", kind)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			docs = append(docs, Document{"spec-examples/" + kind + "/" + filepath.Base(name), text, response})
		}
		if least := map[bool]int{false: 2000, true: 700}[response]; len(docs)-start < least {
			return nil, fmt.Errorf("testdata has %d %s, want at least %d", len(docs)-start, kind, least)
		}
	}
	return docs, nil
})

// Fragments returns the specification's examples of parts of a message, each within a message.
func Fragments(tb testing.TB) (docs []Document) {
	tb.Helper()
	names, err := filepath.Glob(Path(tb, "testdata/spec-examples/fragments/[0-9]*.json"))
	if err != nil || len(names) != 22 {
		tb.Fatalf("%d fragments (want 22): %v", len(names), err)
	}
	var manifest struct {
		Examples []struct{ File, Kind string }
	}
	data, err := os.ReadFile(Path(tb, "testdata/spec-examples/manifest.json"))
	if err != nil {
		tb.Fatal(err)
	}
	if err := json.Unmarshal(data, &manifest); err != nil {
		tb.Fatal(err)
	}
	kinds := map[string]string{}
	for _, f := range manifest.Examples {
		kinds[filepath.Base(f.File)] = f.Kind
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			tb.Fatal(err)
		}
		base := filepath.Base(name)
		d := Document{Name: base}
		switch kinds[base] {
		case "fragment:BidRequest":
			d.Text = text
		case "fragment:Imp":
			d.Text = fmt.Appendf(nil, `{"id":"1","imp":[%s]}`, text)
		case "fragment:Content":
			d.Text = fmt.Appendf(nil, `{"id":"1","site":{"content":%s}}`, text)
		case "fragment:SeatBid(bid as single object)":
			d.Text, d.Response = fmt.Appendf(nil, `{"id":"1","seatbid":[%s]}`, text), true
		default:
			tb.Errorf("%s: unknown kind %q", base, kinds[base])
			continue
		}
		docs = append(docs, d)
	}
	return docs
}
