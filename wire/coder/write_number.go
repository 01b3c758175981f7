package coder

import (
	"math"
	"strconv"

	"github.com/rtbwire/rtbwire/wire"
)

// AppendInt appends an integer.
func AppendInt[T ~int | ~int8 | ~int16 | ~int32 | ~int64](b []byte, v T) []byte {
	return appendInt(b, int64(v))
}

func appendInt(b []byte, v int64) []byte {
	u := uint64(v)
	switch {
	case u < 10:
		return append(b, byte('0'+u))
	case u < 100:
		return append(b, byte('0'+u/10), byte('0'+u%10))
	case u < 1000:
		return append(b, byte('0'+u/100), byte('0'+u/10%10), byte('0'+u%10))
	}
	return strconv.AppendInt(b, v, 10)
}

// AppendUint appends an integer without a sign.
func AppendUint[T ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64](b []byte, v T) []byte {
	return strconv.AppendUint(b, uint64(v), 10)
}

// Float64 appends the shortest number that reads back as v. NaN and infinity fail.
func (w *Writer) Float64(b []byte, v float64) []byte {
	if b, ok := appendPrice(b, v); ok {
		return b
	}
	return w.float(b, v, 64)
}

// Float32 appends the shortest number that reads back as v. NaN and infinity fail.
func (w *Writer) Float32(b []byte, v float32) []byte { return w.float(b, float64(v), 32) }

// pricesMax bounds what appendPrice takes: with four decimals such a number has at most 15
// digits, so that no other number of so many digits reads back as the same float64, and none
// that is shorter either.
const pricesMax = 1e11

// appendPrice appends a number with at most four decimals, which prices are, and reports
// whether v is one. The product below may be rounded; the quotient shows whether that matters.
func appendPrice(b []byte, v float64) ([]byte, bool) {
	const scale = 10000
	if !(v >= 0 && v < pricesMax) || v == 0 && math.Signbit(v) {
		return b, false
	}
	n := uint64(v*scale + 0.5)
	if float64(n)/scale != v {
		return b, false
	}
	whole, decimals := n/scale, n%scale
	if decimals == 0 {
		return AppendInt(b, int64(whole)), true
	}
	b = AppendInt(b, int64(whole))
	b = append(b, '.', byte('0'+decimals/1000), byte('0'+decimals/100%10), byte('0'+decimals/10%10), byte('0'+decimals%10))
	for b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	return b, true
}

// float appends a number in the form that encoding/json uses, which is ECMAScript's.
func (w *Writer) float(b []byte, v float64, bits int) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		w.Fail(wire.CodeFinite)
		return append(b, "null"...)
	}
	format := byte('f')
	if abs := math.Abs(v); abs != 0 {
		if bits == 64 && (abs < 1e-6 || abs >= 1e21) || bits == 32 && (float32(abs) < 1e-6 || float32(abs) >= 1e21) {
			format = 'e'
		}
	}
	b = strconv.AppendFloat(b, v, format, -1, bits)
	if n := len(b); format == 'e' && n >= 4 && b[n-4] == 'e' && b[n-3] == '-' && b[n-2] == '0' { // e-09 is e-9
		b[n-2] = b[n-1]
		b = b[:n-1]
	}
	return b
}
