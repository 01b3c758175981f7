package coder

import "github.com/rtbwire/rtbwire/wire"

// This file reads null, the words, raw values, and the brackets and commas of objects.

// Null reads the value at p, which is not an object, where only an object or null is accepted. It
// is null written out, because inlining it would make generated code longer.
func (r *Reader) Null(p int) int {
	if r.t.At(p) == 'n' {
		r.notes |= wire.NoteNull
		return -r.literal(p, "null")
	}
	return r.wrong(p, "object")
}

// null reads the value at p where it may only be null. It returns the negated position after it,
// or 0 with the refusal of a value of another type than want, or of something other than a value.
func (r *Reader) null(p int, want string) int {
	if r.t.At(p) == 'n' {
		r.notes |= wire.NoteNull
		return -r.literal(p, "null")
	}
	return r.wrong(p, want)
}

// wrong refuses the value at p for its type, or, if it is not a value, for its syntax.
func (r *Reader) wrong(p int, want string) int {
	if b := r.t.At(p); b != '"' && b != '{' && b != '[' && r.skipScalar(p) == 0 {
		return 0
	}
	return r.refuse(wire.CodeType, p, want)
}

// literal reads a word. The brace at the end of the document stops it.
func (r *Reader) literal(p int, word string) int {
	for i := range len(word) {
		if r.t.At(p+i) != word[i] {
			return r.Refuse(wire.CodeSyntax, p+i)
		}
	}
	return p + len(word)
}

// Bool reads true or false.
func (r *Reader) Bool(p int) (bool, int) {
	switch r.t.At(p) {
	case 't':
		return true, r.literal(p, "true")
	case 'f':
		return false, r.literal(p, "false")
	}
	if r.lenient && r.t.At(p) != 'n' {
		return r.lenientBool(p)
	}
	return false, r.null(p, "boolean")
}

// Raw reads any value and returns its bytes as they stand.
func (r *Reader) Raw(p, depth int) ([]byte, int) {
	if r.t.At(p) == 'n' {
		return nil, r.null(p, "value")
	}
	if r.t.At(p) != '{' {
		r.notes |= wire.NoteRaw
	}
	end := r.Skip(p, depth)
	if end == 0 {
		return nil, 0
	}
	return r.t.Bytes(p, end), end
}

// Space returns the position of the first byte from p on other than white space.
func (r *Reader) Space(p int) int { return r.space(p) }

// First reads what follows an opening brace; as Member.
func (r *Reader) First(p int) (next int, more bool) {
	if p >= r.n {
		return r.cutOff(), false
	}
	if r.t.At(p) <= ' ' {
		p = r.space(p)
	}
	return p, r.t.At(p) != '}'
}

// Member reads what follows a member of an object: it returns the position of the next key's
// quote, or of the closing brace. more says which.
func (r *Reader) Member(p int) (next int, more bool) {
	c := r.t.At(p)
	if c <= ' ' {
		p = r.space(p)
		c = r.t.At(p)
	}
	switch c {
	case ',':
		p++
		if r.t.At(p) <= ' ' {
			p = r.space(p)
		}
		return p, true
	case '}':
		return p, false
	}
	return r.Refuse(wire.CodeSyntax, p), false
}

// Closed returns the position after the closing brace at p. Only the root's brace may be the
// last byte of the document; depth tells the root by the number of levels left.
func (r *Reader) Closed(p, depth int) int {
	p++
	if p >= r.n && depth != r.options.Depth {
		return r.cutOff()
	}
	return p
}

// TooDeep refuses the object whose content begins at p.
func (r *Reader) TooDeep(p int) int { return r.Refuse(wire.CodeDepth, p-1) }

// Depth is the number of levels that the root may be deep.
func (r *Reader) Depth() int { return r.options.Depth }

// Len is the length of the document.
func (r *Reader) Len() int { return r.n }

// At returns the byte at p.
func (r *Reader) At(p int) byte { return r.t.At(p) }
