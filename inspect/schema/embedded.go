package schema

import (
	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/internal/mem"
)

// embedded reports whether a string holds one JSON value, and whether that is an object. It
// returns the string as bytes, which must not be changed and are valid until the next call.
func (c *Checker) embedded(text string) (value []byte, isJSON, isObject bool) {
	if mem.ZeroCopy {
		value = mem.Bytes(text)
	} else {
		c.bytes = append(c.bytes[:0], text...)
		value = c.bytes
	}
	s := scanner(value)
	s.Space()
	isObject = s.Peek() == '{'
	isJSON = s.Document()
	return value, isJSON, isJSON && isObject
}

// isJSON reports whether a string holds one JSON value.
func (c *Checker) isJSON(text string) bool {
	_, is, _ := c.embedded(text)
	return is
}

// hasKey reports whether a JSON object has a member of the given name. The value must have been
// read before, by a decoder or by embedded; any other value has no members.
func hasKey(object []byte, name string) (has bool) {
	eachMember(object, func(key, _ []byte) bool {
		has = string(key) == name
		return !has
	})
	return has
}

// lastMember returns the value of the last member of the given name, and how many there are.
func lastMember(object []byte, name string) (value []byte, times int) {
	eachMember(object, func(key, v []byte) bool {
		if string(key) == name {
			value = v
			times++
		}
		return true
	})
	return value, times
}

// onlyKey reports whether all members of a JSON object have the given name.
func onlyKey(object []byte, name string) bool {
	only := true
	eachMember(object, func(key, _ []byte) bool {
		only = string(key) == name
		return only
	})
	return only
}

// eachMember calls a function with the keys and values of an object, until it returns false.
func eachMember(object []byte, visit func(key, value []byte) bool) {
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
		if !s.Colon() {
			return
		}
		at := s.Pos
		if !s.Skip(nil) || !visit(key, object[at:s.Pos]) {
			return
		}
		more, _ = s.More('}')
	}
}
