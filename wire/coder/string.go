package coder

// This file reads strings: the short, plain ones in place, the others by way of escape.go.

// String reads a string that ends within a block or two and holds nothing special, with at
// most one space before it. Other values it leaves to SlowString: it then returns the
// complement of p, which is negative.
//
// It calls nothing, so that it needs no stack frame.
func (r *Reader) String(p int) (string, int) {
	if r.t.At(p) != '"' {
		if r.t.At(p) != ' ' || r.t.At(p+1) != '"' {
			return "", ^p
		}
		p++
	}
	start := p + 1
	i := uint(start) >> 6
	b := r.blocks.At(i)
	// The first byte that ends the string or needs a closer look.
	if w := (b.Quote | b.Special) >> (uint(start) & 63); w != 0 {
		if end := start + trailingZeros(w); r.t.At(end) == '"' {
			return r.t.String(start, end), end + 1
		}
		return "", ^p
	}
	b = r.blocks.At(i + 1) // there is one more block than the document has
	if w := b.Quote | b.Special; w != 0 {
		if end := int(i+1)<<6 + trailingZeros(w); r.t.At(end) == '"' {
			return r.t.String(start, end), end + 1
		}
	}
	return "", ^p
}

// SlowString reads any string, null, and in lenient mode what is accepted for a string, with any
// white space before it.
func (r *Reader) SlowString(p int) (string, int) {
	if r.t.At(p) <= ' ' {
		p = r.space(p)
	}
	if r.t.At(p) != '"' {
		if r.lenient && r.t.At(p) != 'n' {
			return r.lenientString(p)
		}
		return "", r.null(p, "string")
	}
	p++
	end := r.stop(p)
	if end < r.n && r.t.At(end) == '"' {
		return r.t.String(p, end), end + 1
	}
	return r.escaped(p, end)
}

// AnyString is String and, if that is not enough, SlowString.
func (r *Reader) AnyString(p int) (string, int) {
	s, q := r.String(p)
	if q < 0 {
		return r.SlowString(p)
	}
	return s, q
}

// stops returns the stop bits of p's block from p on.
func (r *Reader) stops(p int) uint64 {
	b := r.blocks.At(uint(p) >> 6)
	return (b.Quote | b.Special) >> (uint(p) & 63)
}

// stop returns the position of the first quote, backslash or control character from p on, and
// the length of the document if none follows.
func (r *Reader) stop(p int) int {
	for p < r.n {
		if w := r.stops(p); w != 0 {
			return p + trailingZeros(w)
		}
		p = (p | 63) + 1
	}
	return r.n
}
