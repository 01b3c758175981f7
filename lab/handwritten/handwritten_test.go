package handwritten

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/rtbwire/rtbwire/openrtb"
)

const text = `{"id":"a\u00e9\"\\","imp":[{"id":"1","bidfloor":1.25e1,"banner":{"w":300,"btype":[1,2]},"ext":{"a":[{}]}}],"x":[1,{"y":"z"}],"cur":["USD"],"tmax":-5}`

// ways are the two memories of the decoder.
var ways = []struct {
	name    string
	parse   func([]byte) (*openrtb.BidRequest, error)
	release func(*openrtb.BidRequest)
}{
	{"arena", Parse, Release},
	{"heap", ParseFast, func(*openrtb.BidRequest) {}},
}

// A text that was cut is refused, wherever it was cut, and no byte after the cut is read.
func TestTruncated(t *testing.T) {
	for _, way := range ways {
		r, err := way.parse([]byte(text))
		if err != nil || r.ID != "aé\"\\" || *r.Imp[0].BidFloor != 12.5 || *r.TMax != -5 || r.Cur[0] != "USD" {
			t.Fatalf("%s: %+v, %v", way.name, r, err)
		}
		way.release(r)
		for i := range text {
			if _, err := way.parse([]byte(text)[:i:i]); err == nil {
				t.Errorf("%s: accepted %s", way.name, text[:i])
			}
		}
	}
}

// An array or object that is null or empty is what it is for encoding/json, also after others.
func TestEmpty(t *testing.T) {
	for _, text := range []string{
		`{}`, `{"imp":null,"site":null,"cur":null,"at":null}`, `{"imp":[],"cur":[],"bcat":[],"site":{},"device":{"geo":{}}}`,
		`{"imp":[{"banner":{"btype":[],"format":[]}},null,{}]}`,
	} {
		want := new(openrtb.BidRequest)
		if err := json.Unmarshal([]byte(text), want); err != nil {
			t.Fatal(err)
		}
		for _, way := range ways {
			got, err := way.parse([]byte(text))
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %s: %+v, %v", way.name, text, got, err)
				continue
			}
			way.release(got)
		}
	}
}

// With an arena there is nothing to allocate. Without one the request, the imp, its banner and two
// slices are allocated, and three optional numbers.
func TestAllocations(t *testing.T) {
	text := []byte(`{"id":"1","imp":[{"id":"1","bidfloor":1.5,"banner":{"w":300,"btype":[1]}}],"cur":["USD"],"tmax":5}`)
	for i, want := range []float64{0, 8} {
		got := testing.AllocsPerRun(1000, func() {
			r, err := ways[i].parse(text)
			if err != nil {
				t.Fatal(err)
			}
			ways[i].release(r)
		})
		if got != want { // a mean, rounded down: a collection may empty the pool now and then
			t.Errorf("%s: %g allocations, want %g", ways[i].name, got, want)
		}
	}
}
