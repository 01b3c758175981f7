package schema

import (
	"bytes"

	"github.com/rtbwire/rtbwire/internal/grammar"
)

// embedded reports whether a string holds one JSON value, and whether that is an object. It
// returns the string as bytes, which are valid until the next call.
func (c *Checker) embedded(text string) (value []byte, isJSON, isObject bool) {
	c.bytes = append(c.bytes[:0], text...)
	if c.objectAtOnce(c.bytes) {
		return c.bytes, true, true
	}
	s := scanner(c.bytes)
	s.Space()
	isObject = s.Peek() == '{'
	isJSON = s.Document()
	return c.bytes, isJSON, isJSON && isObject
}

// objectAtOnce reports that a text is one JSON object, as the decoder reads it. The scanner, which is
// slower, has the last word on other texts: it accepts more strings.
func (c *Checker) objectAtOnce(text []byte) bool {
	defer c.reader.Reset()
	p := c.reader.Begin(text)
	if p == 0 {
		return false
	}
	p = c.reader.Skip(p-1, grammar.DepthMost-1)
	return p != 0 && c.reader.End(p) == nil
}

// isJSON reports whether a string holds one JSON value.
func (c *Checker) isJSON(text string) bool {
	_, is, _ := c.embedded(text)
	return is
}

// hasKey reports whether a JSON object has a member of the given name. The value must have been
// read before, by a decoder or by embedded; any other value has no members.
func hasKey(object []byte, name string) bool {
	return len(object) > 0 && hasMember(object, name)
}

// hasMember is hasKey for a value that is there. Unless something is escaped, a name that is nowhere in
// the text is not a key of it.
func hasMember(object []byte, name string) (has bool) {
	if bytes.IndexByte(object, '\\') < 0 && !bytes.Contains(object, []byte(name)) {
		return false
	}
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
