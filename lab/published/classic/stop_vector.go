//go:build vectors || (arm64 && !byteloop)

package classic

import "github.com/rtbwire/rtbwire/lab/published/stopbyte"

// stop finds the end of a string, or what is escaped in it.
func stop(b []byte) int { return stopbyte.Index(b) }
