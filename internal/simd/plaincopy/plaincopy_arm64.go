//go:build !noasm && !purego

package plaincopy

import "github.com/rtbwire/rtbwire/internal/simd"

// Every arm64 that Go runs on has NEON.
var levels = []Level{simd.Reference, simd.SWAR, simd.NEON}

// kernelMin is the length of the shortest text for the kernel: a vector.
const kernelMin = 16

// copyPlain is Copy for a dst that is as long as src, which is not empty.
func copyPlain(dst, src []byte) int {
	switch {
	case level == simd.Reference:
		return copyRef(dst, src)
	case level == simd.NEON && len(src) >= kernelMin:
		return copyNEON(&dst[0], &src[0], len(src))
	}
	return copySWAR(dst, src)
}

// copyNEON is copyRef for n bytes, kernelMin ≤ n, but for what it writes behind the first special byte.
//
//go:noescape
func copyNEON(dst, src *byte, n int) int
