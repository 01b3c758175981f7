package schema

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/internal/mem"
)

// This file is the part of the text layer that is about keys.

// unknown reports a key that the object's type does not have, and returns the rule that it
// breaks. start is the key's place in the text; respelled says that [respelled] is true of it.
func (w *recorder) unknown(o objectID, key []byte, start int, respelled bool) ruleID {
	rule := ruleAnyCustomInExt
	var buf [keyMax]byte
	if lower := lowerCase(buf[:0], key); lower != nil && o.field(lower) != 0 {
		rule = ruleAnyKeyCase
	}
	w.keyFinding(rule, key, start)
	if bytes.IndexByte(key, 0) >= 0 {
		w.keyFinding(ruleAnyNul, key, start)
	}
	if respelled {
		w.keyFinding(ruleAnyKeyEscape, key, start)
	}
	if _, repeated := w.memory.keys.Add(mem.String(key)); repeated {
		w.keyFinding(ruleAnyDuplicateKey, key, start)
	}
	return rule
}

// free reads a value that the specification does not know: an ext, or the value of an unknown key.
// [recorder.freeKey] says which keys its objects may not have.
func (w *walker) free(key []byte) bool {
	if !w.findings.engine.insideExt() {
		return w.Skip(w.badText)
	}
	w.memory.inner = w.memory.inner[:0]
	if key != nil {
		w.memory.inner = append(w.memory.inner, innerStep{key: key})
	}
	return w.freeValue()
}

// innerStep is an element of a path inside such a value: a key, or an index.
type innerStep struct {
	key   []byte
	index int
}

// freeValue reads an object, an array or any other value. The scanner bounds the depth.
func (w *walker) freeValue() bool {
	switch w.Peek() {
	case '{':
		return w.freeObject()
	case '[':
		return w.freeArray()
	case '"':
		return w.freeString()
	}
	return w.Skip(w.badText)
}

func (w *walker) freeString() bool {
	start := w.Pos
	text, ok := w.String()
	if !ok {
		return false
	}
	if w.Invalid >= 0 {
		w.badText()
	}
	if w.Escaped && w.findings.engine.on(ruleAnyNul) {
		w.freeText(grammar.Unescape(text), start)
	}
	return true
}

func (w *walker) freeObject() bool {
	if !w.Open() {
		return false
	}
	w.Space()
	if w.Peek() == '}' {
		w.Close()
		return true
	}
	w.memory.openKeys()
	for more := true; more; {
		key, ok := w.Key()
		if !ok {
			return false
		}
		start := w.Opened
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
		w.memory.inner = append(w.memory.inner, innerStep{key: key})
		w.freeKey(mem.String(key), start, escapes)
		if !w.freeValue() {
			return false
		}
		w.memory.inner = w.memory.inner[:len(w.memory.inner)-1]
		if more, ok = w.More('}'); !ok {
			return false
		}
	}
	w.memory.closeKeys()
	return true
}

func (w *walker) freeArray() bool {
	if !w.Open() {
		return false
	}
	w.Space()
	if w.Peek() == ']' {
		w.Close()
		return true
	}
	for i := 0; ; i++ {
		w.memory.inner = append(w.memory.inner, innerStep{index: i})
		if !w.freeValue() {
			return false
		}
		w.memory.inner = w.memory.inner[:len(w.memory.inner)-1]
		if more, ok := w.More(']'); !ok || !more {
			return ok
		}
	}
}

// insideExt reports whether a rule is about what is inside an ext, or inside an unknown member.
func (e *Engine) insideExt() bool {
	return e.on(ruleAnyExtDuplicateKey) || e.on(ruleAnyExtKeyCase) || e.on(ruleAnyNul) || e.on(ruleAnyKeyEscape)
}

// nulText reports a string of the specification that has a NUL.
func (w *recorder) nulText(text string, offset int) {
	if strings.IndexByte(text, 0) >= 0 {
		w.report(ruleAnyNul, offset)
	}
}

// freeText reports a string inside an ext, or inside an unknown member, that has a NUL.
func (w *recorder) freeText(text string, offset int) {
	if strings.IndexByte(text, 0) >= 0 {
		w.innerFinding(ruleAnyNul, offset)
	}
}

// freeKey reports a key inside an ext, or inside an unknown member, that has a NUL or is respelled,
// or that its object had before, in the same letter case or another. It is the last step of the
// path.
func (w *recorder) freeKey(key string, offset int, respelled bool) {
	if strings.IndexByte(key, 0) >= 0 {
		w.innerFinding(ruleAnyNul, offset)
	}
	if respelled {
		w.innerFinding(ruleAnyKeyEscape, offset)
	}
	if _, repeated := w.memory.keys.Add(key); repeated {
		w.innerFinding(ruleAnyExtDuplicateKey, offset)
	} else if w.memory.inOtherCase(key) {
		w.innerFinding(ruleAnyExtKeyCase, offset)
	}
}

// openKeys begins an object inside an ext, or inside an unknown member.
func (m *textMemory) openKeys() {
	m.keys.Open()
	m.folded.Open()
}

func (m *textMemory) closeKeys() {
	m.keys.Close()
	m.folded.Close()
}

// inOtherCase reports whether the object has a name of the specification, of which key is a
// spelling, in another letter case too. It remembers the names that are not in lower case.
func (m *textMemory) inOtherCase(key string) bool {
	var buf [keyMax]byte
	lower := lowerCase(buf[:0], mem.Bytes(key))
	if lower == nil {
		return m.folded.Len() > 0 && m.folded.Has(key)
	}
	name, known := fieldNames[string(lower)]
	if !known {
		return false
	}
	_, repeated := m.folded.Add(name)
	return repeated || m.keys.Has(name)
}

// fieldNames has the names of all fields of the specification, and those of knownExt.
var fieldNames = func() map[string]string {
	names := map[string]string{}
	for i := range fields {
		names[fields[i].name] = fields[i].name
	}
	for _, name := range knownExt {
		names[name] = name
	}
	return names
}()

// respelled reports whether the text of a key has an escape for a letter, a digit, or one of _ - .
// that is, for a character that no encoder escapes. Readers that compare keys as they are spelled
// do not find it.
func respelled(text []byte) bool {
	for {
		at := bytes.IndexByte(text, '\\')
		if at < 0 {
			return false
		}
		var buf [utf8.UTFMax]byte
		var char []byte
		if char, text = grammar.AppendChar(buf[:0], text[at:]); isNameChar(char[0]) {
			return true
		}
	}
}

// isNameChar reports whether names of the specification, or of what is common in ext, have a byte.
// The letters of escapes such as \n mean none of these.
func isNameChar(b byte) bool {
	return 'a' <= b|0x20 && b|0x20 <= 'z' || '0' <= b && b <= '9' || b == '_' || b == '-' || b == '.'
}

// innerFinding adds a finding about a key or a string inside an ext, or inside an unknown member.
func (w *recorder) innerFinding(rule ruleID, offset int) {
	severity := w.findings.engine.severity[rule]
	if severity == Off || w.findings.muted || !w.findings.reserve(severity) {
		return
	}
	if w.findings.engine.placeless {
		w.findings.add(rule, severity, "", -1, rules[rule].Message)
		return
	}
	var path strings.Builder
	path.WriteString(w.findings.pointer())
	for _, s := range w.memory.inner {
		if s.key != nil {
			path.WriteString("/" + pointerElement(s.key))
		} else {
			path.WriteString("/" + strconv.Itoa(s.index))
		}
	}
	w.findings.add(rule, severity, path.String(), offset, rules[rule].Message)
}

// keyFinding adds a finding about a member that the specification does not have. Its key
// becomes part of the path, cut to keyMax bytes.
func (w *recorder) keyFinding(rule ruleID, key []byte, offset int) {
	severity := w.findings.engine.severity[rule]
	if severity == Off || w.findings.muted || !w.findings.reserve(severity) {
		return
	}
	if w.findings.engine.placeless {
		w.findings.add(rule, severity, "", -1, rules[rule].Message)
		return
	}
	w.findings.add(rule, severity, w.findings.pointer()+"/"+pointerElement(key), offset, rules[rule].Message)
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
	text = grammar.EscapePointer(text)
	if cut {
		text += "..."
	}
	return text
}

// lowerCase appends the key in lower case to dst. It returns nil if the key is in lower case
// already or longer than dst's capacity. Besides ASCII it maps the Kelvin sign and the long s,
// as encoding/json does: to k and s.
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

// forget removes the earlier value of a repeated key from the decodable text: the last one
// counts, whole, and a decoder must not merge the two.
func (w *walker) forget(earlier int32) {
	n := &w.d.nodes[earlier]
	n.field = 0
	s := scanner(w.Data)
	s.Pos, s.Level = int(n.off), w.Level
	s.Skip(nil) // succeeds, because the walker has read the value
	w.d.edits = append(w.d.edits, edit{start: int(n.off), end: s.Pos, text: "null", forgotten: true})
}
