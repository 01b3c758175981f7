package jsonindex

import "encoding/binary"

// InStrings sets bit i of the result if an odd number of bits is set in x[0:i+1]. For the
// quotes of a text this is every string, from its opening quote up to its last character.
func InStrings(x uint64) uint64 {
	x ^= x << 1
	x ^= x << 2
	x ^= x << 4
	x ^= x << 8
	x ^= x << 16
	return x ^ x<<32
}

// Brackets returns a bit for each of 64 bytes that is a bracket or a brace. It is also set
// for "Y", "y", "_" and DEL, which JSON has in strings only.
func Brackets(block []byte) (mask uint64) {
	const lows, tops = 0x7f7f7f7f7f7f7f7f, 0x8080808080808080
	for i := range 8 {
		// These eight are the bytes that are 0x7f when the bits 0x26 are set.
		x := (binary.LittleEndian.Uint64(block[8*i:]) | 0x2626262626262626) ^ lows
		// The top bit of a byte is now to be set where the byte is zero, and nowhere else.
		x = ^(x&lows + lows | x) & tops
		// The multiplication gathers the eight top bits in the highest byte.
		mask |= (x >> 7 * 0x0102040810204080 >> 56) << (8 * i)
	}
	return mask
}
