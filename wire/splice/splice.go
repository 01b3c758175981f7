// Package splice edits JSON documents and looks up values without decoding them: bytes outside of
// edits stay unchanged.
//
//	splice.go    Apply: edits to a whole document
//	within.go    Within: edits to one object of a document
//	decoded.go   Decoded: edits to the ext of a document that was decoded
//	insert.go    new members of an object, without the tree
//	tree.go      the paths of edits as a tree
//	apply.go     the walk through the document along the tree
//	members.go   commas around removed and added members
//	build.go     text of what the document does not have
//	find.go      Find: values by their paths
package splice

import (
	"sync"

	"github.com/rtbwire/rtbwire/wire"
)

// Apply appends data to dst with the edits applied, in one copy: every byte that no edit is
// about stays as it is, unknown members, order, white space and the spelling of numbers
// included. Without edits it copies data, whatever that is.
//
// Where an object has a key twice, Set replaces the value that counts, which is the last one,
// and Remove removes them all. Two edits may not be about the same place, nor one about a part
// of what another one sets or removes.
//
// The free room of dst may be data itself, or hold values of edits: the result is then built
// elsewhere first.
//
// On failure it returns dst and a [*wire.Error]: data is not a JSON object; a path leads through
// a value other than an object or array, or to an element that an array does not have
// ([wire.CodePath]); edits contradict each other ([wire.CodeConflict]); a value is not JSON. Path
// is then that of the edit.
func Apply(dst, data []byte, edits ...wire.Edit) ([]byte, error) {
	if len(edits) == 0 {
		return append(dst, data...), nil
	}
	return spliceWithin(dst, data, 0, len(data), "", edits)
}

// spliceWithin applies edits to the object in data[from:to], which is at the path prefix.
func spliceWithin(dst, data []byte, from, to int, prefix string, edits []wire.Edit) ([]byte, error) {
	s := splicers.Get().(*splicer)
	s.start(prefix)
	out, err := s.splice(dst, data, from, to, edits)
	s.reset()
	splicers.Put(s)
	return out, err
}

var splicers = sync.Pool{New: func() any { return new(splicer) }}
