//go:build !noasm && !purego

package jsonindex

import "github.com/rtbwire/rtbwire/internal/simd"

// Every arm64 that Go runs on has NEON.
var levels = []Level{simd.Reference, simd.SWAR, simd.NEON}

// index is Index for a dst that is long enough.
func index(dst []Block, text []byte) (nonASCII bool) {
	if len(dst) == 0 || len(text) == 0 {
		return false
	}
	switch level {
	case simd.NEON:
		return indexNEON(&dst[0].Quote, &text[0], len(text))
	case simd.SWAR:
		return indexSWAR(dst, text)
	}
	return indexRef(dst, text)
}

// indexNEON is indexRef for the n bytes at text, 1 ≤ n. dst is the first word of BlockCount(n)
// blocks.
//
//go:noescape
func indexNEON(dst *uint64, text *byte, n int) (nonASCII bool)
