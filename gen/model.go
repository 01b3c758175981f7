package gen

import "go/token"

// model is what the templates have to know about a package. The names that they use are
// exported.
type model struct {
	Pkg     string
	Roots   []*structType
	Structs []*structType // in the order of discovery

	taken     map[string]token.Position // names that the package's other files declare
	generated map[string]bool           // those of the other files that gen has written
	shared    map[string]bool           // the methods in them, as "Type.Method"; see structType.Lacks
	imports   map[string]string         // path to name, of the packages that field types come from
}

// structType is a struct that a JSON object decodes to.
type structType struct {
	Name      string
	Fields    []*field
	Recursive bool // it may hold another one of its type
	IsRoot    bool

	shared map[string]bool // that of the model
}

// field is a member of the object.
type field struct {
	GoName string // with the path through embedded structs
	Number int    // its place among the fields, from 1
	Key    string
	Type   fieldType

	omit      bool // omitempty
	omitZero  bool
	keepEmpty bool // omitempty does not leave out empty arrays
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
	GoType string      // of T, as the generated file writes it
	basic  string      // the basic type that T is made of: "int", "int32", "string", ...
	Object *structType // for kindStruct
	place  bool        // the reader notes where the value is: see structType.Ext
}

// named reports whether T is a defined type rather than the basic type itself.
func (t *fieldType) named() bool { return t.GoType != t.basic }
