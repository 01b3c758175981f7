// Package strictyaml is a strict parser for YAML and JSON: [Parse] makes a tree of nodes from a
// text, or reports each problem with its place.
//
// What is read is a part of YAML 1.2: mappings with keys that are plain text, sequences, scalars,
// comments, anchors and aliases. Tags, merge keys (<<), complex keys (?), directives and a second
// document are errors. A scalar is what YAML 1.2 takes it for: no, yes, on and off are strings. A
// string that others would read as a number, a boolean or null has to be quoted. Integers are
// decimal.
//
// Package setting says what the nodes mean.
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
)
