package wire

import (
	"math/bits"
	"strconv"
)

func trailingZeros(w uint64) int { return bits.TrailingZeros64(w) }

// Len is the length of the document.
func (r *Reader) Len() int { return r.n }

// At returns the byte at p.
func (r *Reader) At(p int) byte { return r.t.at(p) }

// String reads a string that ends within a block or two and holds nothing special, with at
// most one space before it. Other values it leaves to SlowString: it then returns the
// complement of p, which is negative.
//
// It calls nothing, so that it needs no stack frame.
func (r *Reader) String(p int) (string, int) {
	if r.t.at(p) != '"' {
		if r.t.at(p) != ' ' || r.t.at(p+1) != '"' {
			return "", ^p
		}
		p++
	}
	start := p + 1
	i := uint(start) >> 6
	b := r.blocks.at(i)
	// The first byte that ends the string or needs a closer look.
	if w := (b.Quote | b.Special) >> (uint(start) & 63); w != 0 {
		if end := start + trailingZeros(w); r.t.at(end) == '"' {
			return r.t.str(start, end), end + 1
		}
		return "", ^p
	}
	b = r.blocks.at(i + 1) // there is one more block than the document has
	if w := b.Quote | b.Special; w != 0 {
		if end := int(i+1)<<6 + trailingZeros(w); r.t.at(end) == '"' {
			return r.t.str(start, end), end + 1
		}
	}
	return "", ^p
}

// SlowString reads any string, and what may stand in its place, with any white space before it.
func (r *Reader) SlowString(p int) (string, int) {
	if r.t.at(p) <= ' ' {
		p = r.space(p)
	}
	if r.t.at(p) != '"' {
		if r.lenient && r.t.at(p) != 'n' {
			return r.lenientString(p)
		}
		return "", r.null(p)
	}
	p++
	end := r.stop(p)
	if end < r.n && r.t.at(end) == '"' {
		return r.t.str(p, end), end + 1
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
	b := r.blocks.at(uint(p) >> 6)
	return (b.Quote | b.Special) >> (uint(p) & 63)
}

// stop returns the position of the first quote, backslash or control character from p on, and
// the length of the document if there is none.
func (r *Reader) stop(p int) int {
	for p < r.n {
		if w := r.stops(p); w != 0 {
			return p + trailingZeros(w)
		}
		p = (p | 63) + 1
	}
	return r.n
}

// null reads what may only be null, at p. It returns the negated position after it, or 0 with
// the refusal of a value of the wrong type, or of something that is no value.
func (r *Reader) null(p int) int {
	if r.t.at(p) == 'n' {
		if q := r.literal(p, "null"); q != 0 {
			return -q
		}
		return 0
	}
	return r.wrong(p)
}

// wrong refuses the value at p for its type; if it is no value at all, for that.
func (r *Reader) wrong(p int) int {
	if b := r.t.at(p); b != '"' && b != '{' && b != '[' && r.skipScalar(p) == 0 {
		return 0
	}
	return r.Refuse(CodeType, p)
}

// literal reads a word. The brace at the end of the document stops it.
func (r *Reader) literal(p int, word string) int {
	for i := range len(word) {
		if r.t.at(p+i) != word[i] {
			return r.Refuse(CodeSyntax, p+i)
		}
	}
	return p + len(word)
}

// Int reads an integer that is written plainly, with at most one space before it. Other values
// it leaves to SlowInt: it then returns the complement of p, which is negative. It calls nothing.
func (r *Reader) Int(p int) (int, int) {
	v := int(r.t.at(p) - '0')
	if v > 9 {
		if r.t.at(p) != ' ' { // it may be the last byte of the document
			return 0, ^p
		}
		p++
		if v = int(r.t.at(p) - '0'); v > 9 {
			return 0, ^p
		}
	}
	q := p + 1
	c := int(r.t.at(q) - '0')
	if c <= 9 && v != 0 {
		for c <= 9 {
			v = v*10 + c
			q++
			c = int(r.t.at(q) - '0')
		}
		if q-p > intDigits {
			return 0, ^p
		}
	}
	// What follows a number ends it.
	if c == ','-'0'+256 || c == '}'-'0' || c == ']'-'0' {
		return v, q
	}
	return 0, ^p
}

// intDigits is how many digits fit an int, whatever they are.
const intDigits = 9 * strconv.IntSize / 32

// SlowInt reads any integer, and what may stand in its place. A number with a fraction or an
// exponent, and one that does not fit, are refused; -0 is 0.
func (r *Reader) SlowInt(p int) (int, int) {
	if r.t.at(p) <= ' ' {
		p = r.space(p)
	}
	b := r.t.at(p)
	if b != '-' && b-'0' > 9 {
		if r.lenient && b != 'n' {
			return r.lenientInt(p)
		}
		return 0, r.null(p)
	}
	end, whole := r.number(p)
	if end == 0 {
		return 0, 0
	}
	if !whole {
		if r.lenient {
			return r.lenientInt(p)
		}
		return 0, r.Refuse(CodeInteger, p)
	}
	v, err := strconv.Atoi(r.t.str(p, end))
	if err != nil {
		return 0, r.Refuse(CodeRange, p)
	}
	return v, end
}

// number reads over a number of JSON's grammar and says whether it has neither a fraction nor
// an exponent.
func (r *Reader) number(p int) (end int, whole bool) {
	if r.t.at(p) == '-' {
		p++
	}
	switch b := r.t.at(p); {
	case b == '0':
		p++
	case b-'1' < 9:
		p = r.digits(p)
	default:
		return r.Refuse(CodeNumber, p), false
	}
	whole = true
	if r.t.at(p) == '.' {
		whole = false
		q := r.digits(p + 1)
		if q == p+1 {
			return r.Refuse(CodeNumber, q), false
		}
		p = q
	}
	if r.t.at(p)|0x20 == 'e' {
		whole = false
		p++
		if b := r.t.at(p); b == '+' || b == '-' {
			p++
		}
		q := r.digits(p)
		if q == p {
			return r.Refuse(CodeNumber, q), false
		}
		p = q
	}
	if r.t.at(p)-'0' <= 9 {
		return r.Refuse(CodeNumber, p), false
	}
	return p, whole
}

func (r *Reader) digits(p int) int {
	for r.t.at(p)-'0' <= 9 {
		p++
	}
	return p
}

// Float reads a number as the nearest float64; one beyond its range is refused.
func (r *Reader) Float(p int) (float64, int) {
	start := p
	c := r.t.at(p) - '0'
	if c > 9 {
		return r.floatSlow(p)
	}
	v := uint64(c)
	p++
	for {
		c := r.t.at(p) - '0'
		if c > 9 {
			break
		}
		v = v*10 + uint64(c)
		p++
	}
	digits, exp := p-start, 0
	if digits > 1 && r.t.at(start) == '0' {
		return r.floatSlow(start)
	}
	b := r.t.at(p)
	if b == '.' {
		p++
		dot := p
		for {
			c := r.t.at(p) - '0'
			if c > 9 {
				break
			}
			v = v*10 + uint64(c)
			p++
		}
		exp = p - dot
		digits += exp
		if exp == 0 {
			return r.floatSlow(start)
		}
		b = r.t.at(p)
	}
	// Exact: an integer below 2^53 divided by a power of ten below 10^22 rounds once.
	if digits > 15 || b|0x20 == 'e' {
		return r.floatSlow(start)
	}
	if exp == 0 {
		return float64(v), p
	}
	return float64(v) / powers[exp], p
}

var powers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// floatSlow reads what Float leaves.
func (r *Reader) floatSlow(p int) (float64, int) { return r.floatOf(p, 64) }

// floatOf reads a number rounded to so many bits, 32 or 64.
func (r *Reader) floatOf(p, bits int) (float64, int) {
	b := r.t.at(p)
	if b != '-' && b-'0' > 9 {
		if r.lenient && b == '"' {
			return r.lenientFloat(p, bits)
		}
		return 0, r.null(p)
	}
	end, _ := r.number(p)
	if end == 0 {
		return 0, 0
	}
	v, err := strconv.ParseFloat(r.t.str(p, end), bits)
	if err != nil {
		return 0, r.Refuse(CodeRange, p)
	}
	return v, end
}

// anyInt is Int and, if that is not enough, SlowInt.
func (r *Reader) anyInt(p int) (int, int) {
	v, q := r.Int(p)
	if q < 0 {
		return r.SlowInt(p)
	}
	return v, q
}

// Bool reads true or false.
func (r *Reader) Bool(p int) (bool, int) {
	switch r.t.at(p) {
	case 't':
		return true, r.literal(p, "true")
	case 'f':
		return false, r.literal(p, "false")
	}
	if r.lenient && r.t.at(p) != 'n' {
		return r.lenientBool(p)
	}
	return false, r.null(p)
}

// Raw reads any value and returns its bytes as they stand.
func (r *Reader) Raw(p, depth int) ([]byte, int) {
	if r.t.at(p) == 'n' {
		return nil, r.null(p)
	}
	end := r.Skip(p, depth)
	if end == 0 {
		return nil, 0
	}
	return r.t.raw(p, end), end
}

// Null reads the value at p where only null, or a value that was found to be of the wrong
// type, can stand.
func (r *Reader) Null(p int) int { return r.null(p) }

// Space returns the position of the first byte from p on that is no white space.
func (r *Reader) Space(p int) int { return r.space(p) }

// Member reads what follows a member of an object: it returns the position of the next key's
// quote, or of the closing brace. more says which.
func (r *Reader) Member(p int) (next int, more bool) {
	c := r.t.at(p)
	if c <= ' ' {
		p = r.space(p)
		c = r.t.at(p)
	}
	switch c {
	case ',':
		p++
		if r.t.at(p) <= ' ' {
			p = r.space(p)
		}
		return p, true
	case '}':
		return p, false
	}
	return r.Refuse(CodeSyntax, p), false
}

// First reads what follows an opening brace; as Member.
func (r *Reader) First(p int) (next int, more bool) {
	if p >= r.n {
		return r.cutOff(), false
	}
	if r.t.at(p) <= ' ' {
		p = r.space(p)
	}
	return p, r.t.at(p) != '}'
}

// Closed returns the position after the closing brace at p. Only the root's brace may be the
// last byte of the document; depth tells the root by the number of levels left.
func (r *Reader) Closed(p, depth int) int {
	p++
	if p >= r.n && depth != r.options.depth {
		return r.cutOff()
	}
	return p
}

// Depth is the number of levels that the root may be deep.
func (r *Reader) Depth() int { return r.options.depth }
