package twin

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// decoder is the state of one document. A fault is a panic with a *Fault: it ends everything, and the callers stay
// readable.
type decoder struct {
	data     []byte
	pos      int
	depth    int
	elements int
	memory   int64
	lenient  bool
	saved    []Fault

	duplicates bool // skip refuses a key that its object had before
	departures Departures
}

func (d *decoder) fail(code string, at int, path string) {
	if at >= len(d.data) && (code == "syntax" || code == "number" || code == "escape") {
		code, at = "truncated", len(d.data)
	}
	panic(&Fault{code, at, path})
}

// attempt runs f and returns the fault that it ended with.
func (d *decoder) attempt(f func()) (fault *Fault) {
	defer func() {
		if p := recover(); p != nil {
			fault = p.(*Fault) // anything else goes on as a panic
		}
	}()
	f()
	return nil
}

func (d *decoder) save(code string, at int, path string) {
	d.saved = append(d.saved, Fault{code, at, path})
}

// peek returns the byte at pos, and at the end one that means nothing anywhere.
func (d *decoder) peek() byte {
	if d.pos < len(d.data) {
		return d.data[d.pos]
	}
	return 0xff
}

func (d *decoder) space() {
	for strings.IndexByte(" \t\r\n", d.peek()) >= 0 {
		d.pos++
	}
}

func validUTF8(data []byte) bool { return utf8.Valid(data) }

// grammar judges a whole document, from pos on, for nothing but its grammar. In a tolerant judgement strings may hold
// what lenient mode puts right.
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

// skip reads any value; nothing in it is put right.
func (d *decoder) skip(depth int, path string) {
	switch c := d.peek(); {
	case c == '{':
		if depth == 0 {
			d.fail("depth", d.pos, path)
		}
		seen := map[string]bool{}
		d.members(path, func(key string, at int) {
			if d.duplicates && seen[key] {
				d.fail("duplicate", at, path)
			}
			seen[key] = true
			d.skip(depth-1, member(path, key))
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

// members reads an object. value is called at each value; save says whether keys are put right or only skipped.
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

// elementsOf reads an array and returns how many elements it had. value is called at each of them.
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

// str reads a string and returns what it stands for. save says whether what lenient mode puts right is noted.
func (d *decoder) str(path string, save bool) string {
	var out strings.Builder
	put := func(code string, at int) {
		if !d.lenient {
			d.fail(code, at, path)
		}
		if save {
			d.save(code, at, path)
		}
		out.WriteRune(utf8.RuneError)
	}
	for d.pos++; ; {
		if d.pos >= len(d.data) {
			d.fail("truncated", len(d.data), path)
		}
		at, c := d.pos, d.data[d.pos]
		switch {
		case c == '"':
			d.pos++
			return out.String()
		case c < 0x20:
			d.fail("control", at, path)
		case c == '\\':
			d.pos++
			if i := strings.IndexByte(`"\/bfnrt`, d.peek()); i >= 0 {
				out.WriteByte("\"\\/\b\f\n\r\t"[i])
				d.pos++
				continue
			}
			if d.peek() != 'u' {
				d.fail("escape", d.pos, path)
			}
			d.pos++
			r := d.hex4(path)
			if !utf16.IsSurrogate(r) {
				out.WriteRune(r)
				continue
			}
			rest := string(d.data[d.pos:])
			if r < 0xdc00 && strings.HasPrefix(`\u`, rest) && !d.lenient { // the other half may have been cut off
				d.fail("truncated", len(d.data), path)
			}
			if r < 0xdc00 && strings.HasPrefix(rest, `\u`) {
				behind := d.pos
				d.pos += 2
				if pair := utf16.DecodeRune(r, d.hex4(path)); pair != utf8.RuneError {
					out.WriteRune(pair)
					continue
				}
				d.pos = behind // it stands for itself
			}
			put("surrogate", at)
		default:
			r, n := utf8.DecodeRune(d.data[at:])
			if r == utf8.RuneError && n == 1 {
				if !d.lenient && !utf8.FullRune(d.data[at:]) {
					d.fail("truncated", len(d.data), path)
				}
				d.pos++
				put("utf8", at)
				continue
			}
			out.WriteRune(r)
			d.pos += n
		}
	}
}

func (d *decoder) hex4(path string) rune {
	var r rune
	for range 4 {
		digit, err := strconv.ParseUint(string(rune(d.peek())), 16, 8)
		if err != nil {
			d.fail("escape", d.pos, path)
		}
		r = r<<4 | rune(digit)
		d.pos++
	}
	return r
}
