package handwritten

import "unsafe"

// indexStopNEON is indexStopByteRef over p[:n]; n is a multiple of 16.
//
//go:noescape
func indexStopNEON(p *byte, n int) int

func indexStopByte(b []byte) int {
	n := len(b) &^ 15
	if n > 0 {
		if i := indexStopNEON(unsafe.SliceData(b), n); i < n {
			return i
		}
	}
	return n + indexStopByteRef(b[n:])
}
