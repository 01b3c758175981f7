package coder

import "github.com/rtbwire/rtbwire/wire"

// Skip reads over any value, checks its grammar, and returns the position after it or 0.
// depth is how many levels the value may have. It does not recurse: one bit per level says
// whether the level is an object.
func (r *Reader) Skip(p, depth int) int {
	switch b := r.t.At(p); b {
	case '"':
		return r.skipString(p + 1)
	case '{', '[':
		if r.options.WatchKeys {
			return r.skipWatching(p, depth)
		}
		return r.skipNested(p, depth)
	}
	return r.skipScalar(p)
}

// skipString reads over a string; p is the position after its opening quote.
func (r *Reader) skipString(p int) int {
	if w := r.stops(p); w != 0 {
		if end := p + trailingZeros(w); r.t.At(end) == '"' {
			return end + 1
		}
	}
	return r.skipLongString(p)
}

// skipLongString is skipString for strings that do not end in their first block or hold
// something special, which is checked.
func (r *Reader) skipLongString(p int) int {
	var buf [8]byte
	for {
		p = r.stop(p)
		if p >= r.n {
			return r.cutString()
		}
		switch b := r.t.At(p); {
		case b == '"':
			return p + 1
		case b == '\\':
			repairs, memory := r.repairs.len(), r.memory
			_, next, ok := r.escape(buf[:0], p)
			if !ok {
				return 0
			}
			p, r.memory = next, memory
			r.repairs.cut(repairs) // skipped text stays as it is
		case b < 0x20:
			return r.Refuse(wire.CodeControl, p)
		default: // lenient mode has marked a byte that is not UTF-8
			p++
		}
	}
}

// skipScalar reads over a number or a word.
func (r *Reader) skipScalar(p int) int {
	switch b := r.t.At(p); {
	case b == '-' || b-'0' <= 9:
		end, _ := r.number(p)
		return end
	case b == 't':
		return r.literal(p, "true")
	case b == 'f':
		return r.literal(p, "false")
	case b == 'n':
		return r.literal(p, "null")
	}
	return r.Refuse(wire.CodeSyntax, p)
}

// skipNested reads over an object or an array. Strings and keys that end in their first block
// and hold nothing special are read in place; the others are left to functions.
func (r *Reader) skipNested(p, depth int) int {
	level := 0 // of nesting; open has the bits of the levels 1 to level
	object := false
	for {
		if object { // a key comes before the value
			key := p + 1
			w := uint64(0)
			if r.t.At(p) == '"' {
				w = r.stops(key)
			}
			end := key + trailingZeros(w)
			if w == 0 || r.t.At(end) != '"' || r.t.At(end+1) != ':' {
				if p = r.skipKey(p); p == 0 {
					return 0
				}
			} else if p = end + 2; r.t.At(p) <= ' ' {
				p = r.space(p)
			}
		}
		switch b := r.t.At(p); b {
		case '"':
			p++
			w := r.stops(p)
			end := p + trailingZeros(w)
			if w == 0 || r.t.At(end) != '"' {
				if p = r.skipLongString(p); p == 0 {
					return 0
				}
			} else {
				p = end + 1
			}
		case '{', '[':
			if level++; level > depth {
				return r.Refuse(wire.CodeDepth, p)
			}
			bit := uint64(1) << (uint(level) & 63)
			w := &r.open[uint(level)>>6]
			if p++; r.t.At(p) <= ' ' {
				p = r.space(p)
			}
			closing := byte(']')
			object = b == '{'
			if object {
				*w |= bit
				closing = '}'
			} else {
				*w &^= bit
			}
			if r.t.At(p) != closing {
				continue
			}
			p++
			level--
			object = r.open[uint(level)>>6]&(1<<(uint(level)&63)) != 0
		default:
			if p = r.skipScalar(p); p == 0 {
				return 0
			}
		}
		// A value has ended before p; close what ends with it.
		for {
			if p >= r.n { // after a brace
				if level == 0 && r.whole {
					return p
				}
				return r.cutOff()
			}
			if level == 0 {
				return p
			}
			b := r.t.At(p)
			if b <= ' ' {
				p = r.space(p)
				b = r.t.At(p)
			}
			if b == ',' {
				if p++; r.t.At(p) <= ' ' {
					p = r.space(p)
				}
				break
			}
			if b == '}' && object || b == ']' && !object {
				p++
				level--
				object = r.open[uint(level)>>6]&(1<<(uint(level)&63)) != 0
				continue
			}
			return r.Refuse(wire.CodeSyntax, p)
		}
	}
}

// skipKey reads over a key, the colon and the white space around it.
func (r *Reader) skipKey(p int) int {
	if r.t.At(p) != '"' {
		return r.Refuse(wire.CodeSyntax, p)
	}
	if p = r.skipString(p + 1); p == 0 {
		return 0
	}
	if r.t.At(p) <= ' ' {
		p = r.space(p)
	}
	if r.t.At(p) != ':' {
		return r.Refuse(wire.CodeSyntax, p)
	}
	p++
	if r.t.At(p) <= ' ' {
		p = r.space(p)
	}
	return p
}
