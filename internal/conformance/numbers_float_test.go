package conformance

import (
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

	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// These tests send floats through real fields; package coder has the same numbers by themselves. A
// short run is part of the tests. For long ones:
//
//	RTBWIRE_FLOATS=10000000 go test ./internal/conformance -run TestFloatField -timeout 0 -v
//	RTBWIRE_FLOATS=float32  go test ./internal/conformance -run TestFloatField -timeout 0 -v
//
// The second one reads every float32 once.

// floatField decodes texts of floats, many in one document, and compares with strconv.
type floatField struct {
	d     *openrtb.Decoder
	doc   []byte
	texts [][2]int // places in doc
}

func newFloatField() *floatField { return &floatField{d: openrtb.NewDecoder()} }

// floatsPerDocument is small enough for the index and the slabs to stay in the cache, and large
// enough for their cost not to matter.
const floatsPerDocument = 64

// add takes one more text, which write appends. It decodes when the document is full.
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

// flush decodes the document and compares.
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
			return err // no text here is out of range
		}
		if got := *v.Imp[i].BidFloor; math.Float64bits(got) != math.Float64bits(want) {
			return fmt.Errorf("bidfloor of %s: %x, strconv says %x", text, got, want)
		}
	}
	f.texts = f.texts[:0]
	return nil
}

// appendFloat appends a text within the range of float64, of a kind that some parser has read
// wrong.
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
	case 0: // any float, in the fewest digits
		return strconv.AppendFloat(dst, finite(), 'e', -1, 64)
	case 1: // in more digits than it needs
		return strconv.AppendFloat(dst, finite(), 'e', 16+r.IntN(6), 64)
	case 2, 3: // a price
		dst = strconv.AppendUint(dst, r.Uint64N(1<<r.IntN(20)), 10)
		dst = append(dst, '.')
		digits(1 + r.IntN(8))
		return dst
	case 4: // about as many digits as a float holds, the dot anywhere; the fast path ends at 15
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
	default: // halfway between two floats, exactly or nearly
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

// TestFloatField compares random floats with strconv.
func TestFloatField(t *testing.T) {
	count := testkit.Scale(t, 20_000, 150_000, 2_000_000)
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
			f, r := newFloatField(), testkit.Rand(uint64(100+worker))
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

// TestFloatFieldHardCases decodes texts with the bits that other implementations computed.
func TestFloatFieldHardCases(t *testing.T) {
	file, err := os.ReadFile(testkit.Path(t, "testdata/numbers/f64.txt"))
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
		if !json.Valid([]byte(text)) { // some of the texts are valid elsewhere, but not JSON
			want, refusal = "not JSON", wire.CodeNumber
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
		if want != "OVERFLOW" && want != "not JSON" || !errors.Is(err, refusal) || !errors.Is(responseErr, refusal) || quotedErr == nil {
			t.Errorf("%s: %v, %v, %v, want %s", text, err, responseErr, quotedErr, want)
		}
	}
	if cases < 4000 {
		t.Errorf("%d cases", cases)
	}
}
