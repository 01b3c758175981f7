package wire

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// This file is lenient mode: what becomes of values of the wrong type, after the decoding
// contract. Its methods are called for values that are neither right nor null, and return as
// the methods of Reader do.

// savedMax bounds how many things are remembered for one document; more are saved all the
// same.
const savedMax = 1000

// save notes that something was put right.
func (r *Reader) save(code Code, at int) {
	if len(r.saved) < savedMax {
		r.saved = append(r.saved, Saved{Code: code, Offset: at, Path: pointerAt(r.data, at)})
	}
}

// markInvalid makes the bytes that are not UTF-8 special, so that strings which hold some are
// looked at closer.
func (r *Reader) markInvalid() {
	for p := 0; p < r.n; {
		c, n := utf8.DecodeRune(r.data[p:r.n])
		if c == utf8.RuneError && n == 1 {
			r.blocks.at(uint(p) >> 6).Special |= 1 << (uint(p) & 63)
		}
		p += n
	}
}

// lenientString takes a bare number or boolean as its text.
func (r *Reader) lenientString(p int) (string, int) {
	if b := r.t.at(p); b == '{' || b == '[' {
		return "", r.wrong(p)
	}
	end := r.skipScalar(p)
	if end == 0 {
		return "", 0
	}
	r.save(CodeType, p)
	return r.t.str(p, end), end
}

// lenientInt takes 300.0, 3e2, "300", true and false; fractions are rounded toward zero.
func (r *Reader) lenientInt(p int) (int, int) {
	switch r.t.at(p) {
	case 't':
		return r.savedInt(1, CodeType, p, r.literal(p, "true"))
	case 'f':
		return r.savedInt(0, CodeType, p, r.literal(p, "false"))
	case '{', '[':
		return 0, r.wrong(p)
	}
	code := CodeInteger
	if r.t.at(p) == '"' {
		code = CodeType
	}
	text, end := r.numberText(p)
	if end == 0 {
		return 0, 0
	}
	if v, err := strconv.Atoi(text); err == nil {
		return r.savedInt(v, code, p, end)
	}
	f, err := strconv.ParseFloat(text, 64)
	if f = math.Trunc(f); err != nil || f < math.MinInt || f >= -float64(math.MinInt) {
		return 0, r.Refuse(CodeRange, p)
	}
	return r.savedInt(int(f), code, p, end)
}

func (r *Reader) savedInt(v int, code Code, p, end int) (int, int) {
	if end != 0 {
		r.save(code, p)
	}
	return v, end
}

// numberText reads a number, quoted or not, and returns its text.
func (r *Reader) numberText(p int) (string, int) {
	if r.t.at(p) != '"' {
		if b := r.t.at(p); b != '-' && b-'0' > 9 {
			return "", r.Refuse(CodeSyntax, p)
		}
		end, _ := r.number(p)
		if end == 0 {
			return "", 0
		}
		return r.t.str(p, end), end
	}
	text, end := r.AnyString(p)
	if end <= 0 {
		return "", 0
	}
	// The quotes may hold a number and nothing else.
	ref := reference{data: []byte(text), stop: -1}
	if b := ref.peek(); b != '-' && b-'0' > 9 || !ref.number() || ref.pos != len(text) {
		return "", r.Refuse(CodeType, p)
	}
	return text, end
}

// lenientFloat takes a quoted number.
func (r *Reader) lenientFloat(p int) (float64, int) {
	text, end := r.numberText(p)
	if end == 0 {
		return 0, 0
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, r.Refuse(CodeRange, p)
	}
	r.save(CodeType, p)
	return v, end
}

// lenientBool takes 0, 1 and quoted words.
func (r *Reader) lenientBool(p int) (bool, int) {
	end := r.Skip(p, 0)
	if end == 0 {
		r.failed = 0
		return false, r.wrong(p)
	}
	switch r.t.str(p, end) {
	case "1", `"1"`, `"true"`:
		r.save(CodeType, p)
		return true, end
	case "0", `"0"`, `"false"`:
		r.save(CodeType, p)
		return false, end
	}
	return false, r.wrong(p)
}

// Bare reports whether the value at p, where an array belongs, is to be read as the array's
// only element: lenient mode takes one bare value for an array of one.
func (r *Reader) Bare(p int) bool {
	if !r.lenient || r.t.at(p) == 'n' {
		return false
	}
	r.save(CodeType, p)
	return true
}
