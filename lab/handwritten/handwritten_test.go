package handwritten

import (
	"bytes"
	"testing"
)

// Every length up to some vectors, with the stop byte at every position and without one.
func TestIndexStopByte(t *testing.T) {
	for length := range 131 {
		for at := range length + 1 {
			for _, stop := range []byte(`"\`) {
				b := bytes.Repeat([]byte("a"), length+1)[:length]
				if at < length {
					b[at] = stop
				}
				if got := indexStopByte(b); got != at || got != indexStopByteRef(b) {
					t.Fatalf("length %d, %q at %d: %d", length, stop, at, got)
				}
			}
		}
	}
}

// A text that was cut is refused, wherever it was cut, and no byte after the cut is read.
func TestTruncated(t *testing.T) {
	text := []byte(`{"id":"a\u00e9\"\\","imp":[{"id":"1","bidfloor":1.25e1,"banner":{"w":300,"btype":[1,2]},"ext":{"a":[{}]}}],"x":[1,{"y":"z"}],"cur":["USD"],"tmax":-5}`)
	r, err := Parse(text)
	if err != nil || r.ID != "aé\"\\" || *r.Imp[0].BidFloor != 12.5 || *r.TMax != -5 || r.Cur[0] != "USD" {
		t.Fatalf("%+v, %v", r, err)
	}
	Release(r)
	for i := range text {
		if _, err := Parse(text[:i:i]); err == nil {
			t.Errorf("accepted %s", text[:i])
		}
	}
}
