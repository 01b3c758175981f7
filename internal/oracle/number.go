package oracle

import (
	"math/big"
	"reflect"
	"strconv"
	"strings"
)

// quoted reads a string that must hold a number and nothing else.
func (d *decoder) quoted(path string) string {
	at := d.pos
	text := d.str(path, true)
	inner := &decoder{data: []byte(text)}
	var read string
	if inner.attempt(func() { read = inner.number("") }) != nil || read != text {
		d.fail("type", at, path)
	}
	return text
}

// setFloat stores a number, if it fits.
func (d *decoder) setFloat(v reflect.Value, text string, at int, path string) {
	f, err := strconv.ParseFloat(text, v.Type().Bits())
	if err != nil {
		d.fail("range", at, path)
	}
	v.SetFloat(f)
}

// setInt stores the integer part of a number, if it fits.
func (d *decoder) setInt(v reflect.Value, text string, at int, path string) {
	n := integerPart(text)
	switch {
	case n == nil:
		d.fail("range", at, path)
	case v.CanInt():
		if !n.IsInt64() || v.OverflowInt(n.Int64()) {
			d.fail("range", at, path)
		}
		v.SetInt(n.Int64())
	default:
		if !n.IsUint64() || v.OverflowUint(n.Uint64()) {
			d.fail("range", at, path)
		}
		v.SetUint(n.Uint64())
	}
}

// integerPart rounds a number toward zero. It returns nil if no integer type has the result.
func integerPart(text string) *big.Int {
	mantissa, exponent := text, "0"
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa, exponent = text[:i], text[i+1:]
	}
	if strings.Trim(mantissa, "-0.") == "" {
		return new(big.Int)
	}
	e, _ := new(big.Int).SetString(exponent, 10)
	// A huge exponent decides alone. For others math/big computes exactly.
	if e.CmpAbs(big.NewInt(int64(len(text)+100))) > 0 {
		if e.Sign() < 0 {
			return new(big.Int)
		}
		return nil
	}
	rat, _ := new(big.Rat).SetString(mantissa + "e" + e.String())
	return new(big.Int).Quo(rat.Num(), rat.Denom())
}
