package oracle

import (
	"strings"
	"unicode/utf8"
)

// decoder is the state of one document. A fault is a panic with a *Fault, which keeps the callers
// readable.
type decoder struct {
	data     []byte
	pos      int
	depth    int
	elements int
	memory   int64
	lenient  bool
	saved    []Fault

	duplicates bool  // skip refuses a key that its object had before
	keys       int64 // how many more keys of open objects duplicates may remember
	departures Departures
}

// fail panics with a fault. Some faults at the end of the text mean that it was truncated.
func (d *decoder) fail(code string, at int, path string) {
	if at >= len(d.data) && (code == "syntax" || code == "number" || code == "escape") {
		code, at = "truncated", len(d.data)
	}
	panic(&Fault{code, at, path})
}

// attempt runs f and returns its fault, nil without one.
func (d *decoder) attempt(f func()) (fault *Fault) {
	defer func() {
		if p := recover(); p != nil {
			fault = p.(*Fault) // anything else is a bug and panics again
		}
	}()
	f()
	return nil
}

// What is charged for the note of a repair, for its entry in the list, and for a key that strict
// mode remembers; see wire.MaxMemory.
const (
	repairCost = 45
	entryCost  = 160
	keyCost    = 192
	keysFree   = 64
	repairsMax = 1000
)

// save notes a repair of lenient mode.
func (d *decoder) save(code string, at int, path string) {
	text := strings.TrimRight(string(d.data), " \t\r\n")
	if len(d.saved) < min(repairsMax, 12+len(text)/16) && d.memory >= repairCost {
		d.memory -= repairCost
		d.saved = append(d.saved, Fault{code, at, path})
	}
}

// list returns as many repairs as there is memory for.
func (d *decoder) list() []Fault {
	for i := range d.saved {
		d.saved[i].Path = cut(d.saved[i].Path)
		if d.memory -= entryCost + 2*int64(len(d.saved[i].Path)); d.memory < 0 {
			return d.saved[:i]
		}
	}
	return d.saved
}

// peek returns the byte at pos; at the end a byte that JSON never has.
func (d *decoder) peek() byte {
	if d.pos < len(d.data) {
		return d.data[d.pos]
	}
	return 0xff
}

// space skips white space.
func (d *decoder) space() {
	for strings.IndexByte(" \t\r\n", d.peek()) >= 0 {
		d.pos++
	}
}

func validUTF8(data []byte) bool { return utf8.Valid(data) }

// grammar checks only the grammar of a document, from pos to its end. If tolerant, strings may have
// the faults that lenient mode repairs.
func (d *decoder) grammar(tolerant bool) {
	defer func(before bool) { d.lenient = before }(d.lenient)
	d.lenient = tolerant
	d.space()
	if d.pos == len(d.data) {
		panic(&Fault{"empty", d.pos, ""})
	}
	d.skip(d.depth, "")
	d.space()
	if d.pos < len(d.data) {
		d.fail("trailing", d.pos, "")
	}
}

// skip reads any value, and repairs nothing.
func (d *decoder) skip(depth int, path string) {
	switch c := d.peek(); {
	case c == '{':
		if depth == 0 {
			d.fail("depth", d.pos, path)
		}
		seen := map[string]bool{}
		d.members(path, func(key string, at int) {
			if d.duplicates && d.keys == int64(len(seen)) {
				d.fail("memory", 0, "")
			}
			if d.duplicates && seen[key] {
				d.fail("duplicate", at, path)
			}
			seen[key] = true
			d.keys -= int64(len(seen))
			d.skip(depth-1, member(path, key))
			d.keys += int64(len(seen))
		}, false)
	case c == '[':
		if depth == 0 {
			d.fail("depth", d.pos, path)
		}
		d.elementsOf(path, func(i int) { d.skip(depth-1, element(path, i)) })
	case c == '"':
		d.str(path, false)
	default:
		d.scalar(path)
	}
}

// scalar reads a number or a word.
func (d *decoder) scalar(path string) {
	switch c := d.peek(); {
	case c == '-' || '0' <= c && c <= '9':
		d.number(path)
	case c == 't':
		d.word("true", path)
	case c == 'f':
		d.word("false", path)
	case c == 'n':
		d.word("null", path)
	default:
		d.fail("syntax", d.pos, path)
	}
}

// members reads an object and calls value at each value. save says whether repairs in keys are
// listed.
func (d *decoder) members(path string, value func(key string, at int), save bool) {
	d.pos++
	d.space()
	if d.peek() == '}' {
		d.pos++
		return
	}
	for {
		if d.peek() != '"' {
			d.fail("syntax", d.pos, path)
		}
		at := d.pos
		key := d.str(path, save)
		d.space()
		if d.peek() != ':' {
			d.fail("syntax", d.pos, path)
		}
		d.pos++
		d.space()
		value(key, at)
		d.space()
		switch d.peek() {
		case ',':
			d.pos++
			d.space()
		case '}':
			d.pos++
			return
		default:
			d.fail("syntax", d.pos, path)
		}
	}
}

// elementsOf reads an array, calls value at each element, and returns their number.
func (d *decoder) elementsOf(path string, value func(i int)) int {
	d.pos++
	d.space()
	if d.peek() == ']' {
		d.pos++
		return 0
	}
	if d.pos == len(d.data) {
		d.fail("syntax", d.pos, path)
	}
	for i := 0; ; i++ {
		value(i)
		d.space()
		switch d.peek() {
		case ',':
			d.pos++
			d.space()
		case ']':
			d.pos++
			return i + 1
		default:
			d.fail("syntax", d.pos, path)
		}
	}
}

// word reads true, false or null.
func (d *decoder) word(w, path string) {
	for i := range len(w) {
		if d.peek() != w[i] {
			d.fail("syntax", d.pos, path)
		}
		d.pos++
	}
}

// number reads a number and returns its text.
func (d *decoder) number(path string) string {
	start := d.pos
	digit := func() bool { return '0' <= d.peek() && d.peek() <= '9' }
	digits := func() {
		if !digit() {
			d.fail("number", d.pos, path)
		}
		for digit() {
			d.pos++
		}
	}
	if d.peek() == '-' {
		d.pos++
	}
	if d.peek() == '0' {
		d.pos++
	} else {
		digits()
	}
	if d.peek() == '.' {
		d.pos++
		digits()
	}
	if d.peek() == 'e' || d.peek() == 'E' {
		d.pos++
		if d.peek() == '+' || d.peek() == '-' {
			d.pos++
		}
		digits()
	}
	if digit() { // only after a zero
		d.fail("number", d.pos, path)
	}
	return string(d.data[start:d.pos])
}
