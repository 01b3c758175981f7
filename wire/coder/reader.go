package coder

import (
	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/internal/options"
	"github.com/rtbwire/rtbwire/internal/simd/jsonindex"
	"github.com/rtbwire/rtbwire/internal/simd/utf8check"
	"github.com/rtbwire/rtbwire/wire"
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
// other token is followed by another byte, and reading ahead by one needs no check. Only
// the methods that consume a closing brace check that the document goes on: see Closed.
type Reader struct {
	t      mem.Text
	n      int        // length of the document without white space after it
	blocks mem.Blocks // the index of the document, and one block of zeros

	lenient  bool
	whole    bool      // the value to skip is the document itself
	failed   wire.Code // 0 as long as all is well
	failedAt int
	located  bool   // path is known already
	path     string // of failedAt
	memory   int    // bytes that the value may still take
	retained int    // bytes of the slabs' current chunks
	ext      Place

	notes   wire.Notes
	unknown []uint64 // hashes of the unknown keys of the document
	watched []uint64 // of the keys of the objects that skipWatching is in

	brackets []uint64 // of SkipAccepted, a mask for each block; empty until they are wanted

	open      [grammar.DepthMax/64 + 1]uint64 // bits of skip: which levels are objects
	unescaped bytesSlab

	options options.Options
	ready   bool // options are set
	data    []byte
	repairs repairs
	saved   []wire.Saved
	kept    []jsonindex.Block // memory of blocks
	want    string            // what the refused value should be, until err reports it
}

// Configure sets the options for the documents to come: the defaults with opts applied.
func (r *Reader) Configure(opts ...wire.Option) {
	r.options, r.ready = options.New(), true
	for _, opt := range opts {
		if opt != nil {
			opt(&r.options)
		}
	}
	r.lenient = r.options.Mode == options.Lenient
}

// Begin starts a document and returns the position after its opening brace, or 0.
func (r *Reader) Begin(data []byte) int {
	if !r.ready {
		r.Configure()
	}
	r.failed = 0
	r.ext = Place{}
	r.repairs.cut(0)
	r.notes = 0
	r.unknown = r.unknown[:0]
	r.brackets = r.brackets[:0]
	r.saved = r.saved[:0]
	r.located = false
	r.data = data
	n := len(data)
	if n > r.options.Size {
		return r.Refuse(wire.CodeSize, r.options.Size)
	}
	for n > 0 && grammar.IsSpace(data[n-1]) {
		n--
	}
	r.n = n
	r.memory = r.options.Budget(n)
	if n < 2 || data[n-1] != '}' {
		return r.refuseWhole()
	}
	count := jsonindex.BlockCount(n)
	if count >= len(r.kept) {
		r.kept = make([]jsonindex.Block, max(count+count/4, 31)+1)
	}
	r.kept[count] = jsonindex.Block{}
	r.blocks = mem.BlocksOf(r.kept[:count+1])
	r.t = mem.TextOf(data[:n])
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
	if grammar.HasBOM(r.data) {
		if !r.lenient {
			return r.Refuse(wire.CodeBOM, 0)
		}
		r.save(wire.CodeBOM, 0)
		p = len(grammar.BOM)
	}
	for grammar.IsSpace(r.data[p]) { // stops at the closing brace
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
		p = r.Refuse(wire.CodeTrailing, r.space(p))
	}
	if p != 0 && r.options.Mode == options.Strict {
		at, found, ok := grammar.Repeated(r.data[:r.n], keysFree+r.memory/keyCost)
		if found {
			p = r.Refuse(wire.CodeDuplicate, at)
		} else if !ok {
			p = r.Refuse(wire.CodeMemory, 0)
		}
	}
	if r.repairs.len() != 0 {
		r.list()
	}
	if p == 0 {
		return r.err()
	}
	return nil
}

// What strict mode remembers of the keys of open objects is charged to what the value leaves of the
// memory budget: so much for each, which is a string and up to four slots of a hash table that has
// grown in doubling steps. A few are free.
const (
	keyCost  = 192
	keysFree = 64
)

// failedPath returns the path of the place where the document was refused.
func (r *Reader) failedPath() string {
	switch {
	case r.located:
		return r.path
	case r.failed == wire.CodeMemory:
		return "" // it is about the document as a whole
	case r.failed == wire.CodeSize: // what comes before has not been read
		return grammar.PointerTo(r.data[:r.failedAt])
	}
	return grammar.PointerAt(r.data, r.failedAt)
}

// Reset ends the document and makes the reader's memory free for the next one.
func (r *Reader) Reset() {
	r.t, r.data, r.blocks = mem.Text{}, nil, mem.Blocks{}
	if len(r.saved) != 0 {
		clear(r.saved)
		r.saved = r.saved[:0]
	}
	r.unescaped.reset()
}

// Retained is how many bytes of memory the reader and the slabs that it was used with keep for
// the next document.
func (r *Reader) Retained() int {
	return r.retained + 8*cap(r.brackets) + len(r.kept)*blockBytes + len(r.unescaped.buf)
}

// Detach ends the document and hands the memory of its unescaped strings, and of the slabs, to the
// decoded value. Its slabs are detached with it.
func (r *Reader) Detach() {
	if r.unescaped.total > 0 {
		r.unescaped = bytesSlab{}
	}
	r.retained = 0
	r.Reset()
}

// Drop ends the document and gives the reader's memory back to the collector. Its
// slabs are detached with it.
func (r *Reader) Drop() {
	r.brackets = nil
	r.kept, r.repairs, r.saved, r.unescaped, r.retained = nil, repairs{}, nil, bytesSlab{}, 0
	r.Reset()
}

const blockBytes = 24

// Saved lists the repairs of lenient mode in the last document. The slice is valid until the
// next one; the strings in it may be kept.
func (r *Reader) Saved() []wire.Saved { return r.saved }

// Refuse notes why the document is refused, unless something else was wrong before, and
// returns 0.
func (r *Reader) Refuse(code wire.Code, at int) int {
	if r.failed == 0 {
		r.failed, r.failedAt = code, at
	}
	return 0
}

// refuseWhole refuses a document that does not begin and end with a brace, and finds out why.
func (r *Reader) refuseWhole() int {
	skip := 0
	if grammar.HasBOM(r.data) {
		if !r.lenient {
			return r.Refuse(wire.CodeBOM, 0)
		}
		skip = len(grammar.BOM)
	}
	fault, at, path := grammar.Locate(r.data, skip, r.options.Depth, r.lenient)
	code := wire.Code(fault)
	if code == 0 { // valid JSON, but not an object
		code, at = wire.CodeType, skip
		for grammar.IsSpace(r.data[at]) {
			at++
		}
		return r.refuse(code, at, "object")
	}
	r.located, r.path = true, path
	return r.Refuse(code, at)
}

// refuseUTF8 reports the first fault of a document that is not UTF-8, which may be another one.
func (r *Reader) refuseUTF8() int {
	if grammar.HasBOM(r.data) {
		return r.Refuse(wire.CodeBOM, 0)
	}
	fault, at, path := grammar.Locate(r.data, 0, r.options.Depth, false)
	r.located, r.path = true, path
	return r.Refuse(wire.Code(fault), at)
}

// cutOff refuses a document that ends inside a value.
func (r *Reader) cutOff() int { return r.Refuse(wire.CodeTruncated, len(r.data)) }

// cutString refuses a document that ends inside a string. The white space that Begin cut
// off then belongs to the string, where most of it is not allowed.
func (r *Reader) cutString() int {
	for i := r.n; i < len(r.data); i++ {
		if r.data[i] < ' ' {
			return r.Refuse(wire.CodeControl, i)
		}
	}
	return r.cutOff()
}

// space returns the position of the first byte from p on other than white space, and the length
// of the document if all of it is.
func (r *Reader) space(p int) int {
	for p < r.n {
		if w := ^r.blocks.At(uint(p)>>6).Space >> (uint(p) & 63); w != 0 {
			return min(p+trailingZeros(w), r.n)
		}
		p = (p | 63) + 1
	}
	return r.n
}
