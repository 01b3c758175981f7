package plaincopy

import (
	"encoding/binary"
	"math/bits"
)

// This is the kernel in plain Go, also for texts shorter than a vector on arm64. It handles eight
// bytes in a word at a time (SWAR, SIMD within a register).

const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)

// special returns a word whose lowest bit is the top bit of the first byte of x that is not plain,
// or
// 0. Higher bits may belong to plain bytes, because the subtractions borrow.
func special(x uint64) uint64 {
	quote, slash := x^ones*'"', x^ones*'\\'
	return (x | (x - ones*' ') | (quote - ones) | (slash - ones)) & tops
}

// copySWAR is copyRef, eight bytes at a time.
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
