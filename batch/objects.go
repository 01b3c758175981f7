package batch

import (
	"math/bits"

	"github.com/rtbwire/rtbwire/internal/simd/jsonindex"
)

// objects finds the ends of objects in a text, 64 bytes at a time. It makes arrays of well-formed
// documents fast. It leaves anything unusual to [valueSplitter.inside], which gives the same
// answer wherever objects gives one.
type objects struct {
	blocks []jsonindex.Block // of text[base:], whole blocks only
	base   int
	known  bool // blocks describe the text at hand
}

// objectsMin is the least text that is worth an index, in bytes: one block.
const objectsMin = 64

// end returns the end of the object that begins at text[start], or 0 if that needs a closer look:
// the object has no end, its brackets don't match or are nested more than 64 deep, there is
// white space other than spaces in a string, or a backslash outside a string.
func (x *objects) end(text []byte, start int) int {
	if !x.known {
		if len(text)-start < objectsMin {
			return 0
		}
		x.index(text, start)
	}
	first := start - x.base
	skip := uint64(1)<<(first%64) - 1 // the bits before the object, in its first block
	inString := uint64(0)             // all ones if the block begins in a string
	kinds, depth := uint64(0), 0      // one bit per open bracket, the innermost lowest
	wrong := uint64(0)                // bit 0 is set if brackets don't match
	for n := first / 64; n < len(x.blocks); n++ {
		b := &x.blocks[n]
		inside := jsonindex.InStrings(b.Quote&^skip) ^ inString
		inString = -(inside >> 63)
		if (b.Special&b.Space&inside|b.Special&^b.Space&^inside)&^skip != 0 {
			return 0
		}
		block := text[x.base+64*n:][:64]
		for brackets := jsonindex.Brackets(block) &^ inside &^ skip; brackets != 0; brackets &= brackets - 1 {
			i := bits.TrailingZeros64(brackets)
			// Without branches, because a processor can't guess which bracket is next.
			// Opening brackets are 0x7b and 0x5b, closing ones 0x7d and 0x5d: bit 1 tells them
			// apart, and bit 2, which is the opposite, from what else has a bit in brackets.
			c := uint64(block[i])
			opens, brace := c>>1&1, c>>5&1
			wrong |= (kinds^brace)&^opens | ^(c>>1 ^ c>>2)
			kinds = (kinds<<opens | brace&opens) >> (1 - opens)
			depth += int(2*opens) - 1
			if depth == 0 {
				if wrong&1 != 0 { // also if there were more than 64: the bit of the first is lost
					return 0
				}
				return x.base + 64*n + i + 1
			}
		}
		skip = 0
	}
	return 0
}

// index describes text[from:], as far as it fills blocks.
func (x *objects) index(text []byte, from int) {
	whole := text[from : from+(len(text)-from)/64*64]
	n := jsonindex.BlockCount(len(whole))
	if cap(x.blocks) < n {
		x.blocks = make([]jsonindex.Block, n)
	}
	x.blocks = x.blocks[:n]
	jsonindex.Index(x.blocks, whole)
	x.base, x.known = from, true
}
