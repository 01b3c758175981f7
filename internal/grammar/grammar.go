// Package grammar is RFC 8259 written once, slowly and clearly: one byte at a time, without an
// index. It says what is wrong with a text and where, which value is at an offset, and which key an
// object has twice. The decoder in wire/coder is its fast counterpart, and asks this package
// whenever the fast way finds something unusual. The tests hold the two against each other and
// against a third, independent one (internal/oracle).
//
// The files, in the order of reading:
//
//	fault.go      what can be wrong
//	scanner.go    tokens: strings, numbers, words
//	nesting.go    objects and arrays, without recursion
//	number.go     what a number is worth
//	unescape.go   what a string is worth
//	pointer.go    JSON Pointers (RFC 6901), and the pointer to an offset
//	explain.go    the pointer to an offset, and what is wrong there, in one pass
//	walk.go       visits of values and keys, with their paths
//	duplicate.go  keys that an object has twice
package grammar

// DepthMax is how deep values may be nested at most. The nesting of a text is kept in one bit
// for each level, never on the goroutine's stack.
const DepthMax = 1024

// BOM is the byte order mark in UTF-8. RFC 8259 section 8.1 forbids it before a document.
const BOM = "\xef\xbb\xbf"

// HasBOM reports whether data begins with a byte order mark.
func HasBOM(data []byte) bool { return len(data) >= len(BOM) && string(data[:len(BOM)]) == BOM }

// Whitespace is the white space between tokens (section 2), as a set for package bytes.
const Whitespace = " \t\n\r"

// IsSpace reports whether b is in Whitespace.
func IsSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\r' || b == '\t' }

// Check returns what is wrong with a document and where, or 0. Any value may be the document.
// A tolerant check accepts strings that are not Unicode text.
func Check(data []byte, depth int, tolerant bool) (Fault, int) {
	s := Scanner{Data: data, Depth: depth, Tolerant: tolerant}
	s.Document()
	return s.Fault, s.At
}
