//go:build !noasm && !purego

package plaincopy

import (
	"golang.org/x/sys/cpu"

	"github.com/rtbwire/rtbwire/internal/simd"
)

//go:generate go run -C _asm . -out ../plaincopy_amd64.s -stubs ../plaincopy_stubs_amd64.go -pkg plaincopy

// The condition is the kernel's "Requires:" line in plaincopy_amd64.s.
var levels = func() []Level {
	l := []Level{simd.Reference, simd.SWAR}
	x := &cpu.X86
	if x.HasAVX && x.HasAVX2 {
		l = append(l, simd.AVX2)
	}
	return l
}()

// copyPlain is Copy for a dst that is as long as src, which is not empty.
func copyPlain(dst, src []byte) int {
	switch level {
	case simd.AVX2:
		return copyAVX2(&dst[0], &src[0], len(src))
	case simd.SWAR:
		return copySWAR(dst, src)
	}
	return copyRef(dst, src)
}
