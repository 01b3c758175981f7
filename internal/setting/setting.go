// Package setting declares the keys of configuration files, each once, in the package that uses it.
//
// A [Field] is a setting: its key, the type of its values with their range, where the value goes,
// its default, and what it means. From fields come the reader of files, whose every mistake is a
// [Problem] with a place, an excerpt and where possible the right spelling, and a description
// ([Shape]) from which the reference page and the JSON Schema are written.
//
// This package knows no format: package strictyaml reads YAML and JSON into nodes.
//
//	node.go     Node: what a file says
//	source.go   Source: the text of a file, for messages about it
//	place.go    where the bytes of a scalar are in its file
//	problem.go  Problem
//	shape.go    Shape: what a type accepts
//	types.go    types of scalars
//	decode.go   Reader, Type, and types that are made of others
//	common.go   types and checks that several packages need
//	pointer.go  the type of paths in requests
//	field.go    Field, Object, Group
//	flag.go     fields as flags of the command line
//	options.go  fields as options in Go
//	scope.go    Scope: one level of a configuration; what packages register
//	file.go     tables of what is registered
package setting

// The limits on messages.
const (
	// ProblemsMax is how many problems are kept.
	ProblemsMax = 1000
	// ProblemsPrintedMax is how many of them [Problems.Error] prints.
	ProblemsPrintedMax = 50
	// ExcerptMax is how much of a line an excerpt shows, in characters.
	ExcerptMax = 100
	// QuoteMax is how much of a word from the file a message repeats, in characters.
	QuoteMax = 60
)
