package grammar

import (
	"bytes"

	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/internal/seen"
)

// Repeated returns the offset of the first key that its object had before, at any depth. The
// document is valid, so that its brackets and strings say everything: a string with a colon after
// it is a key.
//
// most is how many keys of open objects may be remembered at a time. ok is false if that was not
// enough to find out.
func Repeated(data []byte, most int) (at int, found, ok bool) {
	var keys seen.Groups
	for p := 0; p < len(data); p++ {
		switch data[p] {
		case '{':
			keys.Open()
		case '}':
			most += keys.Len()
			keys.Close()
		case '"':
			start := p + 1
			p, _ = closingQuote(data, start)
			if colon := afterSpace(data, p+1); data[colon] != ':' { // there is always a brace after it
				continue
			}
			if most--; most < 0 {
				return 0, false, false
			}
			name := mem.TextOf(data).String(start, p)
			if text := data[start:p]; bytes.IndexByte(text, '\\') >= 0 {
				name = Unescape(text)
			}
			if _, repeated := keys.Add(name); repeated {
				return start - 1, true, true
			}
		}
	}
	return 0, false, true
}

// closingQuote returns the offset of the quote that ends the string whose content begins at start.
func closingQuote(data []byte, start int) (at int, ok bool) {
	for p := start; ; p++ {
		quote := bytes.IndexByte(data[p:], '"')
		if quote < 0 {
			return 0, false
		}
		p += quote
		backslashes := 0
		for p-backslashes > start && data[p-backslashes-1] == '\\' {
			backslashes++
		}
		if backslashes%2 == 0 {
			return p, true
		}
	}
}
