package gen

import "go/token"

// model is what a codec has to know about a package.
type model struct {
	pkg     string
	taken   map[string]token.Position // names that the package's other files declare
	imports map[string]string         // path to name, of the packages that field types come from
	roots   []*structType
	structs []*structType // roots first, then in the order of discovery
}

// structType is a struct that a JSON object decodes to.
type structType struct {
	name      string
	fields    []*field
	recursive bool // an array of it may hold another array of it
}

// field is a member of the object. Its number, from 1, is its place in fields.
type field struct {
	goName   string // with the path through embedded structs
	key      string
	omit     bool // omitempty
	omitZero bool
	typ      fieldType
}

// shape is how a value is stored.
type shape uint8

const (
	plain   shape = iota // T
	pointer              // *T
	slice                // []T
	sliceOfPointers
)

// kind is what the JSON value has to be.
type kind uint8

const (
	kindString kind = iota
	kindInt         // any integer type
	kindFloat
	kindBool
	kindStruct
	kindRaw // any value, kept as its bytes
)

// fieldType is the type of a field.
type fieldType struct {
	shape  shape
	kind   kind
	goType string      // of T, as the generated file writes it
	basic  string      // the basic type behind T: "int", "int32", "string", ...
	object *structType // for kindStruct
}

// named reports whether T is a defined type rather than the basic type itself.
func (t *fieldType) named() bool { return t.goType != t.basic }
