package grammar

// follower is told how a walk through a text goes on. Methods with a result return false to end
// the walk.
type follower interface {
	// reached is called with the offsets at which something begins or has ended.
	reached(pos int) bool
	// open is called after the bracket of an object or array; some tells whether anything
	// but the closing bracket follows.
	open(object, some bool)
	// key is called after a key and its colon, with the offsets between its quotes.
	key(start, end int) bool
	// comma is called after the comma that ends a member or an element.
	comma()
	// close is called after a closing bracket.
	close()
	// broken is called where a member or an element ends in something else.
	broken()
}

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
	f := s.follower
	base := s.Level
	for {
		// A value begins here.
		if f != nil && !f.reached(s.Pos) {
			return false
		}
		switch b := s.Peek(); b {
		case '{', '[':
			if !s.Open() {
				return false
			}
			object := b == '{'
			word, bit := s.Level/64, uint64(1)<<(s.Level%64)
			closing := byte(']')
			s.inObject[word] &^= bit
			if object {
				s.inObject[word] |= bit
				closing = '}'
			}
			s.Space()
			some := s.Peek() != closing
			if f != nil {
				f.open(object, some && s.Pos < len(s.Data))
				if !f.reached(s.Pos) {
					return false
				}
			}
			if some {
				if object && !s.key(onInvalid) {
					return false
				}
				continue
			}
		default:
			s.Invalid = -1
			if !s.Scalar() || f != nil && !f.reached(s.Pos-1) {
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
	f := s.follower
	for s.Level > base {
		object := s.inObject[s.Level/64]&(1<<(s.Level%64)) != 0
		s.Space()
		switch b := s.Peek(); {
		case b == ',':
			s.Pos++
			s.Space()
			if f != nil {
				f.comma()
			}
			return true, !object || s.key(onInvalid)
		case b == '}' && object, b == ']' && !object:
			s.Close()
			if f != nil {
				f.close()
			}
			continue
		}
		if f != nil {
			f.broken()
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
	f := s.follower
	if f != nil && !f.reached(s.Pos) {
		return false
	}
	key, ok := s.Key()
	if !ok || f != nil && !f.reached(s.Pos-1) {
		return false
	}
	if s.Invalid >= 0 && onInvalid != nil {
		onInvalid()
	}
	start := s.Opened + 1
	if f != nil {
		s.Space()
		if !f.reached(s.Pos) {
			return false
		}
	}
	if !s.Colon() {
		return false
	}
	return f == nil || f.key(start, start+len(key))
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
