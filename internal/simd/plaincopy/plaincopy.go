// Package plaincopy copies text that may stand in a JSON string as it is, up to the first byte that may not: a control
// character, a quotation mark, a backslash, or a byte that is not ASCII.
//
// It is what an encoder does with every string. Most are a handful of bytes long, so the kernels take any length.
package plaincopy

import (
	"slices"

	"github.com/rtbwire/rtbwire/internal/simd"
)

// Copy copies src to dst up to the first byte that is no plain text, and returns the number of bytes in front of it. It
// may write more of src, but nothing behind dst[:len(src)]. It panics if dst is shorter than src.
func Copy(dst, src []byte) int {
	if len(src) == 0 {
		return 0
	}
	return copyPlain(dst[:len(src)], src)
}

// Level is what SetLevel chooses from.
type Level = simd.Level

// level is the one that Copy runs: the highest that this machine has.
var level = levels[len(levels)-1]

// Levels lists the levels that this machine and this build have, lowest first. The last is in use until SetLevel says
// otherwise.
func Levels() []Level {
	return slices.Clone(levels)
}

// SetLevel makes Copy use l, which must be one of Levels, and returns the level used before. It is for tests and
// benchmarks: it must not run at the same time as Copy or another SetLevel.
func SetLevel(l Level) Level { return simd.Set(&level, levels, l) }
