package setting

import (
	"strings"
)

// Reader collects the problems of a file while it is decoded, and what the file refers to.
type Reader struct {
	problems Problems
	// Variables are the environment variables that the file reads secrets from, and Files the small
	// files whose changes count as changes of the file itself.
	Variables, Files []string
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
	// Show returns what a page for operators shows of a value. Default: the value.
	Show func(T) any
	// Flag says how a value is given on the command line. Default: it can't be.
	Flag *FlagOf[T]
	// Outside says what is wanted in place of a value that is out of range, such as 1 to 10, and ""
	// for a value that is not. With loose only negative values are. Default: no value is.
	Outside func(v T, loose bool) string
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
	return Type[[]T]{Shape: &Shape{Kind: AList, What: "a sequence", Of: t.Shape}, Show: showList(t), Flag: flagOfList(t), Read: func(r *Reader, n *Node) ([]T, bool) {
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

// flagOfList is the flag of sequences whose elements are given as texts, each on its own.
func flagOfList[T any](t Type[T]) *FlagOf[[]T] {
	if t.Flag == nil || t.Flag.Kind != FlagText && t.Flag.Kind != FlagChoice {
		return nil
	}
	return &FlagOf[[]T]{FlagList, t.Flag.Value, func(v any) (list []T, err error) {
		for _, text := range v.([]string) {
			own, err := t.Flag.From(text)
			if err != nil {
				return nil, err
			}
			list = append(list, own)
		}
		return list, nil
	}}
}

// showList shows the elements of sequences as their type does.
func showList[T any](t Type[T]) func([]T) any {
	return func(list []T) any {
		out := make([]any, 0, len(list))
		for _, v := range list {
			if t.Show != nil {
				out = append(out, t.Show(v))
			} else {
				out = append(out, v)
			}
		}
		return out
	}
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
	return Type[[]Entry[T]]{Shape: shape, Read: func(r *Reader, n *Node) ([]Entry[T], bool) {
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
	either := Type[T]{Shape: shape, Show: types[0].Show, Flag: types[0].Flag}
	either.Read = func(r *Reader, n *Node) (T, bool) {
		for _, t := range types {
			if t.Shape.accepts(n.Kind) {
				return t.Read(r, n)
			}
		}
		r.Report(n.Problem("", "expected %s, found %s", shape.What, n.Describe()))
		var zero T
		return zero, false
	}
	return either
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
	out := Type[U]{Shape: t.Shape}
	if t.Flag != nil {
		out.Flag = &FlagOf[U]{t.Flag.Kind, t.Flag.Value, func(v any) (u U, err error) {
			own, err := t.Flag.From(v)
			if err != nil {
				return u, err
			}
			return make(own), nil
		}}
	}
	out.Read = func(r *Reader, n *Node) (u U, ok bool) {
		v, ok := t.Read(r, n)
		if !ok {
			return u, false
		}
		return make(v), true
	}
	return out
}

// Placed is the type t; the function also gets the node that a value was read from.
func Placed[T any](t Type[T], place func(v *T, n *Node)) Type[T] {
	out := t
	out.Read = func(r *Reader, n *Node) (T, bool) {
		v, ok := t.Read(r, n)
		if ok {
			place(&v, n)
		}
		return v, ok
	}
	return out
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
