package plaincopy

import (
	"encoding/binary"
	"math/bits"
)

// This is the kernel for machines without one, and for short texts where the kernel begins at a vector: eight bytes at a
// time in a word (SWAR, SIMD within a register).

const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)

// special has the top bit of the first byte of x that is no plain text, and no bit below it. Above it there may be bits
// of bytes that are plain: the subtractions borrow.
func special(x uint64) uint64 {
	quote, slash := x^ones*'"', x^ones*'\\'
	return (x | (x - ones*' ') | (quote - ones) | (slash - ones)) & tops
}

func copySWAR(dst, src []byte) int {
	i := 0
	for ; i+8 <= len(src); i += 8 {
		x := binary.LittleEndian.Uint64(src[i:])
		binary.LittleEndian.PutUint64(dst[i:], x)
		if m := special(x); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	return i + copyRef(dst[i:], src[i:])
}
