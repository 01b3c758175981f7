package grammar

import (
	"math"
	"strconv"
	"strings"
	"sync"
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
	const digitsMax = 9 // more elements than a document can have
	if element == "" || len(element) > digitsMax || element[0] == '0' && element != "0" {
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
	for n > 0 && !utf8.RuneStart(pointer[n]) {
		n--
	}
	if n > 0 && pointer[n-1] == '~' { // the rest of the escape is cut off
		n--
	}
	return pointer[:n] + mark
}

// PointerAt returns a JSON Pointer to the innermost value around an offset. The document is valid
// up to there, but for bytes and escapes in strings that are not Unicode text.
func PointerAt(data []byte, offset int) string {
	var found string
	PointersAt(data, []int{offset}, func(pointer string) bool { found = pointer; return false })
	return found
}

// PointersAt is PointerAt for several offsets, which ascend, in one pass. It calls found with one
// pointer after the other until found returns false.
func PointersAt(data []byte, offsets []int, found func(pointer string) bool) {
	w := newPathWalk(data)
	defer w.release()
	w.wanted, w.found = offsets, found
	w.follow(min(offsets[len(offsets)-1], len(data)))
	w.reached(math.MaxInt) // what could not be read
}

// PointerTo returns the pointer to where the text ends, or to its first fault.
func PointerTo(data []byte) string {
	from := 0
	if HasBOM(data) {
		from = len(BOM)
	}
	_, _, pointer := Locate(data, from, DepthMax, true)
	return pointer
}

// Locate is Check from an offset on, and returns the pointer to the fault too.
func Locate(data []byte, from, depth int, tolerant bool) (fault Fault, at int, pointer string) {
	w := newPathWalk(data)
	defer w.release()
	s := Scanner{Data: data, Pos: from, Depth: depth, Tolerant: tolerant, path: w}
	if s.Document() {
		return 0, 0, ""
	}
	return s.Fault, s.At, w.pointer()
}

// pathWalk is the place that a walk through a document has reached. One is used for every document
// that is refused, so they are pooled, and keep one number for each open level.
type pathWalk struct {
	data   []byte
	depth  int             // levels that are open
	levels [DepthMax]int32 // see levelBetween
	path   []byte          // memory for pointer

	wanted []int // offsets, ascending
	found  func(pointer string) bool
}

// levelBetween is a level between members, or where an element has ended. Other levels are the
// index of an array's current element, or the complement of the offset of a key, after its quote.
const levelBetween = -1

var pathWalks = sync.Pool{New: func() any { return new(pathWalk) }}

func newPathWalk(data []byte) *pathWalk {
	w := pathWalks.Get().(*pathWalk)
	w.data, w.depth = data, 0
	return w
}

// release returns the walk to the pool without the document.
func (w *pathWalk) release() {
	w.data, w.wanted, w.found = nil, nil, nil
	pathWalks.Put(w)
}

// follow walks through the text, which is valid before end, until nothing is wanted any more. It
// looks at brackets, commas and strings alone.
func (w *pathWalk) follow(end int) {
	data, p := w.data, 0
	if HasBOM(data) {
		p = len(BOM)
	}
	for {
		// A value or a key begins here.
		p = afterSpace(data, p)
		if p >= w.wanted[0] && !w.reached(p) || p == len(data) {
			return
		}
		key := w.depth > 0 && *w.top() == levelBetween
		switch b := data[p]; {
		case key:
			start := p + 1
			if p = w.token(p, end); b != '"' || p < 0 || p > w.wanted[0] && !w.reached(p-1) {
				return
			}
			p = afterSpace(data, p)
			if p >= w.wanted[0] && !w.reached(p) || p == len(data) || data[p] != ':' {
				return
			}
			p++
			w.key(start)
			continue
		case b == '{', b == '[':
			// Many arrays that open one after the other are the slowest text, byte for byte.
			for last := min(end, w.wanted[0]) - 1; b == '[' && p < last && data[p+1] == '[' && w.depth < DepthMax; p++ {
				w.open(true)
			}
			if w.depth == DepthMax {
				return
			}
			p = afterSpace(data, p+1)
			some := p == len(data) || data[p] != b+2 // the closing bracket
			w.open(b == '[' && some && p < len(data))
			if p >= w.wanted[0] && !w.reached(p) {
				return
			}
			if some {
				continue
			}
		default:
			if p = w.token(p, end); p < 0 || p > w.wanted[0] && !w.reached(p-1) {
				return
			}
		}
		if p = w.ended(p); p < 0 {
			return
		}
	}
}

// token returns the offset after the string, number or word at p, -1 if it has a fault.
func (w *pathWalk) token(p, end int) int {
	if w.data[p] == '"' {
		if quote, ok := closingQuote(w.data[:end], p+1); ok {
			return quote + 1
		}
	} else {
		for q := p; q < end; q++ {
			if b := w.data[q]; b <= ' ' || b == ',' || b == ']' || b == '}' {
				return q
			}
		}
	}
	s := Scanner{Data: w.data, Pos: p, Tolerant: true}
	if !s.Scalar() {
		return -1
	}
	return s.Pos
}

// ended goes on after a value: over closing brackets and a comma. It returns -1 at the end of the
// document, and where something else follows.
func (w *pathWalk) ended(p int) int {
	for w.depth > 0 {
		p = afterSpace(w.data, p)
		b, top, closing := byte(0), *w.top(), byte('}')
		if p < len(w.data) {
			b = w.data[p]
		}
		if top >= 0 {
			closing = ']'
		}
		switch {
		case top == levelBetween, b == closing: // nothing has been in the first, so it ends here
			p++
			w.depth--
		case b == ',':
			w.comma()
			return p + 1
		default:
			w.broken()
			return -1
		}
	}
	return -1
}

// afterSpace returns the offset of the first byte from p on other than white space.
func afterSpace(data []byte, p int) int {
	for p < len(data) && data[p] <= ' ' && IsSpace(data[p]) {
		p++
	}
	return p
}

// reached calls found for the wanted offsets up to pos, for which the pointer is the current one.
// It returns false when there is nothing left to look for.
func (w *pathWalk) reached(pos int) bool {
	if len(w.wanted) > 0 && w.wanted[0] <= pos {
		pointer := w.pointer()
		for len(w.wanted) > 0 && w.wanted[0] <= pos {
			w.wanted = w.wanted[1:]
			if !w.found(pointer) {
				w.wanted = nil
			}
		}
	}
	return len(w.wanted) > 0
}

// top is the innermost open level.
func (w *pathWalk) top() *int32 { return &w.levels[uint(w.depth-1)%DepthMax] }

// open is called after the bracket of an object or array; elements tells whether an array has any.
func (w *pathWalk) open(elements bool) {
	w.depth++
	level := int32(levelBetween)
	if elements {
		level = 0
	}
	*w.top() = level
}

// key is called after a key and its colon, with the offset after its opening quote.
func (w *pathWalk) key(start int) { *w.top() = ^int32(start) }

// comma is called after the comma that ends a member or an element.
func (w *pathWalk) comma() {
	if top := w.top(); *top >= 0 {
		*top++
	} else {
		*top = levelBetween
	}
}

// broken is called where a member or an element ends in something else.
func (w *pathWalk) broken() { *w.top() = levelBetween }

// pointer writes the pointer to the current value.
func (w *pathWalk) pointer() string {
	b := w.path[:0]
	for _, level := range w.levels[:w.depth] {
		switch {
		case level >= 10:
			b = strconv.AppendInt(append(b, '/'), int64(level), 10)
		case level >= 0:
			b = append(b, '/', '0'+byte(level))
		case level != levelBetween:
			b = appendKey(append(b, '/'), w.data[^level:])
		}
		if len(b) > PointerMax {
			break
		}
	}
	w.path = b
	return CutPointer(string(b))
}

// appendKey appends a key as an element of a pointer. It reads up to the key's closing quote, or
// until the pointer is longer than it may be.
func appendKey(b, key []byte) []byte {
	for len(key) > 0 && key[0] != '"' && len(b) <= PointerMax {
		n := len(b)
		if b, key = AppendChar(b, key); len(b) == n+1 {
			switch b[n] {
			case '~':
				b = append(b[:n], "~0"...)
			case '/':
				b = append(b[:n], "~1"...)
			}
		}
	}
	return b
}
