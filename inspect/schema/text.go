package schema

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// This file is the text layer. It walks a document along the fields of the specification,
// evaluates the rules about JSON types and keys (those with object "*", "removed" and
// "type"), and leaves two things behind: nodes, a map from paths to offsets for the value
// layer, and edits, which make a document with findings decodable without hiding anything
// else from the value layer.

// node is a value that the specification knows, in the order of the text.
type node struct {
	field fieldID // 0 for the root
	index int32   // in an array, else noIndex
	off   int32   // of the value's first byte
	next  int32   // the node after this one's descendants
}

// edit replaces data[start:end].
type edit struct {
	start, end int
	text       string
}

// textMax is the largest document that is looked at; node.off is 32 bits wide.
const textMax = math.MaxInt32

// text runs the text layer over one document and reports whether it can be decoded.
func (c *Checker) text(doc Doc, root objectID) bool {
	c.doc = doc
	d := &c.docs[doc]
	w := walker{scanner: scanner{data: d.data}, c: c, d: d}
	ok := len(d.data) <= textMax && w.document(root)
	d.known = ok
	c.path = c.path[:0]
	return ok
}

// decodable is the text with the edits applied.
func (d *docText) decodable() []byte {
	if len(d.edits) == 0 {
		return d.data
	}
	slices.SortStableFunc(d.edits, func(a, b edit) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.end - a.end // the outer one first
	})
	out, done := d.patch[:0], 0
	for _, e := range d.edits {
		if e.start < done {
			continue // inside of what another edit has replaced
		}
		out = append(out, d.data[done:e.start]...)
		out = append(out, e.text...)
		done = e.end
	}
	d.patch = append(out, d.data[done:]...)
	return d.patch
}

// locate finds the offset of the value at the current path, or of the innermost value around
// it; -1 when there is no text.
func (c *Checker) locate() int {
	d := &c.docs[c.doc]
	if !d.known {
		if d.data == nil {
			return -1
		}
		c.index(d)
		if !d.known {
			return -1
		}
	}
	at := int32(0)
	for _, s := range c.path {
		next := d.child(at, s.field, noIndex)
		if next >= 0 && s.index >= 0 {
			at = next
			next = d.child(at, s.field, s.index)
		}
		if next < 0 {
			break
		}
		at = next
	}
	return int(d.nodes[at].off)
}

// child finds the last child of a node with the given field and index, -1 if there is none:
// of a key that comes twice the last one counts.
func (d *docText) child(parent int32, f fieldID, index int32) int32 {
	found := int32(-1)
	for i := parent + 1; i < d.nodes[parent].next; i = d.nodes[i].next {
		if d.nodes[i].field == f && d.nodes[i].index == index {
			found = i
		}
	}
	return found
}

// index fills in the nodes of a document that was given decoded.
func (c *Checker) index(d *docText) {
	root := objBidRequest
	if d == &c.docs[Response] {
		root = objBidResponse
	}
	quiet := Checker{engine: silent}
	quiet.docs[0].data = d.data
	quiet.docs[0].nodes = d.nodes[:0]
	d.known = quiet.text(Request, root)
	d.nodes = quiet.docs[0].nodes
}

// silent is an engine whose rules are all off.
var silent = &Engine{maxFindings: 1}

// walker is the schema-driven reader of one document.
type walker struct {
	scanner
	c *Checker
	d *docText
}

func (w *walker) document(root objectID) bool {
	if bytes.HasPrefix(w.data, []byte("\xef\xbb\xbf")) {
		if !w.c.engine.lenient {
			w.fail("a byte order mark may not stand before the document")
			return w.syntax()
		}
		w.find(ruleJsonSyntax, w.saved(ruleJsonSyntax), 0, "a byte order mark may not stand before the document")
		w.d.edits = append(w.d.edits, edit{0, 3, ""})
		w.pos = 3
	}
	w.space()
	if w.pos == len(w.data) {
		w.fail("the document is empty")
		return w.syntax()
	}
	start := w.pos
	if w.data[start] != '{' {
		if !w.skip(w.badText) || !w.end() {
			return w.syntax()
		}
		w.find(ruleAnyObject, w.c.engine.severity[ruleAnyObject], start, rules[ruleAnyObject].Message)
		return false
	}
	w.open(0, noIndex)
	if !w.object(root) || !w.end() {
		return w.syntax()
	}
	w.close(0)
	return true
}

func (w *walker) end() bool {
	w.space()
	return w.pos == len(w.data) || w.fail("nothing may follow the document")
}

// syntax reports why the scanner stopped. The path is as far as it is known.
func (w *walker) syntax() bool {
	rule := ruleJsonSyntax
	if w.tooBig {
		rule = ruleJsonDepth
	}
	w.find(rule, w.c.engine.severity[rule], w.at, w.failed)
	return false
}

// find adds a finding at the current path.
func (w *walker) find(rule ruleID, severity Severity, offset int, message string) {
	if severity != Off && !w.c.full(severity) {
		w.c.add(rule, severity, w.c.pointer(), offset, message)
	}
}

// saved is the severity of a finding that lenient decoding repairs.
func (w *walker) saved(rule ruleID) Severity { return min(w.c.engine.severity[rule], Warn) }

// open and close keep the nodes; what is opened last is closed first.
func (w *walker) open(f fieldID, index int32) int {
	w.d.nodes = append(w.d.nodes, node{field: f, index: index, off: int32(w.pos)})
	return len(w.d.nodes) - 1
}

func (w *walker) close(n int) { w.d.nodes[n].next = int32(len(w.d.nodes)) }

// object reads an object of the given type; the next byte is its opening brace.
func (w *walker) object(o objectID) bool {
	if !w.deeper() {
		return false
	}
	self := len(w.d.nodes) - 1
	start := w.pos
	var seen uint64 // by fieldInfo.bit; no object has more than 64 fields
	w.pos++
	w.space()
	if w.peek() == '}' {
		w.pos++
		w.depth--
		return true
	}
	for {
		if w.peek() != '"' {
			return w.fail("expected a key in double quotes")
		}
		keyStart := w.pos
		key, ok := w.str()
		if !ok {
			return false
		}
		if w.invalid >= 0 {
			w.badText()
		}
		if w.escaped {
			key = w.unescape(key)
		}
		keyEnd := w.pos
		if !w.colon() {
			return false
		}
		if f := o.field(key); f != 0 {
			info := &fields[f]
			w.c.enter(f, noIndex)
			if seen&(1<<info.bit) != 0 {
				w.find(ruleAnyDuplicateKey, w.c.engine.severity[ruleAnyDuplicateKey], keyStart, rules[ruleAnyDuplicateKey].Message)
				w.forgetEarlier(self, f)
			}
			seen |= 1 << info.bit
			ok = w.field(f, info)
			w.c.leave()
		} else {
			w.unknown(o, key, start, keyStart, keyEnd)
			ok = w.skip(w.badText)
		}
		if !ok {
			return false
		}
		w.space()
		switch w.peek() {
		case ',':
			w.pos++
			w.space()
		case '}':
			w.pos++
			w.depth--
			return true
		default:
			return w.fail("expected , or } after a member")
		}
	}
}

// forgetEarlier takes the earlier value of a key that comes twice out of the decodable text:
// the last one counts, whole, and a decoder must not merge the two.
func (w *walker) forgetEarlier(parent int, f fieldID) {
	for i := int32(parent + 1); int(i) < len(w.d.nodes); i = w.d.nodes[i].next {
		if n := w.d.nodes[i]; n.field == f && n.index == noIndex {
			start := int(n.off)
			s := scanner{data: w.data, pos: start, depth: w.depth}
			s.skip(func() {})
			w.d.edits = append(w.d.edits, edit{start, s.pos, "null"})
		}
	}
}

// unknown reports a key that the object does not have. object and key are places in the text.
func (w *walker) unknown(o objectID, key []byte, object, keyStart, keyEnd int) {
	rule := ruleAnyCustomInExt
	if removed, ok := o.removed(key); ok {
		rule = removed
	} else {
		var buf [keyMax]byte
		if lower := lowerCase(buf[:0], key); lower != nil && o.field(lower) != 0 {
			rule = ruleAnyKeyCase
			// Some decoders match keys without case: rename it in what they see.
			w.d.edits = append(w.d.edits, edit{keyStart, keyEnd, `""`})
		}
	}
	w.keyFinding(rule, key, keyStart)
	// Of keys that are not the specification's, repetitions are found too.
	if w.c.keys.repeated(object, key) {
		w.keyFinding(ruleAnyDuplicateKey, key, keyStart)
	}
}

// keyFinding adds a finding about a member that the specification does not have. Its key
// becomes part of the path, cut to a sane length.
func (w *walker) keyFinding(rule ruleID, key []byte, offset int) {
	severity := w.c.engine.severity[rule]
	if severity == Off || w.c.full(severity) {
		return
	}
	w.c.add(rule, severity, w.c.pointer()+"/"+pointerElement(key), offset, rules[rule].Message)
}

// keyMax is how much of an unknown key is shown in a path, and how long keys of the
// specification may be at most.
const keyMax = 64

// pointerElement escapes a key for a JSON Pointer and replaces what would not print.
func pointerElement(key []byte) string {
	cut := len(key) > keyMax
	if cut {
		key = key[:keyMax]
	}
	text := strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !strconv.IsPrint(r) {
			return '?'
		}
		return r
	}, string(key))
	text = strings.NewReplacer("~", "~0", "/", "~1").Replace(text)
	if cut {
		text += "..."
	}
	return text
}

// lowerCase appends the key in ASCII lower case; nil when it is so already or too long.
func lowerCase(dst, key []byte) []byte {
	if len(key) > cap(dst) {
		return nil
	}
	changed := false
	for _, b := range key {
		if 'A' <= b && b <= 'Z' {
			b |= 0x20
			changed = true
		}
		dst = append(dst, b)
	}
	if !changed {
		return nil
	}
	return dst
}

// unescape resolves the escapes of a key.
func (w *walker) unescape(key []byte) []byte {
	return []byte(unquote(slices.Concat([]byte{'"'}, key, []byte{'"'})))
}

// field reads the value of a known field.
func (w *walker) field(f fieldID, info *fieldInfo) bool {
	n := w.open(f, noIndex)
	defer w.close(n)
	start := w.pos
	switch b := w.peek(); {
	case b == 'n':
		if !w.literal("null") {
			return false
		}
		w.find(ruleAnyNull, w.c.engine.severity[ruleAnyNull], start, rules[ruleAnyNull].Message)
		return true
	case info.kind == kindExt:
		if !w.skip(w.badText) {
			return false
		}
		if b != '{' {
			w.find(ruleAnyExt, w.c.engine.severity[ruleAnyExt], start, rules[ruleAnyExt].Message)
		}
		return true
	case !info.array:
		return w.value(f, info)
	case b == '[':
		return w.array(f, info)
	}
	// One bare value where an array belongs.
	if !w.c.engine.lenient {
		return w.mismatch(f, info)
	}
	w.find(ruleAnyType, w.saved(ruleAnyType), start, arrayExpected)
	w.d.edits = append(w.d.edits, edit{start, start, "["})
	ok := w.value(f, info)
	w.d.edits = append(w.d.edits, edit{w.pos, w.pos, "]"})
	return ok
}

const arrayExpected = "expected an array"

func (w *walker) array(f fieldID, info *fieldInfo) bool {
	start := w.pos
	if !w.deeper() {
		return false
	}
	w.pos++
	w.space()
	if w.peek() == ']' {
		w.pos++
		w.depth--
		if !info.required {
			w.find(ruleAnyEmptyArray, w.c.engine.severity[ruleAnyEmptyArray], start, rules[ruleAnyEmptyArray].Message)
		}
		return true
	}
	top := &w.c.path[len(w.c.path)-1].index
	for i := int32(0); ; i++ {
		*top = i
		n := w.open(f, i)
		if w.peek() == 'n' {
			if !w.literal("null") {
				return false
			}
			w.find(ruleAnyNull, w.c.engine.severity[ruleAnyNull], w.pos-len("null"), rules[ruleAnyNull].Message)
		} else if !w.value(f, info) {
			return false
		}
		// The path may have been moved by deeper levels.
		top = &w.c.path[len(w.c.path)-1].index
		w.close(n)
		w.space()
		switch w.peek() {
		case ',':
			w.pos++
			w.space()
		case ']':
			w.pos++
			w.depth--
			return true
		default:
			return w.fail("expected , or ] after an element")
		}
	}
}

// value reads one value of the field's kind, or reports that it is of another.
func (w *walker) value(f fieldID, info *fieldInfo) bool {
	b := w.peek()
	number := b == '-' || '0' <= b && b <= '9'
	switch info.kind {
	case kindObject:
		if b == '{' {
			return w.object(info.object)
		}
	case kindString:
		if b == '"' {
			start := w.pos
			text, ok := w.str()
			if !ok {
				return false
			}
			if w.invalid >= 0 {
				w.badText()
			}
			if len(text) == 0 && !info.array && !info.required {
				w.find(ruleAnyEmptyString, w.c.engine.severity[ruleAnyEmptyString], start, rules[ruleAnyEmptyString].Message)
			}
			return true
		}
	case kindInteger:
		if number {
			return w.integer(f, info)
		}
	case kindFloat:
		if number {
			start := w.pos
			text, _, ok := w.number()
			if ok && outOfRange(text) {
				w.find(ruleJsonNumber, w.c.engine.severity[ruleJsonNumber], start, rules[ruleJsonNumber].Message)
				w.replace(start, "null")
			}
			return ok
		}
	}
	return w.mismatch(f, info)
}

// integer reads a number that has to be whole and to fit.
func (w *walker) integer(f fieldID, info *fieldInfo) bool {
	start := w.pos
	text, whole, ok := w.number()
	if !ok {
		return false
	}
	const safe = 18 // digits that fit 64 bits, sign included
	if whole && len(text) <= safe && math.MaxInt == math.MaxInt64 {
		return true
	}
	if whole {
		if _, err := strconv.Atoi(string(text)); err == nil {
			return true
		}
	}
	w.wrong(ruleAnyInteger, "expected a whole number that fits 64 bits, without fraction or exponent", start, asInteger(string(text)))
	return true
}

// mismatch reports a value of the wrong JSON type and reads over it.
func (w *walker) mismatch(f fieldID, info *fieldInfo) bool {
	start := w.pos
	if !w.skip(w.badText) {
		return false
	}
	rule := ruleAnyType
	if f == fNativeRequest {
		rule = ruleNativeRequestString
	}
	message := typeExpected[info.kind]
	if info.array && w.c.path[len(w.c.path)-1].index < 0 {
		message = arrayExpected
	}
	var repaired string
	switch text := w.data[start:w.pos]; info.kind {
	case kindString:
		if b := text[0]; b != '{' && b != '[' {
			repaired = quote(string(text))
		}
	case kindInteger:
		repaired = asInteger(unquote(text))
		switch string(text) {
		case "true":
			repaired = "1"
		case "false":
			repaired = "0"
		}
	case kindFloat:
		repaired = asFloat(unquote(text))
	}
	w.wrong(rule, message, start, repaired)
	return true
}

var typeExpected = [...]string{
	kindString:  "expected a string",
	kindInteger: "expected an integer",
	kindFloat:   "expected a number",
	kindObject:  "expected an object",
}

// wrong reports the value from start to the current position. repaired is what lenient
// decoding makes of it, "" for nothing.
func (w *walker) wrong(rule ruleID, message string, start int, repaired string) {
	severity := w.c.engine.severity[rule]
	if w.c.engine.lenient && repaired != "" {
		severity = w.saved(rule)
		w.d.edits = append(w.d.edits, edit{start, w.pos, repaired})
	} else {
		w.replace(start, "null")
	}
	w.find(rule, severity, start, message)
}

// replace takes an undecodable value out of the decodable text, and keeps the value layer
// from reporting the hole.
func (w *walker) replace(start int, text string) {
	w.d.edits = append(w.d.edits, edit{start, w.pos, text})
	w.d.holes = append(w.d.holes, w.c.pointer())
}

// badText reports a string that is not Unicode text, right after it was read.
func (w *walker) badText() {
	severity := w.c.engine.severity[ruleAnyUtf8]
	if w.c.engine.lenient {
		severity = w.saved(ruleAnyUtf8)
	}
	w.find(ruleAnyUtf8, severity, w.invalid, "expected Unicode text: valid UTF-8 and surrogates in pairs")
	// The decodable text has U+FFFD instead.
	w.d.edits = append(w.d.edits, edit{w.opened, w.pos, requote(w.data[w.opened:w.pos])})
}
