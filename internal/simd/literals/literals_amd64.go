//go:build !noasm && !purego

package literals

import (
	"golang.org/x/sys/cpu"

	"github.com/rtbwire/rtbwire/internal/simd"
)

//go:generate go run -C _asm . -out ../literals_amd64.s -stubs ../literals_stubs_amd64.go -pkg literals

// The conditions are the kernels' "Requires:" lines in literals_amd64.s.
var levels = func() []Level {
	l := []Level{simd.Reference}
	x := &cpu.X86
	if x.HasAVX && x.HasAVX2 && x.HasBMI2 {
		l = append(l, simd.AVX2)
	}
	if x.HasAVX && x.HasAVX512F && x.HasAVX512BW && x.HasBMI2 {
		l = append(l, simd.AVX512)
	}
	return l
}()

// kernel is find for at least 64 positions, at a level that is assembly.
func (t *Table) kernel(dst []Block, text []byte, from, whole int, stop bool) (count, next int, marked bool) {
	stops := uint64(0)
	if stop {
		stops = ^stops
	}
	if level == simd.AVX512 {
		return findAVX512(&dst[0].At, len(dst), &t.low[0][0], &text[0], from, whole, stops)
	}
	return findAVX2(&dst[0].At, len(dst), &t.low[0][0], &text[0], from, whole, stops)
}
