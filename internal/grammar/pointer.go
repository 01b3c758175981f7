package grammar

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// PointerMax is the longest pointer in bytes; longer ones are cut and end in "/...".
const PointerMax = 1024

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

// EscapePointer writes a name as an element of a JSON Pointer (RFC 6901 section 3).
func EscapePointer(name string) string { return pointerEscaper.Replace(name) }

// UnescapePointer reads an element of a JSON Pointer. ok is false for an unknown escape.
func UnescapePointer(element string) (name string, ok bool) {
	if !strings.Contains(element, "~") {
		return element, true
	}
	var b strings.Builder
	for i := 0; i < len(element); i++ {
		if element[i] != '~' {
			b.WriteByte(element[i])
			continue
		}
		if i++; i == len(element) || element[i] != '0' && element[i] != '1' {
			return "", false
		}
		b.WriteByte("~/"[element[i]-'0'])
	}
	return b.String(), true
}

// PointerIndex reads an element of a JSON Pointer as an array index, -1 if it is not one
// (section 4).
func PointerIndex(element string) int {
	const digitsMost = 9 // more elements than a document can have
	if element == "" || len(element) > digitsMost || element[0] == '0' && element != "0" {
		return -1
	}
	n := 0
	for i := range len(element) {
		c := element[i] - '0'
		if c > 9 {
			return -1
		}
		n = n*10 + int(c)
	}
	return n
}

// CutPointer shortens a pointer to PointerMax, between two characters.
func CutPointer(pointer string) string {
	const mark = "/..."
	if len(pointer) <= PointerMax {
		return pointer
	}
	n := PointerMax - len(mark)
	for !utf8.RuneStart(pointer[n]) {
		n--
	}
	if pointer[n-1] == '~' { // the rest of the escape is cut off
		n--
	}
	return pointer[:n] + mark
}

// PointerAt returns a JSON Pointer to the innermost value around an offset. The document need
// not be valid after it.
func PointerAt(data []byte, offset int) string { return PointersAt(data, []int{offset})[0] }

// PointersAt is PointerAt for several offsets, which ascend, in one pass.
func PointersAt(data []byte, offsets []int) []string {
	p := pointers{data: data, wanted: offsets}
	s := Scanner{Data: data, Depth: DepthMost, Tolerant: true, follower: &p}
	if HasBOM(data) {
		s.Pos = len(BOM)
	}
	s.Document()
	for len(p.wanted) > 0 { // beyond what could be read
		p.note()
	}
	return p.found
}

// pointers follows a walk and notes pointers on the way.
type pointers struct {
	data   []byte
	levels []level
	wanted []int // offsets, ascending
	found  []string
}

// level is one open object or array.
type level struct {
	object   bool
	index    int // elements before the current one; -1 before the first and after the last
	keyStart int // of the current member's key, after its quote; 0 between members
	keyEnd   int
}

// reached notes the pointers of the offsets up to pos, for which the levels are those now open.
// It ends the walk when there is nothing left to look for.
func (p *pointers) reached(pos int) bool {
	for len(p.wanted) > 0 && p.wanted[0] <= pos {
		p.note()
	}
	return len(p.wanted) > 0
}

func (p *pointers) note() { p.found, p.wanted = append(p.found, p.pointer()), p.wanted[1:] }

func (p *pointers) open(object, some bool) {
	l := level{object: object, index: -1}
	if !object && some {
		l.index = 0
	}
	p.levels = append(p.levels, l)
}

func (p *pointers) key(start, end int) bool {
	top := p.top()
	top.keyStart, top.keyEnd = start, end
	return true
}

func (p *pointers) comma() {
	top := p.top()
	top.keyStart = 0
	if !top.object {
		top.index++
	}
}

func (p *pointers) close() { p.levels = p.levels[:len(p.levels)-1] }

func (p *pointers) broken() {
	top := p.top()
	top.keyStart, top.index = 0, -1
}

func (p *pointers) top() *level { return &p.levels[len(p.levels)-1] }

// pointer writes the pointer to the current value.
func (p *pointers) pointer() string {
	var b strings.Builder
	for i := range p.levels {
		l := &p.levels[i]
		switch {
		case !l.object && l.index >= 0:
			b.WriteByte('/')
			b.WriteString(strconv.Itoa(l.index))
		case l.object && l.keyStart > 0:
			b.WriteByte('/')
			// What is beyond the longest pointer, were it all escapes, need not be copied.
			key := p.data[l.keyStart:min(l.keyEnd, l.keyStart+escapeLen*PointerMax)]
			b.WriteString(EscapePointer(Unescape(key)))
		}
		if b.Len() > PointerMax {
			return CutPointer(b.String())
		}
	}
	return b.String()
}
