// Package utf8check tells whether a text is well-formed UTF-8.
//
// It is for whole documents that are known to hold a byte above 0x7f. For a request of 804 bytes with words in three
// scripts the AVX2 kernel takes 33 ns and [unicode/utf8.Valid] 168; for 804 bytes of Russian, 65 and 1,010 (Cascade
// Lake, 3 GHz; BenchmarkValid). Texts that are too short for a kernel are left to utf8.Valid.
package utf8check

import (
	"slices"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/internal/simd"
)

// Valid reports whether text is well-formed UTF-8 as table 3-7 of the Unicode standard defines it: no surrogates, no
// character in more bytes than it needs, none above U+10FFFF.
func Valid(text []byte) bool {
	if cutOff(text) {
		return false
	}
	return valid(text)
}

// cutOff reports whether text ends within a character: the last byte begins one, the one before it one of three bytes
// or more, or the one before that one of four. A kernel sees a mistake where the next byte is, and here there is none.
func cutOff(text []byte) bool {
	n := len(text)
	return n >= 1 && text[n-1] >= 0xc0 || n >= 2 && text[n-2] >= 0xe0 || n >= 3 && text[n-3] >= 0xf0
}

// FirstInvalid returns the offset of the first byte that begins no well-formed character, which is the length of the
// longest well-formed text that text begins with: len(text) exactly if text is Valid.
func FirstInvalid(text []byte) int {
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(text)
}

// Level is what SetLevel chooses from.
type Level = simd.Level

// level is the one that Valid runs: the highest that this machine has.
var level = levels[len(levels)-1]

// Levels lists the levels that this machine and this build have, lowest first. The last is in use until SetLevel says
// otherwise.
func Levels() []Level {
	return slices.Clone(levels)
}

// SetLevel makes Valid use l, which must be one of Levels, and returns the level used before. It is for tests and
// benchmarks: it must not run at the same time as Valid or another SetLevel.
func SetLevel(l Level) Level { return simd.Set(&level, levels, l) }
