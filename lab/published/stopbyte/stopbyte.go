// Package stopbyte finds the end of a JSON string, or what is escaped in it: with SSE2 or AVX2 on
// amd64, with NEON on arm64, and byte by byte elsewhere.
package stopbyte

// IndexRef returns the index of the first quote or backslash, or len(b).
func IndexRef(b []byte) int {
	for i, c := range b {
		if c == '"' || c == '\\' {
			return i
		}
	}
	return len(b)
}
