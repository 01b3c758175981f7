package schema

import (
	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/coder"
)

// This file is the text layer for documents that the decoder accepts. It finds what text.go finds
// in them, in less time: the grammar and the types are known to be right, and the decoder's index
// tells where strings end. It runs when the decoder's notes name something that a rule is about,
// and when the place of a finding is wanted.

// accepted walks a document that was accepted with notes, and reports whether it got to its end. It
// does not for a document that another decoder has accepted; then text is to be called.
func (l *layers) accepted(doc Doc, root objectID, notes wire.Notes) bool {
	l.doc = doc
	d := &l.docs[doc]
	w := acceptedWalker{r: &l.memory.reader, recorder: recorder{&l.findings, d, &l.memory}}
	w.nul = notes&wire.NoteNUL != 0 && l.engine.on(ruleAnyNul)
	w.inside = w.nul || notes&wire.NoteDuplicateKey != 0 && l.engine.insideExt()
	p := l.memory.reader.Begin(d.data)
	if p == 0 {
		return false
	}
	w.openNode(0, noIndex, p-1)
	end := w.object(root, p-1)
	w.closeNode(0)
	l.path = l.path[:0]
	d.known = end != 0 && l.memory.reader.End(end) == nil
	d.read = d.known
	l.memory.reader.Reset()
	return d.known
}

// acceptedWalker reads an accepted document along the fields of the specification. Its methods
// take the position of a value and return the one after it, or 0 if the document is not one that
// the decoder accepts.
type acceptedWalker struct {
	r *coder.Reader
	recorder
	inside bool // read what is in ext and in unknown members
	nul    bool // read strings, for NUL
}

// object reads the object of the given type at p.
func (w *acceptedWalker) object(o objectID, p int) int {
	var latest [fieldsMax]int32 // the node of each field's value, by fieldInfo.bit; 0: absent
	unknown := false            // the object has keys that are not the specification's
	p, more := w.r.First(p + 1)
	for more {
		start := p
		key, value := w.r.Key(p)
		if value == 0 {
			return 0
		}
		escapes := w.respelled(start)
		if f := o.field(mem.Bytes(key)); f != 0 {
			info := &fields[f]
			w.findings.enter(f, noIndex)
			if earlier := latest[info.bit]; earlier != 0 {
				w.report(ruleAnyDuplicateKey, start)
				w.d.nodes[earlier].field = 0 // the last one counts
			}
			if escapes {
				w.report(ruleAnyKeyEscape, start)
			}
			if info.since > w.findings.engine.release && w.findings.engine.versioned {
				w.report(ruleAnyLaterVersion, start)
			}
			latest[info.bit] = int32(len(w.d.nodes))
			p = w.field(f, info, value)
			w.findings.leave()
		} else {
			if !unknown {
				w.memory.keys.Open()
				unknown = true
			}
			w.unknown(o, mem.Bytes(key), start, escapes)
			p = w.free(mem.Bytes(key), value)
		}
		if p == 0 {
			return 0
		}
		if p, more = w.r.Member(p); p == 0 {
			return 0
		}
	}
	if unknown {
		w.memory.keys.Close()
	}
	if p == 0 {
		return 0
	}
	return p + 1
}

// field reads the value of a known field.
func (w *acceptedWalker) field(f fieldID, info *fieldInfo, p int) int {
	n := w.openNode(f, noIndex, p)
	switch b := w.r.At(p); {
	case b == 'n':
		p = w.null(p)
	case info.kind == kindExt:
		start := p
		p = w.free(nil, p)
		if b != '{' {
			w.report(ruleAnyExt, start)
		}
	case !info.array:
		p = w.value(f, info, p)
	case b == '[':
		p = w.array(f, info, p)
	default:
		return 0
	}
	w.closeNode(n)
	return p
}

// null reads null, which is a finding wherever a value of the specification belongs.
func (w *acceptedWalker) null(p int) int {
	w.report(ruleAnyNull, p)
	return w.r.Skip(p, 0)
}

// array reads an array of the field's values.
func (w *acceptedWalker) array(f fieldID, info *fieldInfo, p int) int {
	start := p
	p, more, _ := w.r.OpenArray(p, wire.DepthMax)
	if !more && p > 0 && !info.required && !info.mayBeEmpty {
		w.report(ruleAnyEmptyArray, start)
	}
	for i := int32(0); more; i++ {
		w.findings.path[len(w.findings.path)-1].index = i
		n := w.openNode(f, i, p)
		if w.r.At(p) == 'n' {
			p = w.null(p)
		} else {
			p = w.value(f, info, p)
		}
		if p == 0 {
			return 0
		}
		w.closeNode(n)
		p, more = w.r.NextElement(p)
	}
	return p
}

// value reads one value of the field's kind.
func (w *acceptedWalker) value(f fieldID, info *fieldInfo, p int) int {
	b := w.r.At(p)
	switch info.kind {
	case kindObject:
		if b != '{' {
			return 0
		}
		return w.object(info.object, p)
	case kindString:
		if b != '"' {
			return 0
		}
		if w.r.At(p+1) == '"' && !info.array && !info.required {
			w.report(ruleAnyEmptyString, p)
		}
		if w.nul {
			text, end := w.r.AnyString(p)
			w.nulText(text, p)
			return end
		}
	default:
		if b != '-' && b-'0' > 9 {
			return 0
		}
	}
	return w.r.Skip(p, 0)
}

// free reads a value that the specification does not know: an ext, or the value of an unknown key.
// [recorder.freeKey] says which keys its objects may not have.
func (w *acceptedWalker) free(key []byte, p int) int {
	if !w.inside {
		return w.r.Skip(p, wire.DepthMax)
	}
	w.memory.inner = w.memory.inner[:0]
	if key != nil {
		w.memory.inner = append(w.memory.inner, innerStep{key: key})
	}
	return w.freeValue(p, wire.DepthMax)
}

// freeValue reads a value of at most depth levels.
func (w *acceptedWalker) freeValue(p, depth int) int {
	switch b := w.r.At(p); {
	case b == '{' && depth > 0:
		return w.freeObject(p, depth-1)
	case b == '[' && depth > 0:
		return w.freeArray(p, depth-1)
	case b == '"' && w.nul:
		text, end := w.r.AnyString(p)
		w.freeText(text, p)
		return end
	}
	return w.r.Skip(p, depth)
}

func (w *acceptedWalker) freeObject(p, depth int) int {
	w.memory.openKeys()
	p, more := w.r.First(p + 1)
	for more {
		start := p
		key, value := w.r.Key(p)
		if value == 0 {
			return 0
		}
		w.memory.inner = append(w.memory.inner, innerStep{key: mem.Bytes(key)})
		w.freeKey(key, start, w.respelled(start))
		if p = w.freeValue(value, depth); p == 0 {
			return 0
		}
		w.memory.inner = w.memory.inner[:len(w.memory.inner)-1]
		if p, more = w.r.Member(p); p == 0 {
			return 0
		}
	}
	w.memory.closeKeys()
	if p == 0 {
		return 0
	}
	return p + 1
}

// respelled is [respelled] for the key at an offset.
func (w *acceptedWalker) respelled(start int) bool {
	if !w.r.Escaped(start) {
		return false
	}
	return respelled(w.d.data[start+1 : grammar.StringEnd(w.d.data, start)-1])
}

func (w *acceptedWalker) freeArray(p, depth int) int {
	p, more, _ := w.r.OpenArray(p, 1)
	for i := 0; more; i++ {
		w.memory.inner = append(w.memory.inner, innerStep{index: i})
		if p = w.freeValue(p, depth); p == 0 {
			return 0
		}
		w.memory.inner = w.memory.inner[:len(w.memory.inner)-1]
		p, more = w.r.NextElement(p)
	}
	return p
}
