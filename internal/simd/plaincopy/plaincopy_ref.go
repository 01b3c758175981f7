package plaincopy

// copyRef is the reference that every kernel must agree with. dst is as long as src.
func copyRef(dst, src []byte) int {
	for i, c := range src {
		if c < 0x20 || c == '"' || c == '\\' || c >= 0x80 {
			return i
		}
		dst[i] = c
	}
	return len(src)
}
