package canonical

import "github.com/rtbwire/rtbwire/internal/mem"

// CurrencyLen is the length of the codes of ISO 4217.
const CurrencyLen = 3

// Currency returns the form in which codes of currencies are compared: upper case, without white
// space around it and what comes after a NUL. The result is s, a part of it, or is in buf. Texts
// that are not three letters long keep their case: they are no codes. Currency allocates nothing.
func Currency(buf *[CurrencyLen]byte, s string) string {
	if isCode(s) || s == "" {
		return s
	}
	if s = Trim(UpToNUL(s)); len(s) != CurrencyLen || isCode(s) {
		return s
	}
	for i := range buf {
		if buf[i] = s[i]; 'a' <= s[i] && s[i] <= 'z' {
			buf[i] -= 'a' - 'A'
		}
	}
	return mem.String(buf[:])
}

// isCode reports whether s has three capital letters.
func isCode(s string) bool {
	return len(s) == CurrencyLen && s[0]-'A' < 26 && s[1]-'A' < 26 && s[2]-'A' < 26
}
