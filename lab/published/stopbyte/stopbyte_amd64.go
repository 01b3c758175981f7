package stopbyte

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

var useAVX2 = cpu.X86.HasAVX2 // tests clear it

// indexStopSSE2 is IndexRef over p[:n]; n is a multiple of 16.
//
//go:noescape
func indexStopSSE2(p *byte, n int) int

// indexStopAVX2 is IndexRef over p[:n]; n is a multiple of 32.
//
//go:noescape
func indexStopAVX2(p *byte, n int) int

// Index is IndexRef, with vectors where there are any.
func Index(b []byte) int {
	done := 0
	if n := len(b) &^ 31; useAVX2 && n > 0 {
		if i := indexStopAVX2(unsafe.SliceData(b), n); i < n {
			return i
		}
		done = n
	}
	if n := (len(b) - done) &^ 15; n > 0 {
		if i := indexStopSSE2(unsafe.SliceData(b[done:]), n); i < n {
			return done + i
		}
		done += n
	}
	return done + IndexRef(b[done:])
}
