package conformance

import (
	"bytes"
	"math/rand/v2"
	"strings"
)

// mutator makes random documents by changing others: bytes, tokens, members, whole pieces. Most are
// nearly valid, because that is where decoders differ.
type mutator struct {
	r     *rand.Rand
	bases [][]byte
}

// tokens are values, and near misses, that some kind of field treats specially.
var tokens = []string{
	`null`, `true`, `false`, `0`, `-0`, `1`, `-1`, `01`, `1.`, `-.1`, `.5`, `+1`, `1e5`, `1E+2`, `3e2`, `300.0`, `0.5`, `-0.0`, `1e-7`, `1.5e300`,
	`1e309`, `-1e400`, `1e-400`, `2147483647`, `2147483648`, `-2147483649`, `9007199254740993`, `9007199254740993.0`, `9223372036854775807`,
	`9223372036854775808`, `-9223372036854775808`, `-9223372036854775809`, `18446744073709551615`, `18446744073709551616`,
	`123456789012345678901234567890`, `0.1`, `0.30000000000000004`, `123456789012345.6789`, `4.9e-324`, `1.7976931348623157e308`,
	`""`, `"a"`, `"1"`, `"0"`, `"1.5"`, `"-7"`, `"3e2"`, `"true"`, `"\u0031"`, `" 1"`, `"1 "`, `"\n"`, `"\u00e9"`, `"é"`, `"\ud83d\ude00"`, `"😀"`,
	`"\ud800"`, `"\udc00"`, `"\ud800\ud800"`, `"\ud800x"`, `"\ud83d\u0041"`, `"\u1"`, `"\x41"`, `"\`, `"`, `"a\"b"`, `"\\"`, `"\\\\"`, `"\/"`,
	"\"\x00\"", "\"\x1f\"", "\"\x7f\"", "\"\xff\"", "\"\xc3\"", "\"\xed\xa0\x80\"", "\"\xf0\x9f\x98\"", "\"\t\"", `"` + strings.Repeat("x", 70) + `"`,
	`"` + strings.Repeat("x", 61) + `\n` + strings.Repeat("y", 61) + `"`,
	`{}`, `[]`, `[{}]`, `[null]`, `[1]`, `["a"]`, `[1,]`, `{"a":1}`, `{"a":}`, `{,}`, `[[]]`, `[[1,[2]],{}]`, `{"id":"1"}`, `{"id":1}`, `{"ext":{}}`, `[{},{}]`, `[{"id":"1"},null]`,
	`nul`, `truee`, `fals`, `None`, `NaN`, `Infinity`, `'a'`, `//`, `/**/`, `{`, `[`, `}`, `]`, `,`, `:`, ` `, "\n", "\t\r\n ", "\ufeff", "\u00a0", "\x00",
}

const bom = "\ufeff"

// pieces are members of objects.
var pieces = []string{
	`"ext":null`, `"ext":{"a":[1,2,{"b":"c"}]}`, `"ext":"x"`, `"ext":0`, `"id":"x"`, `"id":null`, `"ID":"x"`, `"i\u0064":"y"`, `"Imp":[]`, `"imp":[]`, `"imp":null`,
	`"imp":[{"id":"1","banner":{"w":1,"h":2}}]`, `"site":{}`, `"site":{"id":"1"}`, `"site":null`, `"app":{"publisher":{"ext":{}}}`, `"device":{"geo":{"lat":1.5,"lon":-0.0}}`,
	`"at":1`, `"at":null`, `"at":1.0`, `"tmax":"120"`, `"test":true`, `"cur":["USD"]`, `"cur":"USD"`, `"cur":[]`, `"bcat":[null,"a"]`, `"w":1`, `"h":2.0`, `"format":[{"w":1}]`, `"api":[1,2]`, `"api":3`,
	`"bidfloor":0.1`, `"bidfloor":"0.1"`, `"x":{}`, `"x":[[[[]]]]`, `"x":"\ud800"`, `"x":1.`, `"":""`, `"\u0000":0`, `"a/b~c":1`, `"é":1`, `"` + strings.Repeat("k", 201) + `":1`,
	`"seatbid":[{"bid":[{"id":"1","impid":"1","price":1}]}]`, `"bid":[]`, `"price":1e2`, `"nbr":3`, `"seat":5`, `"mtype":"2"`,
	`"video":{"mimes":["a"],"durfloors":[{"mindur":1}],"companionad":[{"w":1}]}`, `"schain":{"nodes":[{"asi":"a"}]}`, `"eids":[{"uids":[{"id":"1","atype":1}]}]`,
}

// next returns a new document. It shares no memory with the documents that it was made from.
func (m *mutator) next() []byte {
	doc := bytes.Clone(m.bases[m.r.IntN(len(m.bases))])
	if m.r.IntN(8) == 0 { // a small new one
		doc = []byte("{" + m.members(1+m.r.IntN(4)) + "}")
	}
	for range m.r.IntN(4) {
		doc = m.change(doc)
	}
	if m.r.IntN(50) == 0 {
		doc = append([]byte((" \n" + bom)[m.r.IntN(3):]), doc...)
	}
	return doc
}

// members returns n members.
func (m *mutator) members(n int) string {
	var list []string
	for range n {
		list = append(list, pieces[m.r.IntN(len(pieces))])
	}
	return strings.Join(list, ",")
}

// change makes one random change.
func (m *mutator) change(doc []byte) []byte {
	if len(doc) == 0 {
		return []byte(`{}`)
	}
	at := m.r.IntN(len(doc))
	switch m.r.IntN(13) {
	case 0: // one byte of those that JSON gives a meaning
		const telling = "{}[]:,\"\\ \n\t0123456789-+.eEtfnu/\x00\x1f\x7f\x80\xff\xc3\xa9"
		doc[at] = telling[m.r.IntN(len(telling))]
	case 1: // one bit
		doc[at] ^= 1 << m.r.IntN(8)
	case 2: // bytes removed
		doc = append(doc[:at], doc[min(at+1+m.r.IntN(8), len(doc)):]...)
	case 3: // a token inserted
		doc = m.splice(doc, at, at, tokens[m.r.IntN(len(tokens))])
	case 4, 5, 6: // another value after a colon
		if i := m.find(doc, at, ':'); i >= 0 {
			doc = m.splice(doc, i+1, valueEnd(doc, i+1), tokens[m.r.IntN(len(tokens))])
		}
	case 7: // another element
		if i := m.find(doc, at, '['); i >= 0 {
			doc = m.splice(doc, i+1, valueEnd(doc, i+1), tokens[m.r.IntN(len(tokens))])
		}
	case 8, 9: // more members
		if i := m.find(doc, at, '{'); i >= 0 {
			comma := ","
			if i+1 < len(doc) && doc[i+1] == '}' {
				comma = ""
			}
			doc = m.splice(doc, i+1, i+1, m.members(1+m.r.IntN(2))+comma)
		}
	case 10: // a piece of another document
		other := m.bases[m.r.IntN(len(m.bases))]
		if i, j := m.find(doc, at, ':'), m.find(other, m.r.IntN(len(other)), ':'); i >= 0 && j >= 0 {
			doc = m.splice(doc, i+1, valueEnd(doc, i+1), string(other[j+1:valueEnd(other, j+1)]))
		}
	case 11: // the case or the spelling of a key
		if i := m.find(doc, at, '"'); i >= 0 && i+1 < len(doc) {
			if c := doc[i+1]; c >= 'a' && c <= 'z' {
				if m.r.IntN(2) == 0 {
					doc[i+1] -= 'a' - 'A'
				} else {
					doc = m.splice(doc, i+1, i+2, `\u00`+string("0123456789abcdef"[c>>4])+string("0123456789abcdef"[c&15]))
				}
			}
		}
	case 12: // cut off, or white space that moves the rest
		if m.r.IntN(2) == 0 {
			doc = doc[:at]
		} else if i := m.find(doc, at, ','); i >= 0 {
			doc = m.splice(doc, i+1, i+1, strings.Repeat(" ", m.r.IntN(70)))
		}
	}
	return doc
}

// find returns the position of the first c at or after at, -1 if c does not occur.
func (m *mutator) find(doc []byte, at int, c byte) int {
	i := bytes.IndexByte(doc[at:], c)
	if i < 0 {
		return -1
	}
	return at + i
}

// splice replaces doc[from:to] in a copy.
func (m *mutator) splice(doc []byte, from, to int, text string) []byte {
	out := make([]byte, 0, len(doc)+len(text))
	return append(append(append(out, doc[:from]...), text...), doc[to:]...)
}

// valueEnd returns the end of the value at i, roughly: it knows brackets and strings, and finds no
// errors.
func valueEnd(doc []byte, i int) int {
	level, quoted := 0, false
	for ; i < len(doc); i++ {
		c := doc[i]
		switch {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			level++
		case (c == '}' || c == ']' || c == ',') && level == 0:
			return i
		case c == '}' || c == ']':
			level--
		}
	}
	return len(doc)
}
