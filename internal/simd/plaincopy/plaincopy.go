// Package plaincopy copies plain text: ASCII that a JSON string can hold without escapes. It stops
// at the first byte that is not plain: a control character below 0x20, a quotation mark, a
// backslash, or a byte of 0x80 and above.
//
// An encoder copies every string this way. Most are a few bytes long, so short ones must be fast.
package plaincopy

import (
	"slices"

	"github.com/rtbwire/rtbwire/internal/simd"
)

// Copy copies src to dst up to the first byte that is not plain, and returns the number of bytes
// before it. It may write more of src, but nothing outside dst[:len(src)]. It panics if src is
// longer than dst's capacity.
func Copy(dst, src []byte) int {
	if len(src) == 0 {
		return 0
	}
	return copyPlain(dst[:len(src)], src)
}

// Level is what SetLevel chooses from.
type Level = simd.Level

// level is the one that Copy runs. At start it is the highest one available.
var level = levels[len(levels)-1]

// Levels returns the levels that this CPU and this build have, lowest first. The last one is in use
// unless SetLevel has chosen another.
func Levels() []Level {
	return slices.Clone(levels)
}

// SetLevel makes Copy use l, which must be one of Levels, and returns the level used before. It is
// for tests and benchmarks: it must not run at the same time as Copy or another SetLevel.
func SetLevel(l Level) Level { return simd.Set(&level, levels, l) }
