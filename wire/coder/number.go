package coder

import (
	"math/bits"
	"strconv"

	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/wire"
)

// This file reads numbers: each kind first as it is nearly always written, then in full.

func trailingZeros(w uint64) int { return bits.TrailingZeros64(w) }

// Int reads an integer that is written plainly, with at most one space before it. Other values
// it leaves to SlowInt: it then returns the complement of p, which is negative. It calls nothing.
func (r *Reader) Int(p int) (int, int) {
	v := int(r.t.At(p) - '0')
	if v > 9 {
		if r.t.At(p) != ' ' { // it may be the last byte of the document
			return 0, ^p
		}
		p++
		if v = int(r.t.At(p) - '0'); v > 9 {
			return 0, ^p
		}
	}
	q := p + 1
	c := int(r.t.At(q) - '0')
	if c <= 9 && v != 0 {
		for c <= 9 {
			v = v*10 + c
			q++
			c = int(r.t.At(q) - '0')
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

// SlowInt reads any integer, null, and in lenient mode what is accepted for an integer. A number
// with a fraction or an exponent, and one that does not fit, are refused; -0 is 0.
func (r *Reader) SlowInt(p int) (int, int) {
	if r.t.At(p) <= ' ' {
		p = r.space(p)
	}
	b := r.t.At(p)
	if b != '-' && b-'0' > 9 {
		if r.lenient && b != 'n' {
			return r.lenientInt(p)
		}
		return 0, r.null(p, "integer")
	}
	end, whole := r.number(p)
	if end == 0 {
		return 0, 0
	}
	if !whole {
		if r.lenient {
			return r.lenientInt(p)
		}
		return 0, r.Refuse(wire.CodeInteger, p)
	}
	v, err := strconv.Atoi(r.t.String(p, end))
	if err != nil {
		return 0, refuseRange[int](r, p)
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

// Integer reads an integer of any type; one that does not fit is refused.
func Integer[T ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64](r *Reader, p int) (T, int) {
	v, code, q := r.wide(p)
	if q <= 0 {
		if q == 0 {
			refuseRange[T](r, p)
		}
		return 0, q
	}
	t, ok := grammar.Fit[T](v)
	if !ok {
		return 0, refuseRange[T](r, p)
	}
	if code != 0 {
		r.save(code, p)
	}
	return t, q
}

// wide reads an integer up to 64 bits, signed or not. code is what lenient mode saves it with,
// 0 if nothing was repaired.
func (r *Reader) wide(p int) (v grammar.Integer, code wire.Code, end int) {
	b := r.t.At(p)
	if b != '-' && b-'0' > 9 {
		if r.lenient && b != 'n' {
			return r.lenientWide(p)
		}
		return v, 0, r.null(p, "integer")
	}
	end, whole := r.number(p)
	switch {
	case end == 0:
		return v, 0, 0
	case !whole && r.lenient:
		return r.lenientWide(p)
	case !whole:
		return v, 0, r.Refuse(wire.CodeInteger, p)
	}
	v, ok := grammar.TowardZero(r.t.String(p, end))
	if !ok {
		return v, 0, r.Refuse(wire.CodeRange, p)
	}
	return v, 0, end
}

// Float reads a number as the nearest float64; one beyond its range is refused.
func (r *Reader) Float(p int) (float64, int) {
	start := p
	c := r.t.At(p) - '0'
	if c > 9 {
		return r.floatSlow(p)
	}
	v := uint64(c)
	p++
	for {
		c := r.t.At(p) - '0'
		if c > 9 {
			break
		}
		v = v*10 + uint64(c)
		p++
	}
	digits, exp := p-start, 0
	if digits > 1 && r.t.At(start) == '0' {
		return r.floatSlow(start)
	}
	b := r.t.At(p)
	if b == '.' {
		p++
		dot := p
		for {
			c := r.t.At(p) - '0'
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
		b = r.t.At(p)
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

// Float32 reads a number as the nearest float32; one beyond its range is refused.
func (r *Reader) Float32(p int) (float32, int) {
	v, q := r.floatOf(p, 32) // by way of the nearest float64 it would be rounded twice
	return float32(v), q
}

// floatOf reads a number rounded to so many bits, 32 or 64.
func (r *Reader) floatOf(p, bits int) (float64, int) {
	b := r.t.At(p)
	if b != '-' && b-'0' > 9 {
		if r.lenient && b == '"' {
			return r.lenientFloat(p, bits)
		}
		return 0, r.null(p, "number")
	}
	end, _ := r.number(p)
	if end == 0 {
		return 0, 0
	}
	v, err := strconv.ParseFloat(r.t.String(p, end), bits)
	if err != nil {
		return 0, r.refuse(wire.CodeRange, p, "float"+strconv.Itoa(bits))
	}
	return v, end
}

// number reads over a number of JSON's grammar and says whether it has neither a fraction nor
// an exponent.
func (r *Reader) number(p int) (end int, whole bool) {
	if r.t.At(p) == '-' {
		p++
	}
	switch b := r.t.At(p); {
	case b == '0':
		p++
	case b-'1' < 9:
		p = r.digits(p)
	default:
		return r.Refuse(wire.CodeNumber, p), false
	}
	whole = true
	if r.t.At(p) == '.' {
		whole = false
		q := r.digits(p + 1)
		if q == p+1 {
			return r.Refuse(wire.CodeNumber, q), false
		}
		p = q
	}
	if r.t.At(p)|0x20 == 'e' {
		whole = false
		p++
		if b := r.t.At(p); b == '+' || b == '-' {
			p++
		}
		q := r.digits(p)
		if q == p {
			return r.Refuse(wire.CodeNumber, q), false
		}
		p = q
	}
	if r.t.At(p)-'0' <= 9 {
		return r.Refuse(wire.CodeNumber, p), false
	}
	return p, whole
}

func (r *Reader) digits(p int) int {
	for r.t.At(p)-'0' <= 9 {
		p++
	}
	return p
}
