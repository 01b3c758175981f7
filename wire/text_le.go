//go:build !nounsafe && !purego && !(ppc64 || s390x || mips || mips64 || armbe || arm64be)

package wire

func leWord(w uint64) uint64 { return w }
