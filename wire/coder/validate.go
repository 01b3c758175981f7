package coder

import (
	"sync"

	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/wire"
)

// Raw appends a value that is JSON text already, byte for byte. Text that is not JSON fails.
func (w *Writer) Raw(b, raw []byte) []byte {
	if w.raw == nil {
		w.raw = validators.Get().(*validator)
	}
	if !w.raw.valid(raw) {
		fault, _ := grammar.Check(raw, wire.DepthDefault, false)
		w.Fail(wire.Code(fault))
	}
	if w.EscapeHTML {
		return appendForHTML(b, raw)
	}
	return append(b, raw...)
}

// appendForHTML appends JSON text with escapes for what means something in HTML or ends a line
// in JavaScript. In JSON such characters occur in strings only.
func appendForHTML(b, raw []byte) []byte {
	from := 0
	for i, c := range raw {
		switch {
		case c == '<' || c == '>' || c == '&':
			b = append(append(b, raw[from:i]...), '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
			from = i + 1
		case c == 0xe2 && len(raw)-i >= 3 && raw[i+1] == 0x80 && raw[i+2]&^1 == 0xa8: // U+2028, U+2029
			b = append(append(append(b, raw[from:i]...), `\u202`...), hexDigits[raw[i+2]&15])
			from = i + 3
		}
	}
	return append(b, raw[from:]...)
}

// Validate checks that raw is one JSON value with nothing but white space around it.
func Validate(raw []byte) (code wire.Code, at int) {
	if isPlain(raw) {
		return 0, 0
	}
	v := validators.Get().(*validator)
	ok := v.valid(raw)
	v.release()
	if ok {
		return 0, 0
	}
	fault, at := grammar.Check(raw, wire.DepthDefault, false)
	return wire.Code(fault), at
}

// isPlain reports whether raw is a natural number in digits alone or a short string of plain ASCII,
// which most values of edits are. It says nothing about other values.
func isPlain(raw []byte) bool {
	const most = 32 // longer ones are faster with the index
	n := len(raw)
	if n == 0 || n > most {
		return false
	}
	if raw[0] == '"' {
		for _, c := range raw[1:max(n-1, 1)] {
			if c < ' ' || c > '~' || c == '"' || c == '\\' {
				return false
			}
		}
		return n >= 2 && raw[n-1] == '"'
	}
	for _, c := range raw {
		if c-'0' > 9 {
			return false
		}
	}
	return raw[0] != '0' || n == 1
}

// validator checks texts with the reader that decoders use. It is fast for valid text and calls
// package grammar to find the error.
type validator struct {
	r      Reader
	member []byte
}

// valid reads an object as the document that it is, and any other value as the only member of
// an object: the reader relies on the brace at the end.
func (v *validator) valid(raw []byte) bool {
	const key = `{"":`
	text, start := raw, 0
	if n := len(raw); n < 2 || raw[0] != '{' || raw[n-1] != '}' {
		v.member = append(append(append(v.member[:0], key...), raw...), '}')
		text, start = v.member, len(key)
	}
	r := &v.r
	if r.Begin(text) == 0 {
		return false
	}
	r.whole = start == 0
	p := r.Skip(r.space(start), wire.DepthDefault)
	if r.whole {
		return p == r.n
	}
	return p != 0 && r.space(p) == r.n-1 // the brace is ours, not the value's
}

// release returns the validator to the pool without the last text.
func (v *validator) release() {
	v.r.Reset()
	if v.r.Retained()+cap(v.member) <= validatorKeep {
		validators.Put(v)
	}
}

var validators = sync.Pool{New: func() any { return new(validator) }}

// validatorKeep is how much memory a validator keeps for the next text.
const validatorKeep = 1 << 20
