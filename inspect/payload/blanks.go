package payload

import (
	"math/bits"

	"github.com/rtbwire/rtbwire/internal/simd/jsonindex"
	"github.com/rtbwire/rtbwire/internal/simd/literals"
)

// This file recognises documents whose only white space to squeeze is indentation. They need not be
// decoded.

// onlyIndented reports whether all white space of body that Squeeze changes is between strings,
// with nothing there but what valid JSON has. No other layer begins in body, and a backslash comes
// only before a quote.
func onlyIndented(body []byte) bool {
	const size = 64 // of a block
	var blocks [16]jsonindex.Block
	inside, space := uint64(0), uint64(0) // of the byte before: all ones, and one
	for from := 0; from < len(body); from += len(blocks) * size {
		text := body[from:min(from+len(blocks)*size, len(body))]
		jsonindex.Index(blocks[:], text)
		if from > 0 && body[from-1] == '\\' {
			blocks[0].Quote &^= 1
		}
		found := uint64(0)
		for i := range jsonindex.BlockCount(len(text)) {
			b := &blocks[i]
			within := jsonindex.InStrings(b.Quote) ^ inside // from an opening quote to before the closing one
			inside = uint64(int64(within) >> (size - 1))
			spaces := b.Space &^ b.Special
			found |= (b.Space&b.Special | spaces&(spaces<<1|space)) & within
			space = spaces >> (size - 1)
			rest := text[i*size:]
			between := ^(within | b.Space | b.Quote)
			if len(rest) < size {
				between &= 1<<len(rest) - 1
			}
			for ; between != 0; between &= between - 1 {
				found |= uint64(isNotBare[rest[bits.TrailingZeros64(between)]])
			}
		}
		if found != 0 {
			return false
		}
	}
	return true
}

// isNotBare has 1 for the bytes that valid JSON does not have outside strings.
var isNotBare = func() (t [256]byte) {
	for c := range t {
		if !isBare[c] {
			t[c] = 1
		}
	}
	return
}()

// beginsIn reports whether a layer may begin somewhere in body, other than in white space between
// the strings of a document.
func (s *Scanner) beginsIn(body []byte) bool {
	var block [1]literals.Block
	count, _, _ := s.tables.leads.Find(block[:], body, 0, false)
	if count == 0 && lastLead(body, 0) == len(body) {
		return false
	}
	if s.tables.squeeze == nil || s.bare {
		return true
	}
	if count > 0 {
		if count, _, _ = s.tables.steady.Find(block[:], body, int(block[0].At), false); count > 0 {
			return true
		}
	}
	for _, c := range body[max(0, len(body)-(literals.WindowSize-1)):] { // where no table looks
		if c != '"' && !isBare[c] {
			return true
		}
	}
	return !onlyIndented(body)
}
