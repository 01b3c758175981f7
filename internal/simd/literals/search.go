package literals

import (
	"encoding/binary"
	"math/bits"
	"sort"
)

// Query says what Set.Search searches.
type Query struct {
	Text []byte

	// Seen has a bit for each literal that is not looked for any more. Search sets those that it
	// finds. It has as many words as Set.Words returns.
	Seen []uint64

	// Quoted says that quotes in Text end strings, as in JSON without escapes, so that no literal
	// with a quote occurs. Otherwise a quote is a character like others.
	Quoted bool

	// Skip has parts of Text, in ascending order, in which nothing begins that counts. No literal
	// may begin before a part and end in it.
	Skip []Span
}

// MayHold reports whether a literal occurs in text, or in a string of JSON in it. If it does not,
// Search finds nothing, neither in text nor after the escapes of JSON have been decoded. It may be
// wrong the other way: it does not look closely at a text of many near-misses, nor at one with an
// escape other than that of a quote.
//
// Where only quotes are escaped, as in JSON inside JSON, nothing needs to be decoded: literals with
// quotes are looked for escaped, others occur as they are, and those with a backslash not at all.
func (s *Set) MayHold(text []byte) bool {
	if s.short() {
		return len(text) > 0
	}
	left := budget(len(text))
	var blocks [blocksAtOnce]Block
	for from := 0; from < len(text); {
		count, next, marked := s.table.Find(blocks[:], text, from, true)
		if marked {
			return true
		}
		for _, b := range blocks[:count] {
			for set := b.Bits; set != 0; set &= set - 1 {
				at := int(b.At) + bits.TrailingZeros64(set)
				slot := slotAt(text, at)
				if left--; left < 0 || s.slots[slot] != s.slots[slot+1] && s.holds(text, at, slot) {
					return true
				}
			}
		}
		from = next
	}
	return false
}

// slotAt returns the slot of the window at text[at:].
func slotAt(text []byte, at int) int {
	return slotOf(uint32(foldWord(uint64(binary.LittleEndian.Uint32(text[at:])))))
}

// holds reports whether a literal of a slot has its window at text[at:].
func (s *Set) holds(text []byte, at, slot int) bool {
	for i := s.slots[slot]; i < s.slots[slot+1]; i++ {
		l := &s.literals[i]
		if begin := at - l.window; begin >= 0 && len(l.text) <= len(text)-begin && l.equal(text[begin:]) {
			return true
		}
	}
	return false
}

// short reports whether there are literals shorter than a window.
func (s *Set) short() bool { return int(s.slots[slotCount]) < len(s.literals) }

// blocksAtOnce is how many blocks are looked for at a time.
const blocksAtOnce = 8

// budget is how many comparisons the candidates in a text of n bytes may need; compare
// near-misses in the package's comment.
func budget(n int) int { return 64 + n/4 }

// Search appends a hit to dst for each literal that occurs and is not in q.Seen, and sets it there.
// The hit is the first occurrence. Hits are in no particular order.
func (s *Set) Search(dst []Hit, q *Query) []Hit {
	left := budget(len(q.Text))
	var blocks [blocksAtOnce]Block
	for from := 0; from < len(q.Text); {
		var n int
		n, from, _ = s.table.Find(blocks[:], q.Text, from, false)
		for _, b := range blocks[:n] {
			for set := b.Bits; set != 0; set &= set - 1 {
				at := int(b.At) + bits.TrailingZeros64(set)
				slot := slotAt(q.Text, at)
				first, last := int(s.slots[slot]), int(s.slots[slot+1])
				shorts := int(s.slots[slotCount])
				if left -= 1 + last - first + len(s.literals) - shorts; left < 0 {
					// A literal that begins before may have a window that has not been reached.
					return s.automaton().search(s, dst, q, max(0, at-s.windowLast))
				}
				dst = s.compare(dst, q, at, first, last)
				dst = s.compare(dst, q, at, shorts, len(s.literals))
			}
		}
	}
	if s.short() {
		for at := max(0, len(q.Text)-(WindowSize-1)); at < len(q.Text); at++ {
			dst = s.compare(dst, q, at, int(s.slots[slotCount]), len(s.literals))
		}
	}
	return dst
}

// compare looks for the literals from first to before last whose window is at q.Text[at:].
func (s *Set) compare(dst []Hit, q *Query, at, first, last int) []Hit {
	for i := first; i < last; i++ {
		l := &s.literals[i]
		begin := at - l.window
		if begin < 0 || len(l.text) > len(q.Text)-begin || !l.equal(q.Text[begin:]) {
			continue
		}
		dst = l.note(dst, q, begin)
	}
	return dst
}

// equal reports whether text begins with l. It is not shorter.
func (l *literal) equal(text []byte) bool {
	from := 0
	if len(text) >= 8 {
		if foldWord(binary.LittleEndian.Uint64(text))&l.mask != l.head {
			return false
		}
		from = min(8, len(l.text))
	}
	for i := from; i < len(l.text); i++ {
		if folded[text[i]] != l.text[i] {
			return false
		}
	}
	return true
}

// note adds a hit of l, unless there was one before or it does not count.
func (l *literal) note(dst []Hit, q *Query, begin int) []Hit {
	word, bit := &q.Seen[l.index/64], uint64(1)<<(l.index%64)
	if l.escaped || *word&bit != 0 || q.Quoted && l.quote || q.skips(begin) {
		return dst
	}
	*word |= bit
	return append(dst, Hit{l.index, begin})
}

// skips reports whether a position is in a part that is skipped.
func (q *Query) skips(at int) bool {
	i := sort.Search(len(q.Skip), func(i int) bool { return q.Skip[i].To > at })
	return i < len(q.Skip) && q.Skip[i].From <= at
}

// folded maps letters to lower case.
var folded = func() (t [256]byte) {
	for c := range t {
		t[c] = byte(c)
		if 'A' <= c && c <= 'Z' {
			t[c] |= 0x20
		}
	}
	return
}()

// foldWord returns eight bytes with ASCII letters in lower case.
func foldWord(w uint64) uint64 {
	const ones = 0x0101010101010101
	seven := w & (0x7f * ones)
	upper := (seven + (0x80-'A')*ones) ^ (seven + (0x7f-'Z')*ones) // bit 7: 'A' ≤ byte ≤ 'Z'
	return w | upper&^w&(0x80*ones)>>2
}

// Fold returns eight bytes, given as a word, with ASCII letters in lower case.
func Fold(word uint64) uint64 { return foldWord(word) }
