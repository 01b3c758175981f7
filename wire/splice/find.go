package splice

import (
	"strconv"
	"sync"

	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/coder"
)

// Found is a value in a document; see [Find].
type Found struct {
	Path  string // a JSON Pointer
	Value []byte // its bytes in the document
}

// Find looks up values by JSON Pointers (RFC 6901), all in one pass over the document. An
// element "*" of a path means every element of an array. Values that the document does not have
// are left out. The result is in the order of the paths' common elements and, where "*" is used,
// of the array. Where an object has a key twice, the last one counts.
//
// On failure the error is a [*wire.Error]: data is not a JSON object, or a path is not a JSON
// Pointer ([wire.CodePath]).
func Find(data []byte, paths ...string) ([]Found, error) {
	f := finders.Get().(*finder)
	f.start("")
	out, err := f.find(data, paths)
	f.reset()
	finders.Put(f)
	return out, err
}

var finders = sync.Pool{New: func() any { return new(finder) }}

// finder is the working memory of Find. In its tree, edited marks what is asked for.
type finder struct {
	tree
	r     coder.Reader
	data  []byte
	found []Found
	path  []byte
}

// reset makes the memory free for the next document, and lets the last one be collected.
func (f *finder) reset() {
	f.r.Reset()
	if f.r.Retained() > bytesKept {
		f.r.Drop()
	}
	f.tree.reset()
	f.data, f.found, f.path = nil, nil, f.path[:0]
}

func (f *finder) find(data []byte, paths []string) ([]Found, error) {
	f.data = data
	for _, path := range paths {
		node := f.nodeAt(path)
		if node <= 0 {
			err := badPath(path)
			err.Path = grammar.CutPointer(err.Path)
			return nil, err
		}
		f.nodes[node].edited = true
	}
	r := &f.r
	p := r.Begin(data)
	if p != 0 {
		p = f.object(p-1, 0, r.Depth())
	}
	if err := r.End(p); err != nil {
		return nil, err
	}
	return f.found, nil
}

// value notes the value of a node, and looks for more inside it.
func (f *finder) value(name string, node, at, end, depth int) bool {
	length := len(f.path)
	f.path = append(append(f.path, '/'), name...)
	if f.nodes[node].edited {
		f.found = append(f.found, Found{string(f.path), f.data[at:end:end]})
	}
	ok := true
	if f.nodes[node].child != 0 {
		switch f.r.At(at) {
		case '{':
			ok = f.object(at, node, depth) != 0
		case '[':
			ok = f.array(at, node, depth) != 0
		}
	}
	f.path = f.path[:length]
	return ok
}

// object looks into the object at p.
func (f *finder) object(p, node, depth int) int {
	r := &f.r
	if depth <= 0 {
		return r.Refuse(wire.CodeDepth, p)
	}
	f.begin(node)
	p, more := r.First(p + 1)
	if p == 0 {
		return 0
	}
	for more {
		name, value := r.Key(p)
		if value == 0 {
			return 0
		}
		child := f.lookup(node, name)
		if p = r.Skip(value, depth-1); p == 0 {
			return 0
		}
		if child != 0 && f.nodes[child].name != "*" {
			f.nodes[child].at, f.nodes[child].end = value, p
		}
		if p, more = r.Member(p); p == 0 {
			return 0
		}
	}
	end := r.Closed(p, depth)
	for c := f.nodes[node].child; c != 0 && end != 0; c = f.nodes[c].next {
		if n := f.nodes[c]; n.at != 0 && !f.value(grammar.EscapePointer(n.name), c, n.at, n.end, depth-1) {
			return 0
		}
	}
	return end
}

// array looks into the array at p.
func (f *finder) array(p, node, depth int) int {
	r := &f.r
	p, more, _ := r.OpenArray(p, depth)
	every := f.lookup(node, "*")
	var room [manyChildren]int
	wanted := f.byIndex(room[:0], node)
	for i := 0; more; i++ {
		start := p
		if p = r.Skip(start, depth-1); p == 0 {
			return 0
		}
		if every != 0 && !f.value(strconv.Itoa(i), every, start, p, depth-1) {
			return 0
		}
		if len(wanted) > 0 && f.nodes[wanted[0]].index == i {
			if !f.value(strconv.Itoa(i), wanted[0], start, p, depth-1) {
				return 0
			}
			wanted = wanted[1:]
		}
		p, more = r.NextElement(p)
	}
	return p
}
