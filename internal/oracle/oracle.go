// Package oracle implements the decoding contract a second time: byte by byte, with recursion and
// reflection, without an index, an arena or anything else that makes the decoder fast. Tests
// compare the decoder with it: value, error code, offset, path, and the repairs of lenient mode.
//
// It shares no code with package wire and does not import it, so that a bug in one is not a bug in
// both. Codes have their stable names.
//
//	oracle.go     the order of checks, and the limits
//	grammar.go    RFC 8259
//	text.go       RFC 8259: strings
//	typed.go      what each Go type accepts
//	number.go     what number types accept
//	outcome.go    what came of a document, and how two outcomes differ
//	diff.go       how two values differ
//	canonical.go  documents without what encoding/json reads differently
//	random.go     random JSON
package oracle

import (
	"reflect"
	"strconv"
	"strings"
)

// Mode is one of the three modes of the contract.
type Mode int

// The modes.
const (
	Default Mode = iota
	Strict
	Lenient
)

// String returns the name of the mode.
func (m Mode) String() string { return [...]string{"default", "strict", "lenient"}[m] }

// Options are the mode and the limits. The zero value has the defaults.
type Options struct {
	Mode     Mode
	Depth    int // 0 is 1024
	Size     int // 0 is 64 MiB
	Elements int // 0 is 1 << 20

	// MemoryPerByte and MemoryBase bound the memory of the value; both 0 is 64 and 64 KiB.
	MemoryPerByte, MemoryBase int
}

// Fault is why a document is refused, or a repair of lenient mode.
type Fault struct {
	Code   string
	Offset int
	Path   string // JSON Pointer
}

// Decode reads a document into v, a pointer to a zero struct. It returns the fault, or nil, and all
// repairs of lenient mode. With a fault, v has no meaning.
//
// If a document has more than one fault, the contract says which one is reported:
//
//  1. If the document is longer than the limit, has a byte order mark, does not end in a closing
//     brace, or has bytes that are not UTF-8, types are not checked.
//  2. Of all other faults the first is reported.
//  3. A key that comes twice is reported only if there is no other fault.
func Decode(data []byte, v any, o Options) (*Fault, []Fault) {
	d := &decoder{data: data, lenient: o.Mode == Lenient, depth: o.Depth}
	if d.depth == 0 {
		d.depth = 1024
	}
	d.elements = o.Elements
	if d.elements == 0 {
		d.elements = 1 << 20
	}
	size := o.Size
	if size == 0 {
		size = 64 << 20
	}
	perByte, base := o.MemoryPerByte, o.MemoryBase
	if perByte == 0 && base == 0 {
		perByte, base = 64, 64<<10
	}
	text := strings.TrimRight(string(data), " \t\r\n")
	// See wire.MaxMemory: part of the limit is reserved for memory that is not charged.
	d.memory = int64(max(base-28<<10, 0)) + int64(len(text))*int64(max(perByte-8, 0))

	err := d.attempt(func() { d.document(v, text, size, o.Mode) })
	if err != nil {
		err.Path = cut(err.Path)
	}
	return err, d.list()
}

const bom = "\xef\xbb\xbf"

// document reads a whole document.
func (d *decoder) document(v any, text string, size int, mode Mode) {
	if len(d.data) > size {
		// The path is the one of the place at which the limit cuts the document off.
		path := ""
		cutOff := decoder{data: d.data[:size], depth: 1025}
		if at := cutOff.attempt(func() { cutOff.pos = cutOff.first(); cutOff.grammar(true) }); at != nil {
			path = at.Path
		}
		d.fail("size", size, path)
	}
	if strings.HasPrefix(string(d.data), bom) {
		if !d.lenient {
			d.fail("bom", 0, "")
		}
		d.save("bom", 0, "")
		d.pos = len(bom)
	}
	if len(text) < 2 || !strings.HasSuffix(text, "}") || !d.lenient && !validUTF8(d.data) {
		d.grammar(d.lenient)
		d.fail("type", d.first(), "")
	}
	d.space()
	if d.peek() != '{' {
		d.grammar(d.lenient)
		d.fail("type", d.first(), "")
	}
	d.object(reflect.ValueOf(v).Elem(), d.depth, "")
	d.space()
	if d.pos < len(d.data) {
		d.fail("trailing", d.pos, "")
	}
	if mode == Strict {
		d.pos = 0
		d.space()
		d.duplicates, d.keys = true, keysFree+d.memory/keyCost
		d.skip(d.depth, "")
	}
}

// first returns the offset of the first byte that is neither white space nor a byte order mark.
func (d *decoder) first() int {
	d.pos = 0
	if strings.HasPrefix(string(d.data), bom) {
		d.pos = len(bom)
	}
	d.space()
	return d.pos
}

// pathMax is wire.PathMax.
const pathMax = 1024

// cut shortens a long pointer, but not within a character or an escape.
func cut(path string) string {
	if len(path) <= pathMax {
		return path
	}
	n := 0
	for i, c := range path {
		w := len(string(c))
		if c == '~' {
			w = 2
		}
		if i+w > pathMax-4 {
			break
		}
		n = i + w
	}
	return path[:n] + "/..."
}

// member is the pointer to a member of the object at path.
func member(path, key string) string {
	return path + "/" + pointerEscapes.Replace(key)
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// element is the pointer to an element of the array at path.
func element(path string, i int) string { return path + "/" + strconv.Itoa(i) }
