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
	hole  bool    // the value can't be decoded and was taken out
	index int32   // in an array, else noIndex
	off   int32   // of the value's first byte
	next  int32   // the node after this one's descendants
}

// edit replaces data[start:end].
type edit struct {
	start, end int
	text       string
	forgotten  bool // the whole value of a key that comes again, with all edits inside of it
}

// textMax is the largest document that is looked at; node.off is 32 bits wide. It is a
// variable for the tests.
var textMax = math.MaxInt32

// text runs the text layer over one document and reports whether it can be decoded.
func (c *Checker) text(doc Doc, root objectID) bool {
	c.doc = doc
	d := &c.docs[doc]
	d.read = true
	w := walker{scanner: scanner{data: d.data}, c: c, d: d}
	if len(d.data) > textMax {
		c.fatal(ruleJsonLimit, "", textMax, rules[ruleJsonLimit].Message)
		return false
	}
	ok := w.document(root)
	d.known = ok
	c.path = c.path[:0]
	return ok
}

// decodable is the text with the edits applied. Of the edits those stay that were.
func (d *docText) decodable() []byte {
	if len(d.edits) == 0 {
		return d.data
	}
	// Later edits are about values further out, so that of two with the same place the later
	// one counts.
	slices.Reverse(d.edits)
	slices.SortStableFunc(d.edits, func(a, b edit) int {
		if a.start != b.start {
			return a.start - b.start
		}
		if a.rank() != b.rank() {
			return a.rank() - b.rank()
		}
		return b.end - a.end // the outer one first
	})
	out, done := d.patch[:0], 0
	applied, forgotten := d.edits[:0], -1
	for _, e := range d.edits {
		if e.start < done || e.start == e.end && e.start == forgotten {
			continue // inside of what another edit has replaced, or the bracket that ends it
		}
		out = append(out, d.data[done:e.start]...)
		out = append(out, e.text...)
		done = e.end
		if e.forgotten {
			forgotten = e.end
		}
		applied = append(applied, e)
	}
	d.edits = applied
	d.patch = append(out, d.data[done:]...)
	return d.patch
}

// rank orders edits that start at the same byte: what makes all others pointless, then
// brackets put around a value, then replacements.
func (e *edit) rank() int {
	switch {
	case e.forgotten:
		return 0
	case e.start == e.end:
		return 1
	}
	return 2
}

// original turns an offset in the decodable text into one in the document.
func (d *docText) original(offset int) int {
	shift := 0
	for _, e := range d.edits {
		if offset < e.start+shift {
			break
		}
		if offset < e.start+shift+len(e.text) {
			return e.start
		}
		shift += len(e.text) - (e.end - e.start)
	}
	return min(offset-shift, len(d.data))
}

// locate finds the offset of the value at the current path, or of the innermost value around
// it; -1 when there is no text.
func (c *Checker) locate() int {
	d := &c.docs[c.doc]
	if !d.read && d.data != nil {
		c.index(d)
	}
	if !d.known {
		return -1
	}
	return int(d.nodes[d.find(c.path)].off)
}

// find returns the node a path leads to, or the innermost one on the way.
func (d *docText) find(path []step) (at int32) {
	for i, s := range path {
		next := d.child(2*i, at, s.field, noIndex)
		if next >= 0 && s.index >= 0 {
			at = next
			next = d.child(2*i+1, at, s.field, s.index)
		}
		if next < 0 {
			break
		}
		at = next
	}
	return at
}

// cursor is a child that was looked up.
type cursor struct {
	parent, node, index int32
	field               fieldID
}

// child finds the child of a node with the given field and index, -1 if there is none. Of a
// key that comes twice only the last value is still a node with a field. depth tells the
// levels of a path apart: each remembers where it was, so that findings about one element
// after the other don't cost a walk from the first one each.
func (d *docText) child(depth int, parent int32, f fieldID, index int32) int32 {
	for len(d.cursors) <= depth {
		d.cursors = append(d.cursors, cursor{})
	}
	at, last := parent+1, &d.cursors[depth]
	if last.node != 0 && last.parent == parent && last.field == f && last.index <= index {
		at = last.node
	}
	for ; at < d.nodes[parent].next; at = d.nodes[at].next {
		if d.nodes[at].field == f && d.nodes[at].index == index {
			*last = cursor{parent, at, index, f}
			return at
		}
	}
	return -1
}

// index fills in the nodes of a document that was given decoded.
func (c *Checker) index(d *docText) {
	root := objBidRequest
	if d == &c.docs[Response] {
		root = objBidResponse
	}
	if c.indexer == nil {
		c.indexer = &Checker{engine: silent}
	}
	q := c.indexer
	q.begin(d.data, nil)
	q.docs[0].nodes, d.nodes = d.nodes, nil
	d.read, d.known = true, q.text(Request, root)
	q.docs[0].nodes, d.nodes = nil, q.docs[0].nodes
	q.finish()
}

// silent is an engine whose rules are all off. It is lenient because the decoder that read
// the document may have been.
var silent = &Engine{maxFindings: 1, lenient: true}

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
		w.d.edits = append(w.d.edits, edit{start: 0, end: 3})
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
		w.c.fatal(ruleAnyObject, "", start, rules[ruleAnyObject].Message)
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
	w.c.fatal(rule, w.c.pointer(), w.at, w.failed)
	return false
}

// find adds a finding at the current path.
func (w *walker) find(rule ruleID, severity Severity, offset int, message string) {
	if severity != Off && !w.c.muted && w.c.room(severity) {
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
	start := w.pos
	var latest [fieldsMax]int32 // the node of each field's value, by fieldInfo.bit; 0 is none
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
			if earlier := latest[info.bit]; earlier != 0 {
				w.find(ruleAnyDuplicateKey, w.c.engine.severity[ruleAnyDuplicateKey], keyStart, rules[ruleAnyDuplicateKey].Message)
				w.forget(earlier)
			}
			latest[info.bit] = int32(len(w.d.nodes))
			if !w.field(f, info) {
				return false // without leaving: the path tells where
			}
			w.c.leave()
		} else {
			w.unknown(o, key, start, keyStart, keyEnd)
			if !w.skip(w.badText) {
				return false
			}
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

// forget takes the earlier value of a key that comes again out of the decodable text: the
// last one counts, whole, and a decoder must not merge the two.
func (w *walker) forget(earlier int32) {
	n := &w.d.nodes[earlier]
	n.field = 0
	s := scanner{data: w.data, pos: int(n.off), depth: w.depth}
	s.skip(func() {})
	w.d.edits = append(w.d.edits, edit{start: int(n.off), end: s.pos, text: "null", forgotten: true})
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
			w.d.edits = append(w.d.edits, edit{start: keyStart, end: keyEnd, text: `""`})
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
	if severity == Off || w.c.muted || !w.c.room(severity) {
		return
	}
	w.c.add(rule, severity, w.c.pointer()+"/"+pointerElement(key), offset, rules[rule].Message)
}

// keyMax is how much of an unknown key is shown in a path, and how long keys of the
// specification may be at most.
const keyMax = 64

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

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
	text = pointerEscaper.Replace(text)
	if cut {
		text += "..."
	}
	return text
}

// lowerCase appends the key in lower case; nil when it is so already or too long. Besides
// ASCII that is the Kelvin sign and the long s: encoding/json takes them for k and s.
func lowerCase(dst, key []byte) []byte {
	if len(key) > cap(dst) {
		return nil
	}
	changed := false
	for i := 0; i < len(key); i++ {
		b := key[i]
		switch {
		case 'A' <= b && b <= 'Z':
			b |= 0x20
			changed = true
		case bytes.HasPrefix(key[i:], []byte("\u212a")):
			b = 'k'
			i += 2
			changed = true
		case bytes.HasPrefix(key[i:], []byte("\u017f")):
			b = 's'
			i++
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
	w.d.edits = append(w.d.edits, edit{start: start, end: start, text: "["})
	w.c.path[len(w.c.path)-1].index = 0
	element := w.open(f, 0)
	ok := w.value(f, info)
	w.close(element)
	w.d.edits = append(w.d.edits, edit{start: w.pos, end: w.pos, text: "]"})
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
		if !info.required && !info.mayBeEmpty {
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
				w.takeOut(ruleJsonNumber, start)
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
		w.d.edits = append(w.d.edits, edit{start: start, end: w.pos, text: repaired})
	} else {
		w.takeOut(rule, start)
	}
	w.find(rule, severity, start, message)
}

// takeOut removes an undecodable value from the decodable text. Where the rule about it is
// reported, the value layer is kept from reporting the hole.
func (w *walker) takeOut(rule ruleID, start int) {
	w.d.edits = append(w.d.edits, edit{start: start, end: w.pos, text: "null"})
	if w.c.engine.severity[rule] != Off {
		w.d.nodes[len(w.d.nodes)-1].hole = true // the value has none inside of it
		w.d.holes++
	}
}

// badText reports a string that is not Unicode text, right after it was read.
func (w *walker) badText() {
	severity := w.c.engine.severity[ruleAnyUtf8]
	if w.c.engine.lenient {
		severity = w.saved(ruleAnyUtf8)
	}
	w.find(ruleAnyUtf8, severity, w.invalid, "expected Unicode text: valid UTF-8 and surrogates in pairs")
	// The decodable text has U+FFFD instead.
	w.d.edits = append(w.d.edits, edit{start: w.opened, end: w.pos, text: requote(w.data[w.opened:w.pos])})
}
