package rejects

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How much is shown, in characters.
const (
	excerptBefore = 64 // before a place
	excerptMark   = 96 // of the token there
	excerptAfter  = 64 // after it
	stringMax     = 40 // of another string
	pathMax       = 256
	spaceMax      = 24 // between a name and its colon
	numberMax     = 24 // of a masked number
	indexMax      = 4  // digits of an index in redacted paths
	idMax         = 128
	messageMax    = 300
)

// gone takes the place of what is not shown.
const gone = "…"

// Excerpt is the text around a place, with the token at the place apart. A redacted one has the
// structure of the document only: strings are "…", digits are #, and of names those that the
// specification has are shown.
type Excerpt struct {
	Before string `json:"before"`
	Mark   string `json:"mark"`
	After  string `json:"after"`
}

// ExcerptOf returns the excerpt around a byte offset of a document, which need not be valid.
func ExcerptOf(body []byte, offset int, full bool) Excerpt {
	var e Excerpt
	var before, after strings.Builder
	i, dropped := 0, false
	for i < len(body) {
		t := tokenAt(body, i)
		switch {
		case t.end <= offset:
			if offset-t.end <= farMax { // what is farther can't be in the excerpt
				before.WriteString(t.text(body, full, stringMax))
			} else {
				dropped = true
			}
		case e.Mark == "":
			e.Mark = t.text(body, full, excerptMark)
		default:
			after.WriteString(t.text(body, full, stringMax))
		}
		if i = t.end; after.Len() >= farMax {
			break
		}
	}
	e.Before, e.After = lastOf(before.String(), excerptBefore, dropped), firstOf(after.String(), excerptAfter, i < len(body))
	return e
}

// farMax is enough text for either side of an excerpt: a character has at most 4 bytes, and an
// escaped one 10.
const farMax = 10 * excerptBefore

// lastOf returns the last characters of a text.
func lastOf(s string, most int, more bool) string {
	for n := utf8.RuneCountInString(s); n > most; n-- {
		_, size := utf8.DecodeRuneInString(s)
		s, more = s[size:], true
	}
	if more && !strings.HasPrefix(s, gone) {
		s = gone + s
	}
	return s
}

// firstOf returns the first characters of a text.
func firstOf(s string, most int, more bool) string {
	n := 0
	for i := range s {
		if n++; n > most {
			return s[:i] + gone
		}
	}
	if more {
		s += gone
	}
	return s
}

// token is a part of a document: a string, a word, a number, white space, or one other byte.
type token struct {
	start, end int
	kind       tokenKind
}

type tokenKind int

const (
	tokenMark tokenKind = iota // one of {}[]:,
	tokenSpace
	tokenName // a string before a colon
	tokenString
	tokenNumber
	tokenWord
	tokenOther
)

// tokenAt returns the token that begins at an offset.
func tokenAt(b []byte, start int) token {
	end := start + 1
	run := func(kind tokenKind, of func(byte) bool) token {
		for end < len(b) && of(b[end]) {
			end++
		}
		return token{start, end, kind}
	}
	switch c := b[start]; {
	case c == '"':
		end = stringEnd(b, start)
		for i := end; i < len(b) && i < end+spaceMax; i++ {
			if isSpace(b[i]) {
				continue
			}
			if b[i] == ':' {
				return token{start, end, tokenName}
			}
			break
		}
		return token{start, end, tokenString}
	case strings.IndexByte("{}[]:,", c) >= 0:
		return token{start, end, tokenMark}
	case isSpace(c):
		return run(tokenSpace, isSpace)
	case isDigit(c) || c == '-':
		return run(tokenNumber, func(c byte) bool { return isDigit(c) || strings.IndexByte("+-.eE", c) >= 0 })
	case isLetter(c):
		return run(tokenWord, isLetter)
	}
	return run(tokenOther, func(c byte) bool { return c >= 0x80 })
}

// stringEnd returns the end of the string that begins at an offset; the end of the text if it has
// none.
func stringEnd(b []byte, start int) int {
	i := start + 1
	for {
		quote := bytes.IndexByte(b[i:], '"')
		if quote < 0 {
			return len(b)
		}
		i += quote + 1
		escapes := 0
		for b[i-2-escapes] == '\\' {
			escapes++ // ends at the opening quote at the latest
		}
		if escapes%2 == 0 {
			return i
		}
	}
}

func isSpace(c byte) bool  { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// text returns what is shown of a token.
func (t token) text(b []byte, full bool, most int) string {
	source := b[t.start:t.end]
	switch {
	case t.kind == tokenSpace:
		return " "
	case full:
		return visible(string(source[:min(len(source), 4*most)]), most)
	}
	switch t.kind {
	case tokenMark:
		return string(source)
	case tokenName:
		if len(source) > 2 && specNames()[string(source[1:len(source)-1])] {
			return string(source)
		}
		return `"` + gone + `"`
	case tokenString:
		return `"` + gone + `"`
	case tokenNumber:
		masked := source[:min(len(source), numberMax)]
		return strings.Map(func(r rune) rune {
			if '0' <= r && r <= '9' {
				return '#'
			}
			return r
		}, string(masked))
	case tokenWord:
		if word := string(source); word == "true" || word == "false" || word == "null" {
			return word
		}
	}
	return gone
}

// plainIndex reports whether a name of a path looks like the index of an element. Longer numbers
// can be identifiers.
func plainIndex(name string) bool {
	for i := range len(name) {
		if !isDigit(name[i]) {
			return false
		}
	}
	return name != "" && len(name) <= indexMax
}

// plainID reports whether a text looks like an identifier.
func plainID(id string) bool {
	for i := range len(id) {
		if c := id[i]; !isLetter(c) && !isDigit(c) && c != '_' && c != '-' && c != '.' {
			return false
		}
	}
	return id != ""
}

// pathOf returns what is shown of a path.
func pathOf(path string, full bool) string {
	if full {
		return visible(path, pathMax)
	}
	names := strings.Split(path[:min(len(path), pathMax)], "/")
	if len(path) > pathMax {
		names[len(names)-1] = gone
	}
	for i, name := range names {
		if i > 0 && !specNames()[name] && !plainIndex(name) {
			names[i] = gone
		}
	}
	return strings.Join(names, "/")
}

// visible returns the first characters of a text. What is not printable, such as marks that turn
// the direction of text, is escaped.
func visible(s string, most int) string {
	plain := len(s) <= most
	for i := 0; plain && i < len(s); i++ {
		plain = ' ' <= s[i] && s[i] <= '~'
	}
	if plain {
		return s
	}
	var b strings.Builder
	n := 0
	for i, r := range s {
		if n++; n > most {
			b.WriteString(gone)
			break
		}
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError)):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
