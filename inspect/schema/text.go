package schema

import (
	"math"

	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/internal/mem"
)

// This file is the text layer: it walks a document along the fields of the specification and
// evaluates the rules about JSON types and keys (those with object "*" and "type").
// It leaves nodes (nodes.go), which map paths to offsets for the value layer, and edits
// (edits.go), which make a document with findings decodable without hiding anything else from
// the value layer. keys.go is about keys, repair.go about values of the wrong type.

// textMax is the largest document that is checked; node.off is 32 bits wide. It is a variable
// for the tests.
var textMax = math.MaxInt32

// text runs the text layer over one document and reports whether it can be decoded.
func (l *layers) text(doc Doc, root objectID) bool {
	l.doc = doc
	d := &l.docs[doc]
	d.read = true
	if len(d.data) > textMax {
		l.fatal(ruleJsonLimit, "", textMax, rules[ruleJsonLimit].Message)
		return false
	}
	w := walker{Scanner: scanner(d.data), recorder: recorder{&l.findings, d, &l.memory}}
	ok := w.document(root)
	d.known = ok
	l.path = l.path[:0]
	return ok
}

// scanner returns the scanner of a text. Strings that are not Unicode text are findings of
// their own, so it accepts them.
func scanner(data []byte) grammar.Scanner {
	return grammar.Scanner{Data: data, Depth: grammar.DepthMax, Tolerant: true}
}

// walker reads one document along the fields of the specification.
type walker struct {
	grammar.Scanner
	recorder
}

// document reads the whole document and reports whether it can be decoded.
func (w *walker) document(root objectID) bool {
	if !w.byteOrderMark() || !w.Begin() {
		return w.syntax()
	}
	start := w.Pos
	if w.Data[start] != '{' {
		if !w.Skip(w.badText) || !w.End() {
			return w.syntax()
		}
		w.findings.fatal(ruleAnyObject, "", start, rules[ruleAnyObject].Message)
		return false
	}
	w.openNode(0, noIndex, w.Pos)
	if !w.object(root) || !w.End() {
		return w.syntax()
	}
	w.closeNode(0)
	return true
}

// byteOrderMark skips a byte order mark if decoding is lenient, and fails at one otherwise.
func (w *walker) byteOrderMark() bool {
	const message = "a byte order mark is not allowed before the document"
	if !grammar.HasBOM(w.Data) {
		return true
	}
	if !w.findings.engine.lenient {
		return w.Fail(grammar.ByteOrderMark, 0, message)
	}
	w.find(ruleJsonSyntax, w.saved(ruleJsonSyntax), 0, message)
	w.Pos = len(grammar.BOM)
	w.d.edits = append(w.d.edits, edit{start: 0, end: w.Pos})
	return true
}

// syntax reports why the scanner stopped and returns false. The path is as far as it is known.
func (w *walker) syntax() bool {
	rule := ruleJsonSyntax
	if w.Fault == grammar.Depth {
		rule = ruleJsonDepth
	}
	w.findings.fatal(rule, w.findings.pointer(), w.At, w.Expected)
	return false
}

// saved is the severity of a finding that lenient decoding repairs.
func (w *walker) saved(rule ruleID) Severity { return min(w.findings.engine.severity[rule], Warn) }

// object reads an object of the given type; the next byte is its opening brace.
func (w *walker) object(o objectID) bool {
	if !w.Open() {
		return false
	}
	w.Space()
	if w.Peek() == '}' {
		w.Close()
		return true
	}
	var latest [fieldsMax]int32 // the node of each field's value, by fieldInfo.bit; 0: absent
	unknown := false            // the object has keys that are not the specification's
	for more := true; more; {
		key, ok := w.Key()
		if !ok {
			return false
		}
		keyStart, keyEnd := w.Opened, w.Pos
		if w.Invalid >= 0 {
			w.badText()
		}
		escapes := w.Escaped && respelled(key)
		if w.Escaped {
			key = []byte(grammar.Unescape(key))
		}
		if !w.Colon() {
			return false
		}
		if f := o.field(key); f != 0 {
			info := &fields[f]
			w.findings.enter(f, noIndex)
			if earlier := latest[info.bit]; earlier != 0 {
				w.report(ruleAnyDuplicateKey, keyStart)
				w.forget(earlier)
			}
			if escapes {
				w.report(ruleAnyKeyEscape, keyStart)
			}
			if info.since > w.findings.engine.release && w.findings.engine.versioned {
				w.report(ruleAnyLaterVersion, keyStart)
			}
			latest[info.bit] = int32(len(w.d.nodes))
			if !w.field(f, info) {
				return false // without leaving: the path tells where
			}
			w.findings.leave()
		} else {
			if !unknown {
				w.memory.keys.Open()
				unknown = true
			}
			if w.unknown(o, key, keyStart, escapes) == ruleAnyKeyCase {
				// Some decoders match keys without case: rename it in what they see.
				w.d.edits = append(w.d.edits, edit{start: keyStart, end: keyEnd, text: `""`})
			}
			if !w.free(key) {
				return false
			}
		}
		if more, ok = w.More('}'); !ok {
			return false
		}
	}
	if unknown {
		w.memory.keys.Close()
	}
	return true
}

// field reads the value of a known field.
func (w *walker) field(f fieldID, info *fieldInfo) bool {
	n := w.openNode(f, noIndex, w.Pos)
	defer w.closeNode(n)
	start := w.Pos
	switch b := w.Peek(); {
	case b == 'n':
		return w.null()
	case info.kind == kindExt:
		if !w.free(nil) {
			return false
		}
		if b != '{' {
			w.report(ruleAnyExt, start)
		}
		return true
	case !info.array:
		return w.value(f, info)
	case b == '[':
		return w.array(f, info)
	}
	// One bare value where an array belongs.
	if !w.findings.engine.lenient {
		return w.mismatch(f, info)
	}
	w.find(ruleAnyType, w.saved(ruleAnyType), start, arrayExpected)
	w.d.edits = append(w.d.edits, edit{start: start, end: start, text: "["})
	w.findings.path[len(w.findings.path)-1].index = 0
	element := w.openNode(f, 0, w.Pos)
	ok := w.value(f, info)
	w.closeNode(element)
	w.d.edits = append(w.d.edits, edit{start: w.Pos, end: w.Pos, text: "]"})
	return ok
}

// null reads null, which is a finding wherever a value of the specification belongs.
func (w *walker) null() bool {
	start := w.Pos
	if !w.Word("null") {
		return false
	}
	w.report(ruleAnyNull, start)
	return true
}

// array reads an array of the field's values; the next byte is its opening bracket.
func (w *walker) array(f fieldID, info *fieldInfo) bool {
	start := w.Pos
	if !w.Open() {
		return false
	}
	w.Space()
	if w.Peek() == ']' {
		w.Close()
		if !info.required && !info.mayBeEmpty {
			w.report(ruleAnyEmptyArray, start)
		}
		return true
	}
	for i := int32(0); ; i++ {
		w.findings.path[len(w.findings.path)-1].index = i
		n := w.openNode(f, i, w.Pos)
		if w.Peek() == 'n' {
			if !w.null() {
				return false
			}
		} else if !w.value(f, info) {
			return false
		}
		w.closeNode(n)
		if more, ok := w.More(']'); !ok || !more {
			return ok
		}
	}
}

// value reads one value of the field's kind, or reports that it is of another.
func (w *walker) value(f fieldID, info *fieldInfo) bool {
	b := w.Peek()
	number := b == '-' || '0' <= b && b <= '9'
	switch info.kind {
	case kindObject:
		if b == '{' {
			return w.object(info.object)
		}
	case kindString:
		if b == '"' {
			text, ok := w.String()
			if !ok {
				return false
			}
			if w.Invalid >= 0 {
				w.badText()
			}
			if len(text) == 0 && !info.array && !info.required {
				w.report(ruleAnyEmptyString, w.Opened)
			}
			if w.Escaped && w.findings.engine.on(ruleAnyNul) {
				w.nulText(grammar.Unescape(text), w.Opened)
			}
			return true
		}
	case kindInteger:
		if number {
			return w.integer()
		}
	case kindFloat:
		if number {
			return w.float()
		}
	}
	return w.mismatch(f, info)
}

// integer reads a number that has to be an integer and to fit.
func (w *walker) integer() bool {
	start := w.Pos
	text, whole, ok := w.Number()
	if !ok {
		return false
	}
	const safe = 18 // digits that fit 64 bits, sign included
	if whole && len(text) <= safe && math.MaxInt == math.MaxInt64 {
		return true
	}
	if _, fits := toInt(mem.String(text)); whole && fits {
		return true
	}
	w.wrong(ruleAnyInteger, "expected an integer that fits 64 bits, without fraction or exponent", start, asInteger(string(text)))
	return true
}

// float reads a number that has to be within the range of a float64.
func (w *walker) float() bool {
	start := w.Pos
	number, _, ok := w.Number()
	if ok && grammar.Overflows(mem.String(number)) {
		w.report(ruleJsonNumber, start)
		w.takeOut(ruleJsonNumber, start)
	}
	return ok
}
