package conformance

import (
	"bytes"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/oracle"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// intFields are integer fields of every kind: a pointer, an element, a named type; in a request and
// in a response.
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

// TestIntegerFields decodes integers around the borders of 8 to 128 bits and of 2^53, and with any
// number of digits, in several spellings. An integer that fits an int arrives unchanged, any other
// is refused for its range. Nothing wraps or is rounded, not even where lenient mode reads a float
// for an integer.
func TestIntegerFields(t *testing.T) {
	var values []*big.Int
	for _, bits := range []uint{7, 8, 15, 16, 24, 31, 32, 33, 52, 53, 54, 62, 63, 64, 65, 127, 128, 200} {
		for d := int64(-3); d <= 3; d++ {
			n := new(big.Int).Lsh(big.NewInt(1), bits)
			n.Add(n, big.NewInt(d))
			values = append(values, n)
		}
	}
	r := testkit.Rand(5)
	for digits := 1; digits <= 40; digits++ {
		power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
		values = append(values, power, new(big.Int).Sub(power, big.NewInt(1)))
		n, _ := new(big.Int).SetString(strconv.Itoa(1+r.IntN(9))+strings.Repeat(strconv.Itoa(r.IntN(10)), digits), 10)
		values = append(values, n)
		// A parser that wraps reads 2^64 more as the same number.
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
						if e.response != f.response || j > 0 && e.mode != oracle.Lenient {
							continue
						}
						e.decode(text, func(got oracle.Outcome) {
							switch {
							case fits && got.Fault != nil:
								t.Errorf("%s of %s: refused for %v", e.name, text, *got.Fault)
							case fits && f.get(got.Value) != int(n.Int64()):
								t.Errorf("%s of %s: %d", e.name, text, f.get(got.Value))
							case fits && len(got.Saved) != min(j, 1):
								t.Errorf("%s of %s: saved %v, want %d", e.name, text, got.Saved, min(j, 1))
							case !fits && got.Fault == nil:
								t.Errorf("%s of %s: accepted, want range at %d", e.name, text, at)
							case !fits && (got.Fault.Code != wire.CodeRange.String() || got.Fault.Offset != at):
								t.Errorf("%s of %s: refused for %v, want range at %d", e.name, text, *got.Fault, at)
							}
						})
					}
				}
			}
			// Unknown members and ext take numbers of any size.
			data := []byte(`{"x":` + plain + `,"ext":` + plain + `}`)
			if v, err := openrtb.Parse(data); err != nil || !bytes.Equal(v.Ext, []byte(plain)) {
				t.Errorf("%s: %v", data, err)
			}
		}
	}
}
