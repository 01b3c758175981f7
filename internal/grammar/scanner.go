package grammar

import "unicode/utf8"

// Scanner reads the tokens of one document. Methods that read something return false when the
// text breaks the grammar; Fault, At and Expected then say how.
type Scanner struct {
	Data     []byte
	Pos      int
	Depth    int  // how many levels may be open, at most DepthMax
	Tolerant bool // accept strings that are not Unicode text, and note them in Invalid

	Level int // how many objects and arrays are open

	Fault    Fault  // what is wrong
	At       int    // the first byte that can't be accepted, len(Data) when more was expected
	Expected string // what was expected there; a constant

	// Of the string that String read last:

	Opened  int  // the offset of its opening quote
	Escaped bool // whether it holds a backslash
	Invalid int  // the first byte or escape that is not Unicode text, -1 for none

	inObject [DepthMax/64 + 1]uint64 // one bit for each open level
	path     *pathWalk               // of Skip, which keeps it up to date; nil for none
}

// Fail notes a fault at an offset and returns false. A fault at the end of the text is that
// the text ends there.
func (s *Scanner) Fail(fault Fault, at int, expected string) bool {
	if at >= len(s.Data) && fault != Depth {
		fault, at = Truncated, len(s.Data)
	}
	s.Fault, s.At, s.Expected = fault, at, expected
	return false
}

func (s *Scanner) expected(what string) bool { return s.Fail(Syntax, s.Pos, what) }

// Peek returns the next byte, 0 at the end. A NUL in the text is refused wherever Peek is used,
// because no token begins with it.
func (s *Scanner) Peek() byte {
	if s.Pos < len(s.Data) {
		return s.Data[s.Pos]
	}
	return 0
}

// Space skips white space. It is split so that compilers inline the usual case: no white space.
func (s *Scanner) Space() {
	if s.Peek() <= ' ' {
		s.space()
	}
}

func (s *Scanner) space() {
	for s.Pos < len(s.Data) && IsSpace(s.Data[s.Pos]) {
		s.Pos++
	}
}

// plain tells which bytes of a string need no closer look.
var plain = func() (t [256]bool) {
	for i := range t {
		t[i] = i >= 0x20 && i < utf8.RuneSelf && i != '"' && i != '\\'
	}
	return
}()

// String reads a string (section 7) and returns what is between its quotes, escapes as they are.
// Callers look at the first byte of a value, so a missing quote belongs to a key.
func (s *Scanner) String() ([]byte, bool) {
	if s.Peek() != '"' {
		return nil, s.expected("expected a key in double quotes")
	}
	s.Opened, s.Escaped, s.Invalid = s.Pos, false, -1
	start, data := s.Pos+1, s.Data // in registers for the longest part
	i := start
	for i < len(data) && plain[data[i]] {
		i++
	}
	if i == len(data) || data[i] != '"' {
		s.Pos = i
		return s.special(start)
	}
	s.Pos = i + 1
	return data[start:i], true
}

// special reads the rest of a string that began before start, where a byte is not plain.
func (s *Scanner) special(start int) ([]byte, bool) {
	for s.Pos < len(s.Data) {
		switch b := s.Data[s.Pos]; {
		case plain[b]:
			s.Pos++
		case b == '"':
			s.Pos++
			return s.Data[start : s.Pos-1], true
		case b == '\\':
			s.Escaped = true
			if !s.escape() {
				return nil, false
			}
		case b < 0x20:
			return nil, s.Fail(Control, s.Pos, "control characters in a string have to be escaped")
		default:
			rest := s.Data[s.Pos:]
			r, n := utf8.DecodeRune(rest)
			if r == utf8.RuneError && n == 1 && !s.invalid(UTF8, s.Pos, utf8.FullRune(rest)) {
				return nil, false
			}
			s.Pos += n
		}
	}
	return nil, s.Fail(Truncated, s.Pos, "the string has no closing quote")
}

// invalid handles a piece of a string that is not Unicode text. whole is false when the text
// ends in the middle of what could have become a character.
func (s *Scanner) invalid(fault Fault, at int, whole bool) bool {
	if !s.Tolerant {
		if !whole {
			at = len(s.Data)
		}
		return s.Fail(fault, at, "expected Unicode text: valid UTF-8 and surrogates in pairs")
	}
	if s.Invalid < 0 {
		s.Invalid = at
	}
	return true
}

// escape reads one escape sequence, both halves of a surrogate pair at once.
func (s *Scanner) escape() bool {
	start := s.Pos
	s.Pos++
	switch s.Peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.Pos++
		return true
	case 'u':
		s.Pos++
	default:
		return s.Fail(Escape, s.Pos, "this escape does not exist")
	}
	c, ok := s.hex4()
	if !ok {
		return false
	}
	if c < surrogateFirst || c > surrogateLast {
		return true
	}
	rest := s.Data[s.Pos:]
	if c < surrogateLow && len(rest) >= 2 && rest[0] == '\\' && rest[1] == 'u' {
		back := s.Pos
		s.Pos += 2
		low, ok := s.hex4()
		if !ok {
			return false
		}
		if low >= surrogateLow && low <= surrogateLast {
			return true
		}
		s.Pos = back // the second escape is a character of its own
	}
	cut := c < surrogateLow && (len(rest) == 0 || len(rest) == 1 && rest[0] == '\\')
	return s.invalid(Surrogate, start, !cut)
}

// The halves of surrogate pairs: high ones come first, low ones second.
const (
	surrogateFirst = 0xd800
	surrogateLow   = 0xdc00
	surrogateLast  = 0xdfff
)

// hex4 reads the four digits of a \u escape.
func (s *Scanner) hex4() (c rune, ok bool) {
	for range 4 {
		digit := HexDigit(s.Peek())
		if digit < 0 {
			return 0, s.Fail(Escape, s.Pos, "expected four hexadecimal digits after \\u")
		}
		c = c<<4 | digit
		s.Pos++
	}
	return c, true
}

// HexDigit returns the value of a hexadecimal digit, -1 for any other byte.
func HexDigit(b byte) rune {
	switch {
	case '0' <= b && b <= '9':
		return rune(b - '0')
	case 'a' <= b|0x20 && b|0x20 <= 'f':
		return rune(b|0x20-'a') + 10
	}
	return -1
}

// Number reads a number (section 6) and reports whether it has neither a fraction nor an
// exponent.
func (s *Scanner) Number() (text []byte, integer, ok bool) {
	start := s.Pos
	if s.Peek() == '-' {
		s.Pos++
	}
	if s.Peek() == '0' {
		s.Pos++
		if b := s.Peek(); '0' <= b && b <= '9' {
			return nil, false, s.Fail(Number, s.Pos, "a number has no leading zeros")
		}
	} else if !s.digits("expected a digit") {
		return nil, false, false
	}
	integer = true
	if s.Peek() == '.' {
		integer = false
		s.Pos++
		if !s.digits("expected a digit after the decimal point") {
			return nil, false, false
		}
	}
	if s.Peek()|0x20 == 'e' {
		integer = false
		s.Pos++
		if b := s.Peek(); b == '+' || b == '-' {
			s.Pos++
		}
		if !s.digits("expected a digit in the exponent") {
			return nil, false, false
		}
	}
	return s.Data[start:s.Pos], integer, true
}

// digits reads at least one digit.
func (s *Scanner) digits(expected string) bool {
	start := s.Pos
	for s.Pos < len(s.Data) && s.Data[s.Pos]-'0' <= 9 {
		s.Pos++
	}
	return s.Pos > start || s.Fail(Number, s.Pos, expected)
}

// Word reads true, false or null (section 3).
func (s *Scanner) Word(word string) bool {
	for i := range len(word) {
		if s.Pos+i >= len(s.Data) || s.Data[s.Pos+i] != word[i] {
			return s.Fail(Syntax, s.Pos+i, "expected a value")
		}
	}
	s.Pos += len(word)
	return true
}

// Scalar reads a value other than an object or an array.
func (s *Scanner) Scalar() bool {
	switch b := s.Peek(); {
	case b == '"':
		_, ok := s.String()
		return ok
	case b == '-' || '0' <= b && b <= '9':
		_, _, ok := s.Number()
		return ok
	case b == 't':
		return s.Word("true")
	case b == 'f':
		return s.Word("false")
	case b == 'n':
		return s.Word("null")
	}
	return s.expected("expected a value")
}

// IsNumber reports whether the whole text is a number.
func IsNumber(text string) bool {
	s := Scanner{Data: []byte(text)}
	_, _, ok := s.Number()
	return ok && s.Pos == len(text)
}
