package handwritten

// indexStopByteRef returns the index of the first quote or backslash, or len(b).
func indexStopByteRef(b []byte) int {
	for i, c := range b {
		if c == '"' || c == '\\' {
			return i
		}
	}
	return len(b)
}
