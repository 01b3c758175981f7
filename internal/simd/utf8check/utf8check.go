// Package utf8check checks whether a text is well-formed UTF-8.
//
// It is for whole documents that are known to hold a byte above 0x7f. For a request of 804 bytes
// with words in three scripts the AVX2 kernel takes 33 ns and [unicode/utf8.Valid] 168; for 804
// bytes of Russian, 65 and 1,010 (Cascade Lake, 3 GHz; BenchmarkValid). Texts that are too short
// for a kernel go to utf8.Valid.
package utf8check

import (
	"slices"

	"github.com/rtbwire/rtbwire/internal/simd"
)

// Valid reports whether text is well-formed UTF-8 as table 3-7 of the Unicode standard defines it:
// no surrogates, no character in more bytes than it needs, none above U+10FFFF.
func Valid(text []byte) bool {
	if cutOff(text) {
		return false
	}
	return valid(text)
}

// cutOff reports whether text ends within a character: its last byte begins one, the byte before
// that begins one of three bytes or more, or the byte before that begins one of four. A kernel
// detects a missing byte at the byte that comes instead, so it would miss one at the end.
func cutOff(text []byte) bool {
	n := len(text)
	return n >= 1 && text[n-1] >= 0xc0 || n >= 2 && text[n-2] >= 0xe0 || n >= 3 && text[n-3] >= 0xf0
}

// Level is what SetLevel chooses from.
type Level = simd.Level

// level is the one that Valid runs. At start it is the highest one available.
var level = levels[len(levels)-1]

// Levels returns the levels that this CPU and this build have, lowest first. The last one is in use
// unless SetLevel has chosen another.
func Levels() []Level {
	return slices.Clone(levels)
}

// SetLevel makes Valid use l, which must be one of Levels, and returns the level used before. It is
// for tests and benchmarks: it must not run at the same time as Valid or another SetLevel.
func SetLevel(l Level) Level { return simd.Set(&level, levels, l) }
