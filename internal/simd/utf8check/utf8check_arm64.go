//go:build !noasm && !purego

package utf8check

import "github.com/rtbwire/rtbwire/internal/simd"

// Every arm64 that Go runs on has NEON.
var levels = []Level{simd.Reference, simd.NEON}

// kernelMin is the length of the shortest text that the kernel takes: the last 64 bytes and the 16
// before them.
const kernelMin = 64 + 16

// valid is Valid for a text that does not end within a character.
func valid(text []byte) bool {
	if len(text) >= kernelMin && level == simd.NEON {
		return validNEON(&text[0], len(text))
	}
	return validRef(text)
}

// validNEON is validRef for the n bytes at text, kernelMin ≤ n, except that it accepts a character
// that the end cuts off.
//
//go:noescape
func validNEON(text *byte, n int) bool
