package splice

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/coder"
)

// This file adds new members to an object without looking for their places: what gateways do most.
// It leaves everything else, faults included, to the general way.

// insertMax is how many edits are compared with each other.
const insertMax = 16

// insert is Within for edits that are all new members of the object in data[from:to].
func insert(dst, data []byte, from, to int, path string, edits []wire.Edit) ([]byte, bool) {
	object := data[from:to]
	last := len(object) - 1
	if last < 1 || object[0] != '{' || object[last] != '}' || bytes.IndexByte(object, '\\') >= 0 {
		return dst, false
	}
	size, ok := newMembers(object, path, edits)
	if !ok || overlaps(dst, data, edits) {
		return dst, false
	}
	end := trimEnd(data, from+last)
	out := slices.Grow(dst, len(data)+size)
	out = append(out, data[:end]...)
	out = appendMembers(out, path, edits, data[end-1] != '{')
	return append(out, data[end:]...), true
}

// newMembers returns how many bytes the members need that the edits add to an object without
// escapes, which is at path; nil is an object that the document does not have. ok is false if
// they are not all new members of the object with names that are easy to compare and to write.
func newMembers(object []byte, path string, edits []wire.Edit) (size int, ok bool) {
	if len(edits) > insertMax {
		return 0, false
	}
	for i := range edits {
		name, value := edits[i].Path[len(path)+1:], edits[i].Value
		if len(value) == 0 || !isName(name) {
			return 0, false
		}
		if object == nil && isElement(name) || object != nil && hasName(object, name) {
			return 0, false
		}
		for j := range i {
			if edits[j].Path == edits[i].Path {
				return 0, false
			}
		}
		if code, _ := coder.Validate(value); code != 0 {
			return 0, false
		}
		size += len(`,"":`) + len(name) + len(value)
	}
	return size, true
}

// appendMembers appends the members that the edits add to the object at path. comma says whether
// one comes before the first of them.
func appendMembers(out []byte, path string, edits []wire.Edit, comma bool) []byte {
	for i := range edits {
		if comma {
			out = append(out, ',')
		}
		comma = true
		out = append(out, '"')
		out = append(out, edits[i].Path[len(path)+1:]...)
		out = append(out, '"', ':')
		out = append(out, edits[i].Value...)
	}
	return out
}

// isName reports whether an element of a JSON Pointer is a key that needs no escape, nor is an
// escape or the beginning of more elements.
func isName(name string) bool {
	for i := range len(name) {
		if !inNames[name[i]] {
			return false
		}
	}
	return true
}

var inNames = func() (in [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		in[c] = !strings.ContainsRune(`"\/~`, c)
	}
	return in
}()

// hasName reports whether the text has the name in quotes anywhere.
func hasName(text []byte, name string) bool {
	var room [64]byte // most names fit it; for a longer one it is on the heap
	quoted := append(append(append(room[:0], '"'), name...), '"')
	return bytes.Contains(text, quoted)
}
