package jsonindex

// indexRef is the reference that every kernel must agree with. dst must be long enough.
func indexRef(dst []Block, text []byte) (nonASCII bool) {
	escaped := false // c follows an odd number of backslashes
	var all byte
	for i := range BlockCount(len(text)) {
		var b Block
		for j, c := range text[i*blockSize : min((i+1)*blockSize, len(text))] {
			bit := uint64(1) << j
			if c == '"' && !escaped {
				b.Quote |= bit
			}
			if c == '\\' || c < 0x20 {
				b.Special |= bit
			}
			if c == ' ' || c == '\t' || c == '\n' || c == '\r' {
				b.Space |= bit
			}
			escaped = c == '\\' && !escaped
			all |= c
		}
		dst[i] = b
	}
	return all >= 0x80
}
