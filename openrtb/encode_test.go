package openrtb_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/coder"
)

// message is what both messages implement.
type message interface {
	coder.JSONAppender
	AppendJSONWith([]byte, wire.EncodeOptions) ([]byte, error)
}

// parseLike decodes a document into the type of v.
func parseLike(v message, data []byte) (message, error) {
	if _, ok := v.(*openrtb.BidResponse); ok {
		return openrtb.ParseResponse(data)
	}
	return openrtb.Parse(data)
}

// roundTrip encodes v and decodes the text, here and with encoding/json: both must give v again.
func roundTrip(t testing.TB, v message) []byte {
	t.Helper()
	out, err := v.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	again, err := parseLike(v, out)
	if err != nil {
		t.Fatalf("%.500s: %v", out, err)
	}
	if !reflect.DeepEqual(v, again) {
		t.Fatalf("%.500s reads back as another value", out)
	}
	plain := reflect.New(reflect.TypeOf(v).Elem()).Interface()
	if err := json.Unmarshal(out, plain); err != nil {
		t.Fatalf("%.500s: %v", out, err)
	}
	if !reflect.DeepEqual(v, plain) {
		t.Fatalf("encoding/json reads %.500s as another value", out)
	}
	return out
}

// TestEncodeRealDocuments decodes, encodes and decodes again every document of the corpus.
func TestEncodeRealDocuments(t *testing.T) {
	var n int
	for _, d := range testkit.Requests(t) {
		if v, err := openrtb.Parse(d); err == nil {
			roundTrip(t, v)
			n++
		}
	}
	for _, d := range testkit.Responses(t) {
		if v, err := openrtb.ParseResponse(d); err == nil {
			roundTrip(t, v)
			n++
		}
	}
	if n < 2500 {
		t.Errorf("%d documents, want at least 2500", n)
	}
}

// TestEncodeErrors encodes values that JSON cannot represent. The error has the path to the value,
// and dst does not change.
func TestEncodeErrors(t *testing.T) {
	nan, inf, fine := math.NaN(), math.Inf(-1), 1.0
	ext := func(s string) json.RawMessage { return json.RawMessage(s) }
	for _, c := range []struct {
		v      message
		o      wire.EncodeOptions
		code   wire.Code
		path   string
		offset int
	}{
		{&openrtb.BidRequest{Imp: []openrtb.Imp{{BidFloor: &fine}, {BidFloor: &nan}}}, wire.EncodeOptions{}, wire.CodeFinite, "/imp/1/bidfloor", -1},
		{&openrtb.BidRequest{Device: &openrtb.Device{Geo: &openrtb.Geo{Lat: &inf}}}, wire.EncodeOptions{}, wire.CodeFinite, "/device/geo/lat", -1},
		{&openrtb.BidRequest{Ext: ext(`{"a":}`)}, wire.EncodeOptions{}, wire.CodeSyntax, "/ext", 5},
		{&openrtb.BidRequest{Ext: ext(`{"a":1}}`)}, wire.EncodeOptions{}, wire.CodeTrailing, "/ext", 7},
		{&openrtb.BidRequest{Ext: ext(`{"a":1} {}`)}, wire.EncodeOptions{}, wire.CodeTrailing, "/ext", 8},
		{&openrtb.BidRequest{Ext: ext(`{"a":"b`)}, wire.EncodeOptions{}, wire.CodeTruncated, "/ext", 7},
		{&openrtb.BidRequest{Ext: ext(" ")}, wire.EncodeOptions{}, wire.CodeEmpty, "/ext", 1},
		{&openrtb.BidRequest{Ext: ext("{\"a\":\"\xff\"}")}, wire.EncodeOptions{}, wire.CodeUTF8, "/ext", 6},
		{&openrtb.BidRequest{Site: &openrtb.Site{Ext: ext(`01`)}}, wire.EncodeOptions{}, wire.CodeNumber, "/site/ext", 1},
		{&openrtb.BidRequest{Cur: []string{"USD", "\xff"}}, wire.EncodeOptions{RefuseInvalidUTF8: true}, wire.CodeUTF8, "/cur/1", -1},
		{&openrtb.BidResponse{SeatBid: []openrtb.SeatBid{{Bid: []openrtb.Bid{{Price: &nan}}}}}, wire.EncodeOptions{}, wire.CodeFinite, "/seatbid/0/bid/0/price", -1},
	} {
		out, err := c.v.AppendJSONWith([]byte("before"), c.o)
		var e *wire.Error
		if !errors.As(err, &e) || e.Code != c.code || e.Path != c.path || e.Offset != c.offset || string(out) != "before" {
			t.Errorf("%q %v, want %s at %d in %s", out, err, c.code, c.offset, c.path)
		}
	}
}

// TestEncodeStrings compares encoded strings with those of encoding/json.
func TestEncodeStrings(t *testing.T) {
	check := func(s string) {
		t.Helper()
		for _, html := range []bool{false, true} {
			out, err := (&openrtb.BidRequest{ID: s}).AppendJSONWith(nil, wire.EncodeOptions{EscapeHTML: html})
			if err != nil {
				t.Fatal(err)
			}
			var want bytes.Buffer
			e := json.NewEncoder(&want)
			e.SetEscapeHTML(html)
			if err := e.Encode(map[string]string{"id": s}); err != nil {
				t.Fatal(err)
			}
			w := bytes.TrimSuffix(want.Bytes(), []byte("\n"))
			if !html { // encoding/json always escapes these two
				w = bytes.ReplaceAll(w, []byte(`\u2028`), []byte("\u2028"))
				w = bytes.ReplaceAll(w, []byte(`\u2029`), []byte("\u2029"))
			}
			if !bytes.Equal(out, w) {
				t.Fatalf("%q is written as %s, encoding/json writes %s", s, out, w)
			}
		}
	}
	for c := range 256 {
		for n := range 20 {
			for at := range n {
				b := bytes.Repeat([]byte("x"), n)
				b[at] = byte(c)
				check(string(b))
			}
		}
	}
	r := testkit.Rand(5)
	pieces := []string{"a", "é", "世", "😀", "\u2028", "\u2029", "<", "&", "\"", "\\", "\n", "\x00", "\x7f", "\xff", "\xc3", "\xe4\xb8", "long text without anything"}
	for range testkit.Scale(t, 2000, 20_000, 500_000) {
		var s string
		for range r.IntN(8) {
			s += pieces[r.IntN(len(pieces))]
		}
		if s != "" {
			check(s)
		}
	}
}

// TestEncodeFloats compares encoded floats with those of encoding/json.
func TestEncodeFloats(t *testing.T) {
	check := func(f float64) {
		out, err := (&openrtb.Imp{BidFloor: &f}).AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(out); got != `{"bidfloor":`+string(want)+`}` {
			t.Fatalf("%v is written as %s, encoding/json writes %s", f, got, want)
		}
	}
	for _, f := range []float64{0, math.Copysign(0, -1), 1e-7, 1e-6, 1e20, 1e21, 1e22, -1e-9, math.MaxFloat64, math.SmallestNonzeroFloat64, 0.1, 0.3, 1e11, 1e11 - 0.0001, 123456789.1234, 0.00005} {
		check(f)
		check(-f)
		check(math.Nextafter(f, 1))
		check(math.Nextafter(f, -1))
	}
	r := testkit.Rand(6)
	for i := range testkit.Scale(t, 20_000, 300_000, 2_000_000) {
		check(float64(r.IntN(1e9)) / []float64{1, 10, 100, 1000, 1e4, 1e5}[i%6])
		check(float64(r.Uint64()>>11) / 1e4)
		if f := math.Float64frombits(r.Uint64()); !math.IsNaN(f) && !math.IsInf(f, 0) {
			check(f)
		}
	}
}
