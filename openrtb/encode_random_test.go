package openrtb_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
)

// filler makes random values of the types that decoders fill.
type filler struct {
	*rand.Rand
	share int // percentage of the fields that are set
}

var (
	fillStrings = []string{"", "a", "USD", "id-1", "https://www.example.com/a?b=c&d=<e>", "é世😀", "a\"b\\c/d", "\n\t\x00\x1f\u2028", "0123456789abcdef0123456789abcdef"}
	fillRaw     = []string{"{}", "1", "null ", "[1, 2]", `{"a":{"b":"\u0041"}}`, `"x"`, "true", `{"n":1.50e+1}`}
	fillFloats  = []float64{0, 0.5, 0.53, -1, 1e-9, 1e300, 123456789.123, math.SmallestNonzeroFloat64, 1e21}
	rawType     = reflect.TypeFor[json.RawMessage]()
)

// fill sets v to a random value.
func (f *filler) fill(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem(), depth)
	case reflect.String:
		v.SetString(fillStrings[f.IntN(len(fillStrings))])
	case reflect.Int:
		v.SetInt([]int64{0, 1, 7, 42, 300, -1, math.MaxInt32, 1 << 30}[f.IntN(8)])
	case reflect.Float64:
		x := fillFloats[f.IntN(len(fillFloats))]
		if f.IntN(2) == 0 {
			x = float64(f.IntN(100000)) / 1000
		}
		v.SetFloat(x)
	case reflect.Slice:
		if v.Type() == rawType {
			if raw := fillRaw[f.IntN(len(fillRaw))]; raw != "null " {
				v.SetBytes([]byte(raw))
			}
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), f.IntN(3), 3))
		for i := range v.Len() {
			f.fill(v.Index(i), depth)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && depth < 6 && f.IntN(100) < f.share {
				f.fill(v.Field(i), depth+1)
			}
		}
	default:
		panic("the model has a " + v.Kind().String())
	}
}

// message returns a random message of the type of zero.
func (f *filler) message(zero message) message {
	f.share = []int{5, 20, 50}[f.IntN(3)]
	v := reflect.New(reflect.TypeOf(zero).Elem())
	f.fill(v.Elem(), 0)
	return v.Interface().(message)
}

// TestEncodeRandom encodes and decodes random values. RTBWIRE_VALUES sets their number.
func TestEncodeRandom(t *testing.T) {
	n := testkit.Number(t, "RTBWIRE_VALUES", testkit.Scale(t, 300, 3000, 100_000))
	f := &filler{Rand: testkit.Rand(11)}
	for i := range n {
		zero := message(new(openrtb.BidRequest))
		if i%4 == 0 {
			zero = new(openrtb.BidResponse)
		}
		v := f.message(zero)
		roundTrip(t, v)
		if i%10 == 0 {
			likeStandard(t, v)
		}
	}
}

// likeStandard compares an encoded value with what encoding/json writes for it. An empty array that
// is not nil is written, but omitempty drops it. So likeStandard sets such arrays in v to nil
// first.
func likeStandard(t *testing.T, v message) {
	t.Helper()
	withoutEmpty(reflect.ValueOf(v).Elem())
	out, err := v.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	want, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	// json.Marshal escapes for HTML and compacts raw values; neither changes the value.
	if !sameJSON(t, out, want) {
		t.Fatalf("encoded as\n%s\nencoding/json writes\n%s", out, want)
	}
}

// withoutEmpty sets empty slices to nil.
func withoutEmpty(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			withoutEmpty(v.Elem())
		}
	case reflect.Slice:
		if v.Len() == 0 {
			v.SetZero()
		} else if v.Type().Elem().Kind() != reflect.Uint8 {
			for i := range v.Len() {
				withoutEmpty(v.Index(i))
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				withoutEmpty(v.Field(i))
			}
		}
	}
}
