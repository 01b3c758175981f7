package coder

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/internal/simd/plaincopy"
	"github.com/rtbwire/rtbwire/internal/simd/utf8check"
	"github.com/rtbwire/rtbwire/wire"
)

// String appends a string.
func (w *Writer) String(b []byte, s string) []byte {
	o, n := len(b)+1, len(s)
	if cap(b)-o <= n || w.EscapeHTML || !mem.ZeroCopy {
		return w.slowString(b, s)
	}
	b = b[:o+n+1]
	b[o-1] = '"'
	b[o+n] = '"'
	if k := plaincopy.Copy(b[o:], mem.Bytes(s)); k != n {
		return w.specials(b, o+k, s, k)
	}
	return b
}

// slowString is String for a buffer that has to grow, or for characters that are looked at one
// by one.
func (w *Writer) slowString(b []byte, s string) []byte {
	if w.EscapeHTML || !mem.ZeroCopy {
		return append(w.escaped(append(b, '"'), s), '"')
	}
	return w.String(slices.Grow(b, len(s)+2), s)
}

// specials goes on with a string whose first n bytes are copied, at b[o-n:], where a special one
// stands: one that can't stand as it is, or is not ASCII. From there on it looks at eight bytes
// at a time: where one character is special others are near, and calls of the kernel would not
// pay before there are many plain ones in a row.
func (w *Writer) specials(b []byte, o int, s string, n int) []byte {
	const wordsInRow = 3
	notASCII, words := wordHigh, 0
	b = b[:cap(b)]
	spare := len(b) - o - specialRoom(s, n) // what escapes may still add
	for n < len(s) {
		if spare < escapeMax {
			room := specialRoom(s, n)
			b = slices.Grow(b[:o], room+room/8+escapeMax)
			b = b[:cap(b)]
			spare = len(b) - o - room
		}
		var c byte
		if len(s)-n >= 8 {
			x := binary.LittleEndian.Uint64(mem.Bytes(s[n : n+8]))
			binary.LittleEndian.PutUint64(b[o:], x)
			stops := wordEscapes(x) | x&notASCII
			if stops == 0 {
				n, o = n+8, o+8
				if words++; words == wordsInRow && notASCII != 0 {
					k := plaincopy.Copy(b[o:], mem.Bytes(s[n:]))
					n, o, words = n+k, o+k, 0
				}
				continue
			}
			k := bits.TrailingZeros64(stops) >> 3
			n, o = n+k, o+k
			c = byte(x >> (8 * k & 63))
		} else if c = s[n]; c >= ' ' && c != '"' && c != '\\' && uint64(c)&notASCII == 0 {
			b[o] = c
			n, o = n+1, o+1
			continue
		}
		words = 0
		if c >= utf8.RuneSelf {
			if !utf8check.Valid(mem.Bytes(s[n:])) {
				return append(w.escaped(b[:o], s[n:]), '"')
			}
			notASCII = 0
			continue
		}
		if e := shortEscapes[c]; e != 0 {
			b[o], b[o+1] = '\\', e
			o, spare = o+2, spare-1
		} else {
			o, spare = len(appendEscape(b[:o], c)), spare-(escapeMax-1)
		}
		n++
	}
	b[o] = '"'
	return b[:o+1]
}

// specialRoom is what s[n:] takes without escapes: with a quote, and a word that is written over
// the end.
func specialRoom(s string, n int) int { return len(s) - n + 1 + 8 }

// shortEscapes has the letter after the backslash for escapes of two characters.
var shortEscapes = [utf8.RuneSelf]byte{
	'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't',
}

const (
	escapeMax = len(`\u0000`)
	wordLow   = 0x0101010101010101
	wordHigh  = uint64(0x8080808080808080)
)

// wordEscapes sets the highest bit of each byte of x that needs escaping, up to the first of
// them; bits of later bytes may be wrong.
func wordEscapes(x uint64) uint64 {
	quote, backslash := x^'"'*wordLow, x^'\\'*wordLow
	return ((x - ' '*wordLow) | (quote - wordLow) | (backslash - wordLow)) &^ x & wordHigh
}

// escaped appends the content of a string character by character: for HTML, and as the slow and
// clear reference for String.
func (w *Writer) escaped(b []byte, s string) []byte {
	from := 0 // s[:from] is written
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= ' ' && c != '"' && c != '\\' && (!w.EscapeHTML || c != '<' && c != '>' && c != '&') {
				i++
				continue
			}
			b = append(b, s[from:i]...)
			b = appendEscape(b, c)
			i++
			from = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			if w.RefuseInvalidUTF8 {
				w.Fail(wire.CodeUTF8)
			}
			b = append(b, s[from:i]...)
			b = append(b, `\ufffd`...)
		case w.EscapeHTML && (r == '\u2028' || r == '\u2029'):
			b = append(b, s[from:i]...)
			b = append(b, `\u202`...)
			b = append(b, hexDigits[r&15])
		default:
			i += size
			continue
		}
		i += size
		from = i
	}
	return append(b, s[from:]...)
}

const hexDigits = "0123456789abcdef"

// appendEscape appends the escape of an ASCII character.
func appendEscape(b []byte, c byte) []byte {
	if e := shortEscapes[c]; e != 0 {
		return append(b, '\\', e)
	}
	return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}
