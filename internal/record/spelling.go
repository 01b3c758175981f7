package record

import (
	"bytes"

	"github.com/rtbwire/rtbwire/internal/grammar"
)

// layersMax is how many encodings around each other are undone: the JSON of the document, and two
// more, such as a URL in the query of a URL, or a URL in JSON in a string.
const layersMax = 3

// spelling is a document with some of its encodings undone.
type spelling struct {
	text []byte
	// unit has the place in the document of what gave each byte. Nil means that text is the
	// document.
	unit []span
}

// span is a part of a document.
type span struct{ from, to int }

// place returns the part of the document that gave text[from:to].
func (s *spelling) place(from, to int) span {
	if s.unit == nil {
		return span{from, to}
	}
	return span{s.unit[from].from, s.unit[to-1].to}
}

// undo returns the spelling with one more encoding undone. changed is false if nothing differs.
func (s *spelling) undo(e encoding) (plain spelling, changed bool) {
	if bytes.IndexByte(s.text, e.mark) < 0 {
		return plain, false
	}
	plain.text, plain.unit = make([]byte, 0, len(s.text)), make([]span, 0, len(s.text))
	for at := 0; at < len(s.text); {
		before := len(plain.text)
		var n int
		plain.text, n = e.unit(plain.text, s.text[at:])
		if n == 0 {
			plain.text, n = append(plain.text, s.text[at]), 1
		}
		for range len(plain.text) - before {
			plain.unit = append(plain.unit, s.place(at, at+n))
		}
		changed = changed || n > 1
		at += n
	}
	return plain, changed
}

// encoding is a way to write text.
type encoding struct {
	mark byte // every unit begins with it
	// unit appends what the unit at the beginning of text stands for, and returns the unit's
	// length, 0 if there is none.
	unit func(out, text []byte) (longer []byte, n int)
}

var encodings = []encoding{{'\\', jsonUnit}, {'%', percentUnit}}

// jsonUnit reads an escape of a JSON string.
func jsonUnit(out, text []byte) (longer []byte, n int) {
	switch {
	case text[0] != '\\' || len(text) < 2:
		return out, 0
	case text[1] == 'u':
		if len(text) < len(`\u0000`) || !areHex(text[2:len(`\u0000`)]) {
			return out, 0
		}
	case grammar.Letters[text[1]] == 0:
		return out, 0
	}
	longer, rest := grammar.AppendChar(out, text)
	return longer, len(text) - len(rest)
}

// percentUnit reads a percent-encoded byte (RFC 3986, section 2.1).
func percentUnit(out, text []byte) (longer []byte, n int) {
	if text[0] != '%' || len(text) < len("%00") || !areHex(text[1:len("%00")]) {
		return out, 0
	}
	return append(out, byte(grammar.HexDigit(text[1])<<4|grammar.HexDigit(text[2]))), len("%00")
}

// areHex reports whether all digits are hexadecimal.
func areHex(digits []byte) bool {
	for _, c := range digits {
		if grammar.HexDigit(c) < 0 {
			return false
		}
	}
	return true
}

// appendFolded appends text as it is compared: letters of ASCII in lower case, and a plus as a
// space, since a query has one for the other.
func appendFolded[T string | []byte](b []byte, text T) []byte {
	from := len(b)
	b = appendLower(b, text)
	for i := from; i < len(b); i++ {
		if b[i] == '+' {
			b[i] = ' '
		}
	}
	return b
}
