package schema

import "github.com/rtbwire/rtbwire/internal/grammar"

// embedded reports whether a string holds one JSON value, and whether that is an object. It
// returns the string as bytes, which are valid until the next call.
func (c *Checker) embedded(text string) (value []byte, isJSON, isObject bool) {
	c.bytes = append(c.bytes[:0], text...)
	s := scanner(c.bytes)
	s.Space()
	isObject = s.Peek() == '{'
	isJSON = s.Document()
	return c.bytes, isJSON, isJSON && isObject
}

// isJSON reports whether a string holds one JSON value.
func (c *Checker) isJSON(text string) bool {
	_, is, _ := c.embedded(text)
	return is
}

// hasKey reports whether a JSON object has a member of the given name. The value must have been
// read before, by a decoder or by embedded; any other value has no members.
func hasKey(object []byte, name string) (has bool) {
	eachKey(object, func(key []byte) bool {
		has = string(key) == name
		return !has
	})
	return has
}

// onlyKey reports whether all members of a JSON object have the given name.
func onlyKey(object []byte, name string) bool {
	only := true
	eachKey(object, func(key []byte) bool {
		only = string(key) == name
		return only
	})
	return only
}

// eachKey calls a function with the keys of an object, until it returns false.
func eachKey(object []byte, visit func(key []byte) bool) {
	start := 0
	for start < len(object) && grammar.IsSpace(object[start]) {
		start++
	}
	if start == len(object) || object[start] != '{' {
		return // before making a scanner, which is large: most objects are an ext that is absent
	}
	s := scanner(object)
	s.Pos = start
	s.Open()
	s.Space()
	for more := s.Peek() == '"'; more; {
		key, ok := s.Key()
		if !ok {
			return
		}
		if s.Escaped {
			key = []byte(grammar.Unescape(key))
		}
		if !visit(key) || !s.Colon() || !s.Skip(nil) {
			return
		}
		more, _ = s.More('}')
	}
}
