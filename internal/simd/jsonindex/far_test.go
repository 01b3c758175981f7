package jsonindex

import (
	"bytes"
	"testing"
)

// TestNonASCIIAnywhere has texts that are long enough for several rounds of each kernel's fastest loop: the first round
// has to be remembered.
func TestNonASCIIAnywhere(t *testing.T) {
	c := newChecker(t, 600)
	for _, n := range []int{255, 256, 257, 384, 511, 512, 600} {
		text := bytes.Repeat([]byte("a"), n)
		for i := range text {
			text[i] = 0x80
			c.check(text)
			text[i] = 'a'
		}
	}
}
