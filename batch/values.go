package batch

import (
	"encoding/binary"
	"math/bits"

	"github.com/rtbwire/rtbwire/internal/grammar"
)

// span is a document within a text: text[start:end].
type span struct {
	start, end int
	large      bool // larger than the limit: it is reported and not checked
}

// valueSplitter finds documents in JSON text that is not one document a line: the values at
// the top level and, if such a value is an array, its elements. The text comes in pieces, and
// valueSplitter keeps its state between them.
//
// It has a loop of its own instead of using package grammar, because it must not stop at the
// first fault: it splits whatever it gets, and the check of each document decides whether that
// is JSON. So it looks at brackets, quotes, escapes, commas and line ends only. On text that is
// not JSON it hands out everything, so that nothing goes unreported, and recovers as soon as it
// can:
//
//   - a string ends at the end of its line at the latest, since JSON strings hold no line ends;
//   - a closing bracket closes everything up to the last opening bracket of its kind, or
//     nothing without one;
//   - an element of an array extends to the next comma or closing bracket;
//   - a document without an end is cut before the next line that begins with { at the
//     document's own indentation, and from then on every document of the input ends there at
//     the latest.
//
// Invariants: start < 0 exactly when no document is in progress; while inArray, stack[0] is
// the array's bracket and len(stack) ≥ 1; open counts the brackets on the stack by kind.
type valueSplitter struct {
	start    int    // where the document in progress begins, -1 without one
	stack    []byte // opening brackets, at most one per byte of a document
	braces   int    // how many of them are {
	inArray  bool   // a top-level array is open
	comma    bool   // in an array and between documents: the last thing was a comma
	inString bool
	token    bool // the document in progress is a number, a literal or stray punctuation
	skipping bool // the document in progress is too large: only its end matters

	objects objects // of the text that scan is looking at

	blanks int  // between documents: white space since the line's start, -1 after other text
	indent int  // the white space before the document in progress, -1 after other text
	resync bool // cut documents by indentation
}

// indentMax is the deepest indentation by which a document can be recognised.
const indentMax = 64

// special marks the bytes that matter outside strings.
var special = [256]bool{'"': true, '{': true, '}': true, '[': true, ']': true, ',': true, '\n': true}

// spansMax is about how many documents a chunk has at most. Small documents take more memory in
// lists than as text.
const spansMax = 1 << 14

// scan reads text[from:] and appends the documents that end there to out, until there are
// spansMax. It returns how far it has read: a few bytes less than everything if it needs to see
// what follows. final tells that nothing follows.
func (s *valueSplitter) scan(text []byte, from int, final bool, out []span) ([]span, int) {
	s.objects.known = false
	i := from
	for i < len(text) && len(out) < spansMax {
		var next int
		switch {
		case s.start < 0:
			out, next = s.between(text, i, out)
		case s.token:
			out, next = s.inToken(text, i, out)
		default:
			out, next = s.inside(text, i, final, out)
		}
		if next == i && s.start >= 0 { // it needs what follows
			return out, i
		}
		i = next
	}
	return out, i
}

// between handles the byte at i, where no document is in progress.
func (s *valueSplitter) between(text []byte, i int, out []span) ([]span, int) {
	switch c := text[i]; {
	case c == '\n':
		s.blanks = 0
		return out, i + 1
	case c == ' ' || c == '\t':
		if s.blanks >= 0 && s.blanks <= indentMax {
			s.blanks++
		}
		return out, i + 1
	case c == '\r':
		return out, i + 1
	case s.inArray && (c == ',' || c == ']'):
		if s.comma || c == ',' { // nothing before a comma, or a comma before the end: not JSON
			out = append(out, span{start: i, end: i + 1})
		}
		s.endElement(c)
		return out, i + 1
	case !s.inArray && c == '[':
		s.push('[')
		s.inArray, s.comma, s.blanks = true, false, -1
		return out, i + 1
	case c == '{' && !s.resync:
		if end := s.objects.end(text, i); end > 0 {
			return s.whole(text, i, end, out)
		}
	}
	return out, s.begin(text[i], i)
}

// whole appends the document text[start:end] if nothing more can belong to it, and begins it
// otherwise. It returns where to continue.
func (s *valueSplitter) whole(text []byte, start, end int, out []span) ([]span, int) {
	next := end
	if s.inArray {
		for next < len(text) && grammar.IsSpace(text[next]) {
			next++
		}
		if next == len(text) || text[next] != ',' && text[next] != ']' {
			return out, s.begin('{', start)
		}
		s.endElement(text[next])
		next++
	}
	s.blanks = -1
	return append(out, span{start: start, end: end}), next
}

// begin starts a document with the byte c at i and returns where to continue.
func (s *valueSplitter) begin(c byte, i int) int {
	s.start, s.indent = i, s.blanks
	if s.indent > indentMax {
		s.indent = -1
	}
	s.blanks = -1
	switch {
	case c == '"':
		s.inString = true
	case c == '{' || c == '[':
		s.push(c)
	case !s.inArray:
		s.token = true
	}
	return i + 1
}

// inToken looks for the end of a number or a literal at the top level.
func (s *valueSplitter) inToken(text []byte, i int, out []span) ([]span, int) {
	for ; i < len(text); i++ {
		if c := text[i]; grammar.IsSpace(c) || c == '{' || c == '[' || c == '"' {
			return s.end(text, i, out), i
		}
	}
	return out, i
}

// inside looks for the end of the document in progress, from i on.
func (s *valueSplitter) inside(text []byte, i int, final bool, out []span) ([]span, int) {
	base := btoi(s.inArray)
	for i < len(text) {
		if s.inString {
			i = s.skipString(text, i, final)
			if s.inString {
				return out, i
			}
			if len(s.stack) == 0 { // a string at the top level
				return s.end(text, i, out), i
			}
			continue
		}
		c := text[i]
		if !special[c] {
			i++
			continue
		}
		switch c {
		case '"':
			if n := quickString(text[i+1:]); n > 0 {
				i += n
			} else {
				s.inString = true
			}
		case '{', '[':
			s.push(c)
		case ',':
			if len(s.stack) == base {
				out = s.end(text, i, out)
				s.endElement(c)
				return out, i + 1
			}
		case '}', ']':
			if c == ']' && s.inArray && len(s.stack) > base && len(s.stack) == s.braces+base {
				// The array ends, the document does not: it has swallowed its successors.
				var cut int
				if out, cut = s.recut(text[:i], out); cut >= 0 {
					return out, cut
				}
			}
			s.pop(c)
			if len(s.stack) == 0 {
				if s.inArray { // the array's own end
					out = s.end(text, i, out)
					s.endElement(c)
					return out, i + 1
				}
				return s.end(text, i+1, out), i + 1
			}
		case '\n':
			if s.resync {
				cut, enough := s.cutsHere(text[i+1:], final)
				if !enough {
					return out, i
				}
				if cut {
					return s.abandon(text, i, out), i
				}
			}
		}
		i++
	}
	return out, i
}

// quickString returns the length of a string's text and its closing quote, 0 if the string has an
// escape or a line end, or ends less than 8 bytes before the end of the text. It reads eight
// bytes at a time.
func quickString(text []byte) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for i := 0; len(text)-i >= 8; i += 8 {
		x := binary.LittleEndian.Uint64(text[i:])
		quote, escape, end := x^('"'*ones), x^('\\'*ones), x^('\n'*ones)
		// A byte that is zero gets its top bit set; so may bytes after it, but not before it.
		found := ((quote-ones)&^quote | (escape-ones)&^escape | (end-ones)&^end) & tops
		if found != 0 {
			i += bits.TrailingZeros64(found) / 8
			if text[i] == '"' {
				return i + 1
			}
			return 0
		}
	}
	return 0
}

// skipString returns the end of the string that is open at i, or where it needs more text;
// inString tells which.
func (s *valueSplitter) skipString(text []byte, i int, final bool) int {
	for ; i < len(text); i++ {
		switch text[i] {
		case '"':
			s.inString = false
			return i + 1
		case '\n':
			s.inString = false
			return i
		case '\\':
			if i+1 == len(text) && !final {
				return i
			}
			if i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		}
	}
	return i
}

func (s *valueSplitter) push(c byte) {
	s.stack = append(s.stack, c)
	s.braces += btoi(c == '{')
}

// pop closes everything up to the last bracket that c closes. Counting them first keeps the
// time linear, whatever the text.
func (s *valueSplitter) pop(c byte) {
	opening := c - 2 // true for both kinds in ASCII
	if opening == '{' && s.braces == 0 || opening == '[' && s.braces == len(s.stack) {
		return
	}
	for n := len(s.stack) - 1; ; n-- {
		top := s.stack[n]
		s.stack = s.stack[:n]
		s.braces -= btoi(top == '{')
		if top == opening {
			return
		}
	}
}

// end appends the document in progress, which ends before text[end] or white space there.
func (s *valueSplitter) end(text []byte, end int, out []span) []span {
	for end > s.start && grammar.IsSpace(text[end-1]) {
		end--
	}
	if !s.skipping {
		out = append(out, span{start: s.start, end: end})
	}
	s.start, s.token, s.skipping, s.inString, s.comma = -1, false, false, false, false
	return out
}

// endElement is called after a comma or the closing bracket of the top-level array.
func (s *valueSplitter) endElement(c byte) {
	s.comma, s.blanks = c == ',', -1
	if c == ']' {
		s.inArray = false
		s.stack, s.braces = s.stack[:0], 0
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
