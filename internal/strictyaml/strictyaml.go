// Package strictyaml reads configuration files, written in YAML or JSON, without guessing: every
// mistake is a [Problem] with a place, an excerpt and where possible the right spelling, and a
// reader gets all of them at once.
//
// [Parse] makes a tree of nodes from a text. An [Object] is a table of the keys that a mapping may
// have; it decodes nodes to Go values and describes itself ([Shape]) to whoever writes
// documentation or a JSON Schema from it.
//
// What is read is a part of YAML 1.2: mappings with keys that are plain text, sequences, scalars,
// comments, anchors and aliases. Tags, merge keys (<<), complex keys (?), directives and a second
// document are errors. A scalar is what YAML 1.2 takes it for: no, yes, on and off are strings. A
// string that others would read as a number, a boolean or null has to be quoted. Integers are
// decimal.
package strictyaml

// The limits. Each has an error that says what was exceeded.
const (
	// SizeMax is the largest file that is read, in bytes.
	SizeMax = 1 << 20
	// DepthMax is how deep mappings and sequences may be nested.
	DepthMax = 32
	// NodesMax is how many values and keys a file may have. Those that an alias repeats count
	// again.
	NodesMax = 50_000
	// ProblemsMax is how many problems are kept.
	ProblemsMax = 1000
	// ProblemsPrintedMax is how many of them [Problems.Error] prints.
	ProblemsPrintedMax = 50
	// ExcerptMax is how much of a line an excerpt shows, in characters.
	ExcerptMax = 100
	// quoteMax is how much of a word from the file a message repeats, in characters.
	quoteMax = 60
)
