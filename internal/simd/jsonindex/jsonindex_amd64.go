//go:build !noasm && !purego

package jsonindex

import (
	"golang.org/x/sys/cpu"

	"github.com/rtbwire/rtbwire/internal/simd"
)

//go:generate go run -C _asm . -out ../jsonindex_amd64.s -stubs ../jsonindex_stubs_amd64.go -pkg jsonindex

// The conditions are the kernels' "Requires:" lines in jsonindex_amd64.s.
var levels = func() []Level {
	l := []Level{simd.Reference, simd.SWAR}
	x := &cpu.X86
	if x.HasAVX && x.HasAVX2 && x.HasBMI1 && x.HasBMI2 {
		l = append(l, simd.AVX2)
	}
	if x.HasAVX && x.HasAVX512F && x.HasAVX512BW && x.HasBMI1 && x.HasBMI2 {
		l = append(l, simd.AVX512)
	}
	return l
}()

// index is Index for a dst that is long enough.
func index(dst []Block, text []byte) (nonASCII bool) {
	if len(dst) == 0 || len(text) == 0 {
		return false
	}
	switch level {
	case simd.AVX512:
		return indexAVX512(&dst[0].Quote, &text[0], len(text))
	case simd.AVX2:
		return indexAVX2(&dst[0].Quote, &text[0], len(text))
	case simd.SWAR:
		return indexSWAR(dst, text)
	}
	return indexRef(dst, text)
}
