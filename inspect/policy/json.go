package policy

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/internal/legacy"
	"github.com/rtbwire/rtbwire/internal/mem"
)

// This file reads the text of an ext, which the decoder has found to be valid JSON: members and
// elements are found by walking it, and nothing is decoded but what is asked for.

// isNull reports whether an ext is absent.
func isNull(text []byte) bool { return len(text) == 0 || string(text) == "null" }

// parse returns the value that a text holds. A number without fraction and exponent that has room
// in an int is an int, all others are doubles.
func (c *frame) parse(text string) value {
	p := grammar.SpaceEnd(text, 0)
	if p == len(text) {
		return value{}
	}
	text = text[p:]
	switch text[0] {
	case '{':
		return value{kind: kindMembers, s: text}
	case '[':
		return value{kind: kindArray, s: text}
	case '"':
		end := grammar.StringEnd(text, 0)
		if end == 0 {
			return value{}
		}
		return stringValue(c.unescape(text[1 : end-1]))
	case 't':
		return boolValue(true)
	case 'f':
		return boolValue(false)
	case 'n':
		return value{}
	}
	end := grammar.ValueEnd(text, 0)
	return number(text[:end])
}

// digitsMax is the number of digits that always fit an int64.
const digitsMax = 18

func number(text string) value {
	if len(text) <= digitsMax {
		i, negative := int64(0), false
		for p := range len(text) {
			switch b := text[p]; {
			case b >= '0' && b <= '9':
				i = i*10 + int64(b-'0')
			case b == '-' && p == 0:
				negative = true
			default:
				return float(text)
			}
		}
		if negative {
			i = -i
		}
		return intValue(i)
	}
	if !strings.ContainsAny(text, ".eE") {
		if i, err := strconv.ParseInt(text, 10, 64); err == nil {
			return intValue(i)
		}
	}
	return float(text)
}

// float returns a double. What is too large is infinite.
func float(text string) value {
	f, _ := strconv.ParseFloat(text, 64) // only the range can be wrong
	return doubleValue(f)
}

// unescape returns the content of a string: the text itself if it has no escapes.
func (c *frame) unescape(s string) string {
	c.charge(len(s))
	at := strings.IndexByte(s, '\\')
	if at < 0 || !c.mayAdd(len(s)) {
		return s
	}
	start := len(c.text)
	for at >= 0 {
		c.text = append(c.text, s[:at]...)
		if s = c.escape(s[at:]); s == "" {
			break
		}
		at = strings.IndexByte(s, '\\')
	}
	c.text = append(c.text, s...)
	return mem.String(c.text[start:])
}

// escape appends the character of the escape that s begins with, and returns what follows it.
func (c *frame) escape(s string) (rest string) {
	const long = len(`\u0000`)
	if len(s) < 2 || s[1] != 'u' {
		if len(s) >= 2 {
			c.text = append(c.text, grammar.Letters[s[1]])
		}
		return s[min(2, len(s)):]
	}
	r := hex4(s)
	s = s[min(long, len(s)):]
	if utf16.IsSurrogate(r) {
		if r = utf16.DecodeRune(r, hex4(s)); r != utf8.RuneError {
			s = s[long:]
		}
	}
	c.text = utf8.AppendRune(c.text, r)
	return s
}

// hex4 returns the code of the \u escape that s begins with, U+FFFD if it begins with none.
func hex4(s string) rune {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return utf8.RuneError
	}
	n, err := strconv.ParseUint(s[2:6], 16, 32)
	if err != nil {
		return utf8.RuneError
	}
	return rune(n)
}

// members walks an object. Make it with the text; next moves to a member.
type members struct {
	text       string
	p          int // before a member
	key, value string
}

func (m *members) next(c *frame) bool {
	start := grammar.SpaceEnd(m.text, m.p+1)
	if start >= len(m.text) || m.text[start] != '"' {
		return false
	}
	end := grammar.StringEnd(m.text, start)
	if end == 0 {
		return false
	}
	key := m.text[start+1 : end-1]
	p := grammar.SpaceEnd(m.text, end)
	if p == len(m.text) || m.text[p] != ':' {
		return false
	}
	start = grammar.SpaceEnd(m.text, p+1)
	if end = grammar.ValueEnd(m.text, start); end == 0 {
		return false
	}
	c.charge(end - m.p)
	if strings.IndexByte(key, '\\') >= 0 {
		key = c.unescape(key)
	}
	m.key, m.value, m.p = key, m.text[start:end], grammar.SpaceEnd(m.text, end)
	return c.step()
}

type found struct {
	text  string
	found bool
}

// memberText returns the text of a member. Of a repeated key the last one counts, as for decoders.
func (c *frame) memberText(object, name string) (f found) {
	c.charge(len(object))
	if len(object) <= len(name) || !strings.Contains(object, name) && strings.IndexByte(object, '\\') < 0 {
		return f // most objects lack it
	}
	for m := (members{text: object}); m.next(c); {
		if m.key == name {
			f = found{m.value, true}
		}
	}
	return f
}

// memberAlike is memberText for a member that a condition names: readers that ignore letter case
// find it in any. Two keys that one of them takes for the name are a failure, as readers take
// different ones.
func (c *frame) memberAlike(object, name string) (f found) {
	c.charge(len(object))
	if !legacy.MayHave(mem.Bytes(object), name) {
		return f // most objects lack it
	}
	key := ""
	for m := (members{text: object}); m.next(c); {
		if m.key != name && !legacy.Alike(m.key, name) {
			continue
		}
		if f.found && m.key != key {
			c.failWith(failCase)
			return found{}
		}
		f, key = found{m.value, true}, m.key
	}
	return f
}

// member returns a member, or null.
func (c *frame) member(v value, name string) value {
	switch v.kind {
	case kindMembers:
		if f := c.memberAlike(v.s, name); f.found {
			return c.parse(f.text)
		}
	case kindNull:
	default:
		c.failWith(failType)
	}
	return value{}
}

// elements returns a list, an array or the keys of an object in an ext as a list.
func (c *frame) elements(v value) list {
	switch v.kind {
	case kindList:
		return *v.o.(*list)
	case kindArray:
		c.charge(len(v.s))
		n := 0
		for end := 0; ; n++ {
			var p int
			if p, end = element(v.s, end); p == 0 {
				break
			}
		}
		at, ok := c.reserve(n)
		if !ok {
			return list{}
		}
		for i, end := 0, 0; i < n && c.step(); i++ {
			var p int
			p, end = element(v.s, end)
			c.values[at+i] = c.parse(v.s[p:end])
		}
		return list{n: n, values: c.values[at : at+n]}
	case kindMembers:
		n := 0
		for m := (members{text: v.s}); m.next(c); n++ {
		}
		at, ok := c.reserve(n)
		if !ok {
			return list{}
		}
		m := members{text: v.s}
		for i := 0; i < n && m.next(c); i++ {
			c.values[at+i] = stringValue(m.key)
		}
		return list{n: n, values: c.values[at : at+n]}
	}
	c.failWith(failType)
	return list{}
}

// element returns where the next element of an array is: the one after the end of another, or the
// first one. 0 says that there is no more.
func element(text string, end int) (start, next int) {
	if end != 0 {
		if end = grammar.SpaceEnd(text, end); end == len(text) || text[end] != ',' {
			return 0, 0
		}
	}
	start = grammar.SpaceEnd(text, end+1)
	if next = grammar.ValueEnd(text, start); next == 0 {
		return 0, 0
	}
	return start, next
}
