//go:build !noasm && !purego

package literals

import "github.com/rtbwire/rtbwire/internal/simd"

var levels = []Level{simd.Reference}

func (t *Table) find(dst []Block, text []byte, from, whole int, stop bool) (count, next int, marked bool) {
	return t.findRef(dst, text, from, whole, stop)
}
