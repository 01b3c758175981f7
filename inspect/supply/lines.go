package supply

import (
	"bytes"
	"errors"
	"io"

	"github.com/rtbwire/rtbwire/internal/filewatch"
)

// LineMax is the longest line of an ads.txt file that is read, in bytes.
const LineMax = 4096

// lines reads lines that end in CR, LF or CRLF, in fixed memory.
type lines struct {
	r          io.Reader
	buf        [4 * LineMax]byte
	start, end int // of what is in buf
	err        error
	n          int  // the line's number
	afterCR    bool // an LF here belongs to the line before
}

// bom is the byte order mark that some editors write at the start of UTF-8.
const bom = "\ufeff"

// reset begins a text. A byte order mark at its start is skipped.
func (l *lines) reset(r io.Reader) {
	l.r, l.start, l.n, l.afterCR = r, 0, 0, false
	l.end, l.err = io.ReadFull(r, l.buf[:len(bom)])
	if errors.Is(l.err, io.ErrUnexpectedEOF) {
		l.err = io.EOF
	}
	if string(l.buf[:l.end]) == bom {
		l.start = l.end
	}
}

// next returns the next line, which is valid until the next call. Of a line that is too long, only
// that is known. At the end it returns io.EOF.
func (l *lines) next() (text []byte, long bool, err error) {
	for {
		if l.afterCR && l.start < l.end {
			if l.buf[l.start] == '\n' {
				l.start++
			}
			l.afterCR = false
		}
		text = l.buf[l.start:l.end]
		if i := lineEnd(text); i >= 0 {
			l.afterCR = text[i] == '\r'
			l.start += i + 1
			return l.line(text[:i], long)
		}
		if l.err != nil {
			if l.start = l.end; len(text) == 0 && !long || !errors.Is(l.err, io.EOF) {
				return nil, false, l.err
			}
			return l.line(text, long)
		}
		if len(text) > LineMax {
			if bytes.IndexByte(text, 0) >= 0 {
				return nil, false, &filewatch.LineError{Line: l.n + 1, Err: filewatch.ErrBinary}
			}
			long, l.start, l.end = true, 0, 0
		}
		l.fill()
	}
}

// fill moves what is in the buffer to its start and reads more. The buffer has space: next drops
// what is longer than a line.
func (l *lines) fill() {
	l.end = copy(l.buf[:], l.buf[l.start:l.end])
	l.start = 0
	n, err := l.r.Read(l.buf[l.end:])
	l.end += n
	l.err = err
}

func (l *lines) line(text []byte, long bool) ([]byte, bool, error) {
	l.n++
	if bytes.IndexByte(text, 0) >= 0 {
		return nil, false, &filewatch.LineError{Line: l.n, Err: filewatch.ErrBinary}
	}
	return text, long || len(text) > LineMax, nil
}

// lineEnd returns the position of the first CR or LF, or -1.
func lineEnd(b []byte) int {
	i := bytes.IndexByte(b, '\n')
	if i >= 0 {
		b = b[:i]
	}
	if j := bytes.IndexByte(b, '\r'); j >= 0 {
		return j
	}
	return i
}
