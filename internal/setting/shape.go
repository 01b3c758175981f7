package setting

// ShapeKind is what a value has to be.
type ShapeKind uint8

// The kinds of shapes.
const (
	AText     ShapeKind = iota // a string
	ABool                      // true or false
	AnInteger                  // a decimal integer
	ASize                      // a number of bytes, with a unit or without
	ANumber                    // a number
	AWord                      // one of Words
	AList                      // a sequence of Of
	AMap                       // a mapping from names to Of
	AnObject                   // a mapping with Keys
	AChoice                    // one of Choices
	Anything                   // any value
)

// Shape describes the values that a [Type] accepts, for documentation and JSON Schema.
type Shape struct {
	Kind ShapeKind
	// What says what is expected in errors and in documentation: "a domain", "a share such as 5%".
	What string
	// Pattern is a regular expression for the text, where one can say it.
	Pattern string
	// Words are the values of an enumeration.
	Words []string
	// Min and Max are the limits of an integer or a size, or of a text's length in bytes; Max is 0
	// where there is none.
	Min, Max float64
	// Of is what the elements of a list or map are, Name what the keys of a map are.
	Of, Name *Shape
	// Choices are the shapes of a choice, of different kinds.
	Choices []*Shape
	// Object is the name of an object's table, Doc what it is, Keys what it has.
	Object, Doc string
	Keys        []Key
}

// Key describes a key of an object.
type Key struct {
	Name     string
	Path     string // from its section, such as max.body
	Doc      string
	Default  string // as it would be written, or empty
	Example  string // as it would be written in YAML on one line
	Required bool
	Fixed    bool // a change takes effect at the next start only
	Secret   bool // it is never shown
	Flag     Flag
	Was      []string // names that the key no longer has
	Shape    *Shape
}
