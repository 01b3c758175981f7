package batch

import (
	"bytes"

	"github.com/rtbwire/rtbwire/internal/grammar"
)

// This file is about documents without an end: it finds the next document by its indentation.

// abandon ends the document in progress before text[end], where the next one begins.
func (s *valueSplitter) abandon(text []byte, end int, out []span) []span {
	base := btoi(s.inArray)
	if s.inArray {
		trimmed := bytes.TrimRight(text[s.start:end], grammar.Whitespace)
		end = s.start + len(bytes.TrimSuffix(trimmed, []byte{','}))
	}
	s.stack, s.braces = s.stack[:base], 0
	s.resync = true
	return s.end(text, end, out)
}

// cutsHere reports whether a line begins as the document in progress did, and whether there
// is enough of the line to tell.
func (s *valueSplitter) cutsHere(line []byte, final bool) (cut, enough bool) {
	if s.indent < 0 {
		return false, true
	}
	if len(line) <= s.indent {
		return false, final
	}
	return line[s.indent] == '{' && len(bytes.Trim(line[:s.indent], " \t")) == 0, true
}

// recut looks for the best place to cut the document in progress, which has no end in text. It
// ends the document there and returns where to continue scanning, or -1.
func (s *valueSplitter) recut(text []byte, out []span) ([]span, int) {
	if s.complete() || s.skipping || s.indent < 0 {
		return out, -1
	}
	for i := s.start; ; i++ {
		next := bytes.IndexByte(text[i:], '\n')
		if next < 0 {
			return out, -1
		}
		i += next
		if cut, _ := s.cutsHere(text[i+1:], true); cut {
			return s.abandon(text, i, out), i
		}
	}
}

// complete reports whether the text could end here without cutting a document in two.
func (s *valueSplitter) complete() bool {
	return s.start < 0 || s.token || len(s.stack) == btoi(s.inArray) && !s.inString
}

// finish is called at the end of the input, when scan has read all of text. It appends what
// is left: a document without an end, or an empty one for an array that is not closed.
func (s *valueSplitter) finish(text []byte, out []span) []span {
	unclosed := s.inArray && s.complete()
	if s.start >= 0 {
		out = s.end(text, len(text), out)
	}
	if unclosed {
		out = append(out, span{start: len(text), end: len(text)})
	}
	s.inArray = false
	return out
}
