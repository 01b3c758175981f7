package jsonindex

import "encoding/binary"

// This is the kernel in plain Go. It handles eight bytes in a word at a time (SWAR, SIMD within a
// register), five times faster than the reference.
//
// A set of bytes is a word in which the top bit of each member is set. None of the steps below
// carries from one byte into the next, so the sets are exact. The shorter well-known forms only
// give the first member.

const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)

// equalTo returns the set of the bytes of x that equal c.
func equalTo(x uint64, c byte) uint64 {
	x ^= ones * uint64(c)
	return ^(x&^tops + ^uint64(tops) | x) & tops
}

// below returns the set of the bytes of x that are less than c, c ≤ 0x80.
func below(x uint64, c byte) uint64 {
	return ^((x | tops) - ones*uint64(c) | x) & tops
}

// gather moves the top bits of the bytes to the lowest eight bits, in the order of the bytes.
func gather(set uint64) uint64 {
	return set >> 7 * 0x0102040810204080 >> 56
}

// indexSWAR is indexRef, eight bytes at a time.
func indexSWAR(dst []Block, text []byte) (nonASCII bool) {
	var seen, carry uint64
	var tail [blockSize]byte
	for i := range BlockCount(len(text)) {
		rest := text[i*blockSize:]
		if len(rest) < blockSize {
			const plain = "????????????????????????????????????????????????????????????????" // no bit in any mask
			copy(tail[copy(tail[:], rest):], plain)
			rest = tail[:]
		}
		quote, slash, control, space, all := classify((*[blockSize]byte)(rest))
		seen |= all
		if slash|carry != 0 {
			var escaped uint64
			escaped, carry = escapes(slash, carry)
			quote &^= escaped
		}
		dst[i] = Block{Quote: quote, Special: slash | control, Space: space}
	}
	return seen&tops != 0
}

// classify returns a mask for each kind of byte and the union of all bytes.
func classify(b *[blockSize]byte) (quote, slash, control, space, all uint64) {
	for i := 0; i < blockSize; i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		all |= x
		quote |= gather(equalTo(x, '"')) << i
		if set := equalTo(x, '\\'); set != 0 {
			slash |= gather(set) << i
		}
		if set := below(x, ' '+1); set != 0 {
			controls := below(x, ' ')
			control |= gather(controls) << i
			space |= gather(set&^controls|equalTo(x, '\t')|equalTo(x, '\n')|equalTo(x, '\r')) << i
		}
	}
	return quote, slash, control, space, all
}

// escapes returns the bits of the characters that follow an odd number of backslashes, and the
// carry into the next block. slash has the block's backslashes. carry is 1 if the character before
// the block escapes the block's first one, else 0.
//
// Subtracting the bits that begin an escape from the positions after them, with every odd position
// set, carries through each run of backslashes and stops where the run's parity says (simdjson's
// algorithm).
func escapes(slash, carry uint64) (escaped, carryOut uint64) {
	const odd = 0xaaaaaaaaaaaaaaaa
	start := slash &^ carry
	code := (start<<1 | odd) - start ^ odd
	return code ^ (slash | carry), code & slash >> 63
}
