//go:build !noasm && !purego

package plaincopy

import "github.com/rtbwire/rtbwire/internal/simd"

// Every arm64 that Go runs on has NEON.
var levels = []Level{simd.Reference, simd.SWAR, simd.NEON}

// kernelMin is the length of the shortest text that the kernel takes: a vector.
const kernelMin = 16

// copyPlain is Copy for a dst that is as long as src, which is not empty.
func copyPlain(dst, src []byte) int {
	switch {
	case level == simd.NEON && len(src) >= kernelMin:
		return copyNEON(&dst[0], &src[0], len(src))
	case level >= simd.SWAR:
		return copySWAR(dst, src)
	}
	return copyRef(dst, src)
}

// copyNEON is copyRef for n bytes, kernelMin ≤ n, except that it may write more of src after the
// first special byte.
//
//go:noescape
func copyNEON(dst, src *byte, n int) int
