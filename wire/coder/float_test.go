package coder

import (
	"bufio"
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/wire"
)

// These tests are about floats: the nearest to the text, or the even one of two equally near.
// strconv says which.

// floatReader reads the same text as a float64 and as a float32.
type floatReader struct {
	r    Reader
	data []byte
}

func (f *floatReader) document(text string) []byte {
	f.data = append(append(append(f.data[:0], `{"v":`...), text...), '}')
	return f.data
}

// holds checks that a text reads as strconv reads it, as a float64 and as a float32.
func (f *floatReader) holds(t *testing.T, text string) {
	t.Helper()
	f.holds64(t, text)
	f.holds32(t, text)
}

// holds64 is holds for a float64.
func (f *floatReader) holds64(t *testing.T, text string) {
	t.Helper()
	want, wantErr := strconv.ParseFloat(text, 64)
	got, err := decodeHolder(&f.r, f.document(text), scalar((*Reader).Float))
	if wantErr != nil {
		if codeOf(err) != wire.CodeRange {
			t.Errorf("%s: %v, %v, want %v", text, got.V, err, wire.CodeRange)
		}
	} else if err != nil || math.Float64bits(got.V) != math.Float64bits(want) {
		t.Errorf("%s: %x, %v, want %x", text, math.Float64bits(got.V), err, math.Float64bits(want))
	}
}

// holds32 is holds for a float32.
func (f *floatReader) holds32(t *testing.T, text string) {
	t.Helper()
	want, wantErr := strconv.ParseFloat(text, 32)
	got32, err := decodeHolder(&f.r, f.document(text), scalar((*Reader).Float32))
	if wantErr != nil {
		if codeOf(err) != wire.CodeRange {
			t.Errorf("float32 %s: %v, %v, want %v", text, got32.V, err, wire.CodeRange)
		}
	} else if err != nil || math.Float32bits(got32.V) != math.Float32bits(float32(want)) {
		t.Errorf("float32 %s: %x, %v, want %x", text, math.Float32bits(got32.V), err, math.Float32bits(float32(want)))
	}
}

// hardFloats are numbers that some parser has read wrong.
var hardFloats = []string{
	"0", "-0", "0.0", "-0.0", "0e0", "0e999", "-0e-999", "1", "-1", "10", "0.1", "0.2", "0.3", "0.5", "1.5", "100.000",
	// Borders of what is exact in a float64: 2^53, and powers of ten up to 10^22.
	"9007199254740991", "9007199254740992", "9007199254740993", "9007199254740994", "9007199254740995", "9007199254740993.0",
	"9007199254740992.5", "900719925474099.3", "99999999999999.9", "999999999999999", "9999999999999999", "0.000000000000001", "0.0000000000000001",
	"1e15", "1e16", "1e21", "1e22", "1e23", "1e-22", "1e-23", "123456789012345e22", "8.5e22", "1.448997445238699",
	// Exactly between two floats, and just beside.
	"1.00000000000000011102230246251565404236316680908203125", "1.00000000000000011102230246251565404236316680908203124", "1.00000000000000011102230246251565404236316680908203126",
	"1.000000000000000333066907387546962127089500427246093750", "1.00000000000000033306690738754696212708950042724609374999",
	"5e-324", "4.9e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "2.5e-324", "7.4e-324",
	"2.2250738585072011e-308", "2.2250738585072012e-308", "2.2250738585072014e-308", "2.225073858507201136057409796709131975934819546351645648023426109724822222021076945516529523908135087914149158913039621106870086438694594645527657207407820621743379988141063267329253552286881372149012981122451451889849057222307285255133155755015914397476397983411801999323962548289017107081850690630666655994938275772572015763062690663332647565300009245888316433037779791869612049497390377829704905051080609940730262937128958950003583799967207254304360284078895771796150945516748243471030702609144621572289880258182545180325707018860872113128079512233426288368622321503775666622503982534335974568884423900265498198385487948292206894721689831099698365846814022854243330660339850886445804001034933970427567186443383770486037861622771738545623065874679014086723327636718749999999999999999999999999999999999999",
	"1.7976931348623157e308", "1.7976931348623158e308", "1.797693134862315807e308", "1.7976931348623159e308", "1e308", "1e309", "-1e309", "1.8e308",
	"6.631236846766476e-316", "3.2378839133029012895883524125015321748630094231488e-319", "8.589934592e9", "4503599627370496.5", "4503599627370497.5",
	"8e-100000000000000000000", "8e100000000000000000000", "0.00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001e100",
	// Rounded to a float64 first, these round once more to the wrong float32.
	"1.000000178813934326171875000000000000001", "1.00000017881393432617187499", "1.00000017881393432617187501", "0.500000059604644775390625001", "7.0060e-46",
	"16777217", "16777217.0000001", "16777216.9999999", "16777219", "33554434.0000000001", "33554435", "8388609.5000000001", "8388608.5000000001",
	"3.4028234663852886e38", "3.4028235e38", "3.40282356779733e38", "3.4028235677973366e38", "3.4028235677973367e38", "3.5e38", "1.401298464324817e-45", "7.006492321624085e-46", "7.0064923216240854e-46",
	"1.1754943508222875e-38", "1.1754942807573643e-38", "1.17549435e-38",
}

// TestHardFloats decodes hardFloats on both paths and with both signs.
func TestHardFloats(t *testing.T) {
	var f floatReader
	for _, text := range hardFloats {
		f.holds(t, text)
		f.holds(t, strings.TrimPrefix("-"+text, "--"))
		f.holds(t, text+exponentZero(text)) // the same number, on the slow path
	}
}

// exponentZero is what makes a text take the slow path without changing its number.
func exponentZero(text string) string {
	if strings.ContainsAny(text, "eE") {
		return ""
	}
	return "e0"
}

// TestDoubleRounding checks that hardFloats has numbers which round to another float32 by way of a
// float64.
func TestDoubleRounding(t *testing.T) {
	shown := 0
	for _, text := range hardFloats {
		wide, err := strconv.ParseFloat(text, 64)
		if err != nil {
			continue
		}
		if once, err := strconv.ParseFloat(text, 32); err == nil && float32(wide) != float32(once) {
			shown++
		}
	}
	if shown < 3 {
		t.Errorf("%d texts round differently by way of a float64, want at least 3", shown)
	}
}

// TestNumbersFile decodes decimal texts with the bits that other implementations computed for them.
func TestNumbersFile(t *testing.T) {
	file, err := os.Open(testkit.Path(t, "testdata/numbers/f64.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var f floatReader
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	count := 0
	for lines.Scan() {
		bits, text, ok := strings.Cut(lines.Text(), " ")
		if !ok || strings.HasPrefix(bits, "#") {
			continue
		}
		count++
		if !json.Valid([]byte(text)) { // some texts are valid elsewhere
			if _, code := refused(&f.r, text, scalar((*Reader).Float)); code == 0 {
				t.Errorf("%.100s is accepted, but not JSON", text)
			}
			text = asJSON(text)
		}
		got, err := decodeHolder(&f.r, f.document(text), scalar((*Reader).Float))
		if bits == "OVERFLOW" {
			if codeOf(err) != wire.CodeRange {
				t.Errorf("%.100s: %v, %v, want %v", text, got.V, err, wire.CodeRange)
			}
		} else if want, _ := strconv.ParseUint(bits, 16, 64); err != nil || math.Float64bits(got.V) != want {
			t.Errorf("%.100s: %x, %v, want %s", text, math.Float64bits(got.V), err, bits)
		}
		f.holds(t, text)
	}
	if err := lines.Err(); err != nil || count < 4000 {
		t.Errorf("%d numbers, %v", count, err)
	}
}

// asJSON adds the digits beside the dot that JSON requires.
func asJSON(text string) string {
	text = bareDot.ReplaceAllString(text, "${1}0.")
	return nakedDot.ReplaceAllString(text, ".0$1")
}

var (
	bareDot  = regexp.MustCompile(`^(-?)\.`)
	nakedDot = regexp.MustCompile(`\.([eE]|$)`)
)

// TestRandomFloats compares random floats with strconv. RTBWIRE_FLOATS sets their number.
func TestRandomFloats(t *testing.T) {
	count := testkit.Number(t, "RTBWIRE_FLOATS", testkit.Scale(t, 20_000, 300_000, 3_000_000))
	r := testkit.Rand(testkit.Seed(t))
	var f floatReader
	for range count {
		v, text := randomFloat(r)
		f.holds64(t, text)
		if near := math.Abs(v); near > 1e-46 && near < 1e39 || r.IntN(64) == 0 { // beyond this range strconv is slow, and the result known
			f.holds32(t, text)
		}
		if t.Failed() {
			return
		}
	}
}

// randomFloat writes a random bit pattern of one of the two widths, or random digits, in one of
// several formats. v is about as large.
func randomFloat(r *rand.Rand) (v float64, text string) {
	v = math.Float64frombits(r.Uint64())
	width := 64
	switch r.IntN(32) / 3 {
	case 0, 3, 4:
		v, width = float64(math.Float32frombits(r.Uint32())), 32
	case 1: // prices, which take the fast path
		return 1, strconv.FormatFloat(float64(r.Int64N(1_000_000_000)-500_000_000)/1e4, 'f', r.IntN(8), 64)
	case 2: // the borders of the fast path: 13 to 18 digits with the dot anywhere
		digits := strconv.FormatUint(1e18+r.Uint64N(9e18), 10)[:13+r.IntN(6)]
		dot := 1 + r.IntN(len(digits)-1)
		return 1, digits[:dot] + "." + digits[dot:]
	case 10: // the exact middle between two neighbours
		return 1, middle(math.Float64frombits(r.Uint64()&^(0x7ff<<52) | (1023-30+r.Uint64N(60))<<52))
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 1, "0"
	}
	switch r.IntN(4) {
	case 0:
		return v, strconv.FormatFloat(v, 'e', r.IntN(25), width)
	case 1:
		if math.Abs(v) < 1e40 && math.Abs(v) > 1e-40 {
			return v, strconv.FormatFloat(v, 'f', -1, width)
		}
	case 2:
		return v, strconv.FormatFloat(v, 'E', 16+r.IntN(3), width)
	}
	return v, strconv.FormatFloat(v, 'g', -1, width)
}

// middle writes the number halfway between a float and the next one, with every digit.
func middle(v float64) string {
	sum := new(big.Rat).SetFloat64(v)
	sum.Add(sum, new(big.Rat).SetFloat64(math.Nextafter(v, math.Inf(1))))
	return sum.Quo(sum, big.NewRat(2, 1)).FloatString(90) // at least 2^-83, which has 83 digits
}

// TestFloatTexts compares texts that are not numbers, and values of other types, with the oracle.
func TestFloatTexts(t *testing.T) {
	rs := readers()
	for _, text := range append([]string{
		"1.", ".5", "-.5", "-", "+1", "00", "01", "-01", "00.5", "1.e1", "1e", "1e+", "1E-", "1.5.5", "1e5e5", "0x1p4", "NaN", "Infinity", "inf", "1_0",
		"true", "false", "null", "nul", "{}", "[]", "[1.5]", `"1.5"`, `"1.5 "`, `" 1.5"`, `""`, `"."`, `"NaN"`, `"0x1p4"`, `"1e999"`, `"\u0031"`, `"-0"`, `"1_0"`, `"Inf"`,
	}, integerTexts...) {
		for _, behind := range []string{"", " ", "\n", "}", "]", ",", `"`} {
			doc := []byte(`{"v":` + text + behind + `}`)
			against(t, rs, doc, scalar((*Reader).Float))
			against(t, rs, doc, scalar((*Reader).Float32))
		}
	}
}
