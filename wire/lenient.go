package wire

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// This file is lenient mode: what becomes of values of the wrong type, after the decoding
// contract. Its methods are called for values that are neither right nor null, and return as
// the methods of Reader do.

// savedMax bounds how many things are remembered for one document; more are saved all the
// same.
const savedMax = 1000

// save notes that something was put right. Its path comes later: reading the document from
// its start for each of them would take the square of the time.
func (r *Reader) save(code Code, at int) {
	if len(r.saved) < savedMax {
		r.saved = append(r.saved, Saved{Code: code, Offset: at})
	}
}

// savePaths completes what save has noted, which is in the order of the offsets.
func (r *Reader) savePaths() {
	offsets := make([]int, len(r.saved))
	for i := range r.saved {
		offsets[i] = r.saved[i].Offset
	}
	for i, path := range pointersAt(r.data, offsets) {
		r.saved[i].Path = path
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

// lenientInt takes what lenientWide takes for a plain int.
func (r *Reader) lenientInt(p int) (int, int) {
	w, code, end := r.lenientWide(p)
	if end == 0 {
		return 0, 0
	}
	v, ok := fit[int](w)
	if !ok {
		return 0, r.Refuse(CodeRange, p)
	}
	r.save(code, p)
	return v, end
}

// lenientWide takes 300.0, 3e2, "300", true and false; fractions are rounded toward zero. code
// is what the value is to be saved with once it is known to fit.
func (r *Reader) lenientWide(p int) (v wideInt, code Code, end int) {
	switch r.t.at(p) {
	case 't':
		return wideInt{abs: 1}, CodeType, r.literal(p, "true")
	case 'f':
		return wideInt{}, CodeType, r.literal(p, "false")
	case '{', '[':
		return wideInt{}, 0, r.wrong(p)
	case '"':
		code = CodeType
	default:
		code = CodeInteger
	}
	text, end := r.numberText(p)
	if end == 0 {
		return wideInt{}, 0, 0
	}
	v, ok := towardZero(text)
	if !ok {
		return wideInt{}, 0, r.Refuse(CodeRange, p)
	}
	return v, code, end
}

// towardZero returns the integer part of a number of JSON's grammar, exactly: a float64 on the
// way would change integers beyond 2^53. ok is false if it needs more than 64 bits.
func towardZero(number string) (v wideInt, ok bool) {
	number, v.negative = strings.CutPrefix(number, "-")
	mantissa, exponent := number, 0
	if i := strings.IndexAny(number, "eE"); i >= 0 {
		mantissa = number[:i]
		exponent, _ = strconv.Atoi(number[i+1:]) // out of range it is the nearest that fits
		exponent = max(min(exponent, exponentMost), -exponentMost)
	}
	before, after, _ := strings.Cut(mantissa, ".")
	for i := range len(before) + exponent {
		var digit uint64
		switch {
		case i < len(before):
			digit = uint64(before[i] - '0')
		case i < len(before)+len(after):
			digit = uint64(after[i-len(before)] - '0')
		case v.abs == 0: // zero, whatever the exponent
			return v, true
		}
		if v.abs > (math.MaxUint64-digit)/10 {
			return v, false
		}
		v.abs = v.abs*10 + digit
	}
	return v, true
}

// exponentMost is beyond what all digits of the longest document can make up for.
const exponentMost = 2 * sizeMost

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
	ref := reference{data: []byte(text)}
	if b := ref.peek(); b != '-' && b-'0' > 9 || !ref.number() || ref.pos != len(text) {
		return "", r.Refuse(CodeType, p)
	}
	return text, end
}

// lenientFloat takes a quoted number, rounded to so many bits.
func (r *Reader) lenientFloat(p, bits int) (float64, int) {
	text, end := r.numberText(p)
	if end == 0 {
		return 0, 0
	}
	v, err := strconv.ParseFloat(text, bits)
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
