//go:build !nounsafe && !purego && (ppc64 || s390x || mips || mips64 || armbe || arm64be)

package mem

import "math/bits"

// leWord returns a word of the machine with its first byte lowest.
func leWord(w uint64) uint64 { return bits.ReverseBytes64(w) }
