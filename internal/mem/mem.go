// Package mem holds the only unsafe code outside the SIMD kernels, each piece with a safe fallback
// for builds with the tag nounsafe or purego. The two builds differ in speed and in what they copy,
// never in what they return.
//
//	mem_unsafe.go   reads without bounds checks, strings without copies
//	mem_safe.go     the same with both
//	word_*.go       the byte order of the machine
package mem
