package splice

import (
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/wire"
)

// Within is [Apply] for edits below one object of the document: part, which is memory of data, as
// raw values of a decoded message are, and the value at path. Only part is read, and the rest
// copied as it is, so that it costs little more than the copy. Paths belong to the whole document;
// they begin with path. If part is not memory of data, or an edit is not below path, ok is false
// and nothing is done.
//
// The caller knows that part is at path and that no key of path comes twice: an earlier object of
// the same path is not seen.
func Within(dst, data, part []byte, path string, edits ...wire.Edit) (out []byte, ok bool, err error) {
	at, ok := mem.IndexOf(data, part)
	if !ok || !below(edits, path) {
		return dst, false, nil
	}
	out, err = within(dst, data, at, at+len(part), path, edits)
	return out, true, err
}

// within edits the object in data[from:to], which is at path.
func within(dst, data []byte, from, to int, path string, edits []wire.Edit) ([]byte, error) {
	if out, ok := insert(dst, data, from, to, path, edits); ok {
		return out, nil
	}
	return spliceWithin(dst, data, from, to, path, edits)
}
