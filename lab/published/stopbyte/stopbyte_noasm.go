//go:build !amd64 && !arm64

package stopbyte

// Index is IndexRef, with vectors where there are any.
func Index(b []byte) int { return IndexRef(b) }
