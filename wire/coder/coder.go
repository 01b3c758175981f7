// Package coder is the runtime of generated codecs (see package gen): it indexes a document, reads
// its values in place, hands out memory for what is decoded, and writes values. It knows nothing of
// OpenRTB. Programs call the functions of generated code, not this package.
//
// The files, in the order of reading:
//
//	reader.go                Reader: one document, from Begin to End
//	key.go, order.go         keys: predicted in two loads, or found by a perfect hash
//	value.go                 null, words, raw values, objects' brackets
//	place.go                 where a document's ext is, for edits
//	string.go, escape.go     strings
//	number.go                integers and floats
//	array.go                 arrays' brackets, arrays of scalars
//	skip.go                  values of unknown keys, checked all the same
//	skip_accepted.go         the same for documents that were accepted before, unchecked
//	notes.go                 what an accepted document has besides what was decoded
//	explain.go               what an error says was expected and found
//	lenient.go               what lenient mode makes of values of the wrong type
//	slab.go                  memory of decoded values
//	arena.go                 which arena a decoded value is in
//	clone.go                 copies that share no memory
//	writer.go                Writer: values as text
//	write_string.go          strings and their escapes
//	write_number.go          numbers
//	validate.go              raw values, checked before they are written
//	output.go                whole messages: buffers, io.Writer
//	input.go                 documents from an io.Reader
//	locate.go                the place of what can't be written
//
// # Memory
//
// Three verbs end the use of memory, on a Reader, on a Slab, and on generated codecs:
//
//	Reset    makes it free for the next document, and lets the last one be collected
//	Detach   leaves it to the decoded value
//	Drop     gives it back to the collector
package coder

// GenVersion is the version of this package that generated code needs. It grows when the two
// have to change together.
const GenVersion = 3
