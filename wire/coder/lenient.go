package coder

import (
	"strconv"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/wire"
)

// This file is lenient mode: what values of the wrong type become. Its methods are called for
// values that have neither the right type nor are null, and return as the methods of Reader do.

// repairs are what lenient mode has repaired, in the order of offsets: enough to make the list of
// wire.Saved at the end of the document. Reading the document from its start for the path of each
// repair would take quadratic time.
type repairs struct {
	codes   []wire.Code
	offsets []int
}

func (r *repairs) len() int { return len(r.codes) }

func (r *repairs) cut(n int) { r.codes, r.offsets = r.codes[:n], r.offsets[:n] }

// A document lists one repair for so many bytes, and a few more: hardly any has as many, and each
// costs much more time than what it repairs.
const (
	savedEvery = 16
	savedFree  = 12
)

// repairCost is what the note of a repair is charged with: with room for as many again, in memory
// that has moved from slices of half the size.
const repairCost = 5 * (8 + 1)

// save notes a repair, if the list and the memory budget have room for it.
func (r *Reader) save(code wire.Code, at int) {
	if r.repairs.len() < min(wire.SavedMax, savedFree+r.n/savedEvery) && r.memory >= repairCost {
		r.memory -= repairCost
		r.repairs.codes = append(r.repairs.codes, code)
		r.repairs.offsets = append(r.repairs.offsets, at)
	}
}

// list makes the list of repairs: as many as what is left of the memory budget has room for. It
// also finds the path of a failure after them.
func (r *Reader) list() {
	const entry = 5 * 32 // bytes of a wire.Saved
	n, offsets := r.repairs.len(), r.repairs.offsets
	if r.failed != 0 && !r.located && r.failedAt >= offsets[n-1] {
		offsets = append(offsets, r.failedAt)
		r.repairs.offsets = offsets[:n]
	}
	i := 0
	grammar.PointersAt(r.data, offsets, func(path string) bool {
		if i == n {
			r.located, r.path = true, path
			return false
		}
		if r.memory -= entry + 2*len(path); r.memory >= 0 {
			r.saved = append(r.saved, wire.Saved{Code: r.repairs.codes[i], Offset: offsets[i], Path: path})
		}
		i++
		return r.memory >= 0 || len(offsets) > n
	})
}

// markInvalid makes the bytes that are not UTF-8 special, so that strings with such bytes get
// a closer look.
func (r *Reader) markInvalid() {
	for p := 0; p < r.n; {
		c, n := utf8.DecodeRune(r.data[p:r.n])
		if c == utf8.RuneError && n == 1 {
			r.blocks.At(uint(p) >> 6).Special |= 1 << (uint(p) & 63)
		}
		p += n
	}
}

// lenientString takes a bare number or boolean as its text.
func (r *Reader) lenientString(p int) (string, int) {
	if b := r.t.At(p); b == '{' || b == '[' {
		return "", r.wrong(p, "string")
	}
	end := r.skipScalar(p)
	if end == 0 {
		return "", 0
	}
	r.save(wire.CodeType, p)
	return r.t.String(p, end), end
}

// lenientInt takes what lenientWide takes for a plain int.
func (r *Reader) lenientInt(p int) (int, int) {
	w, code, end := r.lenientWide(p)
	v, ok := grammar.Fit[int](w)
	if end == 0 || !ok {
		return 0, refuseRange[int](r, p)
	}
	r.save(code, p)
	return v, end
}

// lenientWide takes 300.0, 3e2, "300", true and false; fractions are rounded toward zero. code
// is what the value is to be saved with once it is known to fit.
func (r *Reader) lenientWide(p int) (v grammar.Integer, code wire.Code, end int) {
	switch r.t.At(p) {
	case 't':
		return grammar.Integer{Abs: 1}, wire.CodeType, r.literal(p, "true")
	case 'f':
		return grammar.Integer{}, wire.CodeType, r.literal(p, "false")
	case '{', '[':
		return grammar.Integer{}, 0, r.wrong(p, "integer")
	case '"':
		code = wire.CodeType
	default:
		code = wire.CodeInteger
	}
	text, end := r.numberText(p, "integer or quoted integer")
	if end == 0 {
		return grammar.Integer{}, 0, 0
	}
	v, ok := grammar.TowardZero(text)
	if !ok {
		return grammar.Integer{}, 0, r.Refuse(wire.CodeRange, p)
	}
	return v, code, end
}

// numberText reads a number, quoted or not, and returns its text. Quotes with anything else in
// them are refused; want is what should be there.
func (r *Reader) numberText(p int, want string) (string, int) {
	if r.t.At(p) != '"' {
		if b := r.t.At(p); b != '-' && b-'0' > 9 {
			return "", r.Refuse(wire.CodeSyntax, p)
		}
		end, _ := r.number(p)
		if end == 0 {
			return "", 0
		}
		return r.t.String(p, end), end
	}
	text, end := r.AnyString(p)
	if end <= 0 {
		return "", 0
	}
	// The quotes may hold a number and nothing else.
	if !grammar.IsNumber(text) {
		return "", r.refuse(wire.CodeType, p, want)
	}
	return text, end
}

// lenientFloat takes a quoted number, rounded to so many bits.
func (r *Reader) lenientFloat(p, bits int) (float64, int) {
	text, end := r.numberText(p, "number or quoted number")
	if end == 0 {
		return 0, 0
	}
	v, err := strconv.ParseFloat(text, bits)
	if err != nil {
		return 0, r.refuse(wire.CodeRange, p, "float"+strconv.Itoa(bits))
	}
	r.save(wire.CodeType, p)
	return v, end
}

// lenientBool takes 0, 1 and quoted words.
func (r *Reader) lenientBool(p int) (bool, int) {
	end := r.Skip(p, 0)
	if end == 0 {
		r.failed = 0
		return false, r.wrong(p, "boolean")
	}
	switch r.t.String(p, end) {
	case "1", `"1"`, `"true"`:
		r.save(wire.CodeType, p)
		return true, end
	case "0", `"0"`, `"false"`:
		r.save(wire.CodeType, p)
		return false, end
	}
	return false, r.wrong(p, "boolean")
}

// Bare reports whether the value at p, where an array belongs, is to be read as the array's
// only element: lenient mode takes one bare value for an array of one.
func (r *Reader) Bare(p int) bool {
	if !r.lenient || r.t.At(p) == 'n' {
		return false
	}
	r.save(wire.CodeType, p)
	return true
}
