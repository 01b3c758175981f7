package guard

import "encoding/binary"

// Classes of bytes.
const (
	tokenByte  = 1 << iota // RFC 9110, section 5.6.2
	targetByte             // visible ASCII but # and \
	hostByte               // letters, digits, - . _
	hexByte
)

var class = func() (table [256]uint8) {
	add := func(bit uint8, bytes string) {
		for _, c := range []byte(bytes) {
			table[c] |= bit
		}
	}
	const digits, letters = "0123456789", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	add(tokenByte, digits+letters+"!#$%&'*+-.^_`|~")
	add(hostByte, digits+letters+"-._")
	add(hexByte, digits+"abcdefABCDEF")
	for c := '!'; c <= '~'; c++ {
		if c != '#' && c != '\\' {
			table[c] |= targetByte
		}
	}
	return table
}()

// isControl reports whether c is a control character other than HTAB.
func isControl(c byte) bool { return c < ' ' && c != '\t' || c == 0x7f }

// classEnd returns how many bytes of a class b begins with. Names are too short for more than this.
func classEnd(b []byte, bit uint8) (n int) {
	for n < len(b) && class[b[n]]&bit != 0 {
		n++
	}
	return n
}

// control returns the first control character of b other than HTAB, or -1. It looks at eight bytes
// at a time.
func control(b []byte) int {
	rest := b
	for len(rest) >= 8 {
		if mayControl(binary.LittleEndian.Uint64(rest)) {
			if c := firstControl(rest[:8]); c >= 0 {
				return c
			}
		}
		rest = rest[8:]
	}
	if len(rest) > 0 && (len(b) < 8 || mayControl(binary.LittleEndian.Uint64(b[len(b)-8:]))) {
		return firstControl(rest)
	}
	return -1
}

// mayControl reports whether one of the eight bytes of x is below the space, or DEL. It never
// misses one.
func mayControl(x uint64) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	del := x ^ ones*0x7f
	return ((x-ones*' ')&^x|(del-ones)&^del)&highs != 0
}

func firstControl(b []byte) int {
	for _, c := range b {
		if isControl(c) {
			return int(c)
		}
	}
	return -1
}

// controlRefusal is the refusal of a control character in a head.
func controlRefusal(c int) *Refusal {
	if c == '\r' {
		return headBareCR
	}
	return headControl
}

// IsToken reports whether b is a token of RFC 9110, as methods and names of fields are.
func IsToken(b []byte) bool { return len(b) > 0 && TokenEnd(b) == len(b) }

// TokenEnd returns the length of the token that b begins with, 0 for none.
func TokenEnd(b []byte) int { return classEnd(b, tokenByte) }

// lower returns an ASCII letter in lower case.
func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// equalFold reports whether b is the text, which is in lower case, but for the case of ASCII
// letters.
func equalFold[T ~string | ~[]byte](b []byte, text T) bool {
	if len(b) != len(text) {
		return false
	}
	for i := range b {
		if b[i] != text[i] && lower(b[i]) != lower(text[i]) {
			return false
		}
	}
	return true
}

// trim removes optional white space around a value: spaces and tabs.
func trim(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
		b = b[:len(b)-1]
	}
	return b
}

// trimSpaces is trim for the fields of framing, where tabs are refused.
func trimSpaces(b []byte) []byte {
	for len(b) > 0 && b[0] == ' ' {
		b = b[1:]
	}
	for len(b) > 0 && b[len(b)-1] == ' ' {
		b = b[:len(b)-1]
	}
	return b
}
