package coder

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/wire"
)

// These tests are about integers: they fit or are refused, and never wrap. math/big, strconv and
// the oracle say what they should be.

// integerKind is a type of integer that generated code reads.
type integerKind struct {
	name     string
	min, max *big.Int
	// decode reads {"v":text} in a mode, an index of modes.
	decode func(mode int, text string) (*big.Int, wire.Code)
	// against compares the text with the oracle, in all modes, also as a quoted text.
	against func(t *testing.T, text string)
}

func integerKindOf[T ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64](name string, read reading[T]) integerKind {
	rs := readers()
	k := integerKind{name: name}
	bits := uint(reflect.TypeFor[T]().Bits())
	one := big.NewInt(1)
	if T(0)-1 < 0 {
		k.max = new(big.Int).Sub(new(big.Int).Lsh(one, bits-1), one)
		k.min = new(big.Int).Neg(new(big.Int).Lsh(one, bits-1))
	} else {
		k.max = new(big.Int).Sub(new(big.Int).Lsh(one, bits), one)
		k.min = new(big.Int)
	}
	k.decode = func(mode int, text string) (*big.Int, wire.Code) {
		v, code := refused(rs[mode], text, read)
		exact, _ := new(big.Int).SetString(fmt.Sprint(v), 10)
		return exact, code
	}
	k.against = func(t *testing.T, text string) {
		t.Helper()
		against(t, rs, []byte(`{"v":`+text+`}`), read)
		against(t, rs, []byte(`{"v":"`+text+`"}`), read)
	}
	return k
}

// integerKinds returns every kind of integer that the runtime reads.
func integerKinds() []integerKind {
	return []integerKind{
		integerKindOf("plain int", scalar(plainInt)),
		integerKindOf("int", scalar(Integer[int])),
		integerKindOf("int8", scalar(Integer[int8])),
		integerKindOf("int16", scalar(Integer[int16])),
		integerKindOf("int32", scalar(Integer[int32])),
		integerKindOf("int64", scalar(Integer[int64])),
		integerKindOf("uint", scalar(Integer[uint])),
		integerKindOf("uint8", scalar(Integer[uint8])),
		integerKindOf("uint16", scalar(Integer[uint16])),
		integerKindOf("uint32", scalar(Integer[uint32])),
		integerKindOf("uint64", scalar(Integer[uint64])),
	}
}

const (
	modeIndexDefault = 0
	modeIndexStrict  = 1
	modeIndexLenient = 2
)

// TestIntegerBorders decodes every integer within 3 of each power of two, with both signs, in every
// kind.
func TestIntegerBorders(t *testing.T) {
	kinds := integerKinds()
	for shift := range uint(68) {
		for near := int64(-3); near <= 3; near++ {
			for _, sign := range []int64{1, -1} {
				n := new(big.Int).Lsh(big.NewInt(sign), shift)
				n.Add(n, big.NewInt(near))
				for _, k := range kinds {
					for mode := range modes {
						k.holds(t, mode, n.String(), n)
					}
					k.holds(t, modeIndexLenient, `"`+n.String()+`"`, n)
				}
			}
		}
	}
	for _, k := range kinds {
		for _, n := range []*big.Int{k.min, k.max} {
			k.holds(t, modeIndexDefault, n.String(), n)
			for _, digit := range "0123456789" { // ten times the border: the last digit overflows
				ten, _ := new(big.Int).SetString(n.String()+string(digit), 10)
				k.holds(t, modeIndexDefault, ten.String(), ten)
			}
		}
	}
}

// holds checks that a text reads as the integer n, or is refused if the kind does not have it.
func (k *integerKind) holds(t *testing.T, mode int, text string, n *big.Int) {
	t.Helper()
	v, code := k.decode(mode, text)
	switch fits := n.Cmp(k.min) >= 0 && n.Cmp(k.max) <= 0; {
	case fits && (code != 0 || v.Cmp(n) != 0):
		t.Errorf("%s, %v: %s is read as %v, %v", k.name, modes[mode].mode, text, v, code)
	case !fits && code != wire.CodeRange:
		t.Errorf("%s, %v: %s is read as %v, %v, want %v", k.name, modes[mode].mode, text, v, code, wire.CodeRange)
	}
}

// integerTexts are numbers whose integer part is hard to compute, and texts that are not numbers.
var integerTexts = []string{
	"0", "-0", "00", "01", "-01", "-", "--1", "+1", "1-", "0x10", "1_000", "١",
	"0.0", "-0.0", "-0.5", "0.9999999999999999999999", "-0.9999999999999999999999", "1.", ".5", "-.5", "1.e2",
	"300.0", "300.5", "-1.9", "3e2", "3E2", "3e+2", "3e-2", "12345E-2", "1e", "1e+", "1e-", "1e0", "1.0e0",
	// A conversion to float64 would change these: they are odd and above 2^53.
	"9007199254740993.0", "-9007199254740993.0", "9007199254740993e0", "90071992547409930e-1", "9.007199254740993e15", "9007199254740992.9999",
	"9223372036854775807.0", "9223372036854775807.9", "-9223372036854775808.9", "922337203685477580.7e1", "9223372036854775808.0", "-9223372036854775809.0",
	"18446744073709551615.0", "18446744073709551615.99", "1.8446744073709551615e19", "18446744073709551616.0", "184467440737095516150e-1",
	"2147483647.0", "2147483648.0", "-2147483648.5", "4294967295.0", "4294967296.0", "127.9", "128.0", "255.9", "256.0", "-128.9", "-129.0",
	"1e18", "1e19", "1e20", "1e-18", "9e18", "9.3e18", "1.8e19", "1.9e19", "1000000000000000000000e-3", "123456789012345678901234567890e-20",
	"0e99999999999999999999", "-0e99999999999999999999", "0.000e400", "1e400", "1e-400", "1e99999999999999999999", "1e-99999999999999999999",
	"0.00000000000000000001e20", "0.00000000000000000001e39", "1" + strings.Repeat("0", 400) + "e-400", "0." + strings.Repeat("0", 400) + "7e401",
	"1" + strings.Repeat("0", 400) + "e-382", "0." + strings.Repeat("0", 400) + "7e420", strings.Repeat("9", 400), "-" + strings.Repeat("9", 400),
	"true", "false", "null", "tru", "nul", "{}", "[]", "[1]", "", " ", "1 2", "\\u0031", "1\\u0030", "1e1 ",
}

// TestIntegersAgainstOracle decodes integerTexts in every kind.
func TestIntegersAgainstOracle(t *testing.T) {
	for _, k := range integerKinds() {
		for _, text := range integerTexts {
			k.against(t, text)
		}
	}
}

// TestFractionsAboveFloat64 has the expected integers for some of integerTexts.
func TestFractionsAboveFloat64(t *testing.T) {
	for _, c := range []struct {
		text string
		want uint64
	}{
		{"9007199254740993.0", 9007199254740993},
		{"9007199254740993.999", 9007199254740993},
		{"90071992547409930e-1", 9007199254740993},
		{"1e18", 1000000000000000000},
		{"999999999999999999.9", 999999999999999999},
		{"9223372036854775807.5", math.MaxInt64},
		{"18446744073709551615.5", math.MaxUint64},
	} {
		for _, k := range integerKinds() {
			n := new(big.Int).SetUint64(c.want)
			k.holds(t, modeIndexLenient, c.text, n)
			k.holds(t, modeIndexLenient, "-"+c.text, new(big.Int).Neg(n))
			k.holds(t, modeIndexLenient, `"`+c.text+`"`, n)
			if _, code := k.decode(modeIndexDefault, c.text); code != wire.CodeInteger {
				t.Errorf("%s: %s gives %v in default mode, want %v", k.name, c.text, code, wire.CodeInteger)
			}
			if _, code := k.decode(modeIndexStrict, c.text); code != wire.CodeInteger {
				t.Errorf("%s: %s gives %v in strict mode, want %v", k.name, c.text, code, wire.CodeInteger)
			}
		}
	}
}

// TestSmallIntegers decodes all integers of 9 bits, and a part of those up to 17 bits.
func TestSmallIntegers(t *testing.T) {
	kinds := integerKinds()
	step := testkit.Scale[int64](t, 97, 11, 1)
	for n := int64(-70000); n <= 70000; n++ {
		if (n < -300 || n > 300) && n%step != 0 {
			continue
		}
		text, exact := strconv.FormatInt(n, 10), big.NewInt(n)
		for _, k := range kinds {
			k.holds(t, modeIndexDefault, text, exact)
		}
	}
}

// TestRandomIntegers decodes integers of any length, with fractions and exponents in lenient mode.
func TestRandomIntegers(t *testing.T) {
	count := testkit.Scale(t, 1000, 20_000, 500_000)
	r, kinds := testkit.Rand(testkit.Seed(t)), integerKinds()
	for range count {
		k := &kinds[r.IntN(len(kinds))]
		n := new(big.Int).SetUint64(r.Uint64() >> r.UintN(64))
		if r.IntN(8) == 0 {
			n.Mul(n, big.NewInt(r.Int64N(100)))
		}
		if r.IntN(2) == 0 {
			n.Neg(n)
		}
		k.holds(t, r.IntN(len(modes)), n.String(), n)
		k.against(t, shifted(r, n.String()))
	}
}

// shifted writes the digits with a fraction, an exponent, or both.
func shifted(r *rand.Rand, digits string) string {
	dot := r.IntN(len(digits)) + 1
	if digits[:dot] == "-" {
		dot++
	}
	text := digits[:dot]
	if dot < len(digits) {
		text += "." + digits[dot:]
	}
	return text + []string{"", "e", "E+", "e-"}[r.IntN(4)] + strconv.Itoa(r.IntN(25))
}

// TestTowardZero compares the integer part of a number with math/big.
func TestTowardZero(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	for range 20000 {
		text := shifted(r, strconv.FormatUint(r.Uint64()>>r.UintN(64), 10))
		rat, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatalf("math/big does not read %s", text)
		}
		want := new(big.Int).Quo(rat.Num(), rat.Denom())
		got, ok := grammar.TowardZero(text)
		if ok != want.IsUint64() || ok && got.Abs != want.Uint64() {
			t.Errorf("%s is %d, %v, want %v", text, got.Abs, ok, want)
		}
	}
}

// TestIntegerBeside writes each byte right after a number: the fast path must not take it for the
// end of the number if it is not.
func TestIntegerBeside(t *testing.T) {
	rs := readers()
	for b := range 256 {
		for _, digits := range []string{"0", "7", "10", "123456789", "123456789012345678", "-5"} {
			text := digits + string([]byte{byte(b)})
			against(t, rs, []byte(`{"v":`+text+`}`), scalar(plainInt))
			against(t, rs, []byte(`{"v":`+text+`,"x":0}`), scalar(plainInt))
			against(t, rs, []byte(`{"v":`+text), scalar(plainInt))
		}
	}
}
