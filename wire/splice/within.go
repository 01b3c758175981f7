package splice

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/coder"
)

// Within is [Apply] for edits below one object of the document: part, which is memory
// of data, as raw values of a decoded message are, and the value at path. Only part is read,
// and the rest copied as it is, so that it costs little more than the copy. Paths are those of
// the whole document; they begin with path. If part is not memory of
// data, or an edit is not below path, ok is false and nothing is done.
func Within(dst, data, part []byte, path string, edits ...wire.Edit) (out []byte, ok bool, err error) {
	at, ok := mem.IndexOf(data, part)
	for i := range edits {
		ok = ok && len(edits[i].Path) > len(path) && edits[i].Path[:len(path)] == path && edits[i].Path[len(path)] == '/'
	}
	if !ok {
		return dst, false, nil
	}
	if len(edits) == 1 {
		if out, ok = insert(dst, data, part, at, edits[0].Path[len(path)+1:], edits[0].Value); ok {
			return out, true, nil
		}
	}
	out, err = spliceWithin(dst, data, at, at+len(part), path, edits)
	return out, true, err
}

// insert is Within for one new member of an object without escapes, when the name
// does not occur in the text at all. It leaves everything else, faults included, to the general
// way.
func insert(dst, data, object []byte, at int, name string, value []byte) ([]byte, bool) {
	last := len(object) - 1
	if len(value) == 0 || last < 1 || object[0] != '{' || object[last] != '}' || !isName(name) ||
		bytes.IndexByte(object, '\\') >= 0 || hasName(object, name) {
		return dst, false
	}
	if code, _ := coder.Validate(value); code != 0 {
		return dst, false
	}
	end := last
	for grammar.IsSpace(object[end-1]) {
		end--
	}
	if mem.Overlaps(dst, data) || mem.Overlaps(dst, value) {
		return dst, false
	}
	out := slices.Grow(dst, len(data)+len(`,"":`)+len(name)+len(value))
	out = append(out, data[:at+end]...)
	if object[end-1] != '{' {
		out = append(out, ',')
	}
	out = append(append(append(out, '"'), name...), '"', ':')
	return append(append(out, value...), data[at+end:]...), true
}

// isName reports whether an element of a JSON Pointer is a key that needs no escape, nor is an
// escape or the beginning of more elements.
func isName(name string) bool {
	for i := range len(name) {
		if c := name[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' || c == '/' || c == '~' {
			return false
		}
	}
	return true
}

// hasName reports whether the text has the name in quotes anywhere.
func hasName(text []byte, name string) bool {
	var room [64]byte // most names fit it; for a longer one it is on the heap
	quoted := append(append(append(room[:0], '"'), name...), '"')
	return bytes.Contains(text, quoted)
}
