// Package classic is the decoder by hand of the article about one, as published: a design, in
// code of our own. It is not for use.
//
//	lexer.go     tokens
//	number_*.go  integers, which the build tag atoi leaves to strconv
//	stop_*.go    the end of a string, which the build tag byteloop finds byte by byte
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

func (l *lexer) unexpected(want string) error {
	if l.at >= len(l.text) {
		return errEnd
	}
	return fmt.Errorf("byte %d is %q, expected %s", l.at, l.text[l.at], want)
}

func (l *lexer) space() {
	for l.at < len(l.text) {
		switch l.text[l.at] {
		case ' ', '\n', '\t', '\r':
			l.at++
		default:
			return
		}
	}
}

// one reads a byte after white space.
func (l *lexer) one(c byte, name string) error {
	l.space()
	if l.at >= len(l.text) || l.text[l.at] != c {
		return l.unexpected(name)
	}
	l.at++
	return nil
}

// closed reads the end of an empty object or array, if it is one.
func (l *lexer) closed(end byte) bool {
	l.space()
	if l.at >= len(l.text) || l.text[l.at] != end {
		return false
	}
	l.at++
	return true
}

// more reads what follows a member or element, and reports whether another one does.
func (l *lexer) more(end byte) (bool, error) {
	l.space()
	if l.at >= len(l.text) {
		return false, errEnd
	}
	switch l.text[l.at] {
	case ',':
		l.at++
		return true, nil
	case end:
		l.at++
		return false, nil
	}
	return false, l.unexpected("a comma or the end")
}

// key reads a key and its colon.
func (l *lexer) key() ([]byte, error) {
	if err := l.one('"', "a key"); err != nil {
		return nil, err
	}
	start := l.at
	for l.at < len(l.text) && l.text[l.at] != '"' {
		l.at++
	}
	if l.at >= len(l.text) {
		return nil, errEnd
	}
	key := l.text[start:l.at]
	l.at++
	return key, l.one(':', "a colon")
}

// str reads a string, which points into the text unless something in it is escaped.
func (l *lexer) str() (string, error) {
	if err := l.one('"', "a string"); err != nil {
		return "", err
	}
	start := l.at
	l.at += stop(l.text[l.at:])
	if l.at >= len(l.text) {
		return "", errEnd
	}
	if l.text[l.at] == '"' {
		l.at++
		return view(l.text[start : l.at-1]), nil
	}
	out := append([]byte(nil), l.text[start:l.at]...)
	for l.text[l.at] != '"' {
		if l.at++; l.at >= len(l.text) {
			return "", errEnd
		}
		c, known := escapes[l.text[l.at]]
		if !known {
			return "", l.unexpected("a short escape")
		}
		out = append(out, c)
		l.at++
		n := stop(l.text[l.at:])
		out = append(out, l.text[l.at:l.at+n]...)
		if l.at += n; l.at >= len(l.text) {
			return "", errEnd
		}
	}
	l.at++
	return view(out), nil
}

var escapes = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// view returns the bytes as a string, without a copy.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// number finds the bytes of a number, and does not read them.
func (l *lexer) number() ([]byte, error) {
	l.space()
	start := l.at
	for l.at < len(l.text) && numeric(l.text[l.at]) {
		l.at++
	}
	if l.at == start {
		return nil, l.unexpected("a number")
	}
	return l.text[start:l.at], nil
}

func numeric(c byte) bool {
	return c-'0' <= 9 || c == '-' || c == '.' || c == 'e' || c == 'E' || c == '+'
}

func (l *lexer) integer() (int, error) {
	b, err := l.number()
	if err != nil {
		return 0, err
	}
	return integer(b)
}

func (l *lexer) integerPointer() (*int, error) {
	n, err := l.integer()
	return &n, err
}

func (l *lexer) floatPointer() (*float64, error) {
	b, err := l.number()
	if err != nil {
		return nil, err
	}
	f, err := strconv.ParseFloat(view(b), 64)
	return &f, err
}

func (l *lexer) stringPointer() (*string, error) {
	s, err := l.str()
	return &s, err
}

// strings reads a list that is returned from within the loop, as published: the compiler then grows
// it on the heap from the first element on.
func (l *lexer) strings() ([]string, error) {
	if err := l.one('[', "an array"); err != nil || l.closed(']') {
		return nil, err
	}
	var out []string
	for {
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
	if err := l.one('[', "an array"); err != nil || l.closed(']') {
		return nil, err
	}
	var out []int
	for {
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
