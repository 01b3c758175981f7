package wire

import (
	"strconv"

	"github.com/rtbwire/rtbwire/internal/grammar"
)

// Code names one kind of failure. Codes are stable; docs/errors.md lists them with examples.
// A Code is an error itself, so that errors.Is(err, wire.CodeType) works.
type Code uint8

// The codes.
const (
	_ Code = iota
	// CodeEmpty: the document has no value at all.
	CodeEmpty
	// CodeSyntax: a byte that RFC 8259 does not allow at its place.
	CodeSyntax
	// CodeTruncated: the document ends inside a value.
	CodeTruncated
	// CodeTrailing: something other than white space follows the document.
	CodeTrailing
	// CodeBOM: a byte order mark before the document.
	CodeBOM
	// CodeControl: an unescaped control character in a string.
	CodeControl
	// CodeEscape: an escape sequence that does not exist.
	CodeEscape
	// CodeUTF8: bytes that are not UTF-8.
	CodeUTF8
	// CodeSurrogate: an escape for half of a surrogate pair without its other half.
	CodeSurrogate
	// CodeNumber: a number that JSON's grammar does not allow, such as 01 or 1.
	CodeNumber
	// CodeType: a value of a JSON type that the field does not take.
	CodeType
	// CodeInteger: a number with a fraction or an exponent for an integer field.
	CodeInteger
	// CodeRange: a number that does not fit the field.
	CodeRange
	// CodeDuplicate: a key that the object has twice (strict mode only).
	CodeDuplicate
	// CodeDepth: values nested deeper than the limit, see [MaxDepth].
	CodeDepth
	// CodeSize: a document longer than the limit, see [MaxSize].
	CodeSize
	// CodeElements: an array with more elements than the limit, see [MaxElements].
	CodeElements
	// CodeMemory: a document whose value would need more memory than the limit, see [MaxMemory].
	CodeMemory
	// CodeFinite: NaN or infinity, which JSON can't write (encoding only).
	CodeFinite
	// CodePath: the path of an [Edit] is not a JSON Pointer or can't be followed.
	CodePath
	// CodeConflict: two edits are about the same place.
	CodeConflict

	codeCount
)

var codeText = [codeCount]struct{ name, message string }{
	CodeEmpty:     {"empty", "the document is empty"},
	CodeSyntax:    {"syntax", "not JSON"},
	CodeTruncated: {"truncated", "the document ends too early"},
	CodeTrailing:  {"trailing", "something follows the document"},
	CodeBOM:       {"bom", "byte order mark before the document"},
	CodeControl:   {"control", "unescaped control character in a string"},
	CodeEscape:    {"escape", "no such escape sequence"},
	CodeUTF8:      {"utf8", "not valid UTF-8"},
	CodeSurrogate: {"surrogate", "half of a surrogate pair"},
	CodeNumber:    {"number", "not a JSON number"},
	CodeType:      {"type", "a value of another type is expected"},
	CodeInteger:   {"integer", "an integer is expected"},
	CodeRange:     {"range", "the number does not fit"},
	CodeDuplicate: {"duplicate", "the object has the key twice"},
	CodeDepth:     {"depth", "nested too deep"},
	CodeSize:      {"size", "the document is too long"},
	CodeElements:  {"elements", "the array has too many elements"},
	CodeMemory:    {"memory", "the value would need too much memory"},
	CodeFinite:    {"finite", "JSON has no number for NaN and infinity"},
	CodePath:      {"path", "the path can't be followed"},
	CodeConflict:  {"conflict", "another edit is about the same place"},
}

// String returns the stable name of the code: "type", "utf8".
func (c Code) String() string {
	if c > 0 && c < codeCount {
		return codeText[c].name
	}
	return "Code(" + strconv.Itoa(int(c)) + ")"
}

// Error returns what the code means. It makes a Code usable as the target of errors.Is.
func (c Code) Error() string {
	if c > 0 && c < codeCount {
		return "wire: " + codeText[c].message
	}
	return "wire: " + c.String()
}

// Error says why and where a document was refused. Its message never quotes
// values; it holds Path, and so keys of the document.
type Error struct {
	// Code is the kind of failure; errors.Is(err, wire.CodeType) compares it.
	Code Code
	// Offset is the first byte that could not be accepted, from the start of the document;
	// the length of the document when more was expected. From an encoder it is the place of the
	// fault in a raw value, or -1.
	Offset int
	// Path is a JSON Pointer (RFC 6901) to the innermost value around Offset, "/imp/2/banner/w";
	// "" is the whole document. A pointer longer than [PathMax] bytes is cut and ends in "/...".
	Path string
}

// Error returns a message for people; programs compare Code, Offset and Path.
func (e *Error) Error() string {
	path := e.Path
	if path == "" {
		path = "the document"
	}
	if e.Offset < 0 {
		return e.Code.Error() + " in " + strconv.Quote(path)
	}
	return e.Code.Error() + " at byte " + strconv.Itoa(e.Offset) + " in " + strconv.Quote(path)
}

// Is reports whether target is the error's code.
func (e *Error) Is(target error) bool { return target == error(e.Code) }

// ByteOffset returns Offset; it lets packages that do not import wire find the place.
func (e *Error) ByteOffset() int { return e.Offset }

// PathMax is the longest [Error.Path] in bytes.
const PathMax = grammar.PointerMax
