package grammar

import (
	"bytes"
	"strings"
)

// The functions of this file walk text that a decoder has accepted, so they look at no more of it
// than they need to find the end of a value. In other text they may find an end that is not one,
// but stay inside.

// SpaceEnd returns the position of the first byte from p on that is not white space.
func SpaceEnd[T string | []byte](text T, p int) int {
	for p < len(text) && IsSpace(text[p]) {
		p++
	}
	return min(p, len(text))
}

// ValueEnd returns the position after the value at p, or 0.
func ValueEnd[T string | []byte](text T, p int) int {
	if p >= len(text) {
		return 0
	}
	switch text[p] {
	case '"':
		return StringEnd(text, p)
	case '{', '[':
		return nestedEnd(text, p)
	}
	start := p
	for p < len(text) && !endsWord[text[p]] {
		p++
	}
	if p == start {
		return 0
	}
	return p
}

// endsWord has the bytes that end a number or a word.
var endsWord = [256]bool{',': true, ']': true, '}': true, ' ': true, '\t': true, '\r': true, '\n': true}

// StringEnd returns the position after the string whose opening quote is at p, 0 if it does not
// end.
func StringEnd[T string | []byte](text T, p int) int {
	for p++; p < len(text); p++ {
		n := quoteIn(text[p:])
		if n < 0 {
			return 0
		}
		quote, escapes := p+n, 0
		for text[quote-1-escapes] == '\\' { // the opening quote ends it
			escapes++
		}
		if p = quote; escapes%2 == 0 {
			return quote + 1
		}
	}
	return 0
}

// quoteIn returns the position of the first quote, or -1.
func quoteIn[T string | []byte](text T) int {
	switch text := any(text).(type) {
	case string:
		return strings.IndexByte(text, '"')
	case []byte:
		return bytes.IndexByte(text, '"')
	}
	return -1 // not reached
}

// nestedEnd returns the position after the object or array at p, 0 if it does not end.
func nestedEnd[T string | []byte](text T, p int) int {
	depth := 0
	for p < len(text) {
		switch text[p] {
		case '"':
			if p = StringEnd(text, p); p == 0 {
				return 0
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return p + 1
			}
		}
		p++
	}
	return 0
}
