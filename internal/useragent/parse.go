package useragent

import (
	"math/bits"
	"strings"

	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/internal/simd/literals"
)

// TextMax is how many bytes of a user agent are parsed. The longest real ones, of apps that append
// their own details, have about 600.
const TextMax = 1024

// shortMax is how long a user agent may be to be parsed in little memory.
const shortMax = 255

// A text is copied to where it has a space before it, so that each word follows something, and
// zeros after it, so that words and numbers can be read without looking for the end.
const (
	before = 1
	after  = 64 // more than the longest word
)

// Parse returns what a user agent claims.
func Parse(ua string) (c Claims) {
	var f found
	if mem.ZeroCopy { // in other builds, a Text is a copy
		if t := mem.TextOf(mem.Bytes(ua)); f.usual(t, len(ua)) {
			c.text = ua
			f.claims(&c, t, 0)
			return c
		}
	}
	parse(&c, ua)
	return c
}

// parse is Parse for a text of any form.
func parse(c *Claims, ua string) {
	if len(ua) > shortMax {
		parseLong(c, ua)
		return
	}
	var b [before + shortMax + after]byte
	b[0] = ' '
	n := before + copy(b[before:], ua)
	c.parse(b[:], n, ua)
}

// parseLong is parse for a text longer than shortMax.
func parseLong(c *Claims, ua string) {
	var b [before + TextMax + after]byte
	b[0] = ' '
	n := before + copy(b[before:before+TextMax], ua)
	c.parse(b[:], n, ua)
}

// parse notes the claims of ua, of which b[before:n] is a copy.
func (c *Claims) parse(b []byte, n int, ua string) {
	var f found
	f.scan(b, n)
	if len(ua) > TextMax {
		f.faults = f.faults&^Unbalanced | TooLong
	}
	c.text = ua
	f.claims(c, mem.TextOf(b), before)
}

// found is what was found in a text.
type found struct {
	seen   set        // words
	at     [32]uint16 // where the first one of each of the first words ends
	agent  uint8      // the first known one, in agents
	faults Faults

	depth int // of parentheses
	next  int // where to look next
}

// places finds where to look: between a separator and a letter a word may begin; the rest is rare
// enough to be looked at wherever it occurs. Its windows hold all mixtures of their nibbles, so
// visit looks again.
var places = literals.NewTable(
	literals.Window{" (;/,", letters},
	literals.Window{"()"},
	literals.Window{controls},
	literals.Window{"\x7f"},
	literals.Window{"Bb", "Oo", "Tt"},
	literals.Window{"Cc", "Rr", "Aa", "Ww"},
	literals.Window{"Ss", "Pp", "Ii", "Dd"},
	literals.Window{"+", "Hh", "Tt", "Tt"},
)

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// controls are the control characters below a space.
const controls = "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f" +
	"\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f"

// blocksAtOnce is how many blocks of 64 bytes are looked for at a time: all of a short text.
const blocksAtOnce = (before+shortMax)/64 + 1

// scan finds the words of b[:n]. b has the bytes before and after.
func (f *found) scan(b []byte, n int) {
	var blocks [blocksAtOnce]literals.Block
	// Fewer than 64 positions would be copied once more.
	text := b[:max(n, 64)+literals.WindowSize-1]
	for from := 0; from < len(text); {
		var count int
		count, from, _ = places.Find(blocks[:], text, from, false)
		for i := range blocks[:count] {
			f.visit(mem.TextOf(b), n, &blocks[i])
		}
	}
	if f.depth != 0 {
		f.faults |= Unbalanced
	}
}

// engine is the comment of almost every browser. It has no word of interest, so that it is skipped
// as a whole.
const engine = "(KHTML, like Gecko)"

// isEngine reports whether engine is at t[at].
func isEngine(t mem.Text, at int) bool {
	return t.Word(at) == engineWords[0] && t.Word(at+8) == engineWords[1] && t.Word(at+len(engine)-8) == engineWords[2]
}

var engineWords = [...]uint64{wordIn(engine), wordIn(engine[8:]), wordIn(engine[len(engine)-8:])}

// visit looks at what places has found in one block of t[:n].
func (f *found) visit(t mem.Text, n int, block *literals.Block) {
	left := block.Bits
	if size := n - int(block.At); size < 64 {
		left &= 1<<size - 1 // without the zeros after a short text
	}
	for ; left != 0; left &= left - 1 {
		at := int(block.At) + bits.TrailingZeros64(left)
		if at < f.next {
			continue
		}
		class := classes[t.At(at)]
		if class&special != 0 {
			f.special(t, at)
		}
		if class&separator != 0 {
			f.lookup(t, at+1)
		}
	}
}

// lookup notes the word that begins at t[at], if it is a known one.
func (f *found) lookup(t mem.Text, at int) {
	text := fold(t.Word(at))
	for w := words[slotOf(text)]; w != nil; w = w.next {
		if (text^w.head)&w.mask != 0 || (fold(t.Word(at+8))^w.head2)&w.mask2 != 0 {
			continue
		}
		end := at + int(w.size)
		if w.whole&classes[t.At(end)] != 0 || w.size > 16 && !foldedIs(t, at+16, w.text[16:]) {
			continue
		}
		if f.seen&w.first == 0 {
			f.at[w.place%uint8(len(f.at))] = uint16(end)
		}
		if w.agent != 0 && f.agent == 0 {
			f.agent = w.agent
		}
		f.seen |= w.means
		return
	}
}

// class says what a byte is, as a set of bits.
type class uint8

const (
	separator class = 1 << iota // a word may follow
	special                     // found.special knows more
	letter
	digit
	joint // between a name and its version
)

var classes = func() (t [256]class) {
	for _, c := range []byte(" (;/,") {
		t[c] |= separator
	}
	for _, c := range []byte("()+BbCcSs\x7f" + controls) {
		t[c] |= special
	}
	t['\t'] = 0
	for _, c := range []byte(" /-_:") {
		t[c] |= joint
	}
	for _, c := range []byte(letters) {
		t[c] |= letter
	}
	for c := byte('0'); c <= '9'; c++ {
		t[c] |= digit
	}
	return t
}()

// special looks at a byte of class special.
func (f *found) special(t mem.Text, at int) {
	switch t.At(at) {
	case '(':
		if isEngine(t, at) {
			f.next = at + len(engine)
		} else {
			f.depth++
		}
	case ')':
		if f.depth--; f.depth < 0 {
			f.faults |= Unbalanced
		}
	case '+':
		if classes[t.At(at-1)]&separator != 0 && foldedIs(t, at, "+http") {
			f.seen |= generic.bit()
		}
	case 'B', 'b':
		// Cubot is a maker of phones.
		if foldedIs(t, at, "bot") && classes[t.At(at+3)]&(letter|digit) == 0 && !foldedIs(t, max(at-2, 0), "cubot") {
			f.seen |= generic.bit()
		}
	case 'C', 'c':
		if foldedIs(t, at, "crawler") && classes[t.At(at+7)]&letter == 0 {
			f.seen |= generic.bit()
		}
	case 'S', 's':
		// "Spider Solitaire" is a game.
		if foldedIs(t, at, "spider") && strings.IndexByte("/;)\x00", t.At(at+6)) >= 0 {
			f.seen |= generic.bit()
		}
	default:
		f.faults |= ControlCharacter
	}
}
