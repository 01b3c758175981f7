//go:build !amd64 && !arm64

package handwritten

func indexStopByte(b []byte) int { return indexStopByteRef(b) }
