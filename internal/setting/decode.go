package setting

import (
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/internal/nearest"
)

// Reader collects the problems of a file while it is decoded.
type Reader struct {
	problems Problems
}

// Report adds a problem.
func (r *Reader) Report(p Problem) {
	if len(r.problems) < ProblemsMax {
		r.problems = append(r.problems, p)
	}
}

// Problems returns what was reported, in order of place.
func (r *Reader) Problems() Problems { return r.problems.Sort() }

// Type reads nodes as values of T. Read returns false after a problem.
type Type[T any] struct {
	Shape *Shape
	Read  func(r *Reader, n *Node) (T, bool)
}

// Field is a key of an object whose values are of type S.
type Field[S any] struct {
	Key
	read func(r *Reader, n *Node, s *S)
	set  func(r *Reader, s *S) // sets the default
}

// F describes a key. The function returns where its value is in a value of type S.
func F[S, T any](name string, t Type[T], at func(*S) *T, doc string) Field[S] {
	f := Field[S]{Key: Key{Name: name, Doc: doc, Shape: t.Shape}}
	f.read = func(r *Reader, n *Node, s *S) {
		if v, ok := t.Read(r, n); ok {
			*at(s) = v
		}
	}
	return f
}

// Default returns the field with a default, as it would be written in the file: a scalar, or {}.
func (f Field[S]) Default(text string) Field[S] {
	f.Key.Default = text
	read := f.read
	n := NewScalar("default of "+f.Name, text)
	if text == "{}" {
		n.Kind = Mapping
	}
	f.set = func(r *Reader, s *S) { read(r, n, s) }
	return f
}

// Required returns the field as one that has to be there.
func (f Field[S]) Required() Field[S] {
	f.Key.Required = true
	return f
}

// Example returns the field with an example for the documentation, YAML on one line.
func (f Field[S]) Example(text string) Field[S] {
	f.Key.Example = text
	return f
}

// Object is the table of the keys that a mapping may have.
type Object[S any] struct {
	// Name is that of the table in documentation; Doc is a sentence about it.
	Name, Doc string
	Fields    []Field[S]
	// Check looks at the whole, if it is not nil. Keys with problems have their zero value.
	Check func(r *Reader, n *Node, s *S)
}

// Type returns the type of mappings with the object's keys.
func (o *Object[S]) Type() Type[S] {
	shape := &Shape{Kind: AnObject, What: "a mapping", Object: o.Name, Doc: o.Doc}
	var names []string
	for _, f := range o.Fields {
		shape.Keys = append(shape.Keys, f.Key)
		names = append(names, f.Name)
	}
	return Type[S]{shape, func(r *Reader, n *Node) (s S, ok bool) {
		if n.Kind != Mapping {
			r.Report(n.Problem("", "expected a mapping with %s, found %s", enumerate(names, "and"), n.Describe()))
			return s, false
		}
		misspelt := map[string]bool{} // keys that are not missing
		for _, m := range n.Members {
			if !slices.Contains(names, m.Key.Text) {
				near := nearest.Name(m.Key.Text, names)
				misspelt[near] = true
				hint := ""
				if near == "" {
					hint = " (want " + enumerate(names, "or") + ")"
				}
				r.Report(m.Key.Problem(near, "unknown key %s%s", Quote(m.Key.Text), hint))
			}
		}
		for _, f := range o.Fields {
			switch value := n.Get(f.Name); {
			case value != nil:
				f.read(r, value, &s)
			case f.Key.Required && misspelt[f.Name]: // was reported
			case f.Key.Required:
				r.Report(n.Problem("", "missing required key %q", f.Name))
			case f.set != nil:
				f.set(r, &s)
			}
		}
		if o.Check != nil {
			o.Check(r, n, &s)
		}
		return s, true
	}}
}

// enumerate joins words: a, b or c.
func enumerate(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " " + last + " " + words[len(words)-1]
}

// ListOf is the type of sequences. Elements with problems are left out.
func ListOf[T any](t Type[T]) Type[[]T] {
	return Type[[]T]{&Shape{Kind: AList, What: "a sequence", Of: t.Shape}, func(r *Reader, n *Node) ([]T, bool) {
		if n.Kind != Sequence {
			suggestion := ""
			if n.Kind == Scalar && n.scalarType() != typeNull {
				suggestion = "[" + strings.Trim(Quote(n.Text), `"`) + "]"
			}
			r.Report(n.Problem(suggestion, "expected a sequence, found %s", n.Describe()))
			return nil, false
		}
		list := make([]T, 0, len(n.Items))
		for _, item := range n.Items {
			if v, ok := t.Read(r, item); ok {
				list = append(list, v)
			}
		}
		return list, true
	}}
}

// Entry is a member of a map.
type Entry[T any] struct {
	Name  string
	Value T
	Key   *Node
}

// MapOf is the type of mappings from names to values of a type, in the order of the file.
// Members with problems are left out.
func MapOf[T any](name Type[string], t Type[T]) Type[[]Entry[T]] {
	shape := &Shape{Kind: AMap, What: "a mapping", Name: name.Shape, Of: t.Shape}
	return Type[[]Entry[T]]{shape, func(r *Reader, n *Node) ([]Entry[T], bool) {
		if n.Kind != Mapping {
			r.Report(n.Problem("", "expected a mapping, found %s", n.Describe()))
			return nil, false
		}
		list := make([]Entry[T], 0, len(n.Members))
		for _, m := range n.Members {
			key := *m.Key
			if key.Style == Plain { // a key is text: 123 is not a number there
				key.Style = Raw
			}
			k, okKey := name.Read(r, &key)
			v, ok := t.Read(r, m.Value)
			if okKey && ok {
				list = append(list, Entry[T]{k, v, m.Key})
			}
		}
		return list, true
	}}
}

// Either is the type of what has the shape of one of two types: a mapping or a sequence is read by
// the type whose shape is one, other nodes by the scalar one.
func Either[T any](types ...Type[T]) Type[T] {
	shape := &Shape{Kind: AChoice}
	var what []string
	for _, t := range types {
		shape.Choices = append(shape.Choices, t.Shape)
		what = append(what, t.Shape.What)
	}
	shape.What = enumerate(what, "or")
	return Type[T]{shape, func(r *Reader, n *Node) (T, bool) {
		for _, t := range types {
			if t.Shape.accepts(n.Kind) {
				return t.Read(r, n)
			}
		}
		r.Report(n.Problem("", "expected %s, found %s", shape.What, n.Describe()))
		var zero T
		return zero, false
	}}
}

// accepts reports whether a shape is for a kind of nodes.
func (s *Shape) accepts(k Kind) bool {
	switch s.Kind {
	case AList:
		return k == Sequence
	case AMap, AnObject:
		return k == Mapping
	case Anything:
		return true
	}
	return k == Scalar
}

// Convert is a type whose values are made from those of another one.
func Convert[T, U any](t Type[T], make func(T) U) Type[U] {
	return Type[U]{t.Shape, func(r *Reader, n *Node) (u U, ok bool) {
		v, ok := t.Read(r, n)
		if !ok {
			return u, false
		}
		return make(v), true
	}}
}

// Placed is the type t; the function also gets the node that a value was read from.
func Placed[T any](t Type[T], place func(v *T, n *Node)) Type[T] {
	return Type[T]{t.Shape, func(r *Reader, n *Node) (T, bool) {
		v, ok := t.Read(r, n)
		if ok {
			place(&v, n)
		}
		return v, ok
	}}
}

// wrongType reports a node that is not what a type wants.
func wrongType(r *Reader, n *Node, suggestion, what string) {
	r.Report(n.Problem(suggestion, "expected %s, found %s", what, n.Describe()))
}

// wrong reports a text that a type does not accept.
func wrong(r *Reader, n *Node, suggestion, what string, err error) {
	reason := ""
	if err != nil {
		reason = ": " + err.Error()
	}
	r.Report(n.Problem(suggestion, "%s is not %s%s", Quote(n.Text), what, reason))
}
