package supply

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/rtbwire/rtbwire/internal/filewatch"
	"github.com/rtbwire/rtbwire/internal/grammar"
)

// ValueMax is the longest seller, and the longest other member, of a sellers.json file that is
// read, in bytes.
const ValueMax = 64 << 10

// values reads the values of a large JSON text one at a time, in fixed memory. It only finds where
// they end; package grammar then says whether they are JSON.
type values struct {
	in   *bufio.Reader
	line int
	text []byte // of the value
}

const bufferSize = 64 << 10

// reset begins a text. A byte order mark at its start is skipped, which RFC 8259 allows.
func (v *values) reset(r io.Reader) {
	if v.in == nil {
		v.in = bufio.NewReaderSize(r, bufferSize)
	}
	v.in.Reset(r)
	v.line = 1
	if start, _ := v.in.Peek(len(bom)); string(start) == bom {
		_, _ = v.in.Discard(len(bom))
	}
}

// What is wrong with a text.
var (
	errEnds   = errors.New("the text ends too early")
	errComma  = errors.New("expected a comma or the end of the object or array")
	errColon  = errors.New("expected a colon after the key")
	errKey    = errors.New("expected a key in double quotes")
	errAfter  = errors.New("nothing may follow the object")
	errValue  = errors.New("expected a value")
	errLength = fmt.Errorf("the value is longer than %d bytes", ValueMax)
)

// fault returns an error about this line.
func (v *values) fault(err error) error { return &filewatch.LineError{Line: v.line, Err: err} }

// peek skips white space and returns the next byte, which stays.
func (v *values) peek() (byte, error) {
	for {
		b, err := v.in.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			return 0, v.fault(errEnds)
		case err != nil:
			return 0, err
		case b == '\n':
			v.line++
		case !grammar.IsSpace(b):
			return b, v.in.UnreadByte()
		}
	}
}

// skip skips white space and one byte, which is returned.
func (v *values) skip() (byte, error) {
	b, err := v.peek()
	if err == nil {
		_, err = v.in.Discard(1)
	}
	return b, err
}

// list reads an object or an array. Each reads a member or an element.
func (v *values) list(opening, closing byte, wrong error, each func() error) error {
	b, err := v.skip()
	if err == nil && b != opening {
		err = v.fault(wrong)
	}
	if err != nil {
		return err
	}
	if b, err = v.peek(); err != nil {
		return err
	}
	if b == closing {
		_, err = v.in.Discard(1)
		return err
	}
	for {
		if err := each(); err != nil {
			return err
		}
		switch b, err := v.skip(); {
		case err != nil:
			return err
		case b == closing:
			return nil
		case b != ',':
			return v.fault(errComma)
		}
	}
}

// key reads a key and the colon. The key is valid until the next value is read.
func (v *values) key() ([]byte, error) {
	text, err := v.value()
	if err != nil {
		return nil, err
	}
	s := grammar.Scanner{Data: text, Tolerant: true}
	key, ok := s.String()
	if !ok || !s.End() {
		return nil, v.fault(errKey)
	}
	if s.Escaped {
		key = []byte(grammar.Unescape(key))
	}
	switch b, err := v.skip(); {
	case err != nil:
		return nil, err
	case b != ':':
		return nil, v.fault(errColon)
	}
	return key, nil
}

// finish reads the end of the text.
func (v *values) finish() error {
	_, err := v.peek()
	var line *filewatch.LineError
	switch {
	case err == nil:
		return v.fault(errAfter)
	case errors.As(err, &line):
		return nil // the text ends
	}
	return err
}

// value reads a value. It is valid until the next one is read.
func (v *values) value() ([]byte, error) {
	b, err := v.peek()
	if err != nil {
		return nil, err
	}
	v.text = v.text[:0]
	if b == '"' || b == '{' || b == '[' {
		err = v.nested()
	} else {
		err = v.scalar()
	}
	return v.text, err
}

// nested reads a string, an object or an array.
func (v *values) nested() error {
	var n nesting
	for done := false; !done; {
		if _, err := v.in.Peek(1); errors.Is(err, io.EOF) {
			return v.fault(errEnds)
		} else if err != nil {
			return err
		}
		window, _ := v.in.Peek(v.in.Buffered())
		var size int
		if size, done = n.end(window); len(v.text)+size > ValueMax {
			return v.fault(errLength)
		}
		v.text = append(v.text, window[:size]...)
		v.line += bytes.Count(window[:size], []byte("\n"))
		_, _ = v.in.Discard(size)
	}
	return nil
}

// nesting finds the end of a string, an object or an array that comes in pieces.
type nesting struct {
	depth             int
	inString, escaped bool
}

// end returns how much of the piece belongs to the value, and whether it ends there.
func (n *nesting) end(piece []byte) (size int, done bool) {
	for i, b := range piece {
		switch {
		case n.escaped:
			n.escaped = false
			continue
		case b == '"':
			n.inString = !n.inString
		case n.inString:
			n.escaped = b == '\\'
			continue
		case b == '{' || b == '[':
			n.depth++
		case b == '}' || b == ']':
			n.depth--
		default:
			continue
		}
		if n.depth == 0 && !n.inString {
			return i + 1, true
		}
	}
	return len(piece), false
}

// scalar reads a number or a word.
func (v *values) scalar() error {
	for {
		b, err := v.in.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case b == ',' || b == ':' || b == ']' || b == '}' || grammar.IsSpace(b):
			if err := v.in.UnreadByte(); err != nil || len(v.text) > 0 {
				return err
			}
			return v.fault(errValue)
		case len(v.text) == ValueMax:
			return v.fault(errLength)
		}
		v.text = append(v.text, b)
	}
}
