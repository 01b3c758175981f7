package stopbyte

import "unsafe"

// indexStopNEON is IndexRef over p[:n]; n is a multiple of 16.
//
//go:noescape
func indexStopNEON(p *byte, n int) int

// Index is IndexRef, with vectors where there are any.
func Index(b []byte) int {
	n := len(b) &^ 15
	if n > 0 {
		if i := indexStopNEON(unsafe.SliceData(b), n); i < n {
			return i
		}
	}
	return n + IndexRef(b[n:])
}
