// Package handwritten is the classic way to write a fast decoder by hand, as a reference: a lexer
// over bytes, strings that point into the text, a switch on keys, integers read in place, one call
// of stopbyte.Index per string, and a pooled arena with room for the usual objects.
//
//	lexer.go       tokens
//	arena.go       the pooled memory, Parse and Release
//	fields_gen.go  a function per object: the switches on keys, written by a program
//
// It is not for use. Like other decoders of its kind, it looks only at what it needs: it accepts
// control characters in strings, bytes that are not UTF-8, and invalid text in skipped values.
package handwritten

import (
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"

	"github.com/rtbwire/rtbwire/lab/published/stopbyte"
)

//go:generate go run ./fields

var errSyntax = errors.New("handwritten: not the JSON of a bid request")

// decoder reads one text. After the first error every token is a null and every list ends.
type decoder struct {
	b      []byte
	p      int
	failed bool
	*arena // nil: everything comes from the heap
}

func (d *decoder) fail() { d.failed, d.p = true, len(d.b) }

// peek returns the next byte that is not white space, 0 at the end.
func (d *decoder) peek() byte {
	for d.p < len(d.b) {
		c := d.b[d.p]
		if c > ' ' {
			return c
		}
		if c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			break
		}
		d.p++
	}
	return 0
}

func (d *decoder) null() bool {
	if d.peek() != 'n' {
		return false
	}
	if d.p+4 > len(d.b) || string(d.b[d.p:d.p+4]) != "null" {
		d.fail()
		return true
	}
	d.p += 4
	return true
}

// open enters an object or array and reports whether it has a member or element.
func (d *decoder) open(opening, closing byte) bool {
	if d.peek() != opening {
		d.fail()
		return false
	}
	d.p++
	if d.peek() == closing {
		d.p++
		return false
	}
	return true
}

// more reports whether another element follows.
func (d *decoder) more(closing byte) bool {
	switch d.peek() {
	case ',':
		d.p++
		return !d.failed
	case closing:
		d.p++
		return false
	}
	d.fail()
	return false
}

// key reads a key and its colon.
func (d *decoder) key() string {
	s := d.str()
	if d.peek() != ':' {
		d.fail()
		return ""
	}
	d.p++
	return s
}

// str reads a string; null is "".
func (d *decoder) str() string {
	if d.peek() != '"' {
		if !d.null() {
			d.fail()
		}
		return ""
	}
	start := d.p + 1
	i := stopbyte.Index(d.b[start:])
	if start+i >= len(d.b) {
		d.fail()
		return ""
	}
	if d.b[start+i] == '"' {
		d.p = start + i + 1
		return unsafe.String(unsafe.SliceData(d.b[start:]), i)
	}
	return d.escaped(start, i)
}

// escaped reads a string with its first backslash at start+i.
func (d *decoder) escaped(start, i int) string {
	out := append(make([]byte, 0, 2*i+16), d.b[start:start+i]...)
	p := start + i
	for p+1 < len(d.b) {
		if d.b[p] == '"' {
			d.p = p + 1
			return unsafe.String(unsafe.SliceData(out), len(out))
		}
		switch c := d.b[p+1]; c {
		case '"', '\\', '/':
			out = append(out, c)
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r := d.unit(p)
			if utf16.IsSurrogate(r) {
				if pair := utf16.DecodeRune(r, d.unit(p+6)); pair != utf8.RuneError {
					r, p = pair, p+6
				} else {
					r = utf8.RuneError
				}
			}
			out = utf8.AppendRune(out, r)
			p += 4
		default:
			d.fail()
			return ""
		}
		p += 2
		if p > len(d.b) {
			break
		}
		n := stopbyte.Index(d.b[p:])
		out = append(out, d.b[p:p+n]...)
		p += n
	}
	d.fail()
	return ""
}

// unit reads the \uXXXX at p and returns -1 for anything else.
func (d *decoder) unit(p int) rune {
	if p+6 > len(d.b) || d.b[p] != '\\' || d.b[p+1] != 'u' {
		return -1
	}
	v, err := strconv.ParseUint(string(d.b[p+2:p+6]), 16, 16)
	if err != nil {
		d.fail()
		return -1
	}
	return rune(v)
}

func (d *decoder) integer() int {
	d.peek()
	p, negative := d.p, false
	if p < len(d.b) && d.b[p] == '-' {
		negative = true
		p++
	}
	start, v := p, 0
	for p < len(d.b) && d.b[p]-'0' <= 9 {
		v = v*10 + int(d.b[p]-'0')
		p++
	}
	if n := p - start; n == 0 || n > 18 || n > 1 && d.b[start] == '0' || p < len(d.b) && (d.b[p] == '.' || d.b[p]|0x20 == 'e') {
		d.fail()
		return 0
	}
	d.p = p
	if negative {
		return -v
	}
	return v
}

// powers are exact, so that a quotient is rounded once.
var powers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

func (d *decoder) float() float64 {
	d.peek()
	start := d.p
	var v uint64
	digits, fraction, point := 0, 0, false
	p := start
	for ; p < len(d.b); p++ {
		c := d.b[p]
		if c-'0' <= 9 {
			v = v*10 + uint64(c-'0')
			digits++
			if point {
				fraction++
			}
		} else if c == '.' && !point && digits > 0 {
			point = true
		} else {
			break
		}
	}
	if digits > 0 && digits <= 15 && (p == len(d.b) || d.b[p]|0x20 != 'e') && (!point || fraction > 0) && (digits-fraction == 1 || d.b[start] != '0') {
		d.p = p
		return float64(v) / powers[fraction]
	}
	for p = start; p < len(d.b) && (d.b[p]-'0' <= 9 || d.b[p] == '.' || d.b[p] == '-' || d.b[p] == '+' || d.b[p]|0x20 == 'e'); p++ {
	}
	f, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(d.b[start:]), p-start), 64)
	if err != nil {
		d.fail()
		return 0
	}
	d.p = p
	return f
}

// raw reads a value and returns its text.
func (d *decoder) raw() json.RawMessage {
	d.peek()
	start := d.p
	d.skip()
	if d.failed {
		return nil
	}
	return d.b[start:d.p:d.p]
}

// skip passes over a value by counting brackets.
func (d *decoder) skip() {
	depth := 0
	for {
		switch c := d.peek(); c {
		case 0:
			d.fail()
			return
		case '"':
			d.skipString()
		case '{', '[':
			depth++
			d.p++
		case '}', ']':
			depth--
			d.p++
		case ',', ':':
			d.p++
		default:
			for d.p < len(d.b) && d.b[d.p] > ' ' && d.b[d.p] != ',' && d.b[d.p] != ']' && d.b[d.p] != '}' {
				d.p++
			}
		}
		if d.failed || depth <= 0 {
			return
		}
	}
}

func (d *decoder) skipString() {
	p := d.p + 1
	for {
		p += stopbyte.Index(d.b[min(p, len(d.b)):])
		if p >= len(d.b) {
			d.fail()
			return
		}
		if d.b[p] == '"' {
			d.p = p + 1
			return
		}
		p += 2
	}
}

func (d *decoder) strings() []string {
	if d.null() {
		return nil
	}
	if !d.open('[', ']') {
		return []string{}
	}
	out := d.stringSlab()
	for {
		out = append(out, d.str())
		if !d.more(']') {
			return d.keepStrings(out)
		}
	}
}

func integers[T ~int](d *decoder) []T {
	if d.null() {
		return nil
	}
	if !d.open('[', ']') {
		return []T{}
	}
	out := d.intSlab()
	for {
		n := 0
		if !d.null() {
			n = d.integer()
		}
		out = append(out, n)
		if !d.more(']') {
			out = d.keepInts(out)
			return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(out))), len(out))
		}
	}
}

func intPointer[T ~int](d *decoder) *T {
	if d.null() {
		return nil
	}
	p := d.newInt()
	*p = d.integer()
	return (*T)(unsafe.Pointer(p))
}

func (d *decoder) floatPointer() *float64 {
	if d.null() {
		return nil
	}
	p := d.newFloat()
	*p = d.float()
	return p
}
