//go:build !noasm && !purego

package literals

import "github.com/rtbwire/rtbwire/internal/simd"

// Every arm64 that Go runs on has NEON.
var levels = []Level{simd.Reference, simd.NEON}

// kernel is find for at least 64 positions, at a level that is assembly.
func (t *Table) kernel(dst []Block, text []byte, from, whole int, stop bool) (count, next int, marked bool) {
	stops := uint64(0)
	if stop {
		stops = ^stops
	}
	return findNEON(&dst[0].At, len(dst), &t.low[0][0], &text[0], from, whole, stops)
}

// findNEON is Table.findRef for a text of at least 64 positions and a dst of at least one block.
// dst is the first word of the blocks, t the first byte of the table; stop is all ones or zero.
//
//go:noescape
func findNEON(dst *uint64, room int, t *byte, text *byte, from, whole int, stop uint64) (count, next int, marked bool)
