package filewatch

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
)

// LineMaxDefault is the longest line, or record of a CSV file, in bytes.
const LineMaxDefault = 4096

// bufferSize is how much is read at once.
const bufferSize = 64 << 10

// bom is the byte order mark that some editors write at the start of UTF-8.
var bom = []byte("\ufeff")

// ErrBinary is why a file with a NUL byte is refused.
var ErrBinary = errors.New("expected text in UTF-8, found a NUL byte (a binary file, or UTF-16)")

func errLong(lineMax int) error { return fmt.Errorf("the line is longer than %d bytes", lineMax) }

// Lines calls do for each line of a text that has something besides white space and comments. The
// line is trimmed, and valid until do returns. A comment begins with # at the start of a line or
// after white space. A byte order mark at the start is skipped. An error of do ends the reading.
// A lineMax of 0 is [LineMaxDefault].
func Lines(r io.Reader, lineMax int, do func(line int, text []byte) error) error {
	if lineMax <= 0 {
		lineMax = LineMaxDefault
	}
	b := bufio.NewReaderSize(r, max(bufferSize, lineMax+len("\r\n")))
	skipBOM(b)
	for n := 1; ; n++ {
		text, err := b.ReadSlice('\n')
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
		end := err != nil
		if bytes.IndexByte(text, 0) >= 0 {
			return &LineError{n, ErrBinary}
		}
		text = bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
		if len(text) > lineMax {
			return &LineError{n, errLong(lineMax)}
		}
		if text = trimSpace(withoutComment(text)); len(text) > 0 {
			if err := do(n, text); err != nil {
				return err
			}
		}
		if end {
			return nil //nolint:nilerr // the error is io.EOF; longer lines were refused above
		}
	}
}

func skipBOM(b *bufio.Reader) {
	if start, _ := b.Peek(len(bom)); bytes.Equal(start, bom) {
		_, _ = b.Discard(len(bom))
	}
}

func withoutComment(text []byte) []byte {
	for from := 0; ; {
		i := bytes.IndexByte(text[from:], '#')
		if i < 0 {
			return text
		}
		i += from
		if i == 0 || isSpace(text[i-1]) {
			return text[:i]
		}
		from = i + 1
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r' }

func trimSpace(text []byte) []byte {
	for len(text) > 0 && isSpace(text[0]) {
		text = text[1:]
	}
	for len(text) > 0 && isSpace(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	return text
}

// Records calls do for each record of a text of comma-separated values (RFC 4180), with the line
// that it begins in. The fields are valid until do returns. Blank lines and lines that begin with
// # are skipped, and so are white space before a field and a byte order mark at the start. An
// error of do ends the reading. A lineMax of 0 is [LineMaxDefault].
func Records(r io.Reader, lineMax int, do func(line int, fields []string) error) error {
	if lineMax <= 0 {
		lineMax = LineMaxDefault
	}
	b := bufio.NewReaderSize(r, bufferSize)
	skipBOM(b)
	guard := &recordGuard{r: b}
	c := csv.NewReader(guard)
	c.Comment, c.FieldsPerRecord, c.TrimLeadingSpace, c.ReuseRecord = '#', -1, true, true
	for last := 0; ; {
		guard.max = c.InputOffset() + int64(lineMax) + recordSlack
		fields, err := c.Read()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case guard.broken:
			return &LineError{last + 1, errLong(lineMax)}
		case err != nil:
			return csvError(err)
		}
		line, _ := c.FieldPos(0)
		last = line
		size := 0
		for _, f := range fields {
			size += len(f) + len(",")
			if strings.IndexByte(f, 0) >= 0 {
				return &LineError{line, ErrBinary}
			}
		}
		if size > lineMax {
			return &LineError{line, errLong(lineMax)}
		}
		if err := do(line, fields); err != nil {
			return err
		}
	}
}

// csvError says where a record is broken, without repeating what is in it.
func csvError(err error) error {
	var p *csv.ParseError
	if !errors.As(err, &p) {
		return err
	}
	return &LineError{p.Line, fmt.Errorf("expected comma-separated values: %w", p.Err)}
}

// recordSlack is how much is read for a record beyond the longest one: comments and blank lines
// before it, and what is read ahead.
const recordSlack = 1 << 20

// recordGuard ends the reading of a record that does not end: a quote that is never closed would
// read the whole file into memory.
type recordGuard struct {
	r      *bufio.Reader
	n, max int64 // bytes read; how many may be
	broken bool
}

func (g *recordGuard) Read(p []byte) (int, error) {
	if g.n > g.max {
		g.broken = true
		return 0, io.ErrUnexpectedEOF
	}
	n, err := g.r.Read(p)
	g.n += int64(n)
	return n, err
}
