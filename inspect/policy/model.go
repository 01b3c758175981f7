package policy

// kind is the kind of a value, as far as it is known when a condition is compiled.
type kind uint8

const (
	kindNull kind = iota
	kindBool
	kindInt
	kindDouble
	kindString
	kindObject  // a struct of package openrtb, or of the facts
	kindList    // a list whose elements have one type
	kindDyn     // known at evaluation only: ext and what is in it
	kindTime    // a timestamp
	kindNamed   // a list of the configuration
	kindHeaders // facts.headers
	kindVendors // facts.vendor
	kindArray   // of values only: an array in an ext, as text
	kindMembers // of values only: an object in an ext, as text
	kindBad     // of expressions with an issue
)

var kindNames = [...]string{"null", "bool", "int", "double", "string", "object", "list", "dyn", "timestamp", "list of the configuration", "headers", "vendors", "array", "object", "unknown"}

// typ is the type of an expression.
type typ struct {
	kind   kind
	elem   *typ     // of a list
	object objectID // of an object
}

// objectID is an index of objects.
type objectID uint8

// object is an object type: those of a request, and those of the facts.
type object struct {
	name   string
	absent any // the pointer to read from where there is none: nil, for objects of a request
	fields []field
}

// field is a field of an object. Its accessors take the object: a pointer to its struct, which may
// be nil. An absent value reads as the zero of its type.
type field struct {
	name   string
	kind   kind // of the elements, if it is a list
	object objectID
	list   bool

	// The accessor of the field's kind.
	b   func(c *frame, o any) bool
	i   func(c *frame, o any) int64
	f   func(c *frame, o any) float64
	s   func(c *frame, o any) string
	o   func(c *frame, o any) any
	raw func(c *frame, o any) []byte

	// Of lists: the length, and an element. strings is all of them, where they are in one slice.
	// values replaces them for a list that has to be made.
	strings func(c *frame, o any) []string
	n       func(c *frame, o any) int
	iat     func(c *frame, o any, i int) int64
	fat     func(c *frame, o any, i int) float64
	sat     func(c *frame, o any, i int) string
	oat     func(c *frame, o any, i int) any
	values  func(c *frame, o any) []value

	has func(c *frame, o any) bool // nil: a string that is not empty, a list that has elements
}

// shortcut is an accessor that needs no owner.
type shortcut struct {
	i intFn
	f doubleFn
	s stringFn
	o objectFn
}

// Objects besides those of requests.
const (
	objFacts objectID = objectsOfRequest + iota
	objCounts
	objVendor
	objectsAll
)

var objects = func() (all [objectsAll]object) {
	copy(all[:], requestObjects[:])
	all[objFacts], all[objCounts], all[objVendor] = factsObject, countsObject, vendorObject
	for i := range all {
		for j := range all[i].fields {
			if f := &all[i].fields[j]; f.strings != nil {
				f.n = func(c *frame, o any) int { return len(f.strings(c, o)) }
				f.sat = func(c *frame, o any, i int) string { return f.strings(c, o)[i] }
			}
		}
	}
	return all
}()

// field returns the field with the name, or nil.
func (o *object) field(name string) *field {
	for i := range o.fields {
		if o.fields[i].name == name {
			return &o.fields[i]
		}
	}
	return nil
}

func (f *field) typ() typ {
	t := typ{kind: f.kind, object: f.object}
	if f.list {
		return typ{kind: kindList, elem: &t}
	}
	return t
}

// present reports whether the field of an object is there.
func (f *field) present(c *frame, o any) bool {
	switch {
	case f.has != nil:
		return f.has(c, o)
	case f.list:
		return f.listOf(c, o).n != 0
	}
	return f.s(c, o) != ""
}

// listOf returns the list in a field.
func (f *field) listOf(c *frame, o any) list {
	if f.values != nil {
		if v := f.values(c, o); len(v) != 0 {
			return list{n: len(v), values: v}
		}
		if f.n == nil {
			return list{}
		}
	}
	return list{n: f.n(c, o), field: f, owner: o}
}
