package setting

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/internal/nearest"
)

// Field is a setting: a key whose value goes into a value of type S.
type Field[S any] struct {
	Key
	read    func(r *Reader, n *Node, s *S)
	set     func(r *Reader, s *S)         // sets the default
	at      func(s *S) reflect.Value      // of the value, which can be set
	show    func(s *S) any                // nil: it is not shown
	outside func(s *S, loose bool) string // nil: see Type.Outside
	assign  func(s *S, v any) error       // nil: there is no flag
	loose   bool
	inner   []Field[S] // of a group
}

// F declares a setting. A name with dots names a key inside other mappings. The function returns
// where the value is in a value of type S. The first sentence of the documentation is the help text
// of the flag, too.
func F[S, T any](name string, t Type[T], at func(*S) *T, doc string) Field[S] {
	f := Field[S]{
		Key: Key{Name: name, Doc: doc, Shape: t.Shape},
		at:  func(s *S) reflect.Value { return reflect.ValueOf(at(s)).Elem() },
	}
	f.read = func(r *Reader, n *Node, s *S) {
		if v, ok := t.Read(r, n); ok {
			*at(s) = v
		}
	}
	f.show = func(s *S) any { return *at(s) }
	if t.Show != nil {
		f.show = func(s *S) any { return t.Show(*at(s)) }
	}
	if t.Outside != nil {
		f.outside = func(s *S, loose bool) string { return t.Outside(*at(s), loose) }
	}
	if t.Flag != nil {
		f.Flag = Flag{Kind: t.Flag.Kind, Value: t.Flag.Value}
		f.assign = func(s *S, v any) error {
			own, err := t.Flag.From(v)
			if err == nil {
				*at(s) = own
			}
			return err
		}
	}
	return f
}

// Default returns the field with a default: a value, or text as it would be written in a file. The
// text {} is an empty mapping.
func (f Field[S]) Default(v any) Field[S] {
	text := textOf(v)
	f.Key.Default = text
	read := f.read
	n := NewScalar("default of "+f.Name, text)
	if text == "{}" {
		n.Kind = Mapping
	}
	f.set = func(r *Reader, s *S) { read(r, n, s) }
	return f
}

// textOf writes a default as a file would have it.
func textOf(v any) string {
	switch v := v.(type) {
	case time.Duration:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	}
	of := reflect.ValueOf(v)
	if of.CanInt() {
		return strconv.FormatInt(of.Int(), 10)
	}
	return of.String()
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

// Fixed returns the field as one whose changes take effect at the next start only.
func (f Field[S]) Fixed() Field[S] {
	f.Key.Fixed = true
	return f
}

// Secret returns the field as one whose value is never shown.
func (f Field[S]) Secret() Field[S] {
	f.Key.Secret = true
	f.show = nil
	return f
}

// Loose returns the field with a range for files alone: flags and Go code may go beyond it, as long
// as the value is not negative.
func (f Field[S]) Loose() Field[S] {
	f.loose = true
	return f
}

// FlagName returns the field with a flag of another name than its key.
func (f Field[S]) FlagName(name string) Field[S] {
	f.Flag.Name = name
	return f
}

// Value returns the field with a flag whose value has a name in help texts.
func (f Field[S]) Value(name string) Field[S] {
	f.Flag.Value = name
	return f
}

// NoFlag returns the field without a flag.
func (f Field[S]) NoFlag() Field[S] {
	f.Flag, f.assign = Flag{}, nil
	return f
}

// Was returns the field with names that its key no longer has, and WasFlag with those that its flag
// no longer has. They are refused, with the new one.
func (f Field[S]) Was(keys ...string) Field[S] {
	f.Key.Was = keys
	return f
}

// WasFlag is described at Was.
func (f Field[S]) WasFlag(names ...string) Field[S] {
	f.Flag.Was = names
	return f
}

// Lift returns a field of S as one of a type that has an S.
func Lift[B, S any](f Field[S], at func(*B) *S) Field[B] {
	out := Field[B]{Key: f.Key, loose: f.loose}
	out.read = func(r *Reader, n *Node, b *B) { f.read(r, n, at(b)) }
	if f.set != nil {
		out.set = func(r *Reader, b *B) { f.set(r, at(b)) }
	}
	out.at = func(b *B) reflect.Value { return f.at(at(b)) }
	if f.show != nil {
		out.show = func(b *B) any { return f.show(at(b)) }
	}
	if f.outside != nil {
		out.outside = func(b *B, loose bool) string { return f.outside(at(b), loose) }
	}
	if f.assign != nil {
		out.assign = func(b *B, v any) error { return f.assign(at(b), v) }
	}
	return out
}

// Object is the table of the keys that a mapping may have.
type Object[S any] struct {
	// Name is the table's name in documentation; Doc is a sentence about it.
	Name, Doc string
	// Fields are the keys. Those whose names have dots are inside the mappings of Groups.
	Fields []Field[S]
	Groups []Group[S]
	// Check looks at the whole, if it is not nil. Keys with problems have their zero value.
	Check func(r *Reader, n *Node, s *S)
}

// Group describes a mapping that names with dots are in.
type Group[S any] struct {
	Path      string // such as max, or tls.client
	Name, Doc string // of its table in documentation, as in [Object]
	Help      string // what the key is about
	Example   string
	// Check is as in [Object].
	Check func(r *Reader, n *Node, s *S)
}

// LiftGroup returns a group of S as one of a type that has an S.
func LiftGroup[B, S any](g Group[S], at func(*B) *S) Group[B] {
	out := Group[B]{Path: g.Path, Name: g.Name, Doc: g.Doc, Help: g.Help, Example: g.Example}
	if g.Check != nil {
		out.Check = func(r *Reader, n *Node, b *B) { g.Check(r, n, at(b)) }
	}
	return out
}

// Type returns the type of mappings with the object's keys.
func (o *Object[S]) Type() Type[S] {
	own := *o
	own.Fields = nested("", o.Fields, o.Groups)
	read := own.reader()
	return Type[S]{
		Shape: own.shape(),
		Read: func(r *Reader, n *Node) (s S, ok bool) {
			return s, read(r, n, &s)
		},
		Show: func(s S) any { return show(own.Fields, &s) },
	}
}

func (o *Object[S]) shape() *Shape {
	shape := &Shape{Kind: AnObject, What: "a mapping", Object: o.Name, Doc: o.Doc}
	for i := range o.Fields {
		shape.Keys = append(shape.Keys, o.Fields[i].Key)
	}
	return shape
}

// nested puts fields with dots into fields of their groups. The group is where its first field is.
func nested[S any](prefix string, fields []Field[S], groups []Group[S]) (out []Field[S]) {
	inside := map[string][]Field[S]{}
	for _, f := range fields {
		rest := strings.TrimPrefix(f.Name, prefix)
		name, _, deeper := strings.Cut(rest, ".")
		if !deeper {
			f.Path, f.Name = prefix+rest, rest
			out = append(out, f)
			continue
		}
		if inside[name] == nil {
			out = append(out, Field[S]{Key: Key{Name: name}})
		}
		inside[name] = append(inside[name], f)
	}
	for i := range out {
		if list := inside[out[i].Name]; list != nil {
			out[i] = groupOf(prefix+out[i].Name, list, groups)
		}
	}
	return out
}

// groupOf returns the field of a group.
func groupOf[S any](path string, fields []Field[S], groups []Group[S]) Field[S] {
	g := Group[S]{Name: path} // a program may lack the package that describes it
	if i := slices.IndexFunc(groups, func(g Group[S]) bool { return g.Path == path }); i >= 0 {
		g = groups[i]
	}
	o := &Object[S]{Name: g.Name, Doc: g.Doc, Fields: nested(path+".", fields, groups), Check: g.Check}
	read := o.reader()
	name := path[strings.LastIndexByte(path, '.')+1:]
	f := Field[S]{
		Key:   Key{Name: name, Path: path, Doc: g.Help, Example: g.Example, Shape: o.shape()},
		read:  func(r *Reader, n *Node, s *S) { read(r, n, s) },
		inner: o.Fields,
	}
	f.Key.Default = "{}"
	f.set = func(r *Reader, s *S) {
		for i := range o.Fields {
			if set := o.Fields[i].set; set != nil {
				set(r, s)
			}
		}
	}
	return f
}

// reader returns the function that reads a mapping. It returns false for any other node.
func (o *Object[S]) reader() func(r *Reader, n *Node, s *S) bool {
	var names []string
	for i := range o.Fields {
		names = append(names, o.Fields[i].Name)
	}
	return func(r *Reader, n *Node, s *S) bool {
		if n.Kind != Mapping {
			r.Report(n.Problem("", "expected a mapping with %s, found %s", enumerate(names, "and"), n.Describe()))
			return false
		}
		misspelt := o.unknown(r, n, names) // keys that are not missing
		for i := range o.Fields {
			f := &o.Fields[i]
			switch value := n.Get(f.Name); {
			case value != nil:
				f.read(r, value, s)
			case f.Key.Required && misspelt[f.Name]: // was reported
			case f.Key.Required:
				r.Report(n.Problem("", "missing required key %q", f.Name))
			case f.set != nil:
				f.set(r, s)
			}
		}
		if o.Check != nil {
			o.Check(r, n, s)
		}
		return true
	}
}

// unknown reports keys that do not exist, and returns those that were probably meant.
func (o *Object[S]) unknown(r *Reader, n *Node, names []string) (meant map[string]bool) {
	meant = map[string]bool{}
	for _, m := range n.Members {
		if slices.Contains(names, m.Key.Text) {
			continue
		}
		if i := slices.IndexFunc(o.Fields, func(f Field[S]) bool { return slices.Contains(f.Key.Was, m.Key.Text) }); i >= 0 {
			name := o.Fields[i].Name
			meant[name] = true
			r.Report(m.Key.Problem(name, "the key %s has another name now", Quote(m.Key.Text)))
			continue
		}
		near := nearest.Name(m.Key.Text, names)
		meant[near] = true
		hint := ""
		if near == "" {
			hint = " (want " + enumerate(names, "or") + ")"
		}
		r.Report(m.Key.Problem(near, "unknown key %s%s", Quote(m.Key.Text), hint))
	}
	return meant
}
