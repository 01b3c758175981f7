package stopbyte

import (
	"bytes"
	"testing"
)

// Every length up to some vectors, with the stop byte at every position and without one.
func TestIndex(t *testing.T) {
	for length := range 131 {
		for at := range length + 1 {
			for _, stop := range []byte(`"\`) {
				b := bytes.Repeat([]byte("a"), length+1)[:length]
				if at < length {
					b[at] = stop
				}
				if got := Index(b); got != at || got != IndexRef(b) {
					t.Fatalf("length %d, %q at %d: %d", length, stop, at, got)
				}
			}
		}
	}
}
