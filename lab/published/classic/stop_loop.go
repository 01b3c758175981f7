//go:build !vectors && (byteloop || !arm64)

package classic

import "github.com/rtbwire/rtbwire/lab/published/stopbyte"

// stop finds the end of a string, or what is escaped in it, byte by byte.
func stop(b []byte) int { return stopbyte.IndexRef(b) }
