package schema

// embedded checks that a string holds one JSON object, and returns it as bytes that are valid
// until the next call.
func (c *Checker) embedded(text string) ([]byte, bool) {
	c.bytes = append(c.bytes[:0], text...)
	s := scanner{data: c.bytes}
	s.space()
	if s.peek() != '{' || !s.skip(func() {}) {
		return nil, false
	}
	s.space()
	return c.bytes, s.pos == len(s.data)
}

// hasKey reports whether a JSON object has a member of the given name. The object has been
// read before, by a decoder or by embedded; what is not one has no members.
func hasKey(object []byte, name string) bool { return eachKey(object, name) < 0 }

// countKeys counts the members of a JSON object.
func countKeys(object []byte) int { return eachKey(object, "\x00") } // no key reads so

// eachKey counts the members of an object; -1 as soon as one has the given name.
func eachKey(object []byte, name string) (n int) {
	s := scanner{data: object}
	s.space()
	if s.peek() != '{' {
		return 0
	}
	for s.pos++; ; s.pos++ {
		s.space()
		if s.peek() != '"' {
			return n
		}
		start := s.pos
		key, ok := s.str()
		if !ok {
			return n
		}
		if string(key) == name || s.escaped && unquote(object[start:s.pos]) == name {
			return -1
		}
		n++
		if !s.colon() || !s.skip(func() {}) {
			return n
		}
		s.space()
		if s.peek() != ',' {
			return n
		}
	}
}
