package payload

import (
	"bytes"
	"strconv"

	"github.com/rtbwire/rtbwire/internal/grammar"
)

// Place is where a match is.
type Place struct {
	Pointer string // the JSON Pointer to the string, or to the member whose key it is
	Key     bool   // the string is a key
}

// Locate returns where a byte of a document's strings is. ok is false if the document is not JSON
// up to there, or if the byte is outside strings. Of a string that is broken or has no end,
// everything after its beginning counts as part of it.
func Locate(body []byte, offset int) (place Place, ok bool) {
	LocateAll(body, []int{offset}, func(_ int, p Place) { place, ok = p, true })
	return place, ok
}

// LocateAll is Locate for several offsets, in rising order, in one walk: a document can have all
// patterns, and a walk for each would take long. It calls found for those that are in strings, with
// the number of the offset.
func LocateAll(body []byte, offsets []int, found func(number int, place Place)) {
	w := walker{s: grammar.Scanner{Data: body, Depth: depthMax}}
	next := 0
	w.visit = func(begin, end int, key bool) bool {
		for next < len(offsets) && offsets[next] < begin {
			next++ // outside strings
		}
		if next < len(offsets) && offsets[next] < end {
			place := Place{grammar.CutPointer(w.pointer()), key}
			for ; next < len(offsets) && offsets[next] < end; next++ {
				found(next, place)
			}
		}
		return next < len(offsets)
	}
	w.walk()
}

// walker visits the strings of a document.
type walker struct {
	s     grammar.Scanner
	path  []element
	visit func(begin, end int, key bool) bool // false ends the walk
}

// element is one of a path: a key, or else an index.
type element struct {
	object bool
	key    []byte // between the quotes
	index  int
}

// name returns the key or the index as a JSON Pointer has it, without escaping.
func (e *element) name() string {
	if e.object {
		return grammar.Unescape(e.key)
	}
	return strconv.Itoa(e.index)
}

// is reports whether the name of e is name.
func (e *element) is(name string) bool {
	if !e.object {
		return grammar.PointerIndex(name) == e.index
	}
	if bytes.IndexByte(e.key, '\\') < 0 {
		return string(e.key) == name
	}
	return grammar.Unescape(e.key) == name
}

// pointer returns the JSON Pointer to where the walk is.
func (w *walker) pointer() string {
	var text []byte
	for i := range w.path {
		text = append(append(text, '/'), grammar.EscapePointer(w.path[i].name())...)
	}
	return string(text)
}

// walk returns true at the end of a valid document, and false if it is not valid or if visit ends
// the walk.
func (w *walker) walk() bool {
	s := &w.s
	if !s.Begin() {
		return false
	}
	for {
		more, ok := w.value()
		for ok && !more && len(w.path) > 0 {
			more, ok = w.next()
		}
		if !ok {
			return false
		}
		if !more {
			return s.End()
		}
	}
}

// value reads a scalar, or the beginning of an object or array; then more is true if it has a
// value, which is next.
func (w *walker) value() (more, ok bool) {
	s := &w.s
	switch s.Peek() {
	case '{', '[':
		object := s.Peek() == '{'
		if !s.Open() {
			return false, false
		}
		s.Space()
		w.path = append(w.path, element{object: object})
		if object && s.Peek() == '}' || !object && s.Peek() == ']' {
			return false, true
		}
		return true, !object || w.key()
	case '"':
		return false, w.string(false)
	}
	return false, s.Scalar()
}

// next reads what follows a value inside an object or array.
func (w *walker) next() (more, ok bool) {
	top := &w.path[len(w.path)-1]
	closing := byte(']')
	if top.object {
		closing = '}'
	}
	if more, ok = w.s.More(closing); !ok {
		return false, false
	}
	if !more {
		w.path = w.path[:len(w.path)-1]
		return false, true
	}
	top.index++
	return true, !top.object || w.key()
}

// key reads a key and its colon.
func (w *walker) key() bool { return w.string(true) && w.s.Colon() }

// string reads a string and visits it.
func (w *walker) string(key bool) bool {
	s := &w.s
	begin := s.Pos + 1
	text, ok := s.String()
	if !ok {
		if begin <= len(s.Data) && s.Data[begin-1] == '"' {
			if key {
				w.path[len(w.path)-1].key = s.Data[begin:s.At]
			}
			w.visit(begin, len(s.Data), key)
		}
		return false
	}
	if key {
		w.path[len(w.path)-1].key = text
	}
	return w.visit(begin, begin+len(text), key)
}
