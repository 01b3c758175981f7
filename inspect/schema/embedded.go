package schema

import (
	"bytes"

	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/wire/coder"
)

// embedded reads the JSON inside strings.
type embedded struct {
	bytes   []byte       // a string that is read as bytes
	reader  coder.Reader // of such a string
	natives *natives     // the layers of native payloads; made when needed
}

// finish drops the payloads, and memory that is unusually large.
func (e *embedded) finish() {
	if cap(e.bytes) > keptMax {
		e.bytes = nil
	}
	if e.reader.Retained() > keptBytes {
		e.reader.Drop()
	}
	e.natives.forget()
}

// read reports whether a string holds one JSON value, and whether that is an object. It
// returns the string as bytes, which must not be changed and are valid until the next call.
func (e *embedded) read(text string) (value []byte, isJSON, isObject bool) {
	const key = `{"":` // the decoder's reader takes objects alone
	e.bytes = append(append(append(e.bytes[:0], key...), text...), '}')
	value = e.bytes[len(key) : len(e.bytes)-1]
	start := skipSpace(value, 0)
	isObject = start < len(value) && value[start] == '{'
	if e.isMember(e.bytes, len(key)+start) {
		return value, true, isObject
	}
	s := scanner(value)
	isJSON = s.Document()
	return value, isJSON, isJSON && isObject
}

// bytesOf returns a string as bytes, which must not be changed and are valid until the next call.
func (e *embedded) bytesOf(text string) []byte {
	if mem.ZeroCopy {
		return mem.Bytes(text)
	}
	e.bytes = append(e.bytes[:0], text...)
	return e.bytes
}

// isMember reports whether the decoder's reader accepts the value at start as the last one of an
// object. The scanner, which is slower, accepts more strings and so has the last word on others.
func (e *embedded) isMember(object []byte, start int) bool {
	defer e.reader.Reset()
	if e.reader.Begin(object) == 0 {
		return false
	}
	p := e.reader.Skip(start, grammar.DepthMax-1)
	return p != 0 && skipSpace(object, p) == len(object)-1
}

// skipSpace returns the position of the first byte from p on that is not white space.
func skipSpace(text []byte, p int) int {
	for p < len(text) && grammar.IsSpace(text[p]) {
		p++
	}
	return p
}

// valid reports whether a string holds one JSON value.
func (e *embedded) valid(text string) bool {
	_, is, _ := e.read(text)
	return is
}

// hasKey reports whether a JSON object has a member of the given name. The value must have been
// read before, by a decoder or by embedded.read; any other value has no members.
func hasKey(object []byte, name string) bool {
	return len(object) > 0 && hasMember(object, name)
}

// mayHave reports whether an object may have a member of the given name: unless something is
// escaped, a name that is not in the text is not a key of it.
func mayHave(object []byte, name string) bool {
	return len(object) > len(name) && (bytes.Contains(object, mem.Bytes(name)) || bytes.IndexByte(object, '\\') >= 0)
}

// hasMember is hasKey for a value that is there.
func hasMember(object []byte, name string) (has bool) {
	if !mayHave(object, name) {
		return false
	}
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
	start := skipSpace(object, 0)
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
