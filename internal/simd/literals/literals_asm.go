//go:build (amd64 || arm64) && !noasm && !purego

package literals

import "github.com/rtbwire/rtbwire/internal/simd"

// find is Find for the positions from `from` to before whole, of which there is at least one, and a
// dst that is not empty.
func (t *Table) find(dst []Block, text []byte, from, whole int, stop bool) (count, next int, marked bool) {
	if level == simd.Reference {
		return t.findRef(dst, text, from, whole, stop)
	}
	if whole < blockSize {
		return t.findShort(dst, text, from, whole, stop)
	}
	return t.kernel(dst, text, from, whole, stop)
}
