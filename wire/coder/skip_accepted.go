package coder

import (
	"math/bits"

	"github.com/rtbwire/rtbwire/internal/simd/jsonindex"
)

// SkipAccepted reads over a value inside the root of a document that a decoder has accepted. It
// checks nothing, and is many times as fast as Skip. It returns 0 if the document ends too early,
// which none that was accepted does.
func (r *Reader) SkipAccepted(p int) int {
	switch r.t.At(p) {
	case '"':
		p = r.nextQuote(p+1) + 1
	case '{', '[':
		p = r.closing(p)
	default:
		for c := r.t.At(p); c > ' ' && c != ',' && c != ']' && c != '}'; c = r.t.At(p) {
			p++ // the brace at the end of the document stops it
		}
	}
	if p >= r.n {
		return 0
	}
	return p
}

// closing returns the position after the bracket that closes the one at p, or 0.
func (r *Reader) closing(p int) int {
	if len(r.brackets) == 0 {
		r.indexBrackets()
	}
	depth := 0
	before := uint64(1)<<(uint(p)&63) - 1 // the bits before p, in its block
	for i := p >> 6; i < len(r.brackets); i++ {
		for brackets := r.brackets[i] &^ before; brackets != 0; brackets &= brackets - 1 {
			at := i<<6 + bits.TrailingZeros64(brackets)
			depth += int(r.t.At(at)&2) - 1 // bit 1 is set in { and [, not in } and ]
			if depth == 0 {
				return at + 1
			}
		}
		before = 0
	}
	return 0
}

// indexBrackets finds the brackets of the document that are not in strings. What is neither in a
// string nor white space is little, and is looked at byte by byte.
func (r *Reader) indexBrackets() {
	inString := uint64(0) // all ones if the block begins in a string
	for start := 0; start < r.n; start += 64 {
		b := r.blocks.At(uint(start) >> 6)
		inside := jsonindex.InStrings(b.Quote) ^ inString
		inString = -(inside >> 63)
		rest, brackets := ^(inside | b.Quote | b.Space), uint64(0)
		if left := r.n - start; left < 64 {
			rest &= 1<<uint(left) - 1
		}
		for ; rest != 0; rest &= rest - 1 {
			i := bits.TrailingZeros64(rest)
			// The four brackets are the bytes of JSON outside of strings with these bits.
			if r.t.At(start+i)&0x59 == 0x59 {
				brackets |= 1 << (i & 63)
			}
		}
		r.brackets = append(r.brackets, brackets)
	}
}
