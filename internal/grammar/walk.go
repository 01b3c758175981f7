package grammar

import (
	"bytes"
	"strconv"
)

// Walk visits the values and keys of a document in their order, without recursion. Set Data and
// Depth, and what is to be called; then call [Walk.Document].
type Walk struct {
	Scanner
	// Path leads to the value or the key that is visited. It is valid until the function that was
	// called returns.
	Path []Element
	// Value, if not nil, is called at the first byte of each value. False ends the walk.
	Value func(at int) bool
	// Text, if not nil, is called after each string with what is between its quotes, and where Path
	// leads to the member if the string is a key. Of a string that is broken or has no end,
	// everything after its beginning counts as part of it. False ends the walk.
	Text func(begin, end int, key bool) bool
}

// Element is one of a path: a key, or else an index.
type Element struct {
	Object bool
	Key    []byte // between the quotes
	Index  int
}

// Name returns the key or the index as a JSON Pointer has it, without escaping.
func (e *Element) Name() string {
	if e.Object {
		return Unescape(e.Key)
	}
	return strconv.Itoa(e.Index)
}

// Is reports whether the name of e is name.
func (e *Element) Is(name string) bool {
	if !e.Object {
		return PointerIndex(name) == e.Index
	}
	if bytes.IndexByte(e.Key, '\\') < 0 {
		return string(e.Key) == name
	}
	return Unescape(e.Key) == name
}

// Pointer returns the JSON Pointer to where the walk is.
func (w *Walk) Pointer() string {
	var text []byte
	for i := range w.Path {
		text = append(append(text, '/'), EscapePointer(w.Path[i].Name())...)
	}
	return string(text)
}

// Document walks through the whole document. It returns true at the end of a valid one. It returns
// false if the document is not valid, which Fault tells, or if a function has ended the walk.
func (w *Walk) Document() bool {
	w.Path = w.Path[:0]
	if !w.Begin() {
		return false
	}
	for {
		more, ok := w.value()
		for ok && !more && len(w.Path) > 0 {
			more, ok = w.next()
		}
		if !ok {
			return false
		}
		if !more {
			return w.End()
		}
	}
}

// value reads a scalar, or the beginning of an object or array; then more is true if it has a
// value, which is next.
func (w *Walk) value() (more, ok bool) {
	if w.Value != nil && !w.Value(w.Pos) {
		return false, false
	}
	switch w.Peek() {
	case '{', '[':
		object := w.Peek() == '{'
		if !w.Open() {
			return false, false
		}
		w.Space()
		w.Path = append(w.Path, Element{Object: object})
		if object && w.Peek() == '}' || !object && w.Peek() == ']' {
			return false, true
		}
		return true, !object || w.member()
	case '"':
		return false, w.text(false)
	}
	return false, w.Scalar()
}

// next reads what follows a value inside an object or array.
func (w *Walk) next() (more, ok bool) {
	top := &w.Path[len(w.Path)-1]
	closing := byte(']')
	if top.Object {
		closing = '}'
	}
	if more, ok = w.More(closing); !ok {
		return false, false
	}
	if !more {
		w.Path = w.Path[:len(w.Path)-1]
		return false, true
	}
	top.Index++
	return true, !top.Object || w.member()
}

// member reads a key and its colon.
func (w *Walk) member() bool { return w.text(true) && w.Colon() }

// text reads a string and visits it.
func (w *Walk) text(key bool) bool {
	begin := w.Pos + 1
	text, ok := w.String()
	end := begin + len(text)
	if !ok {
		if begin > len(w.Data) || w.Data[begin-1] != '"' {
			return false // no string at all
		}
		text, end = w.Data[begin:w.At], len(w.Data)
	}
	if key {
		w.Path[len(w.Path)-1].Key = text
	}
	return (w.Text == nil || w.Text(begin, end, key)) && ok
}
