package wire

// isPlain reports whether a string stands in JSON as it is: ASCII without control characters,
// quotes and backslashes. It looks at 8 bytes at a time.
func isPlain(s string) bool {
	const (
		ones = 0x0101010101010101
		tops = 0x80 * ones
	)
	if len(s) < 8 {
		for i := range len(s) {
			if !plainBytes[s[i]] {
				return false
			}
		}
		return true
	}
	// A byte's top bit is set in found if the byte, or a borrow from the byte below it that was
	// found itself, says so: which of them it is does not matter here.
	var found uint64
	i := 0
	for ; i+8 < len(s); i += 8 {
		x := stringWord(s, i)
		quote, slash := x^'"'*ones, x^'\\'*ones
		found |= x | (x - ' '*ones) | (quote - ones) | (slash - ones)
	}
	x := stringWord(s, len(s)-8)
	quote, slash := x^'"'*ones, x^'\\'*ones
	found |= x | (x - ' '*ones) | (quote - ones) | (slash - ones)
	return found&tops == 0
}

// stringWord returns the 8 bytes of s from i on, the first one lowest. The compiler makes one
// load of it where it can.
func stringWord(s string, i int) uint64 {
	s = s[i : i+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

var plainBytes = func() (t [256]bool) {
	for c := ' '; c < 0x80; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()
