package schema

import (
	"bytes"

	"github.com/rtbwire/rtbwire/wire/coder"
)

// docText holds what the text layer knows about one document.
type docText struct {
	root   objectID
	data   []byte // nil if the caller passed no text
	read   bool   // the text layer has read it
	known  bool   // nodes is filled
	lazy   bool   // nodes are read on demand, by places
	nodes  []node
	places coder.Reader
	edits  []edit

	cursors []cursor

	holes int // number of nodes that are holes
	patch []byte
}

// step is one element of a path: a field, and an index where the field is an array.
type step struct {
	field fieldID
	index int32
}

const noIndex = -1

// fieldInfo describes a field to the text layer.
type fieldInfo struct {
	name     string
	kind     fieldKind
	bit      uint8 // position in the object
	array    bool
	required bool
	object   objectID // for kindObject

	mayBeEmpty bool // an empty array has a meaning of its own

	since uint8 // number of the release in releases, from 1; 0 is older than these
}

type fieldKind uint8

const (
	kindString fieldKind = iota
	kindInteger
	kindFloat
	kindObject
	kindExt
)

// keptMax bounds the working memory that a checker keeps after an unusually large document, in
// elements of each kind.
const keptMax = 1 << 16

// keptBytes is the same for the memory of reading text, in bytes.
const keptBytes = 1 << 20

// begin takes a new text. What the text layer filled in is empty unless it has read the last one.
func (d *docText) begin(root objectID, data []byte) {
	d.root, d.data = root, data
	if d.read {
		d.read, d.known, d.nodes, d.edits = false, false, d.nodes[:0], d.edits[:0]
		d.cursors, d.holes = d.cursors[:0], 0
	}
}

// finish releases the text, and memory that is unusually large.
func (d *docText) finish() {
	d.data = nil
	if !d.read {
		return
	}
	if d.lazy {
		trim(&d.places)
		d.lazy = false
	}
	if cap(d.nodes) > keptMax {
		d.nodes = nil
	}
	clear(d.edits)
	if cap(d.edits) > keptMax {
		d.edits = nil
	}
	if cap(d.patch) > keptMax {
		d.patch = nil
	}
}

// trim releases the text of a reader, and its memory if that is unusually large.
func trim(r *coder.Reader) {
	if r.Reset(); r.Retained() > keptBytes {
		r.Drop()
	}
}

// empty reports whether the document is an object without members. Without its text nothing speaks
// against it.
func (d *docText) empty() bool {
	if d.data == nil {
		return true
	}
	inside := bytes.TrimLeft(d.data, " \t\r\n")
	inside, ok := bytes.CutPrefix(inside, []byte("{"))
	return ok && bytes.HasPrefix(bytes.TrimLeft(inside, " \t\r\n"), []byte("}"))
}
