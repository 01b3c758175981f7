//go:build (!amd64 && !arm64) || noasm || purego

package plaincopy

import "github.com/rtbwire/rtbwire/internal/simd"

var levels = []Level{simd.Reference, simd.SWAR}

// copyPlain is Copy for a dst that is as long as src, which is not empty.
func copyPlain(dst, src []byte) int {
	if level == simd.SWAR {
		return copySWAR(dst, src)
	}
	return copyRef(dst, src)
}
