// Package simd holds what the kernel packages below it share: the names of the instruction sets they are written for.
//
// Every kernel package has the same shape: x.go with the contract, x_ref.go with the reference in plain Go, which is
// compiled everywhere and which the tests hold every kernel against, x_amd64.s generated from _asm/, x_arm64.s written
// by hand, and x_noasm.go for everything else and for the build tags noasm and purego. The assembly is reached through
// a package variable of type Level, never through a function pointer, so that no caller's buffer escapes to the heap.
package simd

import "slices"

// Level names an instruction set that a kernel may be written for. A higher level of the same architecture is tried
// first.
type Level uint8

// Reference is the clear way to say it in plain Go, and SWAR the fast one, eight bytes in a word at a time; the others
// are assembly. What exactly a kernel needs of the CPU is tested where it is dispatched: AVX512, for one, is not the
// same list of features in each of them.
const (
	Reference Level = iota
	SWAR
	NEON
	AVX2
	AVX512
)

var names = [...]string{Reference: "Reference", SWAR: "SWAR", NEON: "NEON", AVX2: "AVX2", AVX512: "AVX512"}

// String returns the name of the constant.
func (l Level) String() string {
	if int(l) < len(names) {
		return names[l]
	}
	return "unknown"
}

// Set makes l, one of the levels that a kernel package has, the current one, and returns the one before. It panics when l
// is none of them.
func Set(current *Level, levels []Level, l Level) (previous Level) {
	if !slices.Contains(levels, l) {
		panic("simd: no " + l.String() + " here")
	}
	previous, *current = *current, l
	return previous
}
