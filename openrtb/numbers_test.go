package openrtb_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rtbwire/rtbwire/internal/twin"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// This file sends numbers through real fields. Package wire has the numbers by themselves.
//
// A short run is part of the tests. For long ones:
//
//	RTBWIRE_FLOATS=10000000 go test ./openrtb -run TestFloatField -timeout 0 -v
//	RTBWIRE_FLOATS=float32  go test ./openrtb -run TestFloatField -timeout 0 -v     (every float32 once)

// floatField decodes texts of floats, many of them in one document, and compares with strconv.
type floatField struct {
	d     *openrtb.Decoder
	doc   []byte
	texts [][2]int // places in doc
}

func newFloatField() *floatField { return &floatField{d: openrtb.NewDecoder()} }

// floatsPerDocument is few enough that the index and the slabs stay warm, and enough that they cost next to nothing.
const floatsPerDocument = 64

// add takes one more text, which write appends.
func (f *floatField) add(write func([]byte) []byte) error {
	if len(f.texts) == 0 {
		f.doc = append(f.doc[:0], `{"imp":[`...)
	}
	f.doc = append(f.doc, `{"bidfloor":`...)
	start := len(f.doc)
	f.doc = write(f.doc)
	f.texts = append(f.texts, [2]int{start, len(f.doc)})
	f.doc = append(f.doc, "},"...)
	if len(f.texts) < floatsPerDocument {
		return nil
	}
	return f.flush()
}

func (f *floatField) flush() error {
	if len(f.texts) == 0 {
		return nil
	}
	f.doc = append(f.doc[:len(f.doc)-1], "]}"...)
	v, err := f.d.Decode(f.doc)
	if err != nil {
		return fmt.Errorf("%w in %s", err, f.doc)
	}
	for i, at := range f.texts {
		text := string(f.doc[at[0]:at[1]])
		want, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return err // the texts here are all in range
		}
		if got := *v.Imp[i].BidFloor; math.Float64bits(got) != math.Float64bits(want) {
			return fmt.Errorf("bidfloor of %s: %x, strconv says %x", text, got, want)
		}
	}
	f.texts = f.texts[:0]
	return nil
}

// appendFloat appends a text within the range of float64, of a kind that has been read wrong somewhere.
func appendFloat(dst []byte, r *rand.Rand) []byte {
	if r.IntN(4) == 0 {
		dst = append(dst, '-')
	}
	finite := func() float64 {
		for {
			if v := math.Float64frombits(r.Uint64() &^ (1 << 63)); !math.IsNaN(v) && !math.IsInf(v, 0) {
				return v
			}
		}
	}
	digits := func(n int) {
		for range n {
			dst = append(dst, byte('0'+r.IntN(10)))
		}
	}
	switch r.IntN(9) {
	case 0: // any float at all, in the fewest digits
		return strconv.AppendFloat(dst, finite(), 'e', -1, 64)
	case 1: // in more digits than it needs
		return strconv.AppendFloat(dst, finite(), 'e', 16+r.IntN(6), 64)
	case 2, 3: // a price
		dst = strconv.AppendUint(dst, r.Uint64N(1<<r.IntN(20)), 10)
		dst = append(dst, '.')
		digits(1 + r.IntN(8))
		return dst
	case 4: // about as many digits as a float holds, the dot anywhere: the quick way ends at 15
		n := 13 + r.IntN(8)
		before := r.IntN(n)
		if before == 0 {
			dst = append(dst, '0')
		} else {
			dst = append(dst, byte('1'+r.IntN(9)))
			digits(before - 1)
		}
		dst = append(dst, '.')
		digits(n - before)
		return dst
	case 5: // an integer around 2^53
		return strconv.AppendUint(dst, 1<<53-4+r.Uint64N(1<<r.IntN(11)), 10)
	case 6: // an exponent
		dst = append(dst, byte('1'+r.IntN(9)))
		if r.IntN(2) == 0 {
			dst = append(dst, '.')
			digits(1 + r.IntN(18))
		}
		return fmt.Appendf(dst, "%s%d", []string{"e", "E", "e+", "E-", "e-"}[r.IntN(5)], r.IntN(300))
	case 7: // next to zero, and below
		return strconv.AppendFloat(dst, math.Float64frombits(r.Uint64N(1<<r.IntN(54))), 'e', -1, 64)
	default: // half way between two floats, exactly or nearly
		a := math.Float64frombits(math.Float64bits(1) + r.Uint64N(1<<58) - 1<<57)
		half := new(big.Float).SetPrec(64).SetFloat64(a)
		half.Add(half, new(big.Float).SetFloat64(math.Nextafter(a, math.Inf(1))))
		half.Mul(half, big.NewFloat(0.5))
		start := len(dst)
		dst = half.Append(dst, 'e', 760) // all of its digits
		text := string(dst[start:])
		mantissa, exponent, _ := strings.Cut(text, "e")
		mantissa = strings.TrimRight(mantissa, "0")
		if strings.HasSuffix(mantissa, ".") {
			mantissa += "0"
		}
		return append(dst[:start], mantissa+[]string{"", "0", "1", "00000000000000000001"}[r.IntN(4)]+"e"+exponent...)
	}
}

func TestFloatField(t *testing.T) {
	count := 150_000
	if testing.Short() {
		count = 20_000
	}
	set := os.Getenv("RTBWIRE_FLOATS")
	all := set == "float32"
	if set != "" && !all {
		var err error
		if count, err = strconv.Atoi(set); err != nil {
			t.Fatal(err)
		}
	}
	workers := runtime.GOMAXPROCS(0)
	var wg sync.WaitGroup
	for worker := range workers {
		wg.Go(func() {
			f, r := newFloatField(), newRand(uint64(100+worker))
			var err error
			if all {
				for bits := uint64(worker); err == nil && bits < 1<<32; bits += uint64(workers) {
					if v := math.Float32frombits(uint32(bits)); v-v == 0 { // neither infinite nor NaN
						err = f.add(func(dst []byte) []byte { return strconv.AppendFloat(dst, float64(v), 'e', -1, 32) })
					}
				}
			} else {
				for n := 0; err == nil && n < count/workers; n++ {
					err = f.add(func(dst []byte) []byte { return appendFloat(dst, r) })
				}
			}
			if err := errors.Join(err, f.flush()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// TestFloatFieldHardCases has texts with the bits that others say they stand for.
func TestFloatFieldHardCases(t *testing.T) {
	file, err := os.ReadFile("../testdata/numbers/f64.txt")
	if err != nil {
		t.Fatal(err)
	}
	request, response := openrtb.NewDecoder(), openrtb.NewResponseDecoder()
	lenient := openrtb.NewDecoder(wire.Lenient())
	cases := 0
	for line := range strings.Lines(string(file)) {
		want, text, ok := strings.Cut(strings.TrimSpace(line), " ")
		if want == "#" || !ok {
			continue
		}
		cases++
		refusal := wire.CodeRange
		if !json.Valid([]byte(text)) { // some of the texts are for other languages
			want, refusal = "no JSON", wire.CodeNumber
			if c := text[0]; c == '.' || c == '+' {
				refusal = wire.CodeSyntax
			}
		}
		v, err := request.Decode([]byte(`{"imp":[{"bidfloor":` + text + `}]}`))
		w, responseErr := response.Decode([]byte(`{"seatbid":[{"bid":[{"price":` + text + `}]}]}`))
		q, quotedErr := lenient.Decode([]byte(`{"device":{"geo":{"lat":"` + text + `"}}}`))
		if err == nil && responseErr == nil && quotedErr == nil {
			for _, got := range []float64{*v.Imp[0].BidFloor, *w.SeatBid[0].Bid[0].Price, *q.Device.Geo.Lat} {
				if s := fmt.Sprintf("%016X", math.Float64bits(got)); s != want {
					t.Errorf("%s: %s, want %s", text, s, want)
				}
			}
			continue
		}
		if want != "OVERFLOW" && want != "no JSON" || !errors.Is(err, refusal) || !errors.Is(responseErr, refusal) || quotedErr == nil {
			t.Errorf("%s: %v, %v, %v, want %s", text, err, responseErr, quotedErr, want)
		}
	}
	if cases < 4000 {
		t.Errorf("%d cases", cases)
	}
}

// intFields are integer fields of every kind: a pointer, an element, a named type, in a request and in a response.
var intFields = []struct {
	before, after string
	response      bool
	get           func(v any) int
}{
	{`{"tmax":`, `}`, false, func(v any) int { return *v.(*openrtb.BidRequest).TMax }},
	{`{"at":`, `,"id":"1"}`, false, func(v any) int { return int(*v.(*openrtb.BidRequest).At) }},
	{`{"imp":[{"banner":{"api":[`, `]}}]}`, false, func(v any) int { return int(v.(*openrtb.BidRequest).Imp[0].Banner.API[0]) }},
	{`{"imp":[{"video":{"rqddurs":[7,`, ` , 8]}}]}`, false, func(v any) int { return v.(*openrtb.BidRequest).Imp[0].Video.RqdDurs[1] }},
	{`{"imp":[{"banner":{"format":[{"w":`, `}]}}]}`, false, func(v any) int { return *v.(*openrtb.BidRequest).Imp[0].Banner.Format[0].W }},
	{"{\"device\":{\"geo\":{\"utcoffset\" :\n", "\n}}}", false, func(v any) int { return *v.(*openrtb.BidRequest).Device.Geo.UTCOffset }},
	{`{"nbr":`, `}`, true, func(v any) int { return int(*v.(*openrtb.BidResponse).NBR) }},
	{`{"seatbid":[{"bid":[{"exp":`, `,"attr":[1]}]}]}`, true, func(v any) int { return *v.(*openrtb.BidResponse).SeatBid[0].Bid[0].Exp }},
	{`{"seatbid":[{"bid":[{"attr":[`, `]}]}]}`, true, func(v any) int { return int(v.(*openrtb.BidResponse).SeatBid[0].Bid[0].Attr[0]) }},
}

// TestIntegerFields has integers around every border of 8 to 128 bits, of 2^53, and of any number of digits, in several
// spellings. What an int holds arrives as it is, what it does not hold is refused for its range; nothing ever wraps or is
// rounded, not even where lenient mode reads what looks like a float.
func TestIntegerFields(t *testing.T) {
	var values []*big.Int
	for _, bits := range []uint{7, 8, 15, 16, 24, 31, 32, 33, 52, 53, 54, 62, 63, 64, 65, 127, 128, 200} {
		for d := int64(-3); d <= 3; d++ {
			n := new(big.Int).Lsh(big.NewInt(1), bits)
			n.Add(n, big.NewInt(d))
			values = append(values, n)
		}
	}
	r := newRand(5)
	for digits := 1; digits <= 40; digits++ {
		power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
		values = append(values, power, new(big.Int).Sub(power, big.NewInt(1)))
		n, _ := new(big.Int).SetString(strconv.Itoa(1+r.IntN(9))+strings.Repeat(strconv.Itoa(r.IntN(10)), digits), 10)
		values = append(values, n)
		// 2^64 more is the same number to whoever wraps.
		values = append(values, new(big.Int).Add(new(big.Int).Lsh(big.NewInt(1), 64), big.NewInt(r.Int64N(1<<40))))
	}
	var text []byte
	list := entries()
	for i, n := range values {
		for _, n := range []*big.Int{n, new(big.Int).Neg(n)} {
			fits := n.IsInt64() && (strconv.IntSize == 64 || n.Int64() == int64(int32(n.Int64())))
			plain := n.String()
			spellings := []string{plain, plain + ".0", plain + ".99", plain + "e0", plain + "00e-2", `"` + plain + `"`, `"` + plain + `.5E0"`}
			for j, spelling := range spellings {
				if testing.Short() && j > 0 && (i+j)%4 != 0 {
					continue
				}
				for _, f := range intFields {
					text = append(append(append(text[:0], f.before...), spelling...), f.after...)
					at := len(f.before)
					for _, e := range list {
						if e.response != f.response || j > 0 && e.mode != twin.Lenient {
							continue
						}
						e.decode(text, func(v any, saved []wire.Saved, err error) {
							var refused *wire.Error
							switch {
							case fits && err != nil:
								t.Errorf("%s of %s: %v", e.name, text, err)
							case fits && f.get(v) != int(n.Int64()):
								t.Errorf("%s of %s: %d", e.name, text, f.get(v))
							case fits && len(saved) != min(j, 1):
								t.Errorf("%s of %s: saved %v", e.name, text, saved)
							case !fits && (!errors.As(err, &refused) || refused.Code != wire.CodeRange || refused.Offset != at):
								t.Errorf("%s of %s: %v, want range at %d", e.name, text, err, at)
							}
						})
					}
				}
			}
			// To an unknown member and to ext all numbers are alike.
			data := []byte(`{"x":` + plain + `,"ext":` + plain + `}`)
			if v, err := openrtb.Parse(data); err != nil || !bytes.Equal(v.Ext, []byte(plain)) {
				t.Errorf("%s: %v", data, err)
			}
		}
	}
}
