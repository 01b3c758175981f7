//go:build !nounsafe && !purego && (ppc64 || s390x || mips || mips64 || armbe || arm64be)

package wire

import "math/bits"

func leWord(w uint64) uint64 { return bits.ReverseBytes64(w) }
