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
type Field[S any] struct{ any *field }

// field is a Field of any S. It gets a pointer to the S, so that its methods are compiled once and
// not for each type that has settings.
type field struct {
	Key
	at     func(s any) any        // returns a pointer to the value; nil for a group
	values *values                // nil for a group
	set    func(r *Reader, s any) // sets the default
	hidden bool                   // it is not shown
	loose  bool

	inner []*field // of a group
	check func(r *Reader, n *Node, s any)
}

// values is a [Type] of any T. The functions get a pointer to the T.
type values struct {
	read    func(r *Reader, n *Node, v any)
	show    func(v any) any
	outside func(v any, loose bool) string // nil: see Type.Outside
	flag    Flag
	assign  func(v, flag any) error // nil: there is no flag
}

// values returns the type as one of any T.
func (t *Type[T]) values() *values {
	out := &values{
		read: func(r *Reader, n *Node, v any) {
			if own, ok := t.Read(r, n); ok {
				*v.(*T) = own
			}
		},
		show: func(v any) any {
			if t.Show == nil {
				return *v.(*T)
			}
			return t.Show(*v.(*T))
		},
	}
	if t.Outside != nil {
		out.outside = func(v any, loose bool) string { return t.Outside(*v.(*T), loose) }
	}
	if t.Flag != nil {
		out.flag = Flag{Kind: t.Flag.Kind, Value: t.Flag.Value}
		out.assign = func(v, flag any) error {
			own, err := t.Flag.From(flag)
			if err == nil {
				*v.(*T) = own
			}
			return err
		}
	}
	return out
}

// F declares a setting. A name with dots names a key inside other mappings. The function returns
// where the value is in a value of type S. The first sentence of the documentation is the help text
// of the flag, too.
func F[S, T any](name string, t Type[T], at func(*S) *T, doc string) Field[S] {
	return Field[S]{newField(name, doc, t.Shape, t.values(), func(s any) any { return at(s.(*S)) })}
}

// The functions that are not inlined would be so in every generic function that calls them, once
// for each type that has settings.

//go:noinline
func newField(name, doc string, shape *Shape, v *values, at func(s any) any) *field {
	return &field{Key: Key{Name: name, Doc: doc, Shape: shape, Flag: v.flag}, values: v, at: at}
}

// with returns a copy of the field that was changed.
//
//go:noinline
func (f *field) with(change func(*field)) *field {
	own := *f
	change(&own)
	return &own
}

// Key returns what is declared of the field.
func (f Field[S]) Key() Key { return f.any.Key }

// Under returns the field with a name that begins with a prefix.
func (f Field[S]) Under(prefix string) Field[S] { return Field[S]{f.any.under(prefix)} }

// Default returns the field with a default: a value, or text as it would be written in a file. The
// text {} is an empty mapping.
func (f Field[S]) Default(v any) Field[S] { return Field[S]{f.any.otherwise(v)} }

// Required returns the field as one that has to be there.
func (f Field[S]) Required() Field[S] { return Field[S]{f.any.required()} }

// Example returns the field with an example for the documentation, YAML on one line.
func (f Field[S]) Example(text string) Field[S] { return Field[S]{f.any.example(text)} }

// Fixed returns the field as one whose changes take effect at the next start only.
func (f Field[S]) Fixed() Field[S] { return Field[S]{f.any.fixed()} }

// Secret returns the field as one whose value is never shown.
func (f Field[S]) Secret() Field[S] { return Field[S]{f.any.secret()} }

// Loose returns the field as one whose range is that of files: flags and Go code may go beyond it,
// as long as the value is not negative.
func (f Field[S]) Loose() Field[S] { return Field[S]{f.any.unbounded()} }

// FlagName returns the field with a flag of another name than its key.
func (f Field[S]) FlagName(name string) Field[S] { return Field[S]{f.any.named(name)} }

// Value returns the field with a flag whose value has a name in help texts.
func (f Field[S]) Value(name string) Field[S] { return Field[S]{f.any.value(name)} }

// NoFlag returns the field without a flag.
func (f Field[S]) NoFlag() Field[S] { return Field[S]{f.any.noFlag()} }

// Was returns the field with names that its key no longer has, and WasFlag with those that its flag
// no longer has. They are refused, with the new one.
func (f Field[S]) Was(keys ...string) Field[S] { return Field[S]{f.any.was(keys)} }

// WasFlag is described at Was.
func (f Field[S]) WasFlag(names ...string) Field[S] { return Field[S]{f.any.wasFlag(names)} }

// Lift returns a field of S as one of a type that has an S.
func Lift[B, S any](f Field[S], at func(*B) *S) Field[B] {
	return Field[B]{f.any.lift(func(b any) any { return at(b.(*B)) })}
}

// See at newField why none of these is inlined.

//go:noinline
func (f *field) under(prefix string) *field {
	return f.with(func(f *field) { f.Name = prefix + f.Name })
}

// defaultOf begins the file of a default's place.
const defaultOf = "default of "

//go:noinline
func (f *field) otherwise(v any) *field {
	text := textOf(v)
	n := NewScalar(defaultOf+f.Name, text)
	if text == "{}" {
		n.Kind = Mapping
	}
	return f.with(func(own *field) {
		own.Key.Default = text
		own.set = func(r *Reader, s any) { f.values.read(r, n, f.at(s)) }
	})
}

//go:noinline
func (f *field) required() *field { return f.with(func(f *field) { f.Key.Required = true }) }

//go:noinline
func (f *field) example(text string) *field {
	return f.with(func(f *field) { f.Key.Example = text })
}

//go:noinline
func (f *field) fixed() *field { return f.with(func(f *field) { f.Key.Fixed = true }) }

//go:noinline
func (f *field) secret() *field {
	return f.with(func(f *field) { f.Key.Secret, f.hidden = true, true })
}

//go:noinline
func (f *field) unbounded() *field { return f.with(func(f *field) { f.loose = true }) }

//go:noinline
func (f *field) named(name string) *field { return f.with(func(f *field) { f.Flag.Name = name }) }

//go:noinline
func (f *field) value(name string) *field { return f.with(func(f *field) { f.Flag.Value = name }) }

//go:noinline
func (f *field) noFlag() *field { return f.with(func(f *field) { f.Flag = Flag{} }) }

//go:noinline
func (f *field) was(keys []string) *field { return f.with(func(f *field) { f.Key.Was = keys }) }

//go:noinline
func (f *field) wasFlag(names []string) *field {
	return f.with(func(f *field) { f.Flag.Was = names })
}

//go:noinline
func (f *field) lift(in func(b any) any) *field {
	return f.with(func(own *field) {
		own.at = func(b any) any { return f.at(in(b)) }
		if f.set != nil {
			own.set = func(r *Reader, b any) { f.set(r, in(b)) }
		}
	})
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

// group is a [Group] of any S.
type group struct {
	Group[struct{}] // without a check
	check           func(r *Reader, n *Node, s any)
}

// anyCheck returns the check of an [Object] or a [Group] as one of any S.
//
//go:noinline
func anyCheck[S any](check func(r *Reader, n *Node, s *S)) func(r *Reader, n *Node, s any) {
	if check == nil {
		return nil
	}
	return func(r *Reader, n *Node, s any) { check(r, n, s.(*S)) }
}

// anyFields returns fields as those of any S.
//
//go:noinline
func anyFields[S any](fields []Field[S]) []*field {
	list := make([]*field, len(fields))
	for i, f := range fields {
		list[i] = f.any
	}
	return list
}

// anyGroups returns groups as those of any S.
//
//go:noinline
func anyGroups[S any](groups []Group[S]) []group {
	list := make([]group, len(groups))
	for i, g := range groups {
		list[i] = group{Group[struct{}]{Path: g.Path, Name: g.Name, Doc: g.Doc, Help: g.Help, Example: g.Example}, anyCheck(g.Check)}
	}
	return list
}

// Type returns the type of mappings with the object's keys.
func (o *Object[S]) Type() Type[S] {
	all := newGroup(anyFields(o.Fields), anyGroups(o.Groups), anyCheck(o.Check))
	return Type[S]{
		Shape: shapeOf(o.Name, o.Doc, all.inner),
		Read: func(r *Reader, n *Node) (s S, ok bool) {
			ok = all.readMapping(r, n, &s)
			return s, ok
		},
		Show: func(s S) any { return show(all.inner, &s) },
	}
}

func shapeOf(name, doc string, fields []*field) *Shape {
	shape := &Shape{Kind: AnObject, What: "a mapping", Object: name, Doc: doc}
	for _, f := range fields {
		shape.Keys = append(shape.Keys, f.Key)
	}
	return shape
}

//go:noinline
func newGroup(fields []*field, groups []group, check func(r *Reader, n *Node, s any)) *field {
	return &field{inner: nested("", fields, groups), check: check}
}

// nested puts fields with dots into fields of their groups. The group is where its first field is.
func nested(prefix string, fields []*field, groups []group) (out []*field) {
	inside := map[string][]*field{}
	for _, f := range fields {
		rest := strings.TrimPrefix(f.Name, prefix)
		name, _, deeper := strings.Cut(rest, ".")
		if !deeper {
			out = append(out, f.with(func(f *field) { f.Path, f.Name = prefix+rest, rest }))
			continue
		}
		if inside[name] == nil {
			out = append(out, &field{Key: Key{Name: name}})
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
func groupOf(path string, fields []*field, groups []group) *field {
	g := group{Group: Group[struct{}]{Name: path}} // a program may lack the package that describes it
	if i := slices.IndexFunc(groups, func(g group) bool { return g.Path == path }); i >= 0 {
		g = groups[i]
	}
	inner := nested(path+".", fields, groups)
	f := &field{
		Key: Key{
			Name: path[strings.LastIndexByte(path, '.')+1:], Path: path, Doc: g.Help, Example: g.Example, Default: "{}",
			Shape: shapeOf(g.Name, g.Doc, inner),
		},
		inner: inner,
		check: g.check,
	}
	f.set = func(r *Reader, s any) {
		for _, in := range inner {
			if in.set != nil {
				in.set(r, s)
			}
		}
	}
	return f
}

// read reads a value, or the mapping of a group, into s.
func (f *field) read(r *Reader, n *Node, s any) {
	if f.values == nil {
		f.readMapping(r, n, s)
		return
	}
	f.values.read(r, n, f.at(s))
}

// readMapping reads a mapping with the inner fields. It is false for a node that is none.
func (f *field) readMapping(r *Reader, n *Node, s any) bool {
	var names []string
	for _, in := range f.inner {
		names = append(names, in.Name)
	}
	if n.Kind != Mapping {
		r.Report(n.Problem("", "expected a mapping with %s, found %s", enumerate(names, "and"), n.Describe()))
		return false
	}
	misspelt := unknown(r, n, f.inner, names) // keys that are not missing
	for _, in := range f.inner {
		switch value := n.Get(in.Name); {
		case value != nil:
			in.read(r, value, s)
		case in.Key.Required && misspelt[in.Name]: // was reported
		case in.Key.Required:
			r.Report(n.Problem("", "missing required key %q", in.Name))
		case in.set != nil:
			in.set(r, s)
		}
	}
	if f.check != nil {
		f.check(r, n, s)
	}
	return true
}

// unknown reports keys that do not exist, and returns those that were probably meant.
func unknown(r *Reader, n *Node, fields []*field, names []string) (meant map[string]bool) {
	meant = map[string]bool{}
	for _, m := range n.Members {
		if slices.Contains(names, m.Key.Text) {
			continue
		}
		if i := slices.IndexFunc(fields, func(f *field) bool { return slices.Contains(f.Key.Was, m.Key.Text) }); i >= 0 {
			name := fields[i].Name
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
