package grammar

// Document reads a whole document: one value with white space around it.
func (s *Scanner) Document() bool { return s.Begin() && s.Skip(nil) && s.End() }

// Begin reads what precedes the document's value, which may be white space only.
func (s *Scanner) Begin() bool {
	s.Space()
	if s.Pos == len(s.Data) {
		s.Fault, s.At, s.Expected = Empty, s.Pos, "the document is empty"
		return false
	}
	return true
}

// End reads what follows the document, which may be white space only.
func (s *Scanner) End() bool {
	s.Space()
	return s.Pos == len(s.Data) || s.Fail(Trailing, s.Pos, "nothing may follow the document")
}

// Open counts one more level; the next byte is its bracket.
func (s *Scanner) Open() bool {
	if s.Level >= s.Depth {
		return s.Fail(Depth, s.Pos, "nested deeper than the limit")
	}
	s.Level++
	s.Pos++
	return true
}

// Close counts one level less; the next byte is its closing bracket.
func (s *Scanner) Close() {
	s.Pos++
	s.Level--
}

// Skip reads a value of any kind and everything inside it. onInvalid, which may be nil, is
// called after each string, key or value, that is not Unicode text.
func (s *Scanner) Skip(onInvalid func()) bool {
	w, data := s.path, s.Data // in registers
	base := s.Level
	for {
		// A value begins here.
		switch b := s.Peek(); b {
		case '{', '[':
			if !s.Open() {
				return false
			}
			object := b == '{'
			word, bit := &s.inObject[uint(s.Level)/64], uint64(1)<<(uint(s.Level)%64)
			closing := byte(']')
			if object {
				*word |= bit
				closing = '}'
			} else {
				*word &^= bit
			}
			s.Space()
			pos := s.Pos
			some := pos >= len(data) || data[pos] != closing
			if w != nil {
				w.open(!object && some && pos < len(data))
			}
			if some {
				if object && !s.key(onInvalid) {
					return false
				}
				continue
			}
		default:
			s.Invalid = -1
			if !s.Scalar() {
				return false
			}
			if s.Invalid >= 0 && onInvalid != nil {
				onInvalid()
			}
		}
		if s.Level == base {
			return true
		}
		if more, ok := s.ended(base, onInvalid); !ok || !more {
			return ok
		}
	}
}

// ended reads what follows a value: closing brackets, then a comma. It returns whether another
// value follows within the levels above base.
func (s *Scanner) ended(base int, onInvalid func()) (more, ok bool) {
	w := s.path
	for s.Level > base {
		object := s.inObject[s.Level/64]&(1<<(s.Level%64)) != 0
		s.Space()
		switch b := s.Peek(); {
		case b == ',':
			s.Pos++
			s.Space()
			if w != nil {
				w.comma()
			}
			return true, !object || s.key(onInvalid)
		case b == '}' && object, b == ']' && !object:
			s.Close()
			if w != nil {
				w.depth--
			}
			continue
		}
		if w != nil {
			w.broken()
		}
		return false, s.After(object)
	}
	return false, true
}

// More reads what follows a member or an element, and the white space around it: the closing
// bracket of the object or array, or a comma, after which there has to be more.
func (s *Scanner) More(closing byte) (more, ok bool) {
	if s.bare(',') {
		return true, true
	}
	s.Space()
	switch s.Peek() {
	case ',':
		s.Pos++
		s.Space()
		return true, true
	case closing:
		s.Close()
		return false, true
	}
	return false, s.After(closing == '}')
}

// After fails where a comma or a closing bracket has to follow a member or an element.
func (s *Scanner) After(member bool) bool {
	if member {
		return s.expected("expected , or } after a member")
	}
	return s.expected("expected , or ] after an element")
}

// key reads a key, the colon, and the white space around it.
func (s *Scanner) key(onInvalid func()) bool {
	if _, ok := s.Key(); !ok {
		return false
	}
	if s.Invalid >= 0 && onInvalid != nil {
		onInvalid()
	}
	start := s.Opened + 1
	if !s.Colon() {
		return false
	}
	if s.path != nil {
		s.path.key(start)
	}
	return true
}

// Key reads a key and returns what is between its quotes, escapes as they are.
func (s *Scanner) Key() ([]byte, bool) { return s.String() }

// Colon reads the colon after a key and the white space around it.
func (s *Scanner) Colon() bool {
	if s.bare(':') {
		return true
	}
	s.Space()
	if s.Peek() != ':' {
		return s.expected("expected : after the key")
	}
	s.Pos++
	s.Space()
	return true
}

// bare reads a byte that has no white space around it. Documents on the wire hold none.
func (s *Scanner) bare(b byte) bool {
	i, data := s.Pos, s.Data // in registers
	if i+1 >= len(data) || data[i] != b || data[i+1] <= ' ' {
		return false
	}
	s.Pos = i + 1
	return true
}
