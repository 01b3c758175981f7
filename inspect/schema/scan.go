package schema

import (
	"unicode/utf8"
)

// depthMax is how deep values may be nested, the decoder's own limit.
const depthMax = 1024

// scanner reads the grammar of one document, RFC 8259, and knows nothing of OpenRTB. Every
// method that reads something returns false when the text is not JSON; failed and at then
// say what was expected and where.
type scanner struct {
	data   []byte
	pos    int
	depth  int
	failed string // a constant
	at     int
	tooBig bool // failed is about the depth, not the grammar

	// What the last call of str has seen.
	opened  int  // offset of its opening quote
	escaped bool // whether it holds a backslash
	invalid int  // offset of the first byte or escape that is no Unicode text, -1 if none
}

func (s *scanner) fail(expected string) bool {
	s.failed, s.at = expected, s.pos
	return false
}

// peek returns the next byte, 0 at the end; a NUL in the text is refused wherever peek is
// used, because no token starts with it.
func (s *scanner) peek() byte {
	if s.pos < len(s.data) {
		return s.data[s.pos]
	}
	return 0
}

func (s *scanner) space() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// plain tells which bytes of a string need no closer look.
var plain = func() (t [256]bool) {
	for i := range t {
		t[i] = i >= 0x20 && i < 0x80 && i != '"' && i != '\\'
	}
	return
}()

// str reads a string and returns what stands between its quotes, escapes as they are.
func (s *scanner) str() ([]byte, bool) {
	s.opened = s.pos
	s.pos++
	start := s.pos
	s.escaped, s.invalid = false, -1
	for {
		i, data := s.pos, s.data // in registers for the longest part
		for i < len(data) && plain[data[i]] {
			i++
		}
		s.pos = i
		if s.pos == len(s.data) {
			return nil, s.fail("the string has no closing quote")
		}
		switch b := s.data[s.pos]; {
		case b == '"':
			s.pos++
			return s.data[start : s.pos-1], true
		case b == '\\':
			s.escaped = true
			if !s.escape() {
				return nil, false
			}
		case b < 0x20:
			return nil, s.fail("control characters in a string have to be escaped")
		default:
			r, n := utf8.DecodeRune(s.data[s.pos:])
			if r == utf8.RuneError && n == 1 && s.invalid < 0 {
				s.invalid = s.pos
			}
			s.pos += n
		}
	}
}

// escape reads one escape sequence, both halves of a surrogate pair at once.
func (s *scanner) escape() bool {
	start := s.pos
	s.pos++
	switch s.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.pos++
		return true
	case 'u':
		s.pos++
	default:
		return s.fail("this escape does not exist")
	}
	u, ok := s.hex4()
	if !ok {
		return false
	}
	if u >= 0xd800 && u < 0xe000 { // half of a surrogate pair
		if u < 0xdc00 && s.pos+1 < len(s.data) && s.data[s.pos] == '\\' && s.data[s.pos+1] == 'u' {
			back := s.pos
			s.pos += 2
			low, ok := s.hex4()
			if !ok {
				return false
			}
			if low >= 0xdc00 && low < 0xe000 {
				return true
			}
			s.pos = back
		}
		if s.invalid < 0 {
			s.invalid = start
		}
	}
	return true
}

func (s *scanner) hex4() (u rune, ok bool) {
	for range 4 {
		switch b := s.peek(); {
		case '0' <= b && b <= '9':
			u = u<<4 | rune(b-'0')
		case 'a' <= b|0x20 && b|0x20 <= 'f':
			u = u<<4 | rune(b|0x20-'a'+10)
		default:
			return 0, s.fail("expected four hexadecimal digits after \\u")
		}
		s.pos++
	}
	return u, true
}

// number reads a number and reports whether it is written as an integer.
func (s *scanner) number() (text []byte, integer, ok bool) {
	start := s.pos
	if s.peek() == '-' {
		s.pos++
	}
	switch b := s.peek(); {
	case b == '0':
		s.pos++
	case '1' <= b && b <= '9':
		s.digits()
	default:
		return nil, false, s.fail("expected a digit")
	}
	integer = true
	if s.peek() == '.' {
		integer = false
		s.pos++
		if !s.digits() {
			return nil, false, s.fail("expected a digit after the decimal point")
		}
	}
	if s.peek()|0x20 == 'e' {
		integer = false
		s.pos++
		if b := s.peek(); b == '+' || b == '-' {
			s.pos++
		}
		if !s.digits() {
			return nil, false, s.fail("expected a digit in the exponent")
		}
	}
	if s.pos < len(s.data) && s.data[s.pos] >= '0' && s.data[s.pos] <= '9' {
		return nil, false, s.fail("a number has no leading zeros")
	}
	return s.data[start:s.pos], integer, true
}

func (s *scanner) digits() bool {
	start := s.pos
	for s.pos < len(s.data) && s.data[s.pos]-'0' <= 9 {
		s.pos++
	}
	return s.pos > start
}

func (s *scanner) literal(word string) bool {
	if len(s.data)-s.pos < len(word) || string(s.data[s.pos:s.pos+len(word)]) != word {
		return s.fail("expected a value")
	}
	s.pos += len(word)
	return true
}

// deeper counts one level of nesting.
func (s *scanner) deeper() bool {
	if s.depth++; s.depth > depthMax {
		s.tooBig = true
		return s.fail("nested deeper than the limit")
	}
	return true
}

// scalar reads a value that is neither an object nor an array.
func (s *scanner) scalar() bool {
	switch b := s.peek(); {
	case b == '"':
		_, ok := s.str()
		return ok
	case b == '-' || '0' <= b && b <= '9':
		_, _, ok := s.number()
		return ok
	case b == 't':
		return s.literal("true")
	case b == 'f':
		return s.literal("false")
	case b == 'n':
		return s.literal("null")
	}
	return s.fail("expected a value")
}

// skip reads a value of any kind without recursion: one bit per level says whether it is an
// object. onInvalid is called after every string, key or value, that is not Unicode text.
func (s *scanner) skip(onInvalid func()) bool {
	var inObject [depthMax/64 + 1]uint64
	base := s.depth
	for {
		// A value starts here.
		switch s.peek() {
		case '{', '[':
			object := s.data[s.pos] == '{'
			if !s.deeper() {
				return false
			}
			s.pos++
			word, bit := s.depth/64, uint64(1)<<(s.depth%64)
			inObject[word] &^= bit
			s.space()
			if object {
				inObject[word] |= bit
				if s.peek() != '}' {
					if !s.key(onInvalid) {
						return false
					}
					continue
				}
			} else if s.peek() != ']' {
				continue
			}
			s.pos++
			s.depth--
		default:
			s.invalid = -1
			if !s.scalar() {
				return false
			}
			if s.invalid >= 0 {
				onInvalid()
			}
		}
		// A value has ended; close what ends with it.
		for {
			if s.depth == base {
				return true
			}
			object := inObject[s.depth/64]&(1<<(s.depth%64)) != 0
			s.space()
			switch b := s.peek(); {
			case b == ',':
				s.pos++
				s.space()
				if object && !s.key(onInvalid) {
					return false
				}
			case b == '}' && object, b == ']' && !object:
				s.pos++
				s.depth--
				continue
			case object:
				return s.fail("expected , or } after a member")
			default:
				return s.fail("expected , or ] after an element")
			}
			break
		}
	}
}

// key reads a key, the colon, and the white space around it.
func (s *scanner) key(onInvalid func()) bool {
	if s.peek() != '"' {
		return s.fail("expected a key in double quotes")
	}
	if _, ok := s.str(); !ok {
		return false
	}
	if s.invalid >= 0 {
		onInvalid()
	}
	return s.colon()
}

func (s *scanner) colon() bool {
	s.space()
	if s.peek() != ':' {
		return s.fail("expected : after the key")
	}
	s.pos++
	s.space()
	return true
}
