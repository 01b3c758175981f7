package policytest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/rtbwire/rtbwire/internal/grammar"
)

// elements returns the elements of a path, as they are written.
func elements(path string) []string { return strings.Split(path, "/")[1:] }

// found returns the paths that a document has of those in a list. Every copy of a repeated key
// counts, and letter case does not: the next parser may take another copy than ours.
func found(document []byte, paths []string) (map[string]bool, error) {
	open := make([]openPath, len(paths))
	for i, path := range paths {
		open[i] = openPath{path, elements(path)}
	}
	has := map[string]bool{}
	w := grammar.Walk{Scanner: grammar.Scanner{Data: document, Depth: grammar.DepthMax, Tolerant: true}}
	w.Value = func(int) bool {
		for i := range open {
			if open[i].is(w.Path) {
				has[open[i].path] = true
			}
		}
		return true
	}
	if !w.Document() {
		return nil, fmt.Errorf("no JSON: %s (byte %d)", w.Expected, w.At)
	}
	return has, nil
}

// openPath is a path with its elements.
type openPath struct {
	path     string
	elements []string
}

// is reports whether a place in a document is one of the path's.
func (p *openPath) is(place []grammar.Element) bool {
	if len(place) != len(p.elements) {
		return false
	}
	for i, element := range p.elements {
		want, _ := grammar.UnescapePointer(element)
		if element != "*" && !strings.EqualFold(want, place[i].Name()) {
			return false
		}
	}
	return true
}

// sameJSON reports whether two documents have the same value. Numbers are compared as written.
func sameJSON(a, b []byte) bool {
	x, ok := canonical(a)
	y, also := canonical(b)
	return ok && also && bytes.Equal(x, y)
}

// canonical returns a document with the members of objects in one order.
func canonical(document []byte) ([]byte, bool) {
	d := json.NewDecoder(bytes.NewReader(document))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil, false
	}
	text, err := json.Marshal(v)
	return text, err == nil
}
