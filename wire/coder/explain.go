package coder

import (
	"bytes"
	"reflect"
	"strconv"

	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/wire"
)

// This file finds what an error says was expected and found. It runs for refused documents only.
// The type that a field takes is known only where it is read, so refuse notes it; the rest is read
// from the text.

// refuse is Refuse with what would have been accepted.
func (r *Reader) refuse(code wire.Code, at int, want string) int {
	if r.failed == 0 {
		r.want = want
	}
	return r.Refuse(code, at)
}

// refuseRange refuses a number that does not fit a T. If it has been refused because it does not
// fit an integer of any type, that becomes T.
func refuseRange[T any](r *Reader, at int) int {
	r.Refuse(wire.CodeRange, at)
	if r.failed == wire.CodeRange {
		kind := reflect.TypeFor[T]().Kind()
		r.want = kind.String()
		if kind == reflect.Int || kind == reflect.Uint {
			r.want += strconv.Itoa(strconv.IntSize)
		}
	}
	return 0
}

// err builds the error of a refused document.
func (r *Reader) err() error {
	known := r.data[:min(len(r.data), r.options.Size)] // the rest has not been read
	e := &wire.Error{Code: r.failed, Offset: r.failedAt}
	if breaksGrammar(e.Code) {
		e.Path = explainFault(e, known, "document")
		if r.located {
			e.Path = r.path
		}
		return e
	}
	e.Path = r.failedPath()
	switch o := &r.options; e.Code {
	case wire.CodeType:
		e.Expected, e.Found = r.want, kindAt(known, e.Offset)
	case wire.CodeInteger:
		e.Expected, e.Found = "integer", "number with a fraction or an exponent"
	case wire.CodeRange:
		e.Expected = r.want
	case wire.CodeTrailing:
		e.Expected, e.Found = "end of document", kindAt(known, e.Offset)
	case wire.CodeDepth:
		e.Expected = atMost(o.Depth, "level")
	case wire.CodeSize:
		e.Expected = atMost(o.Size, "byte")
	case wire.CodeElements:
		e.Expected = atMost(o.Elements, "element")
	case wire.CodeMemory:
		e.Expected = atMost(o.MemoryPerByte, "byte") + " per byte of the document, plus " + strconv.Itoa(o.MemoryBase)
	}
	return e
}

// atMost names a limit.
func atMost(n int, unit string) string {
	if n != 1 {
		unit += "s"
	}
	return "at most " + strconv.Itoa(n) + " " + unit
}

// Invalid returns the error for a raw value that [Validate] refuses. Its path leads to the value.
func Invalid(raw []byte, code wire.Code, at int, path string) *wire.Error {
	e := &wire.Error{Code: code, Offset: at, Path: path}
	switch {
	case breaksGrammar(code):
		explainFault(e, raw, "value")
	case code == wire.CodeTrailing:
		e.Expected, e.Found = "end of value", kindAt(raw, at)
	case code == wire.CodeDepth:
		e.Expected = atMost(wire.DepthDefault, "level")
	}
	return e
}

// breaksGrammar reports whether package grammar knows what was expected.
func breaksGrammar(code wire.Code) bool {
	switch code {
	case wire.CodeSyntax, wire.CodeTruncated, wire.CodeNumber, wire.CodeEscape:
		return true
	}
	return false
}

// explainFault adds what package grammar says about the first fault of the text, and returns the
// pointer to the value around it. whole is what the text is called.
func explainFault(e *wire.Error, data []byte, whole string) (pointer string) {
	pointer, s := grammar.Explain(data, e.Offset)
	if s.Fault == grammar.Fault(e.Code) && s.At == e.Offset {
		e.Expected = expectations[s.Expected]
	}
	switch e.Code {
	case wire.CodeTruncated:
		e.Found = "end of " + whole
	case wire.CodeSyntax:
		e.Found = kindAt(data, e.Offset)
	}
	if s.Pos < s.At && e.Expected == "value" { // only a word is read as a whole: true, false, null
		e.Expected = words[data[s.Pos]]
		if e.Code == wire.CodeSyntax {
			e.Found = "" // the rest of the word has no kind
		}
	}
	return pointer
}

// expectations shortens what package grammar says it expected.
var expectations = map[string]string{
	"expected a value":                          "value",
	"expected a key in double quotes":           "key in double quotes",
	"expected : after the key":                  "':'",
	"expected , or } after a member":            "',' or '}'",
	"expected , or ] after an element":          "',' or ']'",
	"the string has no closing quote":           "closing quote",
	"expected a digit":                          "digit",
	"expected a digit after the decimal point":  "digit",
	"expected a digit in the exponent":          "digit",
	"a number has no leading zeros":             "no leading zero",
	`expected four hexadecimal digits after \u`: "hexadecimal digit",
}

// words are the literals by their first byte.
var words = map[byte]string{'t': "true", 'f': "false", 'n': "null"}

// kindAt names the value or the punctuation at an offset, "" beyond the end.
func kindAt(data []byte, at int) string {
	if uint(at) >= uint(len(data)) {
		return ""
	}
	b := data[at]
	switch b {
	case '}', ']', ',', ':':
		return "'" + string(rune(b)) + "'"
	}
	kind := Kind(b)
	if word, ok := words[b]; kind == "" || ok && !bytes.HasPrefix(data[at:], []byte(word)) {
		return "invalid character"
	}
	return kind
}

// Kind names the kind of a value by its first byte, "" if no value begins with it.
func Kind(first byte) string {
	switch first {
	case '"':
		return "string"
	case '{':
		return "object"
	case '[':
		return "array"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	if first == '-' || first-'0' <= 9 {
		return "number"
	}
	return ""
}
