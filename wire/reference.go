package wire

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// This file is the slow and clear twin of the decoder: RFC 8259 and the contract's rules
// about text, one byte at a time, without an index. It says what is wrong with a document
// that the fast path can't begin with, builds the paths of errors, and finds keys that come
// twice. The tests compare the fast path with it.

// level is one open object or array.
type level struct {
	object   bool
	index    int // elements before the current one; -1 before the first and behind the last
	keyStart int // of the current member's key, after its quote; 0 between members
	keyEnd   int
	names    int // for findDuplicate: keys so far
	outer    int // for findDuplicate: keys so far of all the levels around this one
	id       int // for findDuplicate: tells objects apart
}

// reference reads a document.
type reference struct {
	data   []byte
	pos    int
	levels []level
	code   Code // what was wrong
	at     int

	// tolerant lets strings hold what lenient mode puts right: bytes that are not UTF-8, and
	// half surrogate pairs.
	tolerant bool

	stops  []int                     // offsets, ascending, whose pointers are wanted; nil is none
	paths  []string                  // the pointers to those that were reached
	member func(ref *reference) bool // called after each key; false stops
}

// check returns what is wrong with a document, or 0. Any value may be the document.
func check(data []byte, depth int, tolerant bool) (Code, int) {
	ref := reference{data: data, tolerant: tolerant}
	ref.document(depth)
	return ref.code, ref.at
}

// pointerAt returns a JSON Pointer to the innermost value around an offset. The document need
// not be valid beyond it.
func pointerAt(data []byte, offset int) string { return pointersAt(data, []int{offset})[0] }

// pointersAt is pointerAt for several offsets, which ascend, in one pass.
func pointersAt(data []byte, offsets []int) []string {
	ref := reference{data: data, tolerant: true, stops: offsets}
	if hasBOM(data) {
		ref.pos = len(bom)
	}
	ref.document(DepthMost + 1)
	for len(ref.stops) > 0 { // beyond what could be read
		ref.note()
	}
	return ref.paths
}

// reached reports whether there is nothing to look for behind pos. Before that it notes the
// pointers of the offsets up to pos, for which the levels are those now open.
func (ref *reference) reached(pos int) bool {
	if ref.stops == nil {
		return false
	}
	for len(ref.stops) > 0 && ref.stops[0] <= pos {
		ref.note()
	}
	return len(ref.stops) == 0
}

// note makes the pointer for the first of the stops.
func (ref *reference) note() {
	ref.paths, ref.stops = append(ref.paths, ref.pointer()), ref.stops[1:]
}

// pointer writes the pointer to the current value.
func (ref *reference) pointer() string {
	var b strings.Builder
	for i := range ref.levels {
		l := &ref.levels[i]
		switch {
		case !l.object && l.index >= 0:
			b.WriteByte('/')
			b.WriteString(strconv.Itoa(l.index))
		case l.object && l.keyStart > 0:
			b.WriteByte('/')
			// What is beyond the longest pointer, were it all escapes, need not be copied.
			key := unescapeReference(ref.data[l.keyStart:min(l.keyEnd, l.keyStart+len(`\u0000`)*PathMax)])
			b.WriteString(pointerEscaper.Replace(string([]rune(key)))) // valid UTF-8, as decoded
		}
		if b.Len() > PathMax {
			return cutPointer(b.String())
		}
	}
	return b.String()
}

// cutPointer shortens a pointer to PathMax, at the border of a character.
func cutPointer(path string) string {
	const mark = "/..."
	n := PathMax - len(mark)
	for !utf8.RuneStart(path[n]) {
		n--
	}
	if path[n-1] == '~' { // the rest of the escape is cut off
		n--
	}
	return path[:n] + mark
}

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

func (ref *reference) fail(code Code, at int) bool {
	if at >= len(ref.data) && code != CodeDepth {
		code, at = CodeTruncated, len(ref.data)
	}
	ref.code, ref.at = code, at
	return false
}

func (ref *reference) peek() byte {
	if ref.pos < len(ref.data) {
		return ref.data[ref.pos]
	}
	return 0
}

func (ref *reference) space() {
	for ref.pos < len(ref.data) && isSpace(ref.data[ref.pos]) {
		ref.pos++
	}
}

func (ref *reference) document(depth int) bool {
	ref.space()
	if ref.pos == len(ref.data) {
		ref.code, ref.at = CodeEmpty, ref.pos
		return false
	}
	if !ref.value(depth) {
		return false
	}
	ref.space()
	if ref.pos < len(ref.data) {
		return ref.fail(CodeTrailing, ref.pos)
	}
	return true
}

// value reads a value and everything inside of it, without recursion.
func (ref *reference) value(depth int) bool {
	base := len(ref.levels)
	for {
		if ref.reached(ref.pos) {
			return false
		}
		switch b := ref.peek(); b {
		case '{', '[':
			if len(ref.levels) >= depth {
				return ref.fail(CodeDepth, ref.pos)
			}
			next := level{object: b == '{', index: -1}
			if n := len(ref.levels); n > 0 {
				next.outer = ref.levels[n-1].outer + ref.levels[n-1].names
			}
			ref.levels = append(ref.levels, next)
			ref.pos++
			ref.space()
			if b == '[' && ref.pos < len(ref.data) && ref.peek() != ']' {
				ref.levels[len(ref.levels)-1].index = 0
			}
			if ref.reached(ref.pos) {
				return false
			}
			if b == '{' && ref.peek() != '}' {
				if !ref.key() {
					return false
				}
				continue
			}
			if b == '[' && ref.peek() != ']' {
				continue
			}
		default:
			if !ref.scalar() || ref.reached(ref.pos-1) {
				return false
			}
		}
		for { // a value has ended
			if len(ref.levels) == base {
				return true
			}
			top := &ref.levels[len(ref.levels)-1]
			ref.space()
			b := ref.peek()
			if b == ',' && (top.object && top.keyStart > 0 || !top.object && top.index >= 0) {
				top.keyStart = 0
				ref.pos++
				ref.space()
				if top.object {
					if !ref.key() {
						return false
					}
				} else {
					top.index++
				}
				break
			}
			if b == '}' && top.object || b == ']' && !top.object {
				ref.pos++
				ref.levels = ref.levels[:len(ref.levels)-1]
				continue
			}
			top.keyStart, top.index = 0, -1
			return ref.fail(CodeSyntax, ref.pos)
		}
	}
}

// key reads a key and its colon.
func (ref *reference) key() bool {
	top := &ref.levels[len(ref.levels)-1]
	top.keyStart = 0
	if ref.reached(ref.pos) {
		return false
	}
	if ref.peek() != '"' {
		return ref.fail(CodeSyntax, ref.pos)
	}
	start := ref.pos + 1
	if !ref.str() || ref.reached(ref.pos-1) {
		return false
	}
	end := ref.pos - 1
	ref.space()
	if ref.peek() != ':' {
		return ref.fail(CodeSyntax, ref.pos)
	}
	if ref.reached(ref.pos) {
		return false
	}
	ref.pos++
	ref.space()
	top.keyStart, top.keyEnd = start, end
	return ref.member == nil || ref.member(ref)
}

func (ref *reference) scalar() bool {
	switch b := ref.peek(); {
	case b == '"':
		return ref.str()
	case b == '-' || '0' <= b && b <= '9':
		return ref.number()
	case b == 't':
		return ref.word("true")
	case b == 'f':
		return ref.word("false")
	case b == 'n':
		return ref.word("null")
	}
	return ref.fail(CodeSyntax, ref.pos)
}

func (ref *reference) word(w string) bool {
	for i := range len(w) {
		if ref.pos+i >= len(ref.data) || ref.data[ref.pos+i] != w[i] {
			return ref.fail(CodeSyntax, ref.pos+i)
		}
	}
	ref.pos += len(w)
	return true
}

func (ref *reference) number() bool {
	if ref.peek() == '-' {
		ref.pos++
	}
	if ref.peek() == '0' {
		ref.pos++
		if b := ref.peek(); '0' <= b && b <= '9' {
			return ref.fail(CodeNumber, ref.pos)
		}
	} else if !ref.digits() {
		return false
	}
	if ref.peek() == '.' {
		ref.pos++
		if !ref.digits() {
			return false
		}
	}
	if b := ref.peek(); b == 'e' || b == 'E' {
		ref.pos++
		if b := ref.peek(); b == '+' || b == '-' {
			ref.pos++
		}
		return ref.digits()
	}
	return true
}

// digits reads at least one digit.
func (ref *reference) digits() bool {
	start := ref.pos
	for '0' <= ref.peek() && ref.peek() <= '9' {
		ref.pos++
	}
	if ref.pos == start {
		return ref.fail(CodeNumber, ref.pos)
	}
	return true
}

func (ref *reference) str() bool {
	for ref.pos++; ref.pos < len(ref.data); {
		b := ref.data[ref.pos]
		switch {
		case b == '"':
			ref.pos++
			return true
		case b == '\\':
			if !ref.escape() {
				return false
			}
		case b < 0x20:
			return ref.fail(CodeControl, ref.pos)
		case b < utf8.RuneSelf:
			ref.pos++
		default:
			c, n := utf8.DecodeRune(ref.data[ref.pos:])
			if c == utf8.RuneError && n == 1 && !ref.tolerant {
				if !utf8.FullRune(ref.data[ref.pos:]) {
					return ref.fail(CodeTruncated, len(ref.data))
				}
				return ref.fail(CodeUTF8, ref.pos)
			}
			ref.pos += n
		}
	}
	return ref.fail(CodeTruncated, len(ref.data))
}

func (ref *reference) escape() bool {
	start := ref.pos
	ref.pos++
	switch ref.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		ref.pos++
		return true
	case 'u':
		ref.pos++
	default:
		return ref.fail(CodeEscape, ref.pos)
	}
	c, ok := ref.hex4()
	if !ok {
		return false
	}
	if c < 0xd800 || c >= 0xe000 {
		return true
	}
	if c < 0xdc00 {
		switch next := string(ref.data[ref.pos:min(ref.pos+2, len(ref.data))]); {
		case next == `\u`:
			ref.pos += 2
			low, ok := ref.hex4()
			if !ok {
				return false
			}
			if low >= 0xdc00 && low < 0xe000 {
				return true
			}
			ref.pos -= len(`\u0000`) // it is a character of its own
		case strings.HasPrefix(`\u`, next) && !ref.tolerant: // the other half may have been cut off
			return ref.fail(CodeTruncated, len(ref.data))
		}
	}
	if ref.tolerant {
		return true
	}
	return ref.fail(CodeSurrogate, start)
}

func (ref *reference) hex4() (c uint64, ok bool) {
	for range 4 {
		digit, err := strconv.ParseUint(string(ref.data[ref.pos:min(ref.pos+1, len(ref.data))]), 16, 8)
		if err != nil {
			return 0, ref.fail(CodeEscape, ref.pos)
		}
		c = c<<4 | digit
		ref.pos++
	}
	return c, true
}

// unescapeReference resolves the escapes of a string that has been read before, or of the
// beginning of one.
func unescapeReference(s []byte) string {
	var out []byte
	for len(s) > 0 {
		if s[0] != '\\' || len(s) < 2 {
			out, s = append(out, s[0]), s[1:]
			continue
		}
		if s[1] != 'u' {
			out, s = append(out, escapes[s[1]]), s[2:]
			continue
		}
		c := hexReference(s)
		s = s[min(len(s), len(`\u0000`)):]
		if utf16.IsSurrogate(c) {
			pair := utf16.DecodeRune(c, hexReference(s))
			if pair != utf8.RuneError {
				s = s[len(`\u0000`):]
			}
			c = pair
		}
		out = utf8.AppendRune(out, c)
	}
	return string(out)
}

// hexReference returns the code of the escape that s begins with, and U+FFFD if it begins with
// something else.
func hexReference(s []byte) rune {
	if len(s) >= len(`\u0000`) && s[0] == '\\' && s[1] == 'u' {
		if c, err := strconv.ParseUint(string(s[2:6]), 16, 16); err == nil {
			return rune(c)
		}
	}
	return utf8.RuneError
}
