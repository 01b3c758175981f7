// Package simd names the instruction sets that the kernel packages below it are written for.
//
// Every kernel package has the same files:
//
//	x.go            the contract, and the choice of a level
//	x_ref.go        the reference in plain Go, which every platform compiles
//	x_swar.go       faster plain Go, where the reference is slow
//	x_amd64.go, .s  dispatch; assembly, written by the program in _asm
//	x_arm64.go, .s  dispatch; assembly, written by hand
//	x_noasm.go      dispatch on other platforms and with the build tags noasm and purego
//	x_test.go       tests of every level against the reference, with package simdtest
//
// The dispatch reads a package variable of type Level. A function pointer would move the caller's
// buffers to the heap.
package simd

import "slices"

// Level names an instruction set that a kernel may be written for. Of the levels a CPU has, the
// highest is used.
type Level uint8

// Reference is plain Go written for clarity. SWAR is plain Go, eight bytes in a word at a time. The
// others are assembly. Each kernel package tests for exactly the CPU features that its kernels
// require: AVX512, for example, may require other features in each package.
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

// Set sets current to l and returns the previous level. It panics when l is not in levels.
func Set(current *Level, levels []Level, l Level) (previous Level) {
	if !slices.Contains(levels, l) {
		panic("simd: level " + l.String() + " is not available")
	}
	previous, *current = *current, l
	return previous
}
