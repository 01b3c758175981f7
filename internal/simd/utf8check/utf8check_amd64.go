//go:build !noasm && !purego

package utf8check

import (
	"golang.org/x/sys/cpu"

	"github.com/rtbwire/rtbwire/internal/simd"
)

//go:generate go run -C _asm . -out ../utf8check_amd64.s -stubs ../utf8check_stubs_amd64.go -pkg utf8check

// The condition is the kernel's "Requires:" line in utf8check_amd64.s.
var levels = func() []Level {
	l := []Level{simd.Reference}
	x := &cpu.X86
	if x.HasAVX && x.HasAVX2 {
		l = append(l, simd.AVX2)
	}
	return l
}()

// kernelMin is the length of the shortest text that the kernel takes: the last 64 bytes and the
// three before them.
const kernelMin = 64 + 3

// valid is Valid for a text that does not end within a character.
func valid(text []byte) bool {
	if len(text) >= kernelMin && level == simd.AVX2 {
		return validAVX2(&text[0], len(text))
	}
	return validRef(text)
}
