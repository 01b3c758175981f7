package setting

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"sync"
)

// Scope is one level of a configuration that was read: the whole file, a partner or a publisher. It
// has what the settings of each package say there.
type Scope struct {
	// Name is the name of the partner or the publisher, and Place where it is.
	Name  string
	Place Place
	// Inner are the partners of a file, in its order, or the publishers of a partner.
	Inner []*Scope

	values map[any]any // slots to pointers
}

// Slot is where a package keeps its settings in scopes.
type Slot[T any] struct{ _ byte }

// In returns the settings of a scope, which are the zero value where nothing was read.
func (s *Slot[T]) In(c *Scope) *T {
	if v, ok := c.values[s].(*T); ok {
		return v
	}
	if c.values == nil {
		c.values = map[any]any{}
	}
	v := new(T)
	c.values[s] = v
	return v
}

// Fields returns fields of the settings as fields of scopes.
func (s *Slot[T]) Fields(fields []Field[T]) (out []Field[Scope]) {
	for _, f := range fields {
		out = append(out, Lift(f, s.In))
	}
	return out
}

// Groups is the same for groups.
func (s *Slot[T]) Groups(groups []Group[T]) (out []Group[Scope]) {
	for _, g := range groups {
		out = append(out, LiftGroup(g, s.In))
	}
	return out
}

// Names returns the names of the scopes inside: those of the partners of a file, say.
func (c *Scope) Names() (names []string) {
	for _, inner := range c.Inner {
		names = append(names, inner.Name)
	}
	return names
}

// Layers returns a scope and all that are inside it, outer ones first.
func (c *Scope) Layers() []*Scope {
	list := []*Scope{c}
	for _, inner := range c.Inner {
		list = append(list, inner.Layers()...)
	}
	return list
}

// Unique reports names that occur twice among those that can be about the same request: in a layer,
// and in those outside it. The places are those of mappings with a key name; what says in messages
// what is called so.
func Unique(r *Reader, c *Scope, what string, names func(*Scope) []Named) {
	unique(r, c, what, names, nil)
}

func unique(r *Reader, c *Scope, what string, names func(*Scope) []Named, outer []Named) {
	outer = slices.Clip(outer)
	for _, own := range names(c) {
		i := slices.IndexFunc(outer, func(o Named) bool { return o.Name == own.Name })
		switch {
		case own.Name == "": // there is none, or it was reported
		case i < 0:
			outer = append(outer, own)
		default:
			first := outer[i].Place
			r.Report(own.Place.Member("name").Problem("", fmt.Sprintf("another %s is called %s (%s, line %d)", what, Quote(own.Name), first.File, first.Line)))
		}
	}
	for _, inner := range c.Inner {
		unique(r, inner, what, names, outer)
	}
}

// Clone returns a copy of a scope, whose settings can be changed on their own.
func (c *Scope) Clone() *Scope {
	out := &Scope{Name: c.Name, Place: c.Place, Inner: c.Inner, values: map[any]any{}}
	for slot, v := range c.values {
		copied := reflect.New(reflect.TypeOf(v).Elem())
		copied.Elem().Set(reflect.ValueOf(v).Elem())
		out.values[slot] = copied.Interface()
	}
	return out
}

// Module is what a package adds to configuration files.
type Module struct {
	// Section is the mapping at the top of a file that the fields are in. Several modules may share
	// one; Order is where their fields are among those of others.
	Section string
	Order   int
	// Name, Doc, Help and Example describe the section, as in [Group]. One module of it says them.
	Name, Doc, Help, Example string
	Fields                   []Field[Scope]
	Groups                   []Group[Scope]
	// Partner and Publisher are fields that partners and publishers have.
	Partner, Publisher             []Field[Scope]
	PartnerGroups, PublisherGroups []Group[Scope]
	// Check looks at the whole file, if it is not nil.
	Check func(r *Reader, file *Scope)
	// Review warns of what is probably not meant, if it is not nil.
	Review func(file *Scope, warn func(at Place, format string, args ...any))
}

var registry struct {
	sync.Mutex
	modules []Module
}

// Register adds a module. Packages call it when the program begins: a program understands the
// settings of the packages that it has.
func Register(m Module) {
	registry.Lock()
	defer registry.Unlock()
	registry.modules = append(registry.modules, m)
}

// Modules returns what was registered.
func Modules() []Module {
	registry.Lock()
	defer registry.Unlock()
	list := slices.Clone(registry.modules)
	slices.SortStableFunc(list, func(a, b Module) int { return cmp.Compare(a.Order, b.Order) })
	return list
}

// Section returns the fields and groups of a section, without its name in their paths.
func Section(name string) (fields []Field[Scope], groups []Group[Scope]) {
	for _, m := range Modules() {
		if m.Section == name {
			fields, groups = append(fields, m.Fields...), append(groups, m.Groups...)
		}
	}
	return fields, groups
}
