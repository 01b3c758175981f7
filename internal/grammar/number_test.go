package grammar

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// randomNumber returns a random number; about half of them are near the limits of 64 bits.
func randomNumber(rnd *rand.Rand) string {
	var b strings.Builder
	if rnd.IntN(2) == 0 {
		b.WriteByte('-')
	}
	limits := []string{"9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616", "9007199254740993"}
	digits := limits[rnd.IntN(len(limits))]
	if rnd.IntN(2) == 0 {
		digits = strconv.FormatUint(rnd.Uint64()>>rnd.IntN(64), 10)
	}
	point := rnd.IntN(len(digits) + 1)
	before, after := strings.TrimLeft(digits[:point], "0"), digits[point:]
	if before == "" {
		before = "0"
	}
	b.WriteString(before)
	if after != "" {
		b.WriteString("." + after)
	}
	switch rnd.IntN(4) {
	case 0: // moves the point back
		b.WriteString("e" + strconv.Itoa(len(after)))
	case 1:
		b.WriteString([]string{"e", "E", "e+", "E-"}[rnd.IntN(4)] + strconv.Itoa(rnd.IntN(25)))
	}
	return b.String()
}

// TestTowardZero compares with math/big.
func TestTowardZero(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 0))
	fit := 0
	for range 100000 {
		number := randomNumber(rnd)
		exact, ok := new(big.Rat).SetString(number)
		if !ok || !IsNumber(number) {
			t.Fatalf("%s is not a number", number)
		}
		want := new(big.Int).Quo(exact.Num(), exact.Denom()) // rounds toward zero
		got, ok := TowardZero(number)
		if ok != new(big.Int).Abs(want).IsUint64() {
			t.Fatalf("%s: ok is %v", number, ok)
		}
		if !ok {
			continue
		}
		fit++
		if got.Abs != new(big.Int).Abs(want).Uint64() || got.Negative != strings.HasPrefix(number, "-") {
			t.Fatalf("%s is %+v, want %v", number, got, want)
		}
		if v, ok := Fit[int64](got); ok != want.IsInt64() || ok && v != want.Int64() {
			t.Fatalf("%s as int64 is %d, %v, want %v", number, v, ok, want)
		}
		if v, ok := Fit[uint64](got); ok != want.IsUint64() || ok && v != want.Uint64() {
			t.Fatalf("%s as uint64 is %d, %v, want %v", number, v, ok, want)
		}
		small := want.IsInt64() && want.Int64() >= math.MinInt8 && want.Int64() <= math.MaxInt8
		if v, ok := Fit[int8](got); ok != small || ok && int64(v) != want.Int64() {
			t.Fatalf("%s as int8 is %d, %v, want %v", number, v, ok, want)
		}
	}
	if fit < 10000 {
		t.Errorf("only %d numbers fit", fit)
	}
}

// TestTowardZeroExtremes has exponents that math/big would take forever for.
func TestTowardZeroExtremes(t *testing.T) {
	zeros := strings.Repeat("0", 1000)
	for _, x := range []struct {
		number string
		want   uint64
		ok     bool
	}{
		{"1e999999999999999999999", 0, false},
		{"1e-999999999999999999999", 0, true},
		{"0e999999999999999999999", 0, true},
		{"-0.0e99999", 0, true},
		{"0." + zeros + "12e1001", 1, true},
		{"0." + zeros + "12e1002", 12, true},
		{"12" + zeros + "e-1000", 12, true},
		{"12" + zeros + "e-1001", 1, true},
		{"12" + zeros, 0, false},
	} {
		if got, ok := TowardZero(x.number); ok != x.ok || ok && got.Abs != x.want {
			t.Errorf("%.20s: %+v, %v, want %d, %v", x.number, got, ok, x.want, x.ok)
		}
	}
}

// TestOverflows compares with strconv.
func TestOverflows(t *testing.T) {
	nines := strings.Repeat("9", 308)
	for _, number := range []string{
		"0", "-1.5", "1e308", "1.7976931348623157e308", "1.7976931348623159e308", "1e309", "-1e309", "1e-999", "0e999",
		nines, nines + "9", nines + "99", "-" + nines + "99", "0." + nines + nines, strings.Repeat("9", 299), nines + nines + "e-400",
	} {
		_, err := strconv.ParseFloat(number, 64)
		if got := Overflows(number); got != (err != nil) {
			t.Errorf("Overflows(%.30s) is %v, strconv says %v", number, got, err)
		}
	}
}
