package coder

import (
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/wire"
)

// escaped reads the string whose content begins at start and has its first special byte, or
// the end of the document, at stop.
func (r *Reader) escaped(start, stop int) (string, int) {
	out := r.unescaped.open(r.n)
	from := start
	for {
		if cap(out)-len(out) < stop-from+utf8.UTFMax {
			out = r.grow(out, from)
		}
		out = append(out, r.t.Bytes(from, stop)...)
		if stop >= r.n {
			return "", r.cutString()
		}
		switch b := r.t.At(stop); {
		case b == '"':
			return r.unescaped.close(out), stop + 1
		case b == '\\':
			var ok bool
			if out, from, ok = r.escape(out, stop); !ok {
				return "", 0
			}
		case b < 0x20:
			return "", r.Refuse(wire.CodeControl, stop)
		default: // lenient mode has marked a byte that is not UTF-8
			for r.t.At(stop) >= utf8.RuneSelf && r.stops(stop)&1 != 0 {
				if cap(out)-len(out) < 2*utf8.UTFMax {
					out = r.grow(out, stop)
				}
				r.save(wire.CodeUTF8, stop)
				out = append(out, "\uFFFD"...)
				stop++
			}
			from = stop
		}
		stop = r.stop(from)
	}
}

// grow returns out with space for the rest of the string, which begins at from, and one character
// more, so that it has to move only once.
func (r *Reader) grow(out []byte, from int) []byte {
	end := from
	for end < r.n {
		if w := r.blocks.At(uint(end)>>6).Quote >> (uint(end) & 63); w != 0 {
			end += trailingZeros(w)
			break
		}
		end = (end | 63) + 1
	}
	rest := min(end, r.n) - from
	if r.lenient {
		rest *= len("\uFFFD") // each byte may become one
	}
	return append(make([]byte, 0, len(out)+rest+utf8.UTFMax), out...)
}

// escape appends the character of one escape sequence. Like everything that reads ahead, it relies
// on the brace at the end of the document: no byte that an escape goes on after is the last one.
func (r *Reader) escape(dst []byte, p int) ([]byte, int, bool) {
	b := r.t.At(p + 1)
	if b != 'u' {
		if c := grammar.Letters[b]; c != 0 {
			return append(dst, c), p + 2, true
		}
		r.Refuse(wire.CodeEscape, p+1)
		return nil, 0, false
	}
	c, ok := r.hex4(p + 2)
	if !ok {
		return nil, 0, false
	}
	if c == 0 {
		r.notes |= wire.NoteNUL
	}
	next := p + 6
	if c >= 0xd800 && c < 0xe000 {
		c, next, ok = r.surrogates(c, p)
		if !ok {
			return nil, 0, false
		}
	}
	return utf8.AppendRune(dst, c), next, true
}

// surrogates reads the other half of a pair whose first half, c, is the escape at p.
func (r *Reader) surrogates(c rune, p int) (rune, int, bool) {
	next := p + 6
	if c < 0xdc00 && r.t.At(next) == '\\' && r.t.At(next+1) == 'u' {
		low, ok := r.hex4(next + 2)
		if !ok {
			return 0, 0, false
		}
		if low >= 0xdc00 && low < 0xe000 {
			return (c-0xd800)<<10 + (low - 0xdc00) + 0x10000, next + 6, true
		}
	}
	if !r.lenient {
		r.Refuse(wire.CodeSurrogate, p)
		return 0, 0, false
	}
	r.save(wire.CodeSurrogate, p)
	return utf8.RuneError, next, true
}

func (r *Reader) hex4(p int) (c rune, ok bool) {
	for i := p; i < p+4; i++ {
		b := r.t.At(i)
		switch {
		case b-'0' <= 9:
			c = c<<4 | rune(b-'0')
		case (b|0x20)-'a' <= 5:
			c = c<<4 | rune((b|0x20)-'a'+10)
		default:
			r.Refuse(wire.CodeEscape, i)
			return 0, false
		}
	}
	return c, true
}

// bytesSlab is memory for unescaped strings: one after the other in a chunk. A string that
// outgrows the chunk gets one of its own. A document that did not fit in one chunk makes the
// next one that is large enough begin with a chunk that it would fit in, so that a warm slab
// allocates nothing.
type bytesSlab struct {
	buf     []byte
	used    int
	total   int     // bytes of all strings of the document
	want    int     // size of a chunk that some document would have fit in
	retired retired // chunks before buf
}

const (
	bytesChunkMin = 512
	bytesChunkMax = 64 << 10
	bytesWantMax  = 256 << 10
	bytesFree     = bytesChunkMin / 4 // the least free room to begin a string in
)

// open returns an empty slice at the free end of the chunk. The document has n bytes.
func (s *bytesSlab) open(n int) []byte {
	most := len("\uFFFD")*n + bytesFree // each byte may become one in lenient mode
	switch {
	case s.total == 0 && s.want > len(s.buf) && s.want <= most:
		s.buf, s.used, s.want = make([]byte, s.want), 0, 0
	case len(s.buf)-s.used < bytesFree:
		s.retired.add(s.buf)
		s.buf, s.used = make([]byte, max(min(2*len(s.buf), bytesChunkMax), bytesChunkMin)), 0
	}
	return s.buf[s.used:s.used:len(s.buf)]
}

// close makes a string of what was appended to the slice from open.
func (s *bytesSlab) close(out []byte) string {
	s.total += len(out)
	if cap(out) == len(s.buf)-s.used { // still in the chunk
		s.used += len(out)
	} else if cap(out) <= bytesChunkMax { // it has one of its own; go on in it
		s.retired.add(s.buf)
		s.buf, s.used = out[:cap(out)], len(out)
	} else {
		s.retired.add(out)
	}
	return mem.String(out)
}

// reset makes the memory free for the next document.
func (s *bytesSlab) reset() {
	if need := s.total + bytesFree; need > max(len(s.buf), bytesFree) && need <= bytesWantMax {
		s.want = max(s.want, need+need/8)
	}
	s.used, s.total = 0, 0
	s.retired.forget()
}
