// Package classic is the decoder by hand of the article about one, as published: a design, in
// code of our own. It is not for use.
//
//	lexer.go     tokens
//	number_*.go  integers, which the build tag atoi leaves to strconv
//	stop_*.go    the end of a string: with NEON on arm64 and byte by byte elsewhere, as published;
//	             the build tags vectors and byteloop choose one for all
//	arena.go     pooled memory, and the functions to call
//	read_gen.go  the switches on keys, written by a program
//	keys_gen.go  structs of few and of many fields, to compare switches with other ways
//
// package handwritten of the lab is the same idea for the whole specification, and stricter.
package classic

import (
	"errors"
	"fmt"
	"strconv"
	"unsafe"
)

//go:generate go run ../fields

// lexer is a place in a text. The design is the published one: keys are found byte by byte, strings
// by stop, strings point into the text, every step returns an error, null and \u are not known, and
// what follows the request is not looked at.
type lexer struct {
	text []byte
	at   int
}

var errEnd = errors.New("the text ends too early")

func (l *lexer) space() {
	for l.at < len(l.text) && (l.text[l.at] == ' ' || l.text[l.at] == '\n' ||
		l.text[l.at] == '\t' || l.text[l.at] == '\r') {
		l.at++
	}
}

// open enters an object or array.
func (l *lexer) open(bracket byte) error {
	l.space()
	if l.at >= len(l.text) {
		return errEnd
	}
	if l.text[l.at] != bracket {
		return fmt.Errorf("byte %d is %q, expected %q", l.at, l.text[l.at], bracket)
	}
	l.at++
	return nil
}

// closed reads the end of an object or array, if it is there. As published, it is looked for before
// every member and element, so that one may end with a comma.
func (l *lexer) closed(end byte) bool {
	l.space()
	if l.at >= len(l.text) || l.text[l.at] != end {
		return false
	}
	l.at++
	return true
}

// more reads what follows a member or element, and reports whether another one may.
func (l *lexer) more(end byte) (bool, error) {
	l.space()
	if l.at >= len(l.text) {
		return false, errEnd
	}
	if l.text[l.at] == end {
		l.at++
		return false, nil
	}
	if l.text[l.at] != ',' {
		return false, fmt.Errorf("byte %d is %q, expected a comma or %q", l.at, l.text[l.at], end)
	}
	l.at++
	return true, nil
}

// key reads a key.
func (l *lexer) key() ([]byte, error) {
	l.space()
	if l.at >= len(l.text) {
		return nil, errEnd
	}
	if l.text[l.at] != '"' {
		return nil, fmt.Errorf("byte %d is %q, expected a key", l.at, l.text[l.at])
	}
	l.at++
	start := l.at
	for l.at < len(l.text) && l.text[l.at] != '"' {
		l.at++
	}
	if l.at >= len(l.text) {
		return nil, fmt.Errorf("the key at byte %d has no end", start)
	}
	key := l.text[start:l.at]
	l.at++
	return key, nil
}

func (l *lexer) colon() error {
	l.space()
	if l.at >= len(l.text) || l.text[l.at] != ':' {
		return fmt.Errorf("expected a colon at byte %d", l.at)
	}
	l.at++
	return nil
}

// str reads a string, which points into the text unless something in it is escaped.
func (l *lexer) str() (string, error) {
	l.space()
	if l.at >= len(l.text) || l.text[l.at] != '"' {
		return "", fmt.Errorf("expected a string at byte %d", l.at)
	}
	b, err := l.scan()
	if err != nil {
		return "", err
	}
	return view(b), nil
}

// scan returns the bytes of a string: those of the text, or a copy if something is escaped.
func (l *lexer) scan() ([]byte, error) {
	l.at++
	start := l.at
	var copied []byte
	for {
		rest := l.text[l.at:]
		n := stop(rest)
		if n == len(rest) {
			return nil, fmt.Errorf("the string before byte %d has no end", l.at)
		}
		c := l.text[l.at+n]
		if c == '"' && copied == nil {
			b := l.text[start : l.at+n]
			l.at += n + 1
			return b, nil
		}
		if copied == nil {
			copied = append(copied, l.text[start:l.at+n]...)
		} else {
			copied = append(copied, rest[:n]...)
		}
		l.at += n + 1
		if c == '"' {
			return copied, nil
		}
		if l.at >= len(l.text) {
			return nil, errEnd
		}
		switch c = l.text[l.at]; c {
		case '"', '\\', '/':
			copied = append(copied, c)
		case 'b':
			copied = append(copied, '\b')
		case 'f':
			copied = append(copied, '\f')
		case 'n':
			copied = append(copied, '\n')
		case 'r':
			copied = append(copied, '\r')
		case 't':
			copied = append(copied, '\t')
		default:
			return nil, fmt.Errorf("byte %d is %q, expected a short escape", l.at, c)
		}
		l.at++
	}
}

// view returns the bytes as a string, without a copy.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// number finds the bytes of a number, and does not read them.
func (l *lexer) number() ([]byte, error) {
	l.space()
	if l.at >= len(l.text) {
		return nil, errEnd
	}
	if c := l.text[l.at]; c != '-' && (c < '0' || c > '9') {
		return nil, fmt.Errorf("byte %d is %q, expected a number", l.at, c)
	}
	start := l.at
	for l.at < len(l.text) && numeric(l.text[l.at]) {
		l.at++
	}
	return l.text[start:l.at], nil
}

func numeric(c byte) bool {
	return c >= '0' && c <= '9' || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-'
}

func (l *lexer) integer() (int, error) {
	b, err := l.number()
	if err != nil {
		return 0, err
	}
	return integer(b)
}

func float(b []byte) (float64, error) { return strconv.ParseFloat(view(b), 64) }

// strings reads a list that is returned from within the loop, as published: the compiler then grows
// it on the heap from the first element on.
func (l *lexer) strings() ([]string, error) {
	if err := l.open('['); err != nil {
		return nil, err
	}
	var out []string
	for {
		if l.closed(']') {
			return out, nil
		}
		v, err := l.str()
		if err != nil {
			return nil, err
		}
		out = append(out, v)
		if more, err := l.more(']'); !more {
			return out, err
		}
	}
}

func (l *lexer) integers() ([]int, error) {
	if err := l.open('['); err != nil {
		return nil, err
	}
	var out []int
	for {
		if l.closed(']') {
			return out, nil
		}
		v, err := l.integer()
		if err != nil {
			return nil, err
		}
		out = append(out, v)
		if more, err := l.more(']'); !more {
			return out, err
		}
	}
}

// raw passes over a value, and returns its text.
func (l *lexer) raw() ([]byte, error) {
	l.space()
	start, depth := l.at, 0
	for l.at < len(l.text) {
		switch l.text[l.at] {
		case '"':
			for l.at++; l.at < len(l.text) && l.text[l.at] != '"'; l.at++ {
				if l.text[l.at] == '\\' {
					l.at++
				}
			}
			l.at++
		case '{', '[':
			depth++
			l.at++
			continue
		case '}', ']':
			depth--
			l.at++
		default:
			for l.at++; l.at < len(l.text) && !ends(l.text[l.at]); l.at++ {
			}
		}
		if depth == 0 && l.at <= len(l.text) {
			return l.text[start:l.at], nil
		}
	}
	return nil, errEnd
}

// ends reports whether a byte is not part of a number, true, false or null; within brackets, of the
// punctuation between values either.
func ends(c byte) bool {
	switch c {
	case ',', '"', '{', '}', '[', ']', ' ', '\n', '\t', '\r':
		return true
	}
	return false
}
