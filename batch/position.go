package batch

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// position counts from a starting point: lines (line ends passed) and columns (characters
// since the last of them, or since the starting point).
type position struct{ lines, columns int64 }

// plus returns the position that is d after p.
func (p position) plus(d position) position {
	if d.lines > 0 {
		return position{p.lines + d.lines, d.columns}
	}
	return position{p.lines, p.columns + d.columns}
}

// measure returns the position at the end of text.
func measure(text []byte) position {
	lines := bytes.Count(text, newline)
	if lines > 0 {
		text = text[bytes.LastIndexByte(text, '\n')+1:]
	}
	return position{int64(lines), int64(characters(text))}
}

var newline = []byte{'\n'}

// characters counts the bytes that are not UTF-8 continuation bytes. Unlike
// [utf8.RuneCount] it gives the same sum wherever a text is cut.
func characters(text []byte) int {
	n := len(text)
	for ; len(text) >= 8; text = text[8:] {
		x := binary.LittleEndian.Uint64(text)
		if x&0x8080808080808080 == 0 { // nothing but ASCII
			continue
		}
		// A continuation byte is 10xxxxxx: bit 7 is set and bit 6 is not.
		n -= bits.OnesCount64((x >> 7) & ^(x >> 6) & 0x0101010101010101)
	}
	for _, b := range text {
		if b&0xC0 == 0x80 {
			n--
		}
	}
	return n
}

// tracker finds the positions of offsets in a text. It is fast if they ascend.
type tracker struct {
	text []byte
	next int // offset of the position below
	pos  position
}

// at returns the position at offset.
func (t *tracker) at(offset int) position {
	offset = min(offset, len(t.text))
	if offset < t.next {
		t.next, t.pos = 0, position{}
	}
	t.pos = t.pos.plus(measure(t.text[t.next:offset]))
	t.next = offset
	return t.pos
}
