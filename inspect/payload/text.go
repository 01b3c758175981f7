package payload

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"sort"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/internal/simd/literals"
)

// This file makes the text of strings that have an escape, or that a further decoding may change.
// All other strings are searched where they are.
//
// A segment is what is between two quotes that are not escaped, or before the first or after the
// last of them. It may be the content of a string or the text between strings. A malformed document
// can't tell them apart, so segments are all alike. The text has the segments, decoded, and the
// byte mark after each. No pattern has that byte, so that no match spans two segments. For layers,
// ASCII letters are in lower case.

// mark follows each segment. It is in no literal and in no valid UTF-8.
const mark = 0xff

// segment is a piece of a document that was decoded.
type segment struct {
	raw, rawEnd int // in the document
	text        int // where its text begins; it ends before the mark of the next one
}

// addSegment decodes the segment of raw that begins at start.
func (l *layer) addSegment(raw []byte, start int) (end int) {
	s := segment{raw: start, text: len(l.text)}
	l.text, s.rawEnd = appendSegment(l.text, raw, start, l.fold)
	l.segments = append(l.segments, s)
	return s.rawEnd
}

// appendSegment appends the text of the segment that begins at start, and the mark. end is where
// the segment's closing quote is, or the end of raw. With fold, ASCII letters become lower case.
func appendSegment(dst, raw []byte, start int, fold bool) (text []byte, end int) {
	const word = 8
	// Text is never longer than what it was made from. A word more is written than is used.
	dst = slices.Grow(dst, len(raw)-start+2*word)
	room := dst[:cap(dst)]
	n, i := len(dst), start
	for {
		for i+word <= len(raw) {
			w := binary.LittleEndian.Uint64(raw[i:])
			k := firstSpecial(w)
			if fold {
				w = literals.Fold(w)
			}
			binary.LittleEndian.PutUint64(room[n:], w)
			n, i = n+k, i+k
			if k < word {
				break
			}
		}
		for i < len(raw) && raw[i] != '"' && raw[i] != '\\' {
			room[n] = raw[i]
			if fold && 'A' <= raw[i] && raw[i] <= 'Z' {
				room[n] |= 0x20
			}
			n, i = n+1, i+1
		}
		if i == len(raw) || raw[i] == '"' {
			room[n] = mark
			return room[:n+1], i
		}
		if i+1 < len(raw) && grammar.Letters[raw[i+1]] != 0 {
			room[n] = grammar.Letters[raw[i+1]]
			n, i = n+1, i+2
			continue
		}
		var more []byte
		more, i = appendEscape(room[:n], raw, i)
		n = len(more)
	}
}

// firstSpecial returns which of eight bytes is the first quote or backslash, 8 if none is.
func firstSpecial(w uint64) int {
	const ones = 0x0101010101010101
	quote, slash := w^'"'*ones, w^'\\'*ones
	// Bit 7 of the lowest byte that is zero, and maybe of some above it.
	return bits.TrailingZeros64(((quote-ones)&^quote|(slash-ones)&^slash)&(0x80*ones)) / 8
}

// plainEnd returns the position of the first quote or backslash from i on, or the length of raw.
func plainEnd(raw []byte, i int) int {
	for ; i+8 <= len(raw); i += 8 {
		if k := firstSpecial(binary.LittleEndian.Uint64(raw[i:])); k < 8 {
			return i + k
		}
	}
	for i < len(raw) && raw[i] != '"' && raw[i] != '\\' {
		i++
	}
	return i
}

// appendEscape appends what the escape at raw[i:] stands for and returns where it ends. An escape
// that does not exist is a backslash, so that what follows is read as text; half of a surrogate
// pair is U+FFFD.
func appendEscape(dst, raw []byte, i int) (text []byte, end int) {
	if i+1 == len(raw) {
		return append(dst, '\\'), i + 1
	}
	c := raw[i+1]
	if means := grammar.Letters[c]; means != 0 {
		return append(dst, means), i + 2
	}
	if c == 'u' {
		if unit := hex4(raw[i+2:]); unit >= 0 {
			return appendUnit(dst, raw, i+6, unit)
		}
	}
	return append(dst, '\\'), i + 1
}

// appendUnit appends the character that begins with a unit of UTF-16. i is the position after it.
func appendUnit(dst, raw []byte, i int, unit rune) (text []byte, end int) {
	switch {
	case unit < utf8.RuneSelf:
		return appendFoldedByte(dst, byte(unit)), i
	case unit < 0xd800 || unit > 0xdfff:
		return utf8.AppendRune(dst, unit), i
	case unit < 0xdc00 && len(raw)-i >= 6 && raw[i] == '\\' && raw[i+1] == 'u':
		if low := hex4(raw[i+2:]); low >= 0xdc00 && low <= 0xdfff {
			return utf8.AppendRune(dst, 0x10000+(unit-0xd800)<<10+(low-0xdc00)), i + 6
		}
	}
	return utf8.AppendRune(dst, utf8.RuneError), i
}

func appendFoldedByte(dst []byte, c byte) []byte {
	if 'A' <= c && c <= 'Z' {
		c |= 0x20
	}
	return append(dst, c)
}

// hex4 returns the value of the four hexadecimal digits that b begins with, or -1.
func hex4(b []byte) rune {
	if len(b) < 4 {
		return -1
	}
	w, x, y, z := hexValue(b[0]), hexValue(b[1]), hexValue(b[2]), hexValue(b[3])
	if w|x|y|z < 0 {
		return -1
	}
	return rune(w<<12 | x<<8 | y<<4 | z)
}

// hexValue returns the value of a hexadecimal digit, or -1.
func hexValue(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// segmentStart returns where the segment begins that holds raw[at], which is after from. There is
// no backslash at from or after it, and from is the start of a segment.
func segmentStart(raw []byte, from, at int) int {
	return from + bytes.LastIndexByte(raw[from:at], '"') + 1
}

// collect decodes all segments of raw that have an escape or, if leads is not nil, a place at which
// a further decoding may begin. Without bare it leaves out those that hold nothing but what valid
// JSON has outside strings, with any white space.
func (l *layer) collect(raw []byte, leads *literals.Table, bare bool) {
	slash := nextSlash(raw, 0)
	next := leadsOf(raw, leads)
	for pos := 0; pos < len(raw); {
		at := min(slash, next.after(pos))
		if at >= len(raw) {
			return
		}
		start := segmentStart(raw, pos, at)
		if end := bareEnd(raw, start); !bare && (end == len(raw) || raw[end] == '"') {
			pos = end + 1
			continue
		}
		pos = l.addSegment(raw, start) + 1
		if slash < pos {
			slash = nextSlash(raw, pos)
		}
	}
}

// isBare has the bytes that valid JSON has outside strings.
var isBare = func() (t [256]bool) {
	for _, c := range []byte(bareBytes) {
		t[c] = true
	}
	return
}()

// bareEnd returns the position of the first byte from i on that valid JSON does not have outside
// strings, or the length of raw.
func bareEnd(raw []byte, i int) int {
	const spaces = 0x2020202020202020
	for i < len(raw) && isBare[raw[i]] {
		i++
		for i+8 <= len(raw) && binary.LittleEndian.Uint64(raw[i:]) == spaces {
			i += 8
		}
	}
	return i
}

// collectStrings decodes all strings of a valid document.
func (l *layer) collectStrings(raw []byte) {
	for pos := 0; pos < len(raw); {
		quote := bytes.IndexByte(raw[pos:], '"')
		if quote < 0 {
			return
		}
		pos = l.addSegment(raw, pos+quote+1) + 1
	}
}

// nextSlash returns the position of the first backslash from i on, or the length of raw.
func nextSlash(raw []byte, i int) int {
	if i >= len(raw) {
		return len(raw)
	}
	if n := bytes.IndexByte(raw[i:], '\\'); n >= 0 {
		return i + n
	}
	return len(raw)
}

// leads goes through the positions of a text at which a table has a candidate.
type leads struct {
	table    *literals.Table
	text     []byte
	from     int // positions before have been looked at
	blocks   [4]literals.Block
	i, count int // of blocks
}

// leadsOf returns the candidates of text, none if table is nil.
func leadsOf(text []byte, table *literals.Table) leads {
	next := leads{table: table, text: text}
	if table == nil {
		next.from = len(text)
	}
	return next
}

// after returns the first candidate at or after pos, or the length of the text. It is called with
// ascending positions.
func (n *leads) after(pos int) int {
	for {
		for ; n.i < n.count; n.i++ {
			b := n.blocks[n.i]
			if skip := pos - int(b.At); skip >= 64 {
				continue
			} else if skip > 0 {
				b.Bits &= ^uint64(0) << skip
			}
			if b.Bits != 0 {
				return int(b.At) + bits.TrailingZeros64(b.Bits)
			}
		}
		if n.from >= len(n.text) {
			break
		}
		n.count, n.from, _ = n.table.Find(n.blocks[:], n.text, max(n.from, pos), false)
		n.i = 0
	}
	if n.table == nil {
		return len(n.text)
	}
	return lastLead(n.text, pos)
}

// lastLead returns the first position from pos on at which a layer may begin in the last bytes of
// text, where no table looks, or the length of text.
func lastLead(text []byte, pos int) int {
	for i := max(pos, len(text)-(literals.WindowSize-1)); i < len(text); i++ {
		switch c := text[i]; c {
		case '%', '&', '\\', '/', '*', 0xef:
			return i
		default:
			if isBlank(c) {
				return i
			}
		}
	}
	return len(text)
}

// toRaw maps positions in the text, in ascending order, to positions in raw: of the byte or of the
// escape that became the byte there.
func (l *layer) toRaw(raw []byte, hits []hit) {
	for i := range hits {
		h := &hits[i]
		s := l.segments[sort.Search(len(l.segments), func(i int) bool { return l.segments[i].text > h.at })-1]
		from, text := s.raw, s.text
		if i > 0 && hits[i-1].text >= text { // in the same segment: go on from there
			from, text = hits[i-1].at, hits[i-1].text
		}
		h.text = h.at
		for text < h.at {
			if raw[from] != '\\' {
				n := min(plainEnd(raw, from)-from, h.at-text)
				from, text = from+n, text+n
				continue
			}
			var room [utf8.UTFMax]byte
			decoded, end := appendEscape(room[:0], raw, from)
			if text+len(decoded) > h.at {
				break
			}
			from, text = end, text+len(decoded)
		}
		h.at = from
	}
}
