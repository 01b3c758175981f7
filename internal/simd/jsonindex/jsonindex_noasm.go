//go:build (!amd64 && !arm64) || noasm || purego

package jsonindex

import "github.com/rtbwire/rtbwire/internal/simd"

var levels = []Level{simd.Reference, simd.SWAR}

// index is Index for a dst that is long enough.
func index(dst []Block, text []byte) (nonASCII bool) {
	if level == simd.SWAR {
		return indexSWAR(dst, text)
	}
	return indexRef(dst, text)
}
