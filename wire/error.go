package wire

import (
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"

	"github.com/rtbwire/rtbwire/internal/grammar"
)

// Code names one kind of failure. Codes are stable; docs/reference/errors.md lists them with
// examples. A Code is printed, logged and marshaled as its word, such as "type". It is an error
// itself, so that errors.Is(err, wire.CodeType) works.
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

// codeText has the word of each code, and the message of an error that has no more to say.
var codeText = [codeCount]struct{ word, message string }{
	CodeEmpty:     {"empty", "empty value"},
	CodeSyntax:    {"syntax", "invalid JSON"},
	CodeTruncated: {"truncated", "unexpected end"},
	CodeTrailing:  {"trailing", "text after the end"},
	CodeBOM:       {"bom", "byte order mark before the document"},
	CodeControl:   {"control", "unescaped control character in string"},
	CodeEscape:    {"escape", "invalid escape sequence in string"},
	CodeUTF8:      {"utf8", "invalid UTF-8"},
	CodeSurrogate: {"surrogate", "unpaired surrogate in string"},
	CodeNumber:    {"number", "invalid number"},
	CodeType:      {"type", "wrong type"},
	CodeInteger:   {"integer", "not an integer"},
	CodeRange:     {"range", "number does not fit"},
	CodeDuplicate: {"duplicate", "duplicate key"},
	CodeDepth:     {"depth", "nested too deep"},
	CodeSize:      {"size", "document too long"},
	CodeElements:  {"elements", "array too long"},
	CodeMemory:    {"memory", "value needs too much memory"},
	CodeFinite:    {"finite", "not a finite number"},
	CodePath:      {"path", "path can't be followed"},
	CodeConflict:  {"conflict", "conflicts with another edit"},
}

// String returns the stable word of the code: "type", "utf8".
func (c Code) String() string {
	if c.valid() {
		return codeText[c].word
	}
	return "Code(" + strconv.Itoa(int(c)) + ")"
}

func (c Code) valid() bool { return c > 0 && c < codeCount }

// Error returns the same word. It makes a Code usable as the target of errors.Is.
func (c Code) Error() string { return c.String() }

// MarshalText returns the word of the code, so that JSON and logs hold words. The zero Code is
// empty text.
func (c Code) MarshalText() ([]byte, error) {
	switch {
	case c == 0:
		return nil, nil
	case !c.valid():
		return nil, errors.New("wire: unknown " + c.String())
	}
	return []byte(codeText[c].word), nil
}

// UnmarshalText sets the code to the one with the word. It refuses unknown words.
func (c *Code) UnmarshalText(text []byte) error {
	for i := range codeText {
		if codeText[i].word == string(text) { // empty text is the zero Code
			*c = Code(i)
			return nil
		}
	}
	return fmt.Errorf("wire: unknown code %.40q", text)
}

// Error says why and where a document was refused. Its message never quotes
// values; it holds Path, and so keys of the document.
type Error struct {
	// Code is the kind of failure; errors.Is(err, wire.CodeType) compares it.
	Code Code `json:"code"`
	// Offset is the first byte that could not be accepted, from the start of the document;
	// the length of the document when more was expected. From an encoder it is the place of the
	// fault in a raw value, or -1.
	Offset int `json:"offset"`
	// Path is a JSON Pointer (RFC 6901) to the innermost value around Offset, "/imp/2/banner/w";
	// "" is the whole document. A pointer longer than [PathMax] bytes is cut and ends in "/...".
	Path string `json:"path"`
	// Expected says what could have been accepted: "integer", "',' or '}'", "at most 64 levels".
	// It is "" if the code says it all. Like the message, it is for people and may change.
	Expected string `json:"expected,omitempty"`
	// Found says what kind of value or which punctuation is there instead: "string", "']'". It
	// never quotes a value.
	Found string `json:"found,omitempty"`
}

// Error returns a message for people, in one line, such as
//
//	/imp/0/banner/w (byte 41): expected integer, found string
//
// Programs compare Code, Offset and Path.
func (e *Error) Error() string {
	place := e.Path
	switch {
	case place == "" && e.Code == CodeEmpty:
		return "empty document"
	case place == "":
		place = "document"
	case strings.Contains(place, " ") || strconv.Quote(place) != `"`+place+`"`:
		place = strconv.Quote(place) // a key can hold anything, line feeds too
	}
	if e.Offset >= 0 {
		place += " (byte " + strconv.Itoa(e.Offset) + ")"
	}
	return place + ": " + e.Reason()
}

// Reason returns what is wrong, without the place: "expected integer, found string".
func (e *Error) Reason() string {
	if !e.Code.valid() {
		return e.Code.String()
	}
	message := codeText[e.Code].message
	switch e.Code {
	case CodeSyntax, CodeTruncated, CodeTrailing, CodeType, CodeInteger, CodeFinite:
		switch {
		case e.Expected != "" && e.Found != "":
			return "expected " + e.Expected + ", found " + e.Found
		case e.Expected != "":
			return "expected " + e.Expected
		case e.Found != "":
			return "unexpected " + e.Found
		}
	case CodePath:
		if e.Found != "" {
			return "path leads through a " + e.Found
		}
	}
	switch {
	case e.Expected != "":
		return message + " (want " + e.Expected + ")"
	case e.Found != "":
		return message + " (found " + e.Found + ")"
	}
	return message
}

// LogValue makes package log/slog log the fields of the error.
func (e *Error) LogValue() slog.Value {
	if e == nil {
		return slog.StringValue("<nil>")
	}
	attrs := logged(e.Code, e.Offset, e.Path)
	if e.Expected != "" {
		attrs = append(attrs, slog.String("expected", e.Expected))
	}
	if e.Found != "" {
		attrs = append(attrs, slog.String("found", e.Found))
	}
	return slog.GroupValue(attrs...)
}

// logged returns what errors and repairs have in common.
func logged(code Code, offset int, path string) []slog.Attr {
	return []slog.Attr{slog.String("code", code.String()), slog.Int("offset", offset), slog.String("path", path)}
}

// Is reports whether target is the error's code.
func (e *Error) Is(target error) bool { return target == error(e.Code) }

// ByteOffset returns Offset; it lets packages that do not import wire find the place.
func (e *Error) ByteOffset() int { return e.Offset }

// PathMax is the longest [Error.Path] in bytes.
const PathMax = grammar.PointerMax
