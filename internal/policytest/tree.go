package policytest

import (
	"bytes"
	"encoding/json"
	"strconv"
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
	d := json.NewDecoder(bytes.NewReader(document))
	d.UseNumber()
	return has, walk(d, open, has)
}

// openPath is a path, and what is left of it below a value.
type openPath struct {
	path string
	rest []string
}

// walk reads a value and notes the paths that end in it.
func walk(d *json.Decoder, open []openPath, has map[string]bool) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	delim, nested := token.(json.Delim)
	if !nested {
		return nil
	}
	for i := 0; d.More(); i++ {
		name := strconv.Itoa(i)
		if delim == '{' {
			key, err := d.Token()
			if err != nil {
				return err
			}
			name, _ = key.(string)
		}
		var below []openPath
		for _, p := range open {
			want, _ := grammar.UnescapePointer(p.rest[0])
			switch {
			case p.rest[0] != "*" && !strings.EqualFold(want, name):
			case len(p.rest) == 1:
				has[p.path] = true
			default:
				below = append(below, openPath{p.path, p.rest[1:]})
			}
		}
		if err := walk(d, below, has); err != nil {
			return err
		}
	}
	_, err = d.Token() // the end
	return err
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
