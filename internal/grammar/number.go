package grammar

import (
	"math"
	"strconv"
	"strings"
)

// exponentMax is more than all digits of the longest document can make up for.
const exponentMax = 1 << 30

// Integer is an integer of up to 64 bits with a sign of its own.
type Integer struct {
	Abs      uint64
	Negative bool
}

// Bits returns the integer in two's complement.
func (v Integer) Bits() uint64 {
	if v.Negative {
		return -v.Abs
	}
	return v.Abs
}

// AnyInteger is every integer type.
type AnyInteger interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Fit returns v as a T, and whether a T can hold it.
func Fit[T AnyInteger](v Integer) (T, bool) {
	t := T(v.Abs)
	if v.Negative {
		t = -t
	}
	return t, uint64(t) == v.Bits() && (t < 0) == (v.Negative && v.Abs != 0)
}

// TowardZero returns the integer part of a number, exactly: a float64 on the way would change
// integers beyond 2^53. ok is false if it needs more than 64 bits.
func TowardZero(number string) (v Integer, ok bool) {
	number, v.Negative = strings.CutPrefix(number, "-")
	mantissa, exponent := number, 0
	if i := strings.IndexAny(number, "eE"); i >= 0 {
		mantissa = number[:i]
		exponent, _ = strconv.Atoi(number[i+1:]) // out of range it is the nearest that fits
		exponent = max(min(exponent, exponentMax), -exponentMax)
	}
	before, after, _ := strings.Cut(mantissa, ".")
	for i := range len(before) + exponent {
		var digit uint64
		switch {
		case i < len(before):
			digit = uint64(before[i] - '0')
		case i < len(before)+len(after):
			digit = uint64(after[i-len(before)] - '0')
		case v.Abs == 0: // zero, whatever the exponent
			return v, true
		}
		if v.Abs > (math.MaxUint64-digit)/10 {
			return v, false
		}
		v.Abs = v.Abs*10 + digit
	}
	return v, true
}

// Overflows reports whether a number is beyond the range of a float64.
func Overflows(number string) bool {
	const digitsSafe = 300 // without an exponent, so few characters never overflow
	if len(number) < digitsSafe && !strings.ContainsAny(number, "eE") {
		return false
	}
	_, err := strconv.ParseFloat(number, 64)
	return err != nil
}
