// Package wire is the runtime of generated JSON codecs: it indexes a document, reads its
// values where they stand, and hands out memory for what is decoded. It knows nothing of
// OpenRTB.
//
// Programs use its options and errors; the rest is for generated code (see package gen),
// which is why it is exported. The files, in the order of reading:
//
//	option.go, error.go   limits, modes, and what a refusal looks like
//	reader.go             Reader: one document, from Begin to End
//	key.go                keys: predicted in two loads, or found by a perfect hash
//	value.go              strings, numbers, arrays' and objects' brackets
//	escape.go             strings that need a closer look
//	skip.go               values nobody asked for, checked all the same
//	lenient.go            what lenient mode makes of values of the wrong type
//	reference.go          the slow and clear twin: grammar, paths, duplicate keys
//	slab.go               memory
//	text_*.go             the only unsafe code, with a safe twin
package wire

import (
	"github.com/rtbwire/rtbwire/internal/simd/jsonindex"
	"github.com/rtbwire/rtbwire/internal/simd/utf8check"
)

// Reader reads one document after another for generated code. The zero value decodes with
// the default options.
//
// Positions are offsets in the document. A method that reads a value takes the position of
// its first byte and returns
//
//   - a positive position after it,
//   - the negated position after it, if the value is null,
//   - 0, if the document is refused; Err then says why.
//
// The document ends in a closing brace, which Begin checks. So a byte that belongs to any
// other token is followed by another byte, and reading ahead by one needs no check. What
// consumes a closing brace has to check that the document goes on: see Closed.
type Reader struct {
	t      text
	n      int    // length of the document without white space after it
	blocks blocks // the index of the document, and one block of zeros

	lenient  bool
	whole    bool // the value to skip is the document itself
	failed   Code // 0 as long as all is well
	failedAt int
	memory   int // bytes that the value may still take
	retained int // bytes of the slabs' current chunks

	open      [DepthMost/64 + 1]uint64 // bits of skip: which levels are objects
	unescaped bytesSlab

	options Options
	ready   bool // options are set
	data    []byte
	saved   []Saved
	kept    []jsonindex.Block // memory of blocks
}

// Configure sets the options for the documents to come.
func (r *Reader) Configure(o Options) {
	r.options, r.ready = o, true
	r.lenient = o.mode == modeLenient
}

// Begin starts a document and returns the position after its opening brace, or 0.
func (r *Reader) Begin(data []byte) int {
	if !r.ready {
		r.Configure(NewOptions())
	}
	r.failed = 0
	r.saved = r.saved[:0]
	r.data = data
	n := len(data)
	if n > r.options.size {
		return r.Refuse(CodeSize, r.options.size)
	}
	for n > 0 && isSpace(data[n-1]) {
		n--
	}
	r.n = n
	r.memory = r.options.budget(n)
	if n < 2 || data[n-1] != '}' {
		return r.refuseWhole()
	}
	count := jsonindex.BlockCount(n)
	if count >= len(r.kept) {
		r.kept = make([]jsonindex.Block, max(count+count/4, 31)+1)
	}
	r.kept[count] = jsonindex.Block{}
	r.blocks = blocksOf(r.kept[:count+1])
	r.t = textOf(data[:n])
	if jsonindex.Index(r.kept, data[:n]) && !utf8check.Valid(data[:n]) {
		if !r.lenient {
			return r.refuseUTF8()
		}
		r.markInvalid()
	}
	p := 0
	if data[0] != '{' {
		if p = r.start(); p == 0 {
			return 0
		}
	}
	return p + 1
}

// start finds the opening brace of a document that does not begin with it.
func (r *Reader) start() (p int) {
	if hasBOM(r.data) {
		if !r.lenient {
			return r.Refuse(CodeBOM, 0)
		}
		r.save(CodeBOM, 0)
		p = len(bom)
	}
	for isSpace(r.data[p]) { // the brace at the end is none
		p++
	}
	if r.data[p] != '{' {
		return r.refuseWhole()
	}
	return p
}

// End finishes a document that was read up to p, the position after the root's closing brace,
// or 0. It returns nil, or why and where the document is refused.
func (r *Reader) End(p int) error {
	if p != 0 && p != r.n {
		p = r.Refuse(CodeTrailing, r.space(p))
	}
	if p != 0 && r.options.mode == modeStrict {
		if at, found := findDuplicate(r.data[:r.n]); found {
			p = r.Refuse(CodeDuplicate, at)
		}
	}
	if len(r.saved) != 0 {
		r.savePaths()
	}
	if p == 0 {
		return r.err()
	}
	return nil
}

// err builds the error of a refused document.
func (r *Reader) err() error {
	known := r.data[:min(len(r.data), r.options.size)] // what is beyond the limit has not been read
	return &Error{Code: r.failed, Offset: r.failedAt, Path: pointerAt(known, r.failedAt)}
}

// Forget lets go of the document.
func (r *Reader) Forget() {
	r.t, r.data, r.blocks = text{}, nil, blocks{}
	if len(r.saved) != 0 {
		clear(r.saved)
		r.saved = r.saved[:0]
	}
	r.unescaped.rewind()
}

// Retained is how many bytes of memory the reader and the slabs that it was used with keep for
// the next document.
func (r *Reader) Retained() int {
	return r.retained + len(r.kept)*blockBytes + len(r.unescaped.buf)
}

// Drop lets go of the reader's own memory; the slabs have to be emptied with it.
func (r *Reader) Drop() { r.kept, r.saved, r.unescaped, r.retained = nil, nil, bytesSlab{}, 0 }

const blockBytes = 24

// Saved lists what lenient mode has put right in the last document. The slice is valid until
// the next one; the strings in it may be kept.
func (r *Reader) Saved() []Saved { return r.saved }

// Refuse notes why the document is refused, unless something else was wrong before, and
// returns 0.
func (r *Reader) Refuse(code Code, at int) int {
	if r.failed == 0 {
		r.failed, r.failedAt = code, at
	}
	return 0
}

// bom is the byte order mark in UTF-8.
const bom = "\xef\xbb\xbf"

func hasBOM(data []byte) bool { return len(data) >= len(bom) && string(data[:len(bom)]) == bom }

// refuseWhole finds out what is wrong with a document that does not begin and end with a
// brace.
func (r *Reader) refuseWhole() int {
	skip := 0
	if hasBOM(r.data) {
		if !r.lenient {
			return r.Refuse(CodeBOM, 0)
		}
		skip = len(bom)
	}
	code, at := check(r.data[skip:], r.options.depth, r.lenient)
	if code == 0 { // valid JSON, but no object
		code, at = CodeType, 0
		for isSpace(r.data[skip+at]) {
			at++
		}
	}
	return r.Refuse(code, skip+at)
}

// refuseUTF8 reports the first fault of a document that is not UTF-8: it may be another one.
func (r *Reader) refuseUTF8() int {
	if hasBOM(r.data) {
		return r.Refuse(CodeBOM, 0)
	}
	return r.Refuse(check(r.data, r.options.depth, false))
}

// cutOff refuses a document that ends inside of a value.
func (r *Reader) cutOff() int { return r.Refuse(CodeTruncated, len(r.data)) }

// cutString refuses a document that ends inside of a string. The white space that Begin has
// cut off its end then belongs to the string, where most of it may not stand.
func (r *Reader) cutString() int {
	for i := r.n; i < len(r.data); i++ {
		if r.data[i] < ' ' {
			return r.Refuse(CodeControl, i)
		}
	}
	return r.cutOff()
}

func isSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\r' || b == '\t' }

// space returns the position of the first byte from p on that is no white space, and the
// length of the document if there is none.
func (r *Reader) space(p int) int {
	for p < r.n {
		if w := ^r.blocks.at(uint(p)>>6).Space >> (uint(p) & 63); w != 0 {
			return min(p+trailingZeros(w), r.n)
		}
		p = (p | 63) + 1
	}
	return r.n
}

// Detach leaves the memory of unescaped strings, and of the slabs, to the decoded value.
func (r *Reader) Detach() {
	if r.unescaped.total > 0 {
		r.unescaped = bytesSlab{}
	}
	r.retained = 0
}
