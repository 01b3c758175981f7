package openrtb

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/splice"
)

// move is a value that OpenRTB 2.6 has in a field of an object, and 2.5, or common practice,
// somewhere in the object's ext. All are JSON Pointers; object may hold "*" for every element
// of an array. See legacy_gen.go.
type move struct {
	object string
	ext    string // below object
	field  string // below object
}

// ConvertTo26 appends a bid request to dst and moves what OpenRTB 2.6 has made a field from ext
// into that field, schain and gdpr for instance. It does so by splicing: every other byte stays
// as it is. A field that is there already stays too, and so does its legacy counterpart in ext.
// So does a value that the field can't have, such as a string for a number: the request would no
// longer be valid. An ext that is left empty is removed.
//
// On failure it returns dst and a [*wire.Error].
func ConvertTo26(dst, data []byte) ([]byte, error) {
	return convert(dst, data, func(m move) (from, to string) { return m.ext, m.field }, false)
}

// ConvertTo25 is the way back: it moves the fields that OpenRTB 2.5 does not have into ext, where
// partners that speak 2.5 look for them, and replaces what ext has there. Fields without such a
// place stay.
func ConvertTo25(dst, data []byte) ([]byte, error) {
	return convert(dst, data, func(m move) (from, to string) { return m.field, m.ext }, true)
}

// convert moves values in the direction that way says. With replace, a moved value replaces one
// that is there already.
func convert(dst, data []byte, way func(move) (from, to string), replace bool) ([]byte, error) {
	var paths []string
	for _, m := range legacyFields {
		paths = append(paths, m.object+m.ext, m.object+m.field)
	}
	found, err := splice.Find(data, paths...)
	if err != nil {
		return dst, err
	}
	values := map[string][]byte{}
	for _, f := range found {
		values[f.Path] = f.Value
	}
	var edits []wire.Edit
	taken := map[string]bool{}
	// From last to first: of two places for one field, the later one in the table belongs to 2.5.
	for _, m := range slices.Backward(legacyFields) {
		from, to := way(m)
		for _, f := range found {
			object, ok := strings.CutSuffix(f.Path, from)
			if !ok || !isAt(object, m.object) || string(f.Value) == "null" || taken[f.Path] {
				continue
			}
			if target, exists := values[object+to]; exists && !replace && string(target) != "null" || taken[object+to] {
				continue
			}
			if !replace && !fits(object+to, f.Value) {
				continue
			}
			taken[f.Path], taken[object+to] = true, true
			edits = append(edits, wire.Set(object+to, f.Value), wire.Remove(f.Path))
		}
	}
	if len(edits) == 0 {
		return splice.Apply(dst, data)
	}
	if edits, err = prune(data, edits); err != nil {
		return dst, err
	}
	return splice.Apply(dst, data, edits...)
}

// fits reports whether a field can have a value: whether a request with nothing else is read.
func fits(path string, value []byte) bool {
	text := slices.Clone(value)
	for path != "" {
		parent := parentOf(path)
		if name := path[len(parent)+1:]; name[0] >= '0' && name[0] <= '9' {
			text = slices.Concat([]byte("["), text, []byte("]"))
		} else {
			text = slices.Concat([]byte(`{"`+name+`":`), text, []byte("}"))
		}
		path = parent
	}
	_, err := Parse(text)
	return err == nil
}

// isAt reports whether a JSON Pointer is one of those that the pattern describes.
func isAt(path, pattern string) bool {
	a, b := strings.Split(path, "/"), strings.Split(pattern, "/")
	return slices.EqualFunc(a, b, func(x, y string) bool { return x == y || y == "*" })
}

// prune removes an ext with everything in it instead of each of its members, if none is left.
func prune(data []byte, edits []wire.Edit) ([]wire.Edit, error) {
	filled := map[string]bool{} // objects that something moves into, at any depth
	for _, e := range edits {
		for path := e.Path; e.Value != nil && path != ""; {
			path = parentOf(path)
			filled[path] = true
		}
	}
	for {
		gone := map[string]int{} // removed members by their parent
		var parents []string
		for _, e := range edits {
			if parent := parentOf(e.Path); e.Value == nil && strings.Contains(parent, "/ext") && !filled[parent] {
				if gone[parent]++; gone[parent] == 1 {
					parents = append(parents, parent)
				}
			}
		}
		found, err := splice.Find(data, parents...)
		if err != nil {
			return nil, err
		}
		emptied := map[string]bool{}
		for _, f := range found {
			var members map[string]json.RawMessage
			if err := json.Unmarshal(f.Value, &members); err == nil && len(members) == gone[f.Path] {
				emptied[f.Path] = true
			}
		}
		if len(emptied) == 0 {
			return edits, nil
		}
		edits = slices.DeleteFunc(edits, func(e wire.Edit) bool { return e.Value == nil && emptied[parentOf(e.Path)] })
		for _, f := range found {
			if emptied[f.Path] {
				edits = append(edits, wire.Remove(f.Path))
			}
		}
	}
}

// parentOf returns a JSON Pointer without its last element.
func parentOf(path string) string { return path[:strings.LastIndexByte(path, '/')] }
