package jsonindex

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestBrackets(t *testing.T) {
	for c := range 256 {
		for place := range 64 {
			block := []byte(strings.Repeat("a", 64))
			block[place] = byte(c)
			want := uint64(0)
			if strings.IndexByte("{}[]Yy_\x7f", byte(c)) >= 0 {
				want = 1 << place
			}
			if got := Brackets(block); got != want {
				t.Fatalf("byte %#x at %d: got %#x, want %#x", c, place, got, want)
			}
		}
	}
}

func TestInStrings(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 1000 {
		x := random.Uint64() & random.Uint64()
		want, parity := uint64(0), uint64(0)
		for i := range 64 {
			parity ^= x >> i & 1
			want |= parity << i
		}
		if got := InStrings(x); got != want {
			t.Fatalf("InStrings(%#x) = %#x, want %#x", x, got, want)
		}
	}
}
